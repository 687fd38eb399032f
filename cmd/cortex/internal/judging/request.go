package judging

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/lines"
	"github.com/opencortex-go/cortex/sexpr"
)

// request is one line, taken apart but for what its parts mean.
type request struct {
	id      json.RawMessage // as it was given; null if it was not
	action  sexpr.Value     // the proposal
	now     string          // RFC 3339; "" if it was not given
	session members
	calls   []members
	facts   members
	signal  members
}

// members are the keys and values of one object of a request.
type members map[string]sexpr.Value

// The keys that a request may have. Others are errors: a misspelt key must not
// quietly take a fact away from the rules.
var requestKeys = map[string][]string{
	"request": {"id", "session", "action", "facts", "now", "signal"},
	"session": {"id", "user", "system", "principal", "roles", "calls", "whole", "attached"},
	"call": {"tool", "args", "result", "error", "at", "decision", "happened", "cut", "user", "attached", "reply",
		"source", "name"},
	"attached": {"name", "text"},
	"facts":    {"ctx", "env", "work", "policy"},
	"signal":   {"sensor", "source", "session", "text", "from"},
}

var errNoAction = errors.New("there is no action")

// wide reads everything of a request but the action: its line bounds it. Depth
// stays bounded.
var wide = sexpr.Reader{Limits: sexpr.Limits{Bytes: lines.Max, Depth: 1000, Atoms: lines.Max, String: lines.Max}}

// readRequest takes a line apart, JSON or a plist.
func readRequest(line []byte) (*request, error) {
	if !utf8.Valid(line) {
		return nil, errors.New("the line is not UTF-8")
	}
	line = bytes.TrimSpace(line)
	if len(line) > 0 && line[0] == '(' {
		return readPlistRequest(string(line))
	}
	return readJSONRequest(line)
}

// readPlistRequest reads a request written as one form.
func readPlistRequest(line string) (*request, error) {
	v, err := wide.Read("", line)
	if err != nil {
		return nil, err
	}
	r := new(request)
	if id, ok := v.Get("id"); ok { // first, so that whatever is wrong is said under it
		if r.id, err = sexpr.ToJSON(id); err != nil {
			return r, fmt.Errorf("id: %w", err)
		}
	}
	top, err := r.objects(v)
	if err != nil {
		return r, err
	}
	if absent(top["action"]) {
		return r, errNoAction
	}
	// The limits of the notation bind the action alone, as if it had come by
	// itself.
	text, err := sexpr.Print(top["action"])
	if err != nil {
		return r, fmt.Errorf("action: %w", err)
	}
	r.action, err = sexpr.Read("action", text)
	return r, err
}

// objects fills in the objects of a request from a form and returns its own
// members.
func (r *request) objects(v sexpr.Value) (top members, err error) {
	if top, err = plistMembers(v, "request"); err != nil {
		return nil, err
	}
	if r.now, err = top.text("now"); err != nil {
		return top, err
	}
	for name, into := range map[string]*members{"session": &r.session, "facts": &r.facts, "signal": &r.signal} {
		if *into, err = plistMembers(top[name], name); err != nil {
			return top, err
		}
	}
	for i, c := range r.session["calls"].Items() {
		m, err := plistMembers(c, "call")
		if err != nil {
			return top, fmt.Errorf("session.calls, element %d: %w", i+1, err)
		}
		r.calls = append(r.calls, m)
	}
	return top, nil
}

// plistMembers takes an object apart that was written as a plist.
func plistMembers(v sexpr.Value, what string) (members, error) {
	if absent(v) {
		return nil, nil
	}
	if !v.IsObject() {
		return nil, fmt.Errorf("%s is a %s, expected an object", what, v.Kind())
	}
	if _, err := sexpr.Canonical(v); err != nil { // finds what stands twice, at every depth
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	m, items := members{}, v.Items()
	for i := 0; i+1 < len(items); i += 2 {
		m[items[i].Text()] = items[i+1]
	}
	return m, m.known(what)
}

// readJSONRequest reads a request written as JSON. Only what a tool returned may
// be any JSON at all; the rest goes over the strict bridge.
func readJSONRequest(line []byte) (*request, error) {
	top, err := rawMembers(line, "request")
	if err != nil {
		return nil, err
	}
	r := &request{id: top["id"]}
	if now, ok := top["now"]; ok {
		if r.now, err = jsonText(now, "now"); err != nil {
			return r, err
		}
	}
	if err := r.jsonObjects(top); err != nil {
		return r, err
	}
	if top["action"] == nil {
		return r, errNoAction
	}
	r.action, err = sexpr.FromJSON(top["action"])
	if err != nil {
		return r, fmt.Errorf("action: %w", err)
	}
	return r, nil
}

func (r *request) jsonObjects(top map[string]json.RawMessage) error {
	session, err := rawMembers(top["session"], "session")
	if err != nil {
		return err
	}
	calls := session["calls"]
	delete(session, "calls")
	if r.session, err = convert(session, "session"); err != nil {
		return err
	}
	for name, into := range map[string]*members{"facts": &r.facts, "signal": &r.signal} {
		raw, err := rawMembers(top[name], name)
		if err != nil {
			return err
		}
		if *into, err = convert(raw, name); err != nil {
			return err
		}
	}
	return r.jsonCalls(calls)
}

func (r *request) jsonCalls(raw json.RawMessage) error {
	if null(raw) {
		return nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return fmt.Errorf("session.calls: %w", err)
	}
	for i, c := range list {
		m, err := rawMembers(c, "call")
		if err != nil {
			return fmt.Errorf("session.calls, element %d: %w", i+1, err)
		}
		call, err := convert(m, "call")
		if err != nil {
			return fmt.Errorf("session.calls, element %d: %w", i+1, err)
		}
		r.calls = append(r.calls, call)
	}
	return nil
}

// rawMembers takes a JSON object apart. A key that stands twice is an error, as
// is an unknown one.
func rawMembers(raw json.RawMessage, what string) (map[string]json.RawMessage, error) {
	if null(raw) && what != "request" {
		return nil, nil
	}
	if !json.Valid(raw) {
		var v any
		return nil, fmt.Errorf("%s is not JSON: %w", what, json.Unmarshal(raw, &v))
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, fmt.Errorf("%s is not an object", what)
	}
	out := map[string]json.RawMessage{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		key, _ := t.(string)
		if _, twice := out[key]; twice {
			return nil, fmt.Errorf("%s has %q twice", what, key)
		}
		if !slices.Contains(requestKeys[what], key) {
			return nil, unknownKey(what, key)
		}
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return nil, err
		}
		if !null(v) || what == "call" && key == "result" { // a call that gave null gave something
			out[key] = v
		}
	}
	return out, nil
}

