package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/opencortex-go/cortex/adapters/api/client"
	"github.com/opencortex-go/cortex/adapters/mcp/internal/wire"
)

// fromServer takes a message of the server before the client gets it: results and other
// texts go to the judge, since the model reads them. It returns what the client gets: the message
// itself, or with capabilities beside the server's tools; nil where that answers a call that is still being judged.
func (x *exchange) fromServer(m *wire.Message) []byte {
	if !m.Response() {
		if m.Method == noteTools {
			x.forget()
		}
		if m.Method == wire.MethodSample {
			x.text("sampling", string(m.Params))
		}
		return m.Raw
	}
	if m.ID == nil {
		return m.Raw
	}
	if x.early(m) {
		x.p.Logger.Warn("the server answered a call that it was not sent; it was dropped")
		return nil
	}
	a := x.leave(m.ID)
	if a == nil {
		return m.Raw
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
			var text string
			if json.Unmarshal(all.Get("instructions"), &text) == nil {
				x.text("instructions", text)
			}
		}
	}
	return x.p.beside(m, a)
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
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := c.p.Judge.Read(ctx, c.p.host(), c.id, name, text); err != nil {
			c.p.Logger.Error("a text that the model reads was not recorded", "name", name, "error", err)
		}
	})
}

// listed pins the definitions in a list of tools, reads them, and notes their names.
func (x *exchange) listed(a *asked, result json.RawMessage) {
	all, err := wire.Members(result)
	if err != nil {
		return
	}
	var list []json.RawMessage
	if json.Unmarshal(all.Get("tools"), &list) != nil {
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
	x.know(names, a.more, cursorIn(all, "nextCursor") != "")
	x.text("descriptions of tools", string(all.Get("tools")))
}

// outcome is what the answer to a call says came of it. A tool that fails may have had an
// effect all the same.
func outcome(m *wire.Message) client.Outcome {
	if m.Result == nil {
		return client.Outcome{State: "failed", Error: string(m.Fail)}
	}
	var r struct {
		IsError    bool              `json:"isError"`
		Content    []json.RawMessage `json:"content"`
		Structured json.RawMessage   `json:"structuredContent"`
	}
	if err := json.Unmarshal(m.Result, &r); err != nil {
		return client.Outcome{State: "unknown", Text: string(m.Result), Error: "the result cannot be read"}
	}
	o := client.Outcome{State: "done"}
	text, plain := "", len(r.Content) == 1 && r.Structured == nil
	if plain {
		text, plain = textOf(r.Content[0])
	}
	switch {
	case plain && json.Valid([]byte(text)):
		o.Result = json.RawMessage(text)
	case plain:
		o.Text = text
	default:
		o.Result = m.Result
	}
	if r.IsError {
		o.State, o.Error = "failed", "the tool reports an error"
		if plain {
			o.Error = text
		}
	}
	return o
}

// textOf returns the text of a block that is nothing but text.
func textOf(block json.RawMessage) (string, bool) {
	all, err := wire.Members(block)
	if err != nil {
		return "", false
	}
	var kind, text string
	if json.Unmarshal(all.Get("type"), &kind) != nil || kind != "text" || json.Unmarshal(all.Get("text"), &text) != nil {
		return "", false
	}
	return text, true
}
