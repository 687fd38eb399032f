package tools

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

// Answer is what a call came to, on its way to an agent. Every way gives the same bytes.
type Answer struct {
	Text   string // for a model, in words
	JSON   []byte // the same for a program: what the call returned, or the envelope of an error
	Failed bool   // JSON is the envelope of an error
}

// AnswerOf is the answer for what a call returned: one of the answers of this package, or an
// error.
func AnswerOf(out any, err error) Answer {
	text := ""
	if err == nil {
		var data []byte
		if data, err = json.Marshal(out); err == nil {
			text, err = words(out, data)
		}
		if err == nil {
			return Answer{Text: text, JSON: data}
		}
	}
	e := AsError(err)
	return Answer{Text: e.Error(), JSON: e.JSON(), Failed: true}
}

// words are an answer for a model.
func words(out any, data []byte) (string, error) {
	switch out := out.(type) {
	case *Reply:
		return out.Text, nil
	case Workflows:
		return out.words(), nil
	case *Candidates:
		return out.words(), nil
	case Inspected:
		return string(data), nil
	}
	return "", fmt.Errorf("an answer of type %T", out)
}

func (w Workflows) words() string {
	var b strings.Builder
	for _, x := range w.Workflows {
		fmt.Fprintf(&b, "%s: %s\n", x.ID, cmp.Or(x.Description, x.Name))
		if x.Source != "" {
			fmt.Fprintf(&b, "  from %s\n", x.Source)
		}
	}
	if len(w.Workflows) == 0 {
		b.WriteString("There is no such workflow.\n")
	}
	for _, x := range w.Warnings {
		fmt.Fprintf(&b, "%s cannot be started: %s\n", cmp.Or(x.ID, x.Source), x.Errors[0])
	}
	return b.String() + "To begin one, call start_workflow with its id and your goal."
}

func (c *Candidates) words() string {
	var b strings.Builder
	for i, x := range c.Candidates {
		fmt.Fprintf(&b, "%d. %s: %s\n   %s (%s)\n", i+1, x.Workflow, cmp.Or(x.Title, x.RunID), x.Explained, x.Confidence)
		if x.Token != "" {
			fmt.Fprintf(&b, "   To go on, call continue_workflow with intent rehydrate and continueToken %s\n", x.Token)
		}
	}
	if len(c.Candidates) == 0 {
		return "No run fits. Ask with other words, or without any for the newest runs."
	}
	return strings.TrimSuffix(b.String(), "\n")
}
