package engine

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/reason/model"
)

// shownTo keeps what a model was shown.
type shownTo struct {
	model.Provider
	prompts []model.Prompt
}

func (s *shownTo) Complete(ctx context.Context, p model.Prompt) (model.Completion, error) {
	s.prompts = append(s.prompts, p)
	return s.Provider.Complete(ctx, p)
}

// Rules may declare tools that somebody else runs, or that nobody has yet. A model is offered what this engine
// runs, and asking for another is refused before any gate.
func TestAModelIsOfferedWhatCanRun(t *testing.T) {
	w := &shownTo{}
	b := newBench(t, testRules+
		`(deftool elsewhere :doc "Run by another program." :params (:text string) :tier :ask :effect :external)`, `
(:form (:tool "elsewhere" :args (:text "x")))
(:reply "ok")`, func(o *Options) {
		w.Provider, o.Models.Providers = o.Models.Providers[0], []model.Provider{w}
	})
	out := b.say("hello")
	assert.Empty(t, out.Approval, "nobody is asked about what cannot run")
	require.NotEmpty(t, w.prompts)
	for _, p := range w.prompts {
		var names []string
		for _, tool := range p.Tools {
			names = append(names, tool.Name)
		}
		assert.Equal(t, []string{"ask_person", "look", "note", "reply", "risky", "send_money"}, names)
		assert.NotContains(t, p.System, "- elsewhere:")
		assert.Contains(t, p.System, "send_money")
	}
	b.intact()
}