func convert(raw map[string]json.RawMessage, what string) (members, error) {
	m := members{}
	for key, r := range raw {
		v, err := wide.FromJSON("", r)
		if null(r) { // a result
			v, err = sexpr.Null(), nil
		}
		if err != nil && what == "call" && (key == "result" || key == "error") {
			v, err = looseJSON(r)
		}
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", what, key, err)
		}
		m[key] = v
	}
	return m, nil
}

// looseJSON reads any JSON that a tool may have returned: of keys that stand
// twice the last one counts, and a number that a float would change is kept as
// the string it was written as.
func looseJSON(raw json.RawMessage) (sexpr.Value, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil && !errors.Is(err, io.EOF) {
		return sexpr.Value{}, err
	}
	return loose(v), nil
}

func loose(v any) sexpr.Value {
	switch v := v.(type) {
	case bool:
		return sexpr.Bool(v)
	case json.Number:
		if n, err := sexpr.FromJSON([]byte(v)); err == nil {
			return n
		}
		return sexpr.Str(string(v))
	case string:
		return sexpr.Str(strings.ReplaceAll(v, "\x00", "\uFFFD"))
	case []any:
		items := make([]sexpr.Value, len(v))
		for i, x := range v {
			items[i] = loose(x)
		}
		return sexpr.ListOf(items...)
	case map[string]any:
		if len(v) == 0 {
			return sexpr.EmptyObject()
		}
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		items := make([]sexpr.Value, 0, 2*len(v))
		for _, k := range keys {
			items = append(items, sexpr.Key(strings.ReplaceAll(k, "\x00", "\uFFFD")), loose(v[k]))
		}
		return sexpr.ListOf(items...)
	}
	return sexpr.Null()
}

// text returns a member that is a string, "" if it is not there.
func (m members) text(key string) (string, error) {
	v := m[key]
	if absent(v) {
		return "", nil
	}
	if v.Kind() != sexpr.String {
		return "", fmt.Errorf("%s is a %s, expected a string", key, v.Kind())
	}
	return v.Text(), nil
}

// time returns a member that is a time, and otherwise where it is not there.
func (m members) time(key string, otherwise int64) (int64, error) {
	s, err := m.text(key)
	if err != nil || s == "" {
		return otherwise, err
	}
	return unixTime(key, s)
}

// unixTime reads a time in RFC 3339.
func unixTime(what, s string) (int64, error) {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return 0, fmt.Errorf("%s is not a time like 2026-01-02T15:04:05Z", what)
	}
	return t.Unix(), nil
}

func (m members) known(what string) error {
	for key := range m {
		if !slices.Contains(requestKeys[what], key) {
			return unknownKey(what, key)
		}
	}
	return nil
}

func unknownKey(what, key string) error {
	return fmt.Errorf("%s has the unknown key %.40q, expected %s", what, key, strings.Join(requestKeys[what], " "))
}

func absent(v sexpr.Value) bool { return v.IsNil() || v.IsSym("null") }

func null(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

func jsonText(raw json.RawMessage, what string) (string, error) {
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", fmt.Errorf("%s is not a string", what)
	}
	return s, nil
}

// idOf finds the id of a request that could not be read, as far as it goes.
func idOf(r *request, line []byte) json.RawMessage {
	if r != nil {
		return r.id
	}
	var known struct {
		ID json.RawMessage `json:"id"`
	}
	if !utf8.Valid(line) || json.Unmarshal(line, &known) != nil {
		return nil
	}
	return known.ID
}
