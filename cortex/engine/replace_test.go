package engine

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
)

const replaceRules = calmRules + `
(defskill strict :priority 1 :gate ((deny z :when (and (= action.tool "risky") (= action.args.what "z")) :reason "z is too much")))`

// Wherever the engine stops while a person puts other arguments into a card, or
// while new rules replace it: either the old card still waits, or what stands in
// its place is there, and is carried out or told, once. It is never neither.
func TestI2_KilledAtEveryPointOfAReplacement(t *testing.T) {
	crashtest.Long(t)
	edit := func(what string) func(*bench, string) error {
		return func(b *bench, token string) error {
			_, err := b.Edit(b.t.Context(), token, ana, sexpr.Plist("what", sexpr.Str(what)))
			return err
		}
	}
	reload := func(more string) func(*bench, string) error {
		return func(b *bench, _ string) error {
			b.rules(replaceRules + more)
			return nil
		}
	}
	const fine = `
(defskill fine :priority 1 :gate ((allow x :when (and (= action.tool "risky") (= action.args.what "x")) :reason "x is fine")))`
	for name, c := range map[string]struct {
		replace func(*bench, string) error
		more    string // rules of the next engine
		effects string // what is done in the end, where the old card has ended
		told    string // what the model hears, where nothing is done
	}{
		"edited, and asked about": {edit("w"), "", `(:what "w")`, ""},
		"edited, and allowed":     {edit("y"), "", `(:what "y")`, ""},
		"edited, and refused":     {edit("z"), "", "", "z is too much"},
		"new rules that ask":      {reload("; newer"), "; newer", "", ""},
		"new rules that allow":    {reload(fine), fine, `(:what "x")`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			cutter := newCutter()
			b := newBench(t, replaceRules, "", withModel(&asksOnce{}),
				func(o *Options) { o.Dir, o.mount = "state", on(cutter.disk) })
			cutter.world = b.tool
			out, err := b.Submit(t.Context(), Signal{Text: "do it", Session: "s1", Principal: "ann"})
			require.NoError(t, err)
			require.NotEmpty(t, out.Approval)
			cutter.watch(true)
			require.NoError(t, c.replace(b, out.Approval))
			require.NoError(t, b.Operations().Wait(t.Context()))
			cutter.watch(false)
			require.NotEmpty(t, cutter.cuts)
			kept, replaced := 0, 0
			for i, cut := range cutter.cuts {
				again, m := &recordingTool{calls: cut.done}, &asksOnce{}
				opt := b.opt
				opt.mount, opt.Models.Providers, opt.Rules, opt.Tools = on(cut.disk), []model.Provider{m}, rulesOf(
					replaceRules+c.more), append(opt.Tools[:0:0], opt.Tools...)
				for k := range opt.Tools {
					opt.Tools[k].Actuator = again
				}
				e, err := open(t.Context(), opt)
				require.NoError(t, err)
				require.NoError(t, e.Operations().Wait(t.Context()))
				old, err := e.Approvals().Get(t.Context(), out.Approval)
				require.NoError(t, err)
				var waiting []*approval.Approval
				for a, err := range e.Pending(t.Context()) {
					require.NoError(t, err)
					waiting = append(waiting, a)
				}
				doubts, err := e.Operations().Doubts(t.Context())
				require.NoError(t, err)
				switch {
				case old.State == approval.Pending:
					kept++
					assert.Len(t, waiting, 1, "cut %d", i)
					assert.Empty(t, again.calls, "cut %d", i)
				case c.effects != "":
					replaced++
					assert.Empty(t, waiting, "cut %d", i)
					if len(again.calls) == 0 { // nobody knows; a person has to say
						assert.Len(t, doubts, 1, "cut %d", i)
						break
					}
					if assert.Len(t, again.calls, 1, "cut %d", i) {
						assert.Contains(t, again.calls[0], c.effects, "cut %d", i)
					}
				case c.told != "":
					replaced++
					said := 0
					require.NoError(t, e.Journal().Records(1, func(r Record) error {
						if r.Kind == record.KindSignal && strings.Contains(r.Body.String(), c.told) {
							said++
						}
						return nil
					}))
					// Told, or asked anew, as after any refusal that a crash cut short.
					assert.Positive(t, said+len(waiting), "cut %d", i)
				default:
					replaced++
					assert.Len(t, waiting, 1, "cut %d: nobody is asked any more", i)
				}
				require.NoError(t, e.Journal().Verify(t.Context()))
				require.NoError(t, e.Close())
			}
			if c.more == "" {
				assert.Positive(t, kept, "no cut fell before the replacement")
			}
			assert.Positive(t, replaced, "no cut fell behind the replacement")
		})
	}
}
