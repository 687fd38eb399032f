package capabilities

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules"
)

// steps is a capability with n steps, each with an undo or without.
func steps(n int, undos bool) string {
	var b strings.Builder
	b.WriteString(`(defcapability x.n :version "1.0.0" :owner "o" :scope :project :inputs (:a string) :required (:a)
  :once (:key ("n" :a)) :plan (`)
	for i := range n {
		undo := `"it changes nothing that lasts"`
		if undos {
			undo = `(:tool "put" :args (:name "{{a}}" :image "0"))`
		}
		fmt.Fprintf(&b, `(s%d :tool "put" :args (:name "{{a}}" :image "%d") :undo %s)`, i, i, undo)
	}
	b.WriteString("))")
	return b.String()
}

const benchRules = `
(deftool put :params (:name string :image string) :required (:name :image) :tier :allow :effect :external)
(defskill some :trigger (= action.tool "put")
  :gate ((reject c :when (> (len (calls "put")) 10000) :reason "too many")
         (reject d :when (= action.args.name "root") :reason "no")))
(defaults :unknown-tool :deny)
`

// BenchmarkJudge judges a plan of 8 steps: 8 trials, or 16 with undos.
func BenchmarkJudge(b *testing.B) {
	for _, undos := range []bool{false, true} {
		b.Run(fmt.Sprintf("undos=%v", undos), func(b *testing.B) {
			all, err := form.Read("", []byte(steps(8, undos)))
			require.NoError(b, err)
			book, err := reason.Loader(rules.Loader{Tools: []*skills.Tool{all[0].Tool()}}).Load(rules.Root{FS: fstest.MapFS{
				"rules.lisp": {Data: []byte(benchRules)}}})
			require.NoError(b, err)
			p, err := newBook([]*version{newVersion(all[0], all[0].Hash().String(), false)},
				func(string, string) (string, error) { return "", nil }).policy(book)
			require.NoError(b, err)
			one, err := skills.NewAction("x.n", sexpr.Plist("a", sexpr.Str("b")), "")
			require.NoError(b, err)
			single, err := skills.NewAction("put", sexpr.Plist("name", sexpr.Str("b"), "image", sexpr.Str("1")), "")
			require.NoError(b, err)
			f := &skills.Facts{Session: skills.Session{ID: "s", Principal: "u"}}
			b.Run("plan", func(b *testing.B) {
				for b.Loop() {
					if d := reason.Decide(b.Context(), reason.Request{Policy: p, Action: one, Facts: f}); d.Kind != reason.Allow {
						b.Fatal(d.Reasons)
					}
				}
			})
			b.Run("single", func(b *testing.B) {
				for b.Loop() {
					if d := reason.Decide(b.Context(), reason.Request{Policy: p, Action: single, Facts: f}); d.Kind != reason.Allow {
						b.Fatal(d.Reasons)
					}
				}
			})
		})
	}
}

// BenchmarkFiveSteps runs a capability of 5 instant steps, and 5 durable actions one after the other.
func BenchmarkFiveSteps(b *testing.B) {
	st, err := store.Open(b.TempDir(), store.Options{})
	require.NoError(b, err)
	caps := New()
	put := act.Tool{Schema: &skills.Tool{Name: "put"}, Actuator: act.Func(
		func(context.Context, act.Call) (act.Receipt, error) { return act.Receipt{State: act.Done}, nil })}
	e, err := engine.Open(b.Context(), cortex.Options{Live: true, Heartbeat: time.Hour, Capabilities: caps,
		Rules: fstest.MapFS{"rules.lisp": {Data: []byte(benchRules)}}, Tools: []act.Tool{put}}, st)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, e.Close()) })
	all, err := form.Read("", []byte(steps(5, false)))
	require.NoError(b, err)
	require.NoError(b, caps.Register(b.Context(), all[0], "op"))
	for _, s := range []State{Tested, OnTrial, InForce} {
		require.NoError(b, caps.Move(b.Context(), "x.n", "1.0.0", s, "op", ""))
	}
	n := 0
	do := func(b *testing.B, tool string, args sexpr.Value) {
		a, err := skills.NewAction(tool, args, "")
		require.NoError(b, err)
		f := &cortex.Facts{}
		f.Session.ID, f.Session.Principal = fmt.Sprintf("s%d", n), "u"
		r, err := e.Do(b.Context(), a, f)
		require.NoError(b, err)
		require.Equal(b, act.Done, r.State, r.Error)
	}
	b.Run("plan", func(b *testing.B) {
		for b.Loop() {
			n++
			do(b, "x.n", sexpr.Plist("a", sexpr.Str(fmt.Sprint(n))))
		}
	})
	from, own := e.Journal().Head().Seq+1, 0
	do(b, "x.n", sexpr.Plist("a", sexpr.Str("counted")))
	require.NoError(b, e.Journal().Records(from, func(r journal.Record) error {
		if r.Kind == record.KindEvents {
			own++
		}
		return nil
	}))
	b.Run("records", func(b *testing.B) { // what a run enters in its log, and nothing else
		for b.Loop() {
			n++
			for i := range own {
				e, err := entry(kindStep, fmt.Sprint(i), stepEnded{Step: "one", State: "done", Out: sexpr.EmptyObject()})
				require.NoError(b, err)
				_, err = caps.logs.Append(b.Context(), logs.Write{Log: fmt.Sprintf("bench-%d", n), Family: family,
					By: "u"}, func(tx *logs.Tx) error {
					_, err := tx.Event(e)
					return err
				})
				require.NoError(b, err)
			}
		}
	})
	b.Logf("a run enters %d records in its log", own)
	b.Run("singles", func(b *testing.B) {
		for b.Loop() {
			n++
			for i := range 5 {
				do(b, "put", sexpr.Plist("name", sexpr.Str(fmt.Sprint(n)), "image", sexpr.Str(fmt.Sprint(i))))
			}
		}
	})
}
