package mcp

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/adapters/mcp/internal/wire"
)

// Headers of the protocol.
const (
	headerMethod = "Mcp-Method"
	headerName   = "Mcp-Name"
	headerLast   = "Last-Event-Id"
)

// checkHeaders compares the headers that repeat parts of a message with the message. The
// proxy judges the body; a server that goes by a header must not be told another story.
// From the era without sessions on these headers have to be there.
func (p *Proxy) checkHeaders(h http.Header, m *wire.Message) error {
	bad := func(format string, args ...any) error {
		return &wire.Fault{Code: wire.CodeHeaders, Text: "header mismatch: " + fmt.Sprintf(format, args...), ID: m.ID}
	}
	for name, values := range h {
		if strings.HasPrefix(name, "Mcp-") && len(values) > 1 {
			return bad("found %s %d times", name, len(values))
		}
	}
	if m.Response() {
		return nil
	}
	newer := h.Get(wire.HeaderVersion) >= wire.Stateless
	if method := h.Get(headerMethod); method != m.Method && (newer || method != "") {
		return bad("Mcp-Method is %q, the body's method is %q", method, m.Method)
	}
	name, has := subject(m)
	given, ok := wire.PlainHeader(h.Get(headerName))
	if has && (newer || given != "") && (!ok || given != name) {
		return bad("Mcp-Name is %q, the body names %q", given, name)
	}
	if m.Call() {
		if _, era := wire.Meta(m.In()); era != "" && era != h.Get(wire.HeaderVersion) {
			return bad("Mcp-Protocol-Version is %q, the body's version is %q", h.Get(wire.HeaderVersion), era)
		}
	}
	if m.Method != wire.MethodCall {
		return nil
	}
	return p.checkParams(h, m, bad)
}

// checkParams compares the headers that repeat arguments.
func (p *Proxy) checkParams(h http.Header, m *wire.Message, bad func(string, ...any) error) error {
	in, err := wire.Invoked(m)
	if err != nil {
		return nil // it is refused for that
	}
	definition := p.pins.Definition(in.Tool)
	want, err := wire.Repeated(definition, in.Args)
	if err != nil {
		return bad("%v", err)
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		given := h.Get(name)
		if given == "" && want[name] == nil {
			continue
		}
		if given == "" && h.Get(wire.HeaderVersion) < wire.Stateless {
			continue
		}
		value, ok := wire.PlainHeader(given)
		if want[name] == nil || !ok || !wire.SameScalar(value, want[name]) {
			return bad("%s is %q, and the body's argument differs", name, given)
		}
	}
	if definition == nil {
		for name := range h {
			if strings.HasPrefix(name, wire.HeaderParam) {
				return bad("found %s for a tool whose definition is not known; list the tools first", name)
			}
		}
	}
	return nil
}

// subject is what a request names: a tool, a prompt or a resource.
func subject(m *wire.Message) (string, bool) {
	key := map[string]string{wire.MethodCall: "name", wire.MethodPrompt: "name", wire.MethodResource: "uri"}[m.Method]
	if key == "" {
		return "", false
	}
	name := m.In().Text(key)
	return name, name != ""
}

// setHeaders sets the headers that repeat parts of a message, as the newer era wants it.
func (p *Proxy) setHeaders(h http.Header, m *wire.Message) error {
	h.Set(headerMethod, m.Method)
	if name, ok := subject(m); ok {
		h.Set(headerName, wire.EncodeHeader(name))
	}
	for name := range h {
		if strings.HasPrefix(name, wire.HeaderParam) {
			h.Del(name)
		}
	}
	if m.Method != wire.MethodCall {
		return nil
	}
	in, err := wire.Invoked(m)
	if err != nil {
		return err
	}
	want, err := wire.Repeated(p.pins.Definition(in.Tool), in.Args)
	for name, value := range want {
		if text := wire.ScalarText(value); value != nil {
			h.Set(name, wire.EncodeHeader(text))
		}
	}
	return err
}
