package capabilities_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/capabilities"
	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts/secrets"
)

const parsing = `
(defcapability greet.parsed
  :version "1.0.0" :owner "team" :scope :project
  :inputs (:word string :times (integer 1 9) :tone string) :required (:word :times)
  :parsers (:word (:model "small" :prompt "Find the word to greet with.") :times (:model "small" :prompt "Find how often.")
            :tone (:model "small" :prompt "Find the tone."))
  :plan ((one :tool "greet" :args (:word "{{word}}") :undo "only reads")))
`

// finder is the model of parsers, which answers as a test says.
type finder struct {
	mu      sync.Mutex
	answers map[string]string // by prompt, as far as its first sentence
	err     error
	asked   []model.Prompt
}

func (f *finder) Name() string { return "small" }

func (f *finder) Complete(_ context.Context, p model.Prompt) (model.Completion, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, p)
	task, _, _ := strings.Cut(p.System, "\n")
	if f.answers[task] == "panic" {
		panic("broken")
	}
	return model.Completion{Text: f.answers[task]}, f.err
}

// R8: a required input that a call lacks is filled by its pinned parser, at temperature 0, out of the user's words and
// never by a guess. Secrets are not shown to it. Its answer is on record: a replay asks no model. Where it fails, the
// start is refused and names the input (R13, R42).
func TestR8_PinnedParsersFillInputs(t *testing.T) {
	const word, times = "Find the word to greet with.", "Find how often."
	const token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	for _, tt := range []struct {
		name    string
		answers map[string]string
		err     error
		missing string // the input that the refusal names; "" if it runs
	}{
		{"both found", map[string]string{word: " hello\n", times: "3"}, nil, ""},
		{"not said", map[string]string{word: "goodbye", times: "3"}, nil, ":word"},
		{"nothing", map[string]string{word: "", times: "3"}, nil, ":word"},
		{"no number", map[string]string{word: "hello", times: "hello"}, nil, ":times"},
		{"a secret", map[string]string{word: token, times: "3"}, nil, ":word"},
		{"too long", map[string]string{word: strings.Repeat("hello ", 100), times: "3"}, nil, ":word"},
		{"an error", map[string]string{word: "hello", times: "3"}, errors.New("down"), ":word"},
		{"a panic", map[string]string{word: "panic", times: "3"}, nil, ":word"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := &finder{answers: tt.answers, err: tt.err}
			e := parser(t, f, secrets.NewMask())
			_, err := e.Hosts().Hear(t.Context(), cortex.Signal{Source: "test", Principal: "ana", Session: "s",
				Text: "Please say hello 3 times. The token is " + token + "."})
			require.NoError(t, err)
			err = start(t, e)
			require.NotEmpty(t, f.asked)
			for _, p := range f.asked {
				assert.True(t, p.Pinned)
				assert.NotContains(t, p.Messages[0].Text, token)
				assert.NotContains(t, p.System, "tone", "an input that is not required is left alone")
			}
			if tt.missing == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, "greet.parsed needs "+tt.missing)
			}
			before := len(f.asked)
			rep, err := e.Replay(t.Context(), cortex.ReplayOptions{})
			require.NoError(t, err)
			assert.Positive(t, rep.Decisions)
			assert.Empty(t, rep.Differences)
			assert.Len(t, f.asked, before, "a replay asks no model")
		})
	}
	t.Run("no mask", func(t *testing.T) {
		f := &finder{answers: map[string]string{word: "hello", times: "3"}}
		e := parser(t, f, nil)
		assert.ErrorContains(t, start(t, e), "greet.parsed needs :word")
		assert.Empty(t, f.asked, "without a mask nothing is shown")
	})
}

// parser is an engine in which greet.parsed is in force.
func parser(t *testing.T, f *finder, mask func(string) string) *cortex.Engine {
	t.Helper()
	caps := capabilities.New()
	caps.Mask = mask
	greet := act.Func(func(context.Context, act.Call) (act.Receipt, error) { return act.Receipt{State: act.Done}, nil })
	e, err := cortex.Open(t.Context(), cortex.Options{Live: true, Heartbeat: time.Hour, Capabilities: caps,
		Models: cortex.Models{Providers: []model.Provider{f}},
		Rules: fstest.MapFS{"rules.lisp": {Data: []byte(
			`(deftool greet :params (:word string) :required (:word) :tier :allow :effect :none)`)}},
		Tools: []act.Tool{{Schema: &skills.Tool{Name: "greet"}, Actuator: greet}}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, e.Close()) })
	all, err := form.Read("greet.lisp", []byte(parsing))
	require.NoError(t, err)
	require.NoError(t, caps.Register(t.Context(), all[0], "op"))
	for _, s := range []capabilities.State{capabilities.Tested, capabilities.OnTrial, capabilities.InForce} {
		require.NoError(t, caps.Move(t.Context(), "greet.parsed", "1.0.0", s, "op", ""))
	}
	return e
}

// start starts greet.parsed without an input.
func start(t *testing.T, e *cortex.Engine) error {
	t.Helper()
	a, err := cortex.NewAction("greet.parsed", map[string]any{}, "")
	require.NoError(t, err)
	facts := &cortex.Facts{}
	facts.Session.ID, facts.Session.Principal = "s", "ana"
	_, err = e.Do(t.Context(), a, facts)
	return err
}
