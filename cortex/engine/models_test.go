package engine

import (
	"context"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/reason/model"
)

// With a consensus nothing is done that only one model wants, whatever the rules
// would allow, and the user is told why.
func TestConsensusThroughTheEngine(t *testing.T) {
	note := func(text string) string {
		return `(:form (:type :request :target :tool :payload (:tool "note" :args (:text "` + text + `")))) `
	}
	done := `(:reply "done") `
	other, err := model.NewScripted("other", "other.lisp", note("buy milk")+done+note("sell milk"))
	require.NoError(t, err)
	b := newBench(t, testRules, note("buy milk")+done+note("buy bread"), func(o *Options) {
		o.Models.Consensus, o.Models.Providers = 2, append(o.Models.Providers, other)
	})
	out := b.say("milk")
	assert.Equal(t, "done", out.Text, out.Notice)
	assert.Equal(t, 1, b.tool.count())

	out = b.say("and bread")
	assert.Equal(t, "the models do not agree: 2 of 2 had to want the same", out.Notice)
	assert.Equal(t, 1, b.tool.count())
	assert.Empty(t, out.Decisions, "there was nothing to decide on")

	require.EventuallyWithT(t, func(t *assert.CollectT) { // the call that decided may not have returned yet
		s, err := b.Status(context.Background())
		require.NoError(t, err)
		assert.Equal(t, []model.ProviderHealth{{Provider: "other"}, {Provider: "script"}}, s.Models)
	}, 10*time.Second, time.Millisecond)
}

// A rule that names a model nobody configured stops the start, and a reload,
// which leaves the rules that are in force.
func TestModelsThatNobodyConfigured(t *testing.T) {
	typo := fstest.MapFS{"m.lisp": {Data: []byte(`(defmodels private :use ("locl"))`)}}
	b := newBench(t, testRules, `(:reply "hi")`)
	opt := b.opt
	opt.Rules = typo
	_, err := open(t.Context(), opt)
	require.ErrorContains(t, err, `m.lisp:1:1: defmodels private: unknown model provider "locl", expected one of script`)

	before, err := b.Status(t.Context())
	require.NoError(t, err)
	b.opt.Rules.(fstest.MapFS)["m.lisp"] = typo["m.lisp"]
	err = b.Operations().Reload(t.Context())
	require.ErrorContains(t, err, "the rules in force stay")
	after, err := b.Status(t.Context())
	require.NoError(t, err)
	assert.Equal(t, before.Policy, after.Policy)
	assert.Equal(t, "hi", b.say("hello").Text)
	opt.Models.Consensus = 2
	opt.Rules = fstest.MapFS{}
	_, err = open(t.Context(), opt)
	require.ErrorContains(t, err, "a consensus of 2 model providers is asked for, and only 1 configured")
	opt.Models.Consensus = -1
	_, err = open(t.Context(), opt)
	require.ErrorContains(t, err, "Options.Models.Consensus is negative")
}
