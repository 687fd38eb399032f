package form_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/skills"
)

// toolSet are tools by name.
type toolSet map[string]*skills.Tool

func (s toolSet) Tool(name string) (*skills.Tool, bool) { t, ok := s[name]; return t, ok }

func (s toolSet) Tools() (all []*skills.Tool) {
	for _, t := range s {
		all = append(all, t)
	}
	return all
}

func someTools(t *testing.T) toolSet {
	str, num := skills.Type{Kind: skills.KindString}, skills.Type{Kind: skills.KindInteger, Bounded: true, Lo: 1, Hi: 9}
	return toolSet{
		"shell": {Name: "shell", Params: []skills.Param{{Name: "cmd", Type: skills.Type{Kind: skills.KindCommand}},
			{Name: "timeout", Type: num}}, Required: []string{"cmd"}},
		"look": {Name: "look", Effect: skills.EffectNone, Params: []skills.Param{{Name: "at", Type: str},
			{Name: "in", Type: skills.Type{Kind: skills.KindList, Elem: &num}},
			{Name: "key", Type: str}}, Secret: []string{"key"}},
		"other.plan":        one(t, `(defcapability other.plan :version "1.0.0" `+look2+`)`).Tool(),
		"deploy.appservice": {Name: "deploy.appservice"},
	}
}

// Check says what the tools that there are do not allow.
func TestR06_Check(t *testing.T) {
	tools := someTools(t)
	for _, c := range []struct{ text, want string }{
		{small(`:plan ((a :tool "look" :args (:at "{{app}}" :in ("{{app}}" 3)) :undo "only reads"))`), ""},
		{small(`:once (:key (:app)) :plan ((a :tool "shell" :args (:cmd "ls" :timeout "{{app}}") :undo "only reads"))`), ""},
		{small(`:plan ((a :tool "shell" :args (:cmd "ls") :undo "only reads"))`),
			"a.b: step a calls shell, whose effect is external, and the capability has no once-key; write :once (:key (...))"},
		{small(`:once (:key (:app)) :plan ((a :tool "shell" :args (:cmd "curl -u {{key}} x") :undo "only reads"))`),
			"a.b: step a shows the secret :key: shell does not keep its argument :cmd secret; declare it with :secret (:cmd)"},
		{small(`:plan ((a :tool "look" :args (:key "{{key}}") :undo "only reads"))`), ""},
		{small(`:plan ((a :tool "lok" :undo "only reads"))`), "a.b: step a calls lok, which is not declared; did you mean look?"},
		{small(`:plan ((a :tool "other.plan" :undo "only reads"))`),
			"a.b: step a calls the capability other.plan: capabilities do not call each other; write its steps here"},
		{small(`:once (:key (:app)) :plan ((a :tool "look" :undo (:tool "other.plan")))`),
			"a.b: the undo of step a calls the capability other.plan"},
		{small(`:plan ((a :tool "look" :args (:at 3) :undo "only reads"))`), "a.b: step a: arguments of look: :at is 3, expected a string"},
		{small(`:plan ((a :tool "look" :args (:on "x") :undo "only reads"))`), ":on is unknown, expected the keys :at :in :key"},
		{small(`:plan ((a :tool "look" :args (:in ("{{app}}" 12)) :undo "only reads"))`),
			"a.b: step a: arguments of look: :in[1] is 12, expected an integer from 1 to 9"},
		{small(`:plan ((a :tool "look" :args (:in ("x{{app}}")) :undo "only reads"))`), ":in[0] is a string, expected an integer"},
		{small(`:once (:key (:app)) :plan ((a :tool "look" :undo (:tool "shell")))`), "a.b: the undo of step a: arguments of shell: :cmd is missing"},
		{small(`:needs (:tools ("shel")) ` + `:plan ((a :tool "look" :undo "only reads"))`),
			"a.b: :needs names the tool shel, which is not declared; did you mean shell?"},
		{file(t, "testdata/deploy.lisp"),
			"deploy.appservice: there is a tool deploy.appservice already; give the capability another id"},
	} {
		err := one(t, c.text).Check(tools)
		if c.want == "" {
			assert.NoError(t, err, c.text)
			continue
		}
		if assert.ErrorContains(t, err, c.want, c.text) {
			var e *form.Error
			require.ErrorAs(t, err, &e)
		}
	}
	delete(tools, "deploy.appservice")
	assert.NoError(t, deploy(t).Check(tools))
	tools["deploy.appservice"] = deploy(t).Tool()
	assert.NoError(t, deploy(t).Check(tools), "its own tool is in the way of nothing")
}
