package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/opencortex-go/cortex/reason/model"
)

// The JSON that a program reads and writes; docs/models.md says it in words.
type (
	programPrompt struct {
		System   string           `json:"system"`
		Messages []programMessage `json:"messages"`
		Tools    []programTool    `json:"tools"`
	}
	programMessage struct {
		Role  string        `json:"role"` // user, assistant or tool
		Text  string        `json:"text"`
		Calls []programCall `json:"calls,omitempty"`
		Call  string        `json:"call,omitempty"` // which call a tool's message answers
	}
	programCall struct {
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	programTool struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	}
)

// input is what the program is given to read.
func (p *program) input(prompt model.Prompt) ([]byte, error) {
	names := &toolNames{exact: true}
	talk := dialogue(prompt.Messages, names)
	if p.Format == formatText {
		return []byte(transcript(prompt.System, plain(talk, names))), nil
	}
	in := programPrompt{System: prompt.NativeSystem, Messages: []programMessage{}, Tools: []programTool{}}
	if in.System == "" {
		in.System = prompt.System
	}
	for _, x := range talk {
		m := programMessage{Role: string(x.role), Text: x.text}
		for _, c := range x.calls {
			m.Calls = append(m.Calls, programCall{c.id, c.name, json.RawMessage(c.arguments)})
		}
		in.Messages = append(in.Messages, m)
		for i, r := range x.results {
			in.Messages = append(in.Messages, programMessage{Role: string(model.RoleTool), Text: r, Call: x.calls[i].id})
		}
	}
	for _, t := range prompt.Callable() {
		schema, err := parameters(t)
		if err != nil {
			return nil, err
		}
		in.Tools = append(in.Tools, programTool{t.Name, t.Doc, schema})
	}
	return json.Marshal(in)
}

// transcript is a prompt as one text.
func transcript(system string, talk []exchange) string {
	var b strings.Builder
	b.WriteString(system + "\n")
	for _, x := range talk {
		fmt.Fprintf(&b, "\n[%s]\n%s\n", x.role, x.text)
	}
	b.WriteString("\n[assistant]\n")
	return b.String()
}

// parse reads (:text :calls :usage) as JSON.
func (p *program) parse(data []byte) (model.Completion, error) {
	var out model.Completion
	if len(bytes.TrimSpace(data)) == 0 {
		return out, errors.New("the answer is empty")
	}
	if err := strict(data); err != nil {
		return out, err
	}
	top, err := object(data)
	if err != nil {
		return out, errors.New("the answer is not a JSON object")
	}
	if u, err := object(top["usage"]); err == nil {
		out.Usage = model.Usage{TokensIn: numberOf(u["in"]), TokensOut: numberOf(u["out"])}
		out.Usage.Cost = p.cost(out.Usage)
		if told, ok := moneyOf(u["cost"]); ok {
			out.Usage.Cost = told
		}
	}
	usage := model.Completion{Usage: out.Usage}
	if text := complaint(top); text != "" {
		return usage, fmt.Errorf("the answer is an error: %s", clip(text, maxErrorText))
	}
	if out.Text, err = textOf(top["text"]); err != nil {
		return usage, errors.New("the answer's text is none")
	}
	calls, err := listOf(top["calls"])
	if err != nil || len(calls) > maxCalls {
		return usage, fmt.Errorf("the answer's calls are not a list of at most %d", maxCalls)
	}
	for _, raw := range calls {
		c, err := object(raw)
		if err != nil {
			return usage, errors.New("a call is not an object")
		}
		name, err := textOf(c["name"])
		if err != nil || name == "" {
			return usage, errors.New("a call names no tool")
		}
		id, _ := textOf(c["id"]) // one is made where it is missing
		out.Calls = append(out.Calls, model.NativeCall{ID: id, Name: name, Arguments: string(c["arguments"])})
	}
	identified(out.Calls)
	if repeats(p.secrets, out) {
		return usage, errors.New("the answer repeats a value of its environment")
	}
	return out, nil
}
