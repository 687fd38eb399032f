package wire

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
	MethodInitialize = "initialize"
	MethodDiscover   = "server/discover"
	MethodCall       = "tools/call"
	MethodList       = "tools/list"
	MethodListen     = "subscriptions/listen"
	MethodPrompt     = "prompts/get"
	MethodResource   = "resources/read"
	MethodTaskResult = "tasks/result"
	MethodSample     = "sampling/createMessage"
	NoteCancelled    = "notifications/cancelled"
	NoteProgress     = "notifications/progress"
)

// MetaVersion is where a request of the era without sessions says its protocol version.
const MetaVersion = "io.modelcontextprotocol/protocolVersion"

// Codes of JSON-RPC and MCP errors.
const (
	CodeParse          = -32700
	CodeInvalidRequest = -32600
	CodeInvalidParams  = -32602
	CodeInternal       = -32603
	CodeHeaders        = -32020 // headers and body of a request differ
)

// Message is one JSON-RPC message as it stands, with what the proxy has to know of it.
type Message struct {
	Raw    []byte
	ID     json.RawMessage // nil for a notification
	Method string          // "" for a response
	Params json.RawMessage
	Result json.RawMessage
	Fail   json.RawMessage // the error of a response
}

// Call reports whether m asks for a response.
func (m *Message) Call() bool { return m.Method != "" && m.ID != nil }

// Response reports whether m answers a request.
func (m *Message) Response() bool { return m.Method == "" }

// Key is the id in a form that is equal for equal ids.
func (m *Message) Key() string { return IDKey(m.ID) }

// IDKey is an id in a form that is equal for equal ids.
func IDKey(id json.RawMessage) string {
	if f, err := strconv.ParseFloat(string(id), 64); err == nil {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	var s string
	if json.Unmarshal(id, &s) == nil {
		return strconv.Quote(s)
	}
	return string(id)
}

// A Fault says why a message is not read, with a code of JSON-RPC. It carries the id of the
// request if that could be read.
type Fault struct {
	Code int
	Text string
	ID   json.RawMessage
}

func (f *Fault) Error() string { return f.Text }

// Answer is the response to a message with a fault.
func (f *Fault) Answer() []byte { return Failure(f.ID, f.Code, f.Text) }

// Parse reads one message. What parsers could read in two ways is a *fault: a repeated key,
// a key that differs from one of the protocol only in case, text that is not UTF-8, data
// after the message, and several messages in one.
func Parse(raw []byte) (*Message, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) > 0 && raw[0] == '[' {
		return nil, &Fault{Code: CodeInvalidRequest, Text: "found several messages in one; expected one JSON-RPC message " +
			"at " +
			"a time"}
	}
	all, err := Members(raw)
	if err != nil {
		return nil, &Fault{Code: CodeParse, Text: "expected one JSON-RPC message: " + err.Error()}
	}
	m := &Message{Raw: raw, ID: all.Get("id"), Params: all.Get("params"), Result: all.Get("result"),
		Fail: all.Get("error")}
	bad := func(format string, args ...any) (*Message, error) {
		return nil, &Fault{Code: CodeInvalidRequest, Text: fmt.Sprintf(format, args...), ID: m.ID}
	}
	if err := all.Exact("jsonrpc", "id", "method", "params", "result", "error"); err != nil {
		return bad("%v", err)
	}
	if string(m.ID) == "null" && m.Fail != nil {
		m.ID = nil // the error of a request whose id the server could not read
	}
	if m.ID != nil && !strings.ContainsRune("\"-0123456789", rune(m.ID[0])) {
		m.ID = nil
		return bad("expected an id that is a string or a number")
	}
	if method := all.Get("method"); method != nil {
		if json.Unmarshal(method, &m.Method) != nil || m.Method == "" {
			return bad("expected a method that is a string")
		}
		if m.Method != MethodCall && strings.EqualFold(strings.TrimSpace(m.Method), MethodCall) {
			return bad("found the method %q; expected %q", m.Method, MethodCall)
		}
		return m, nil
	}
	if m.ID == nil && m.Fail == nil {
		return bad("found neither a method nor an id")
	}
	return m, nil
}

// Object is the members of a JSON object, in order.
type Object []Member

// Member is one member of an object.
type Member struct {
	Key   string
	Value json.RawMessage
}

// Members splits a JSON object.
func Members(raw []byte) (Object, error) {
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
	var all Object
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
		if all.Get(key) != nil {
			return nil, fmt.Errorf("the key %q stands in it twice", key)
		}
		all = append(all, Member{key, v})
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if rest := bytes.TrimSpace(raw[d.InputOffset():]); len(rest) > 0 {
		return nil, errors.New("data follows it")
	}
	return all, nil
}

// Get returns the value of a key, or nil.
func (o Object) Get(key string) json.RawMessage {
	for _, m := range o {
		if m.Key == key {
			return m.Value
		}
	}
	return nil
}

// Exact reports a key that some parsers take for one of these, and others do not.
func (o Object) Exact(keys ...string) error {
	for _, m := range o {
		for _, k := range keys {
			if m.Key != k && strings.EqualFold(m.Key, k) {
				return fmt.Errorf("found the key %q; expected %q", m.Key, k)
			}
		}
	}
	return nil
}

// With returns the object with another value of a key that it has.
func (o Object) With(key string, value json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, _ := json.Marshal(m.Key)
		b.Write(name)
		b.WriteByte(':')
		if m.Key == key {
			b.Write(value)
		} else {
			b.Write(m.Value)
		}
	}
	b.WriteByte('}')
	return b.Bytes()
}

// Set returns the object with a value of a key, whether it has the key or not.
func (o Object) Set(key string, value json.RawMessage) json.RawMessage {
	if o.Get(key) == nil {
		o = append(o[:len(o):len(o)], Member{key, nil})
	}
	return o.With(key, value)
}

// Invocation is what a tools/call asks for.
type Invocation struct {
	ID    json.RawMessage
	Tool  string
	Args  json.RawMessage // an object
	Token json.RawMessage // of progress, or nil
	All   Object          // the params
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
	if err := all.Exact("name", "arguments", "_meta"); err != nil {
		return bad(err.Error())
	}
	in := &Invocation{ID: m.ID, All: all, Args: all.Get("arguments")}
	if json.Unmarshal(all.Get("name"), &in.Tool) != nil || in.Tool == "" {
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
	of, err := Members(params.Get("_meta"))
	if err != nil {
		return nil, ""
	}
	_ = json.Unmarshal(of.Get(MetaVersion), &era)
	return of.Get("progressToken"), era
}

// WithArgs returns the request with other arguments.
func (in *Invocation) WithArgs(m *Message, args json.RawMessage) ([]byte, error) {
	params := in.All
	if params.Get("arguments") == nil {
		params = append(params[:len(params):len(params)], Member{"arguments", nil})
	}
	whole, err := Members(m.Raw)
	if err != nil {
		return nil, err
	}
	return whole.With("params", params.With("arguments", args)), nil
}
