package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
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
	NoteTools        = "notifications/tools/list_changed"
)

// MetaVersion is where a request of the era without sessions has its protocol version.
const MetaVersion = "io.modelcontextprotocol/protocolVersion"

// metaCapabilities is where such a request has the capabilities of its client.
const metaCapabilities = "io.modelcontextprotocol/clientCapabilities"

// Subscription names, in a notification, the request that it belongs to.
const Subscription = "io.modelcontextprotocol/subscriptionId"

// Codes of JSON-RPC and MCP errors.
const (
	CodeParse          = -32700
	CodeInvalidRequest = -32600
	CodeInvalidParams  = -32602
	CodeInternal       = -32603
	CodeHeaders        = -32020 // headers and body of a request differ
)

// Message is one JSON-RPC message, as it was read and as it is written. Only this package makes one, so its
// bytes have one reading.
type Message struct {
	raw    []byte
	ID     json.RawMessage // nil for a notification
	Method string          // "" for a response
	Params json.RawMessage
	Result json.RawMessage
	Fail   json.RawMessage // the error of a response
}

// Bytes returns the message as it is written: on one line, see [Normal].
func (m *Message) Bytes() []byte { return m.raw }

// Call reports whether m asks for a response.
func (m *Message) Call() bool { return m.Method != "" && m.ID != nil }

// Response reports whether m answers a request.
func (m *Message) Response() bool { return m.Method == "" }

// Key is the id in a form that is equal for equal ids.
func (m *Message) Key() string { return IDKey(m.ID) }

// In returns the members of the params; nil if they are no object.
func (m *Message) In() Object {
	if len(m.Params) == 0 {
		return nil
	}
	all, _ := Members(m.Params)
	return all
}

// Replace returns the message with another value at a path that it has; the message itself where it has none. It
// refuses a value that is not one JSON text, and one that makes another kind of message.
func (m *Message) Replace(value json.RawMessage, path ...string) (*Message, error) {
	whole, err := replaced(m.raw, value, path)
	if err != nil {
		return nil, err
	}
	n, err := Parse(whole)
	if err == nil && (n.Method != m.Method || (n.ID == nil) != (m.ID == nil)) {
		err = errors.New("expected a value that leaves the kind of the message")
	}
	return n, err
}

func replaced(raw, value json.RawMessage, path []string) (json.RawMessage, error) {
	all, err := Members(raw)
	if err != nil || all.Get(path[0]) == nil {
		return raw, err
	}
	if len(path) > 1 {
		if value, err = replaced(all.Get(path[0]), value, path[1:]); err != nil {
			return nil, err
		}
	}
	return all.Set(path[0], value).JSON()
}

// A Fault is why a message is not read, with a code of JSON-RPC. It carries the id of the
// request if that could be read.
type Fault struct {
	Code int
	Text string
	ID   json.RawMessage
	Args bool // it is in the arguments of a tools/call, which a model wrote
}

func (f *Fault) Error() string { return f.Text }

// Answer is the response to a message with a fault.
func (f *Fault) Answer() *Message { return Failure(f.ID, f.Code, f.Text) }

// Parse reads one message. What parsers could read in two ways is a [*Fault]: a repeated key,
// a key that differs from one of the protocol only in case, text that is not UTF-8, data
// after the message, several messages in one, and a request that is an answer as well. Members that JSON-RPC does not
// name are left out.
func Parse(raw []byte) (*Message, error) {
	raw = bytes.Trim(bytes.TrimPrefix(raw, bom), " \t\r\n")
	if len(raw) > 0 && raw[0] == '[' {
		return nil, &Fault{Code: CodeInvalidRequest,
			Text: "found several messages in one; expected one JSON-RPC message at " +
				"a time"}
	}
	whole, err := rewrite(raw, named)
	var all Object
	if err == nil {
		all, err = split(whole)
	}
	if err != nil {
		f := &Fault{Code: CodeParse, Text: "expected one JSON-RPC message: " + err.Error()}
		if part := glimpse(raw); len(part.ids) == 1 {
			f.ID = part.ids[0]
			f.Args = errors.As(err, new(argumentError)) && part.method == MethodCall
		}
		return nil, f
	}
	if known := slices.DeleteFunc(slices.Clone(all), foreign); len(known) < len(all) {
		all = known
		if whole, err = all.JSON(); err != nil {
			return nil, err
		}
	}
	m := &Message{raw: whole, ID: all.Get("id"), Params: all.Get("params"), Result: all.Get("result"),
		Fail: all.Get("error")}
	if err := m.check(all); err != nil {
		return nil, err
	}
	return m, nil
}

// foreign reports whether a member of a message is none of JSON-RPC. It is left out: some readers pass over a message
// that has one.
func foreign(m Member) bool {
	return !slices.Contains([]string{"jsonrpc", "id", "method", "params", "result", "error"}, m.Key)
}

// check reads the method, and refuses what is not exactly one message.
func (m *Message) check(all Object) error {
	bad := func(format string, args ...any) error {
		return &Fault{Code: CodeInvalidRequest, Text: fmt.Sprintf(format, args...), ID: m.ID}
	}
	if version := all.Text("jsonrpc"); version != "2.0" { // the official SDKs pass over such a message
		return bad(`found the version %q of JSON-RPC; expected "2.0"`, version)
	}
	if string(m.ID) == "null" && m.Fail != nil {
		m.ID = nil // the error of a request whose id the server could not read
	}
	if m.ID != nil && !strings.ContainsRune("\"-0123456789", rune(m.ID[0])) {
		m.ID = nil
		return bad("expected an id that is a string or a number")
	}
	if m.Result != nil && m.Fail != nil {
		return bad("found a result and an error; expected one of them")
	}
	method := all.Get("method")
	if method == nil {
		switch {
		case m.ID == nil && m.Fail == nil:
			return bad("found neither a method nor an id")
		case m.Fail != nil && m.Fail[0] != '{', m.Fail == nil && (m.Result == nil ||
			m.Result[0] != '{'): // clients pass over it
			return bad("expected a result or an error that is an object")
		}
		return nil
	}
	m.Method = all.Text("method")
	switch {
	case m.Method == "":
		return bad("expected a method that is a string")
	case m.Result != nil || m.Fail != nil:
		return bad("found a method and the answer to one; expected one of them")
	case strings.ContainsFunc(m.Method, func(r rune) bool { return r <= ' ' || r > '~' }): // some programs skip it
		return bad("found the method %q; expected printable ASCII without blanks", m.Method)
	case m.Method != MethodCall && strings.EqualFold(m.Method, MethodCall):
		return bad("found the method %q; expected %q", m.Method, MethodCall)
	}
	return nil
}
