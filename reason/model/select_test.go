package model

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// selecting is a policy that chooses models as a test says.
type selecting struct {
	*book
	rules  []skills.ModelRule
	choose func(*skills.Case) skills.Selection
}

func (s selecting) ModelRules() []skills.ModelRule               { return s.rules }
func (s selecting) SelectModels(c *skills.Case) skills.Selection { return s.choose(c) }

func TestRulesChooseTheModels(t *testing.T) {
	var log bytes.Buffer
	th := &Thinker{Providers: models("from a", "from b", fails), Logger: slog.New(slog.NewTextHandler(&log, nil))}
	think := func(s skills.Selection) (string, error) {
		p := selecting{book: &book{}, choose: func(c *skills.Case) skills.Selection {
			assert.Nil(t, c.Action())
			assert.Equal(t, "hi", c.Facts().Signal.Text)
			return s
		}}
		c, err := th.Think(context.Background(), Turn{Signal: userInput("hi"), Policy: p})
		return c.Prose, err
	}
	got, err := think(skills.Selection{})
	require.NoError(t, err)
	assert.Equal(t, "from a", got, "without a rule the configured order holds")
	got, err = think(skills.Selection{Rule: "r", Use: []string{"c", "b"}})
	require.NoError(t, err)
	assert.Equal(t, "from b", got)
	got, err = think(skills.Selection{Rule: "r", Use: []string{"gone", "b"}})
	require.NoError(t, err)
	assert.Equal(t, "from b", got)

	// A rule may be there to keep something from the others.
	_, err = think(skills.Selection{Rule: "r", Use: []string{"c"}})
	assert.EqualError(t, err, "no model answered: all providers exhausted (c: failed)")
	_, err = think(skills.Selection{Rule: "r", Use: []string{"gone"}})
	assert.EqualError(t, err, "no model answered: all providers exhausted (gone: failed)")

	got, err = think(skills.Selection{Faults: []error{errors.New("r.lisp:1:1: defmodels r: facts.env.x is missing")}})
	require.NoError(t, err)
	assert.Equal(t, "from a", got)
	assert.Contains(t, log.String(), "facts.env.x is missing")

	crash := selecting{book: &book{}, choose: func(*skills.Case) skills.Selection { panic("boom") }}
	c, err := th.Think(context.Background(), Turn{Policy: crash})
	require.NoError(t, err)
	assert.Equal(t, "from a", c.Prose)
	assert.Contains(t, log.String(), "boom")
}

// Gates of plugins and of Go programs are joined to the rulebook. The rules that choose models hold all the
// same: they may be there to keep something from a provider.
func TestRulesChooseTheModelsUnderPlugins(t *testing.T) {
	under := selecting{book: &book{}, choose: func(*skills.Case) skills.Selection {
		return skills.Selection{Rule: "r", Use: []string{"b"}}
	}}
	p, err := skills.Join(under, sexpr.Digest{1}, []*skills.Skill{{Name: "more"}}, nil)
	require.NoError(t, err)
	th := &Thinker{Providers: models("from a", "from b")}
	c, err := th.Think(context.Background(), Turn{Policy: p})
	require.NoError(t, err)
	assert.Equal(t, "from b", c.Prose)
	under.rules = []skills.ModelRule{{Name: "r", Use: []string{"gone"}}}
	p, err = skills.Join(under, sexpr.Digest{1}, []*skills.Skill{{Name: "more"}}, nil)
	require.NoError(t, err)
	assert.ErrorContains(t, th.Check(p), `unknown model provider "gone"`)
}

func TestCheckOfModels(t *testing.T) {
	policy := selecting{book: &book{}, rules: []skills.ModelRule{
		{Name: "ok", Use: []string{"b", "a"}, Pos: "m.lisp:1:1"}, {Name: "typo", Use: []string{"a", "bb"}, Pos: "m.lisp:2:1"},
	}}
	th := &Thinker{Providers: models("x", "y")}
	assert.EqualError(t, th.Check(policy), `m.lisp:2:1: defmodels typo: unknown model provider "bb", expected one of a, b`)
	assert.NoError(t, th.Check(&book{}))
	assert.NoError(t, th.Check(nil))
	assert.NoError(t, (&Thinker{}).Check(policy), "a program that only judges has no models")

	th.Consensus = 3
	err := th.Check(policy)
	assert.ErrorContains(t, err, "a consensus of 3 model providers is asked for, and only 2 configured")
	assert.ErrorContains(t, err,
		"m.lisp:1:1: defmodels ok: a consensus of 3 model providers is asked for, and the rule names 2")

	th = &Thinker{Providers: []Provider{custom{name: "a"}, custom{name: "a"}, custom{}, nil}}
	err = th.Check(nil)
	assert.ErrorContains(t, err, "two model providers are named a")
	assert.ErrorContains(t, err, "model provider 3 has no name")
	assert.ErrorContains(t, err, "model provider 4 has no name")
}

// W25: the prompt says how a tool is called, and what it says works: the form it
// shows, with a listed tool and its parameters, is a proposal.
func TestW25_ThePromptGivesAUsableGrammar(t *testing.T) {
	w := &watched{Provider: replies(t, "ok")}
	policy := &book{tools: standard()}
	think(t, Turn{Policy: policy}, w)
	p := w.prompts[0]
	assert.Contains(t, p.System, "- free: \n  Parameters: (:x integer :cmd command)")
	var shown string
	for line := range bytes.Lines([]byte(p.System)) {
		if bytes.HasPrefix(line, []byte("(:type :request")) {
			shown = string(bytes.TrimSpace(line))
		}
	}
	require.NotEmpty(t, shown)
	a, notes, err := skills.Propose(read(t, shown), policy)
	require.NoError(t, err)
	assert.Empty(t, notes)
	assert.Equal(t, "why this helps the user", a.Explanation())
	filled := string(bytes.ReplaceAll(bytes.ReplaceAll([]byte(shown), []byte(`"name"`), []byte(`"free"`)),
		[]byte(`:key "value"`), []byte(`:x 1`)))
	c := think(t, Turn{Policy: policy}, replies(t, filled))
	require.Len(t, c.Proposals, 1)
	a, _, err = skills.Propose(c.Proposals[0].Form, policy)
	require.NoError(t, err)
	assert.Equal(t, digest(t, freeX1), a.Digest())

	// Where tools are sent as such, no form confuses the model.
	assert.NotContains(t, p.NativeSystem, "(:type")
	assert.NotContains(t, p.NativeSystem, "Parameters:")
	assert.Contains(t, p.NativeSystem, "call it, and say beside the call")
	assert.Len(t, p.Callable(), 3, "ask_person, asks and free; reply is plain text, and never is never offered")
}
