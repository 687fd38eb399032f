package model

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// From any reply of a model to a decision: nothing panics, the record can be
// written and read, a replay from the record is the same decision, and what is
// allowed stands in canonical form.
func FuzzDecide(f *testing.F) {
	for _, src := range []string{
		`(:tool "shell" :args (:cmd "ls /workspace"))`,
		`(:type :request :target :shell :payload (:cmd "sudo rm -rf $X" :timeout 3) :approved t :explanation "why")`,
		"Sure\n```lisp\n(:tool \"send_money\" :args (:recipient \"x\" :amount 1e3))\n```",
		`(:tool "reply" :args (:text "hi"))`, `(:tool "other" :args (:a (:b (1 2.5 null t false {}))))`,
		`(type request payload (tool shell args ((cmd "cat /var/lib/cortex/x"))))`,
	} {
		f.Add(src)
	}
	book, err := reason.LoadRules(bankRules)
	require.NoError(f, err)
	facts := &skills.Facts{Now: 1_700_000_000,
		Env: sexpr.Plist("cwd", sexpr.Str("/workspace"), "home", sexpr.Str("/home/u"))}
	places := &reason.Places{Paths: []string{"/var/lib/cortex"}}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := new(Thinker).interpret(Completion{Text: text}, nil)
		if err != nil || len(c.Proposals) == 0 {
			return
		}
		req := reason.Request{Policy: book, Proposal: c.Proposals[0].Form, Facts: facts, Places: places}
		d := reason.Decide(context.Background(), req)
		printed, err := sexpr.Print(d.Value())
		require.NoError(t, err)
		back, err := reason.DecodeDecision(read(t, printed))
		require.NoError(t, err)
		require.Empty(t, d.Same(back))

		recorded, err := sexpr.Print(req.Proposal)
		require.NoError(t, err)
		req.Proposal = read(t, recorded)
		require.Empty(t, d.Same(reason.Decide(context.Background(), req)), "replayed")

		if d.Kind == reason.Deny {
			return
		}
		again, err := skills.Conform(d.Action, book)
		require.NoError(t, err)
		require.Same(t, d.Action, again)
		ready := reason.Decide(context.Background(),
			reason.Request{Policy: book, Action: d.Action, Facts: facts, Places: places})
		require.Equal(t, d.Kind, ready.Kind, "what came out is judged the same when it comes in")
		require.Equal(t, d.Action.Digest(), ready.Action.Digest())
	})
}
