package llm

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// exchange is a step of a conversation in the order that chat APIs require: the
// model's text and calls, directly followed by one result for each call
// (weakness W34).
type exchange struct {
	role    model.Role // user or assistant
	text    string
	calls   []call
	results []string // of the calls, in their order
}

// call is a tool call with an id of its own in the whole conversation.
type call struct {
	id, name, arguments string
}

const noResult = "(no result)"

// dialogue puts messages into that order. It makes new ids, the same ones for the
// same messages, because the original ids may be empty, repeated or another
// provider's. A result without a shown call becomes data from the user.
func dialogue(messages []model.Message, names *toolNames) []exchange {
	var out []exchange
	used := make([]bool, len(messages))
	count := 0
	for i, m := range messages {
		switch {
		case used[i]:
		case m.Role == model.RoleTool:
			out = append(out, exchange{role: model.RoleUser, text: model.AsData(m.Text)})
		case m.Role != model.RoleAssistant:
			out = append(out, exchange{role: model.RoleUser, text: m.Text})
		case len(m.Calls) > 0:
			x := exchange{role: model.RoleAssistant, text: m.Text, results: results(messages, i, used)}
			for _, c := range m.Calls {
				count++
				x.calls = append(x.calls, call{fmt.Sprintf("call%05d", count), names.forModel(c.Name), whole(c)})
			}
			out = append(out, x)
		case strings.TrimSpace(m.Text) != "":
			out = append(out, exchange{role: model.RoleAssistant, text: m.Text})
		}
	}
	return out
}

// results finds the results of the calls in message at: the tools' messages
// after it and before the model's next.
func results(messages []model.Message, at int, used []bool) []string {
	calls := messages[at].Calls
	out := make([]string, len(calls))
	filled := make([]bool, len(calls))
	for j := at + 1; j < len(messages) && messages[j].Role != model.RoleAssistant; j++ {
		m := messages[j]
		if m.Role != model.RoleTool || m.CallID == "" || used[j] {
			continue
		}
		for k, c := range calls {
			if c.ID == m.CallID && !filled[k] {
				out[k], filled[k], used[j] = m.Text, true, true
				break
			}
		}
	}
	for k := range out {
		if strings.TrimSpace(out[k]) == "" {
			out[k] = noResult
		}
	}
	return out
}

// whole is a call's arguments in the form that servers accept: a JSON object, even
// if the model wrote something else, in which case it has got an error.
func whole(c model.NativeCall) string {
	if _, err := object([]byte(c.Arguments)); err != nil || c.Cut {
		return "{}"
	}
	return c.Arguments
}

// plain is the conversation for a model without tool calls: calls as forms, results
// as data.
func plain(all []exchange, names *toolNames) []exchange {
	var out []exchange
	for _, x := range all {
		forms := []string{x.text}
		for _, c := range x.calls {
			args, err := sexpr.FromJSON([]byte(c.arguments))
			if err != nil {
				args = sexpr.EmptyObject()
			}
			forms = append(forms, sexpr.Plist("type", sexpr.Key("request"), "target", sexpr.Key("tool"),
				"payload", sexpr.Plist("tool", sexpr.Str(names.forUs(c.name)), "args", args)).String())
		}
		out = append(out, exchange{role: x.role, text: strings.TrimSpace(strings.Join(forms, "\n"))})
		for _, r := range x.results {
			out = append(out, exchange{role: model.RoleUser, text: model.AsData(r)})
		}
	}
	return out
}

// toolNames maps the names of tools to the ones that an API permits, and back.
type toolNames struct {
	most        int  // characters
	exact       bool // anything is permitted
	model, ours map[string]string
}

// newToolNames names the tools that a model is offered. Permitted names stay; in
// others each forbidden character becomes a _, with a number appended if two would
// be equal.
func newToolNames(tools []*skills.Tool, most int) *toolNames {
	n := &toolNames{most: most, model: map[string]string{}, ours: map[string]string{}}
	for _, t := range tools {
		if n.fit(t.Name) == t.Name {
			n.model[t.Name], n.ours[t.Name] = t.Name, t.Name
		}
	}
	for _, t := range tools {
		if n.model[t.Name] != "" {
			continue
		}
		name := n.fit(t.Name)
		for i := 2; n.ours[name] != ""; i++ {
			tail := fmt.Sprintf("_%d", i)
			name = n.fit(t.Name)
			name = name[:min(len(name), most-len(tail))] + tail
		}
		n.model[t.Name], n.ours[name] = name, t.Name
	}
	return n
}

// fit replaces the characters of a name that an API does not permit.
func (n *toolNames) fit(name string) string {
	if n.exact {
		return name
	}
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
	if name == "" {
		return "_"
	}
	return name[:min(len(name), n.most)]
}

// forModel is the model's name for a tool. The name of a tool that is no longer
// offered is made to fit.
func (n *toolNames) forModel(name string) string {
	if x, ok := n.model[name]; ok {
		return x
	}
	return n.fit(name)
}

// forUs is the tool that a model means. A name that was not offered stays unchanged:
// the rules decide on it.
func (n *toolNames) forUs(name string) string {
	if x, ok := n.ours[name]; ok {
		return x
	}
	return name
}

// parameters is a tool's JSON schema.
func parameters(t *skills.Tool) (json.RawMessage, error) {
	s, err := t.JSONSchema()
	if err != nil {
		return nil, fmt.Errorf("the schema of the tool %s: %w", t.Name, err)
	}
	return s, nil
}
