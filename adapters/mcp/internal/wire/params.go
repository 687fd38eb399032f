package wire

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// Headers of the protocol.
const (
	HeaderVersion = "Mcp-Protocol-Version"
	HeaderSession = "Mcp-Session-Id"
)

// Stateless is the first protocol version without sessions.
const Stateless = "2026-07-28"

// HeaderParam begins the names of headers that repeat arguments.
const HeaderParam = "Mcp-Param-"

// Repeated returns the headers that a definition asks for, with the arguments that they
// repeat: nil where that is absent.
func Repeated(definition, args json.RawMessage) (map[string]json.RawMessage, error) {
	if definition == nil {
		return nil, nil
	}
	tool, err := Members(definition)
	if err != nil {
		return nil, err
	}
	out := map[string]json.RawMessage{}
	return out, collect(tool.Object("inputSchema"), args, out)
}

// collect adds the headers of a schema's properties.
func collect(schema Object, value json.RawMessage, out map[string]json.RawMessage) error {
	properties := schema.Object("properties")
	if len(properties) == 0 {
		return nil
	}
	var all Object
	if len(value) > 0 && value[0] == '{' {
		var err error
		if all, err = Members(value); err != nil {
			return err
		}
	}
	for _, p := range properties {
		v := all.Get(p.Key)
		if string(v) == "null" {
			v = nil
		}
		of := properties.Object(p.Key)
		if name := of.Text("x-mcp-header"); name != "" {
			out[http.CanonicalHeaderKey(HeaderParam+name)] = v
		}
		if err := collect(of, v, out); err != nil {
			return err
		}
	}
	return nil
}

// ScalarText is how a header writes a string, a number or a boolean.
func ScalarText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// SameScalar compares a header with an argument; numbers by value.
func SameScalar(header string, raw json.RawMessage) bool {
	if header == ScalarText(raw) {
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

// PlainHeader reads the value of a header that may stand in base64.
func PlainHeader(v string) (string, bool) {
	inner, ok := strings.CutPrefix(v, coded)
	if inner, is := strings.CutSuffix(inner, codedEnd); ok && is {
		text, err := base64.StdEncoding.DecodeString(inner)
		return string(text), err == nil
	}
	return v, true
}

// EncodeHeader writes a value so that a header can carry it.
func EncodeHeader(s string) string {
	safe := strings.TrimSpace(s) == s && !(strings.HasPrefix(s, coded) && strings.HasSuffix(s, codedEnd))
	for _, r := range s {
		safe = safe && r >= 0x20 && r <= 0x7e
	}
	if safe {
		return s
	}
	return coded + base64.StdEncoding.EncodeToString([]byte(s)) + codedEnd
}
