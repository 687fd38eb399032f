package engine

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
)

const boardRules = testRules + `
(defskill frozen :priority 200 :trigger (= action.tool "look")
  :gate ((deny freeze :when (= facts.policy.freeze "yes") :reason "nothing is looked at now")
         (deny goal :when (/= facts.work.goal "look") :reason "that is not what this is for")))
`

// boards are seeds of policy and work that a test changes, also while a turn has left a read behind.
type boards struct {
	mu           sync.Mutex
	policy, work string
	probe        func(context.Context) (sexpr.Value, error) // in place of policy
	reads        int
}

func (s *boards) probes(f func(context.Context) (sexpr.Value, error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.probe = f
}

// next counts a read, and returns what is read.
func (s *boards) next(text *string) (string, func(context.Context) (sexpr.Value, error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	return *text, s.probe
}

func (s *boards) seeds() []Seed {
	return []Seed{
		{Name: "probe: freeze", Part: "policy", Read: func(ctx context.Context) (sexpr.Value, error) {
			text, probe := s.next(&s.policy)
			if probe != nil {
				return probe(ctx)
			}
			return read(text), nil
		}},
		{Name: "work.lisp", Part: "work", Read: func(context.Context) (sexpr.Value, error) {
			text, _ := s.next(&s.work)
			return read(text), nil
		}},
	}
}

func boardBench(t *testing.T) (*bench, *boards) {
	s := &boards{policy: `(:freeze "no" :limit 5)`, work: `(:goal "look")`}
	b := newBench(t, boardRules, "", func(o *Options) { o.Dir, o.Seeds = t.TempDir(), s.seeds() })
	return b, s
}

func (b *bench) turn() {
	b.t.Helper()
	_, err := b.Hosts().Hear(b.t.Context(), Signal{Source: "test", Principal: "agent", Session: "s1", Text: "hello"})
	require.NoError(b.t, err)
}

// facts are the facts on record, in order: who, how, what.
func (b *bench) facts() (out []string) {
	b.t.Helper()
	require.NoError(b.t, b.Journal().Records(1, func(r Record) error {
		if r.Kind == record.KindFact {
			f := record.FactFrom(r.Body)
			out = append(out, f.By+" "+f.Via+": "+f.Name+" "+f.Fact.String())
		}
		return nil
	}))
	return out
}

// R23: facts.policy and facts.work are seeded as facts.ctx is, with the source of each fact on record; an override
// is on record as a difference; callers that bring facts.ctx alone are still under the policy.
func TestR23_PolicyAndWorkAreSeeded(t *testing.T) {
	b, s := boardBench(t)
	assert.Equal(t, []string{`probe: freeze seed: facts.policy.freeze "no"`, `probe: freeze seed: facts.policy.limit 5`,
		`work.lisp seed: facts.work.goal "look"`}, b.facts())
	assert.True(t, b.Hosts().Ctx().IsNil())
	assert.Equal(t, reason.Allow, b.decideOn("look", `(:text "x")`).Kind)

	own := asking("s1", "agent")
	own.Ctx = read(`(:mine 1)`)
	looks := func(f *Facts) string {
		d, err := b.Decide(t.Context(), action(t, "look", `(:text "y")`), f)
		require.NoError(t, err)
		return d.Key
	}
	assert.NotContains(t, looks(own), "frozen")
	brought := asking("s1", "agent")
	brought.Policy = read(`(:freeze "yes")`)
	assert.Equal(t, "frozen/freeze", looks(brought), "a caller may bring its own policy")

	require.NoError(t, b.Operations().SetFact(t.Context(), "facts.policy.freeze", sexpr.Str("yes"), ana))
	assert.Equal(t, `ana : facts.policy.freeze "yes"`, b.facts()[3], "the difference and no more")
	assert.Equal(t, "frozen/freeze", looks(nil))
	assert.Equal(t, "frozen/freeze", looks(own))
	b.turn()
	assert.Equal(t, "frozen/freeze", looks(nil), "an operator overrides a probe")
	require.NoError(t, b.Operations().SetFact(t.Context(), "facts.policy.freeze", sexpr.Nil(), ana))
	s.work = `(:goal "rest")`
	b.turn()
	assert.Equal(t, "frozen/goal", looks(nil))
	assert.Equal(t, `(:freeze "no" :limit 5)`, canonical(t, b.Hosts().Policy()))

	require.NoError(t, b.Operations().SetFact(t.Context(), "facts.ctx.x", sexpr.Int64(1), ana))
	assert.Equal(t, "(:x 1)", canonical(t, b.Hosts().Ctx()))
	b.replaysTheSame()
}

// A decision that was made under an earlier policy begins nothing, also where the caller brought facts.ctx.
func TestI1_AChangeOfPolicyMakesDecisionsAnew(t *testing.T) {
	for _, ctx := range []string{"", "(:mine 1)"} {
		b, _ := boardBench(t)
		f := asking("s1", "agent")
		if ctx != "" {
			f.Ctx = read(ctx)
		}
		d, err := b.Decide(t.Context(), action(t, "look", `(:text "x")`), f)
		require.NoError(t, err)
		require.Equal(t, reason.Allow, d.Kind)
		require.NoError(t, b.Operations().SetFact(t.Context(), "facts.policy.freeze", sexpr.Str("yes"), ana))
		_, err = b.Begin(t.Context(), d)
		var no *NotAllowed
		require.ErrorAs(t, err, &no)
		assert.Equal(t, "frozen/freeze", no.Decision.Key)
		b.replaysTheSame()
	}
}

// R23: a replay never seeds. With seeds that fail the test, a record of seeded decisions replays the same.
func TestR23_AReplayNeverSeeds(t *testing.T) {
	b, s := boardBench(t)
	b.decideOn("look", `(:text "x")`)
	s.policy = `(:freeze "yes")`
	b.turn()
	assert.Equal(t, "frozen/freeze", b.decideOn("look", `(:text "x")`).Key)
	before := s.reads
	s.probes(func(context.Context) (sexpr.Value, error) {
		t.Error("a replay reads a seed")
		panic("a replay reads a seed")
	})
	b.replaysTheSame()
	assert.Equal(t, before, s.reads)
	b.opt.Inspect, b.opt.Live = true, false
	b.reopen()
	b.replaysTheSame()
	assert.Equal(t, before, s.reads, "neither does an engine that inspects")
}

// I3: a probe that fails, panics, hangs or answers what no rule reads takes its facts away, and rules that read
// them refuse; the facts of other seeds stay.
func TestI3_AProbeThatFailsTakesItsFactsAway(t *testing.T) {
	for name, probe := range map[string]func(context.Context) (sexpr.Value, error){
		"an error":    func(context.Context) (sexpr.Value, error) { return read(`(:freeze "no")`), errors.New("no") },
		"a panic":     func(context.Context) (sexpr.Value, error) { panic("broken") },
		"no plist":    func(context.Context) (sexpr.Value, error) { return sexpr.Str("x"), nil },
		"it hangs":    func(ctx context.Context) (sexpr.Value, error) { <-ctx.Done(); return sexpr.Value{}, ctx.Err() },
		"it is stuck": func(context.Context) (sexpr.Value, error) { time.Sleep(time.Hour); return sexpr.Value{}, nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, s := boardBench(t)
				s.probes(probe)
				began := time.Now()
				b.turn()
				assert.LessOrEqual(t, time.Since(began), 2*time.Second)
				d := b.decideOn("look", `(:text "x")`)
				assert.Equal(t, reason.Deny, d.Kind)
				assert.Contains(t, d.Key, "frozen")
				assert.Equal(t, `(:|facts.work.goal| "look")`, canonical(t, b.Operations().Facts()))
				s.probes(nil)
				b.turn()
				if name == "it is stuck" {
					assert.Equal(t, reason.Deny, b.decideOn("look", `(:text "x")`).Kind, "one call at a time")
					time.Sleep(time.Hour)
					b.turn()
				}
				d = b.decideOn("look", `(:text "x")`)
				assert.Equal(t, reason.Allow, d.Kind, "it is back: %v", d.Reasons)
				b.replaysTheSame()
			})
		})
	}
}

func TestSeedsThatCannotBeRead(t *testing.T) {
	reads := func(context.Context) (sexpr.Value, error) { return sexpr.Value{}, nil }
	for want, s := range map[string]Seed{
		"needs a name": {Read: reads}, "something to read": {Name: "x"}, "no negative timeout": {Name: "x", Read: reads,
			Timeout: -1}, "is for facts.env, which nothing seeds": {Name: "x", Part: "env", Read: reads},
	} {
		assert.ErrorContains(t, Options{Seeds: []Seed{s}}.Check(), want)
	}
}
