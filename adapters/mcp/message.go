package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The methods that the proxy knows. All others pass.
const (
	methodInitialize = "initialize"
	methodDiscover   = "server/discover"
	methodCall       = "tools/call"
	methodList       = "tools/list"
	methodPrompt     = "prompts/get"
	methodResource   = "resources/read"
	methodTaskResult = "tasks/result"
	methodSample     = "sampling/createMessage"
	noteCancelled    = "notifications/cancelled"
	noteProgress     = "notifications/progress"
)

// metaVersion is where a request of the era without sessions says its protocol version.
const metaVersion = "io.modelcontextprotocol/protocolVersion"

// Codes of JSON-RPC and MCP errors.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeInvalidParams  = -32602
	codeInternal       = -32603
	codeHeaders        = -32020 // headers and body of a request differ
)

// message is one JSON-RPC message as it stands, with what the proxy has to know of it.
type message struct {
	raw    []byte
	id     json.RawMessage // nil for a notification
	method string          // "" for a response
	params json.RawMessage
	result json.RawMessage
	fail   json.RawMessage // the error of a response
}

// call reports whether m asks for a response.
func (m *message) call() bool { return m.method != "" && m.id != nil }

// response reports whether m answers a request.
func (m *message) response() bool { return m.method == "" }

// key is the id in a form that is equal for equal ids.
func (m *message) key() string { return idKey(m.id) }

func idKey(id json.RawMessage) string {
	if f, err := strconv.ParseFloat(string(id), 64); err == nil {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	var s string
	if json.Unmarshal(id, &s) == nil {
		return strconv.Quote(s)
	}
	return string(id)
}

// A fault says why a message is not read, with a code of JSON-RPC. It carries the id of the
// request if that could be read.
type fault struct {
	code int
	text string
	id   json.RawMessage
}

func (f *fault) Error() string { return f.text }

// answer is the response to a message with a fault.
func (f *fault) answer() []byte { return failure(f.id, f.code, f.text) }

// parse reads one message. What parsers could read in two ways is a *fault: a repeated key,
// a key that differs from one of the protocol only in case, text that is not UTF-8, data
// after the message, and several messages in one.
func parse(raw []byte) (*message, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) > 0 && raw[0] == '[' {
		return nil, &fault{code: codeInvalidRequest, text: "found several messages in one; expected one JSON-RPC message " +
			"at " +
			"a time"}
	}
	all, err := members(raw)
	if err != nil {
		return nil, &fault{code: codeParse, text: "expected one JSON-RPC message: " + err.Error()}
	}
	m := &message{raw: raw, id: all.get("id"), params: all.get("params"), result: all.get("result"),
		fail: all.get("error")}
	bad := func(format string, args ...any) (*message, error) {
		return nil, &fault{code: codeInvalidRequest, text: fmt.Sprintf(format, args...), id: m.id}
	}
	if err := all.exact("jsonrpc", "id", "method", "params", "result", "error"); err != nil {
		return bad("%v", err)
	}
	if string(m.id) == "null" && m.fail != nil {
		m.id = nil // the error of a request whose id the server could not read
	}
	if m.id != nil && !strings.ContainsRune("\"-0123456789", rune(m.id[0])) {
		m.id = nil
		return bad("expected an id that is a string or a number")
	}
	if method := all.get("method"); method != nil {
		if json.Unmarshal(method, &m.method) != nil || m.method == "" {
			return bad("expected a method that is a string")
		}
		if m.method != methodCall && strings.EqualFold(strings.TrimSpace(m.method), methodCall) {
			return bad("found the method %q; expected %q", m.method, methodCall)
		}
		return m, nil
	}
	if m.id == nil && m.fail == nil {
		return bad("found neither a method nor an id")
	}
	return m, nil
}

// object is the members of a JSON object, in order.
type object []member

type member struct {
	key   string
	value json.RawMessage
}

// members splits a JSON object.
func members(raw []byte) (object, error) {
	if !utf8.Valid(raw) {
		return nil, errors.New("it is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	open, err := d.Token()
	if err != nil {
		return nil, err
	}
	if open != json.Delim('{') {
		return nil, errors.New("it is not an object")
	}
	var all object
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		key, _ := t.(string)
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return nil, err
		}
		if all.get(key) != nil {
			return nil, fmt.Errorf("the key %q stands in it twice", key)
		}
		all = append(all, member{key, v})
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if rest := bytes.TrimSpace(raw[d.InputOffset():]); len(rest) > 0 {
		return nil, errors.New("data follows it")
	}
	return all, nil
}

// get returns the value of a key, or nil.
func (o object) get(key string) json.RawMessage {
	for _, m := range o {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

// exact reports a key that some parsers take for one of these, and others do not.
func (o object) exact(keys ...string) error {
	for _, m := range o {
		for _, k := range keys {
			if m.key != k && strings.EqualFold(m.key, k) {
				return fmt.Errorf("found the key %q; expected %q", m.key, k)
			}
		}
	}
	return nil
}

// with returns the object with another value of a key that it has.
func (o object) with(key string, value json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, _ := json.Marshal(m.key)
		b.Write(name)
		b.WriteByte(':')
		if m.key == key {
			b.Write(value)
		} else {
			b.Write(m.value)
		}
	}
	b.WriteByte('}')
	return b.Bytes()
}

// invocation is what a tools/call asks for.
type invocation struct {
	id    json.RawMessage
	tool  string
	args  json.RawMessage // an object
	token json.RawMessage // of progress, or nil
	all   object          // the params
	era   string          // the protocol version that the request names itself, or ""
	typed bool            // the tool has a schema of its results
}

// invoked reads the params of a tools/call.
func invoked(m *message) (*invocation, error) {
	bad := func(text string) (*invocation, error) {
		return nil, &fault{code: codeInvalidParams, text: "tools/call: " + text, id: m.id}
	}
	all, err := members(m.params)
	if err != nil {
		return bad("expected params: " + err.Error())
	}
	if err := all.exact("name", "arguments", "_meta"); err != nil {
		return bad(err.Error())
	}
	in := &invocation{id: m.id, all: all, args: all.get("arguments")}
	if json.Unmarshal(all.get("name"), &in.tool) != nil || in.tool == "" {
		return bad("expected a name that is a string")
	}
	if strings.ContainsRune(in.tool, utf8.RuneError) {
		return bad("found a name that is not valid Unicode")
	}
	if in.args == nil || string(in.args) == "null" {
		in.args = json.RawMessage("{}")
	} else if in.args[0] != '{' {
		return bad("expected arguments that are an object")
	}
	in.token, in.era = meta(all)
	return in, nil
}

// meta reads the token of progress and the protocol version out of params.
func meta(params object) (token json.RawMessage, era string) {
	of, err := members(params.get("_meta"))
	if err != nil {
		return nil, ""
	}
	_ = json.Unmarshal(of.get(metaVersion), &era)
	return of.get("progressToken"), era
}

// withArgs returns the request with other arguments.
func (in *invocation) withArgs(m *message, args json.RawMessage) ([]byte, error) {
	params := in.all
	if params.get("arguments") == nil {
		params = append(params[:len(params):len(params)], member{"arguments", nil})
	}
	whole, err := members(m.raw)
	if err != nil {
		return nil, err
	}
	return whole.with("params", params.with("arguments", args)), nil
}
