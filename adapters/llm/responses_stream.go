package llm

import (
	"encoding/json"
	"strings"
)

func (responses) stream(request map[string]any) { request["stream"] = true }

func (responses) assembly() assembly {
	return &responseAssembly{args: map[int]*strings.Builder{}, items: map[int]json.RawMessage{}}
}

// responseAssembly reads the events of a response. The endpoint puts each item
// together itself; its last event has all of them, at some servers none.
type responseAssembly struct {
	args     map[int]*strings.Builder // the pieces of arguments, by the place of their item
	items    map[int]json.RawMessage  // the finished items
	most     int                      // one more than the last place of an item
	response map[string]json.RawMessage
}

func (a *responseAssembly) add(event map[string]json.RawMessage) error {
	kind, _ := textOf(event["type"])
	if a.response != nil {
		return wrongStream("goes on after its last event")
	}
	switch kind {
	case "response.completed", "response.incomplete", "response.failed":
		response, err := object(event["response"])
		if err != nil {
			return wrongStream("has a %s without a response", kind)
		}
		if text := complaint(response); text != "" {
			return &brokenStream{text: "the answer is an error: " + text, again: passing(response["error"])}
		}
		a.response = response
	case "response.function_call_arguments.delta", "response.output_item.done":
		at, err := indexOf(event["output_index"])
		if err != nil {
			return err
		}
		if at < 0 {
			return wrongStream("has a %s without an output_index", kind)
		}
		return a.item(kind, at, event)
	case "error": // its message stands at the top
		text, _ := textOf(event["message"])
		whole, _ := json.Marshal(event) // read from JSON
		return &brokenStream{text: "the stream broke off with an error: " + text, again: passing(whole)}
	}
	return nil
}

func (a *responseAssembly) item(kind string, at int, event map[string]json.RawMessage) error {
	if a.items[at] != nil {
		return wrongStream("goes on with item %d, which is done", at)
	}
	if kind == "response.output_item.done" {
		a.items[at], a.most = event["item"], max(a.most, at+1)
		return nil
	}
	piece, err := textOf(event["delta"])
	if err != nil {
		return wrongStream("has a piece of arguments that is not a text")
	}
	if a.args[at] == nil {
		a.args[at] = &strings.Builder{}
	}
	a.args[at].WriteString(piece)
	return nil
}

func (a *responseAssembly) body() (map[string]any, error) {
	if a.response == nil {
		return nil, cutStream("there was no response.completed")
	}
	output, err := listOf(a.response["output"])
	if err != nil {
		return nil, wrongStream("has an output that is not a list")
	}
	if len(output) == 0 {
		for i := range a.most {
			if item := a.items[i]; item != nil {
				output = append(output, item)
			}
		}
	}
	if err := a.agree(output); err != nil {
		return nil, err
	}
	body := map[string]any{}
	for k, v := range a.response {
		body[k] = v
	}
	body["output"] = append([]json.RawMessage{}, output...)
	return body, nil
}

// agree returns an error if a call's pieces are not the arguments that the call has in
// the end: it would not be clear which were meant.
func (a *responseAssembly) agree(output []json.RawMessage) error {
	for i, raw := range output {
		item, err := object(raw)
		if err != nil {
			return wrongStream("has an item that is not an object")
		}
		args, err := textOf(item["arguments"])
		if pieces := a.args[i]; err == nil && pieces != nil && pieces.String() != args {
			return wrongStream("has other arguments in its pieces than in the whole call")
		}
	}
	return nil
}
