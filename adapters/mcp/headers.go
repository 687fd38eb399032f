package mcp

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Headers of the protocol.
const (
	headerVersion = "Mcp-Protocol-Version"
	headerSession = "Mcp-Session-Id"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
	headerParam   = "Mcp-Param-"
	headerLast    = "Last-Event-Id"
)

// checkHeaders compares the headers that repeat parts of a message with the message. The
// proxy judges the body; a server that goes by a header must not be told another story.
// From the era without sessions on these headers have to be there.
func (p *Proxy) checkHeaders(h http.Header, m *message) error {
	bad := func(format string, args ...any) error {
		return &fault{code: codeHeaders, text: "header mismatch: " + fmt.Sprintf(format, args...), id: m.id}
	}
	for name, values := range h {
		if strings.HasPrefix(name, "Mcp-") && len(values) > 1 {
			return bad("found %s %d times", name, len(values))
		}
	}
	if m.response() {
		return nil
	}
	newer := h.Get(headerVersion) >= stateless
	if method := h.Get(headerMethod); method != m.method && (newer || method != "") {
		return bad("Mcp-Method is %q, the body's method is %q", method, m.method)
	}
	name, has := subject(m)
	given, ok := plainHeader(h.Get(headerName))
	if has && (newer || given != "") && (!ok || given != name) {
		return bad("Mcp-Name is %q, the body names %q", given, name)
	}
	if all, err := members(m.params); err == nil && m.call() {
		if _, era := meta(all); era != "" && era != h.Get(headerVersion) {
			return bad("Mcp-Protocol-Version is %q, the body's version is %q", h.Get(headerVersion), era)
		}
	}
	if m.method != methodCall {
		return nil
	}
	return p.checkParams(h, m, bad)
}

// checkParams compares the headers that repeat arguments.
func (p *Proxy) checkParams(h http.Header, m *message, bad func(string, ...any) error) error {
	in, err := invoked(m)
	if err != nil {
		return nil // it is refused for that
	}
	definition := p.pins.definition(in.tool)
	want, err := repeated(definition, in.args)
	if err != nil {
		return bad("%v", err)
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		given := h.Get(name)
		if given == "" && want[name] == nil {
			continue
		}
		if given == "" && h.Get(headerVersion) < stateless {
			continue
		}
		value, ok := plainHeader(given)
		if want[name] == nil || !ok || !sameScalar(value, want[name]) {
			return bad("%s is %q, and the body's argument differs", name, given)
		}
	}
	if definition == nil {
		for name := range h {
			if strings.HasPrefix(name, headerParam) {
				return bad("found %s for a tool whose definition is not known; list the tools first", name)
			}
		}
	}
	return nil
}

// subject is what a request names: a tool, a prompt or a resource.
func subject(m *message) (string, bool) {
	key := map[string]string{methodCall: "name", methodPrompt: "name", methodResource: "uri"}[m.method]
	if key == "" {
		return "", false
	}
	all, err := members(m.params)
	var name string
	if err != nil || json.Unmarshal(all.get(key), &name) != nil {
		return "", false
	}
	return name, true
}

// setHeaders sets the headers that repeat parts of a message, as the newer era wants it.
func (p *Proxy) setHeaders(h http.Header, m *message, args json.RawMessage) error {
	h.Set(headerMethod, m.method)
	if name, ok := subject(m); ok {
		h.Set(headerName, encodeHeader(name))
	}
	for name := range h {
		if strings.HasPrefix(name, headerParam) {
			h.Del(name)
		}
	}
	if m.method != methodCall {
		return nil
	}
	in, err := invoked(m)
	if err != nil {
		return err
	}
	if args == nil {
		args = in.args
	}
	want, err := repeated(p.pins.definition(in.tool), args)
	for name, value := range want {
		if text := scalarText(value); value != nil {
			h.Set(name, encodeHeader(text))
		}
	}
	return err
}

// repeated returns the headers that a definition asks for, with the arguments that they
// repeat: nil where that is absent.
func repeated(definition, args json.RawMessage) (map[string]json.RawMessage, error) {
	if definition == nil {
		return nil, nil
	}
	var tool struct {
		Schema property `json:"inputSchema"`
	}
	if err := json.Unmarshal(definition, &tool); err != nil {
		return nil, nil //nolint:nilerr // a definition without a schema asks for none
	}
	out := map[string]json.RawMessage{}
	return out, tool.Schema.collect(args, out)
}

// property is what a schema says of headers.
type property struct {
	Header     any                 `json:"x-mcp-header"`
	Properties map[string]property `json:"properties"`
}

// collect adds the headers of a schema's properties.
func (p property) collect(value json.RawMessage, out map[string]json.RawMessage) error {
	if len(p.Properties) == 0 {
		return nil
	}
	var all object
	if len(value) > 0 && value[0] == '{' {
		var err error
		if all, err = members(value); err != nil {
			return err
		}
	}
	for key, of := range p.Properties {
		v := all.get(key)
		if string(v) == "null" {
			v = nil
		}
		if name, ok := of.Header.(string); ok && name != "" {
			out[http.CanonicalHeaderKey(headerParam+name)] = v
		}
		if err := of.collect(v, out); err != nil {
			return err
		}
	}
	return nil
}

// scalarText is how a header writes a string, a number or a boolean.
func scalarText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// sameScalar compares a header with an argument; numbers by value.
func sameScalar(header string, raw json.RawMessage) bool {
	if header == scalarText(raw) {
		return true
	}
	if len(raw) == 0 || raw[0] == '"' {
		return false
	}
	a, err := strconv.ParseFloat(header, 64)
	b, fail := strconv.ParseFloat(string(raw), 64)
	return err == nil && fail == nil && a == b
}

const coded, codedEnd = "=?base64?", "?="

// plainHeader reads the value of a header that may stand in base64.
func plainHeader(v string) (string, bool) {
	inner, ok := strings.CutPrefix(v, coded)
	if inner, is := strings.CutSuffix(inner, codedEnd); ok && is {
		text, err := base64.StdEncoding.DecodeString(inner)
		return string(text), err == nil
	}
	return v, true
}

// encodeHeader writes a value so that a header can carry it.
func encodeHeader(s string) string {
	safe := strings.TrimSpace(s) == s && !(strings.HasPrefix(s, coded) && strings.HasSuffix(s, codedEnd))
	for _, r := range s {
		safe = safe && r >= 0x20 && r <= 0x7e
	}
	if safe {
		return s
	}
	return coded + base64.StdEncoding.EncodeToString([]byte(s)) + codedEnd
}
