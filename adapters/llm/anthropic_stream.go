package llm

import (
	"encoding/json"
	"maps"
	"strings"
)

func (anthropic) stream(request map[string]any) { request["stream"] = true }

func (anthropic) assembly() assembly {
	return &messageAssembly{blocks: map[int]*block{}, usage: map[string]json.RawMessage{}}
}

// messageAssembly puts the events of a message together.
type messageAssembly struct {
	blocks map[int]*block
	order  []*block
	why    string // its stop_reason
	usage  map[string]json.RawMessage
	ended  bool
}

// block is a block of content as far as it has come.
type block struct {
	begun map[string]json.RawMessage // as content_block_start has it
	kind  string
	text  strings.Builder // of a text, or the JSON of a tool's input
	done  bool
}

func (a *messageAssembly) add(event map[string]json.RawMessage) error {
	kind, _ := textOf(event["type"])
	if a.ended {
		return wrongStream("goes on after message_stop")
	}
	switch kind {
	case "message_start":
		message, err := object(event["message"])
		if err != nil {
			return wrongStream("has a message_start without a message")
		}
		a.bill(message["usage"])
	case "content_block_start":
		return a.begin(event)
	case "content_block_delta", "content_block_stop":
		return a.goOn(kind, event)
	case "message_delta":
		a.bill(event["usage"])
		delta, err := object(event["delta"])
		if err != nil {
			return wrongStream("has a message_delta without a delta")
		}
		a.why, _ = textOf(delta["stop_reason"])
	case "message_stop":
		a.ended = true
	}
	return nil // pings, and what is yet to be invented
}

// bill takes the newest count of each kind of token.
func (a *messageAssembly) bill(raw json.RawMessage) {
	if u, err := object(raw); err == nil {
		maps.Copy(a.usage, u)
	}
}

func (a *messageAssembly) begin(event map[string]json.RawMessage) error {
	at, err := indexOf(event["index"])
	if err != nil {
		return err
	}
	begun, err := object(event["content_block"])
	if err != nil {
		return wrongStream("has a content_block_start without a block")
	}
	if a.blocks[at] != nil {
		return wrongStream("begins block %d twice", at)
	}
	b := &block{begun: begun}
	b.kind, _ = textOf(begun["type"])
	text, _ := textOf(begun["text"])
	b.text.WriteString(text)
	a.blocks[at], a.order = b, append(a.order, b)
	return nil
}

func (a *messageAssembly) goOn(kind string, event map[string]json.RawMessage) error {
	at, err := indexOf(event["index"])
	if err != nil {
		return err
	}
	b := a.blocks[at]
	if b == nil || b.done {
		return wrongStream("has a piece of block %d, which is not open", at)
	}
	if kind == "content_block_stop" {
		b.done = true
		return nil
	}
	delta, err := object(event["delta"])
	if err != nil {
		return wrongStream("has a content_block_delta without a delta")
	}
	what, _ := textOf(delta["type"])
	key := map[string]string{"text_delta": "text", "input_json_delta": "partial_json"}[what]
	if key == "" || b.kind != "text" && b.kind != "tool_use" {
		return nil // thinking and its signature, citations, a server's own tools
	}
	if (key == "text") != (b.kind == "text") {
		return wrongStream("has a %s in a block of type %.40q", what, b.kind)
	}
	piece, err := textOf(delta[key])
	if err != nil {
		return wrongStream("has a %s without a text", what)
	}
	b.text.WriteString(piece)
	return nil
}

func (a *messageAssembly) body() (map[string]any, error) {
	if !a.ended || a.why == "" {
		return nil, cutStream("there was no stop_reason and message_stop")
	}
	content := []any{}
	for _, b := range a.order {
		if !b.done {
			return nil, cutStream("a block was not finished")
		}
		switch b.kind {
		case "text":
			content = append(content, map[string]any{"type": "text", "text": b.text.String()})
		case "tool_use":
			call := map[string]any{"type": "tool_use", "id": b.begun["id"], "name": b.begun["name"],
				"input": b.begun["input"]}
			if b.text.Len() > 0 {
				call["input"] = b.text.String() // as text: it need not be JSON
			}
			content = append(content, call)
		}
	}
	return map[string]any{"content": content, "stop_reason": a.why, "usage": a.usage}, nil
}
