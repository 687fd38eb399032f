package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/adapters/api/client"
	"github.com/opencortex-go/cortex/adapters/mcp/internal/wire"
)

// fromServer takes a message of the server before the client gets it: results and other
// texts go to the judge, since the model reads them. It returns what the client gets: the message,
// with the id of the request that it answers, and with capabilities beside the server's tools; nil where it answers
// no request that the server was sent. back is what the server gets, or nil.
func (x *exchange) fromServer(m *wire.Message) (onward, back *wire.Message) {
	if !m.Response() {
		if m.Call() && !x.asks(m) {
			return nil, wire.Failure(m.ID, wire.CodeInvalidRequest, "the id "+string(m.ID)+
				" is in use, or too many requests have no answer")
		}
		if m.Method == wire.NoteTools {
			x.forget()
		}
		if m.Method == wire.MethodSample {
			x.text("sampling", string(m.Params))
		}
		return m, nil
	}
	if m.ID == nil {
		return m, nil
	}
	a := x.answered(m.ID)
	if a == nil {
		x.p.Logger.Warn("the server answered what it was not asked; it was dropped", "id", string(m.ID))
		return nil, nil
	}
	if string(m.ID) != string(a.id) {
		same, err := m.Replace(a.id, "id")
		if err != nil {
			same = wire.Unread(a.id)
		}
		m = same
	}
	switch a.method {
	case wire.MethodCall:
		x.later(func() { x.finish(a, outcome(m)) })
	case wire.MethodList:
		x.listed(a, m.Result)
	case wire.MethodPrompt, wire.MethodResource, wire.MethodTaskResult:
		x.text(strings.TrimSpace(a.method+" "+a.name), string(m.Result))
	case wire.MethodInitialize, wire.MethodDiscover:
		if all, err := wire.Members(m.Result); err == nil {
			x.text("instructions", all.Text("instructions"))
		}
	}
	return x.p.beside(m, a), nil
}

// text tells the judge of a text, once in a conversation.
func (c *conversation) text(name, text string) {
	if text == "" || c.p.Judge == nil {
		return
	}
	sum := sha256.Sum256([]byte(name + "\x00" + text))
	key := hex.EncodeToString(sum[:])
	c.mu.Lock()
	known := c.read[key]
	c.read[key] = true
	c.mu.Unlock()
	if known {
		return
	}
	c.later(func() {
		for _, part := range inParts(text) {
			c.record(func(ctx context.Context) error {
				return c.p.Judge.Read(ctx, c.p.host(), c.id, name, part)
			})
		}
	})
}

const (
	partBytes = 1 << 20  // of a text that goes to the judge at a time
	overlap   = 4 << 10  // that two parts share, so that no value is only in halves
	kept      = 4 << 20  // of a text that a call returned
	keptJSON  = 12 << 20 // of a value that a call returned
)

// inParts splits a text into what one request may hold.
func inParts(text string) (all []string) {
	for len(text) > partBytes {
		all = append(all, strings.ToValidUTF8(text[:partBytes], ""))
		text = text[partBytes-overlap:]
	}
	return append(all, strings.ToValidUTF8(text, ""))
}

// bounded is an outcome that one request can hold. What is left out is marked.
func bounded(o client.Outcome) client.Outcome {
	if len(o.Result) > keptJSON {
		o.Text, o.Result = string(o.Result), nil
	}
	for _, s := range []*string{&o.Text, &o.Error} {
		if len(*s) > kept {
			*s, o.Cut = strings.ToValidUTF8((*s)[:kept], ""), true
		}
	}
	return o
}

// listed pins the definitions in a list of tools, reads them, and notes their names.
func (x *exchange) listed(a *asked, result json.RawMessage) {
	all, err := wire.Members(result)
	if err != nil {
		return
	}
	list, ok := all.List("tools")
	if !ok {
		return
	}
	var names []string
	for _, definition := range list {
		name, err := x.p.pins.See(definition)
		names = append(names, name)
		if err != nil {
			x.p.Logger.Error("the definition of a tool was not kept", "tool", name, "error", err)
		}
	}
	x.know(names, a.more, all.Text("nextCursor") != "")
	x.text("descriptions of tools", string(all.Get("tools")))
}

// outcome is what the answer to a call says came of it. A tool that fails may have had an
// effect all the same.
func outcome(m *wire.Message) client.Outcome {
	if m.Result == nil {
		return client.Outcome{State: "failed", Error: string(m.Fail)}
	}
	all, err := wire.Members(m.Result)
	content, listed := all.List("content")
	none := all.Get("content") == nil || string(all.Get("content")) == "null"
	if err != nil || !listed && !none {
		return client.Outcome{State: "unknown", Text: string(m.Result), Error: "the result cannot be read"}
	}
	o := client.Outcome{State: "done"}
	text, plain := "", len(content) == 1 && bare(all, "content", "isError", "resultType")
	if plain {
		text, plain = textOf(content[0])
	}
	switch {
	case plain && json.Valid([]byte(text)):
		o.Result = json.RawMessage(text)
	case plain:
		o.Text = text
	default:
		o.Result = m.Result
	}
	if string(all.Get("isError")) == "true" {
		o.State, o.Error = "failed", "the tool reports an error"
		if plain {
			o.Error = text
		}
	}
	return o
}

// bare reports whether an object has nothing to read but these members: what is about the message is not read.
func bare(o wire.Object, keys ...string) bool {
	return !slices.ContainsFunc(o, func(m wire.Member) bool {
		return m.Key != "_meta" && m.Key != "annotations" && !slices.Contains(keys, m.Key)
	})
}

// textOf returns the text of a block that is nothing but text.
func textOf(block json.RawMessage) (string, bool) {
	all, err := wire.Members(block)
	if err != nil || !bare(all, "type", "text") || all.Text("type") != "text" || len(all.Get("text")) == 0 {
		return "", false
	}
	return all.Text("text"), all.Get("text")[0] == '"'
}
