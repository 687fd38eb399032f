package wire

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Invocation is what a tools/call asks for.
type Invocation struct {
	ID    json.RawMessage
	Tool  string
	Args  json.RawMessage // an object
	Token json.RawMessage // of progress, or nil
	Era   string          // the protocol version that the request names itself, or ""
	Typed bool            // the tool has a schema of its results
}

// Invoked reads the params of a tools/call.
func Invoked(m *Message) (*Invocation, error) {
	bad := func(text string) (*Invocation, error) {
		return nil, &Fault{Code: CodeInvalidParams, Text: "tools/call: " + text, ID: m.ID}
	}
	all, err := Members(m.Params)
	if err != nil {
		return bad("expected params: " + err.Error())
	}
	in := &Invocation{ID: m.ID, Args: all.Get("arguments"), Tool: all.Text("name")}
	if in.Tool == "" {
		return bad("expected a name that is a string")
	}
	if strings.ContainsRune(in.Tool, utf8.RuneError) {
		return bad("found a name that is not valid Unicode")
	}
	if in.Args == nil || string(in.Args) == "null" {
		in.Args = json.RawMessage("{}")
	} else if in.Args[0] != '{' {
		return bad("expected arguments that are an object")
	}
	in.Token, in.Era = Meta(all)
	return in, nil
}

// Meta reads the token of progress and the protocol version out of params.
func Meta(params Object) (token json.RawMessage, era string) {
	of := params.Object("_meta")
	return of.Get("progressToken"), of.Text(MetaVersion)
}

// WithArgs returns the request with other arguments.
func (m *Message) WithArgs(args json.RawMessage) (*Message, error) {
	params, err := m.In().Set("arguments", args).JSON()
	if err != nil {
		return nil, err
	}
	return m.Replace(params, "params")
}
