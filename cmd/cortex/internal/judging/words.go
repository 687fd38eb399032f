package judging

import (
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// words reads an element of session.calls other than a call: a later message of the user,
// what the agent said, or another text that the model read. It reports false for a call.
func (m members) words() (t skills.Turn, ok bool, err error) {
	var may []string
	switch {
	case has(m, "user"):
		may = []string{"user", "attached"}
		if t.User, err = m.text("user"); err == nil {
			t.Attached, err = sources(m["attached"])
		}
	case has(m, "reply"):
		may = []string{"reply"}
		t.Reply, err = m.text("reply")
	case has(m, "source"):
		may = []string{"source", "name"}
		t.Source, err = source(m, "source")
	default:
		return t, false, nil
	}
	for key := range m {
		if err == nil && !slices.Contains(may, key) {
			err = fmt.Errorf("an element with %s is not a call, and takes no %s", may[0], key)
		}
	}
	return t, true, err
}

// sources reads [{"name":"notes.txt","text":"..."}]: what the user's host put into a message.
func sources(v sexpr.Value) (out []skills.Source, err error) {
	if absent(v) {
		return nil, nil
	}
	for _, x := range v.Items() {
		m, err := plistMembers(x, "attached")
		if err != nil || m == nil {
			return nil, fmt.Errorf("attached holds a %s, expected {\"name\":\"...\",\"text\":\"...\"}", x.Kind())
		}
		s, err := source(m, "text")
		if err != nil {
			return nil, err
		}
		out = append(out, *s)
	}
	if out == nil {
		return nil, fmt.Errorf("attached is a %s, expected a list of texts with their names", v.Kind())
	}
	return out, nil
}

// source is a text under key, with its name.
func source(m members, key string) (*skills.Source, error) {
	name, err := m.text("name")
	if err != nil {
		return nil, err
	}
	text, err := m.text(key)
	return &skills.Source{Name: name, Text: text}, err
}

func has(m members, key string) bool {
	_, ok := m[key]
	return ok
}
