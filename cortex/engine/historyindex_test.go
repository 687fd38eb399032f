package engine

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/clock"
	"github.com/opencortex-go/cortex/cortex/internal/history"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/cortex/retention"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/skills"
)

// rereading is a history that remembers nothing: it reads the tables and the records of
// all that ever happened for each question, and lists it.
type rereading struct {
	t *testing.T
	*history.Recall
}

func (s rereading) jumped(seq uint64) int64 {
	var by time.Duration
	require.NoError(s.t, record.TableJump.Scan(s.H.J, func(at uint64, v []byte) error {
		if at > seq && at <= s.AsOf {
			by += time.Duration(record.AsNumber(v))
		}
		return nil
	}))
	return int64(by / time.Second)
}

func (s rereading) moved(at int64, seq uint64) int64 {
	if by := s.jumped(seq); by != 0 && at != 0 {
		return max(1, at+by)
	}
	return at
}

// each calls f with what the records of a table say, up to asOf; removed ones are
// left out.
func (s rereading) each(table record.Series, name string, f func(seq uint64, v []byte, e *history.Item)) {
	prefix := table.Under(name)
	require.NoError(s.t, record.Scan(s.H.J, prefix, func(k, v []byte) error {
		seq := record.AsNumber(k[len(prefix):])
		if seq > s.AsOf {
			return nil
		}
		rec, err := s.H.J.Read(seq)
		if errors.Is(err, journal.ErrRemoved) {
			return nil
		}
		require.NoError(s.t, err)
		e, err := history.ItemOf(rec, nil)
		require.NoError(s.t, err)
		f(seq, v, e)
		return nil
	}))
}

func (s rereading) Turns() ([]skills.Turn, error) {
	end, err := record.EndOf(s.H.J, s.Session.ID)
	require.NoError(s.t, err)
	if s.AsOf < end {
		return nil, journal.ErrRemoved
	}
	var seqs []uint64
	var out []skills.Turn
	s.each(record.TableSession, s.Session.ID, func(seq uint64, v []byte, e *history.Item) {
		switch {
		case seq <= end:
		case v[0] == record.MarkUser:
			seqs, out = append(seqs, seq), append(out, skills.Turn{User: e.User})
		case v[0] == record.MarkDecision:
			c := *e.Call
			c.At = s.moved(c.At, seq)
			seqs, out = append(seqs, seq), append(out, skills.Turn{Call: &c})
		default:
			c := out[slices.Index(seqs, record.AsNumber(v[1:]))].Call
			c.Result, c.Error, c.Happened = e.Receipt.Result, e.Receipt.Error, record.Happened(*e.Receipt)
		}
	})
	for i, seq := range seqs {
		if seq == s.First {
			out = slices.Delete(out, i, i+1)
			break
		}
	}
	return out, nil
}

func (s rereading) Spends() ([]skills.Spend, error) {
	end, err := record.EndOf(s.H.J, s.Session.ID)
	require.NoError(s.t, err)
	var out []history.LogSpend
	from := func(table record.Series, name string, keep func(history.LogSpend) bool) {
		var all []history.LogSpend
		s.each(table, name, func(seq uint64, _ []byte, e *history.Item) {
			if e.Receipt != nil {
				all = slices.DeleteFunc(all, func(x history.LogSpend) bool { return x.Seq == e.Intent })
			}
			for _, x := range e.Spends {
				x.At = s.moved(x.At, seq)
				all = append(all, history.LogSpend{Spend: x, Seq: seq})
			}
		})
		for _, x := range all {
			if x.Seq != s.Retry && keep(x) {
				out = append(out, x)
			}
		}
	}
	from(record.TablePrincipal, s.Session.Principal, func(history.LogSpend) bool { return true })
	from(record.TableSpent, s.Session.ID, func(x history.LogSpend) bool {
		return x.Seq > end && x.Principal != s.Session.Principal
	})
	slices.SortStableFunc(out, func(a, b history.LogSpend) int { return cmp.Compare(a.Seq, b.Seq) })
	spends := make([]skills.Spend, len(out))
	for i, x := range out {
		if spends[i] = x.Spend; x.Seq <= end && x.Session == s.Session.ID {
			spends[i].Session = history.EndedSession
		}
	}
	return spends, nil
}

// indexRules have tools that spend, one that people are asked about, and two that do
// neither.
const indexRules = testRules + `
(deftool pay :doc "Pay." :params (:amount (number 0 100000)) :required (:amount) :tier :allow :effect :external :spends (:money :amount :times 1))
(deftool give :doc "Give." :params (:amount (number 0 100000)) :required (:amount) :tier :allow :effect :none :spends (:money :amount))
`

// past is a random history in the making.
type past struct {
	*bench
	m       *machine
	rng     *rand.Rand
	permits []*Permit
	intents [][2]uint64 // and their decisions
	dry     int         // permits that spend nothing
}

func (p *past) one(of ...string) string { return of[p.rng.IntN(len(of))] }

// step has something happen.
func (p *past) step() {
	t, ctx := p.t, p.t.Context()
	in := asking(p.one("s0", "s1", "s2"), p.one("ana", "bo", "ana", "bo", "ana", "bo", "bo", "ana", "bo", ""))
	switch p.rng.IntN(24) {
	case 0:
		d := time.Duration(p.rng.IntN(5*3600)) * time.Second
		if p.rng.IntN(2) == 0 { // until shortly after a full hour
			d = time.Hour - p.m.now().Sub(p.m.now().Truncate(time.Hour)) + time.Duration(p.rng.IntN(30))*time.Second
		}
		p.m.pass(d)
	case 1, 2:
		p.m.set(time.Duration(p.rng.IntN(9)-5) * time.Second)
	case 3:
		p.m.set(time.Duration(p.rng.IntN(72)-36) * []time.Duration{time.Hour, 10 * time.Second}[p.rng.IntN(2)])
	case 4:
		_, err := p.Submit(ctx, Signal{Text: "hello", Session: in.Session.ID, Principal: in.Session.Principal})
		require.NoError(t, err)
	case 5:
		if err := p.Operations().EndSession(ctx, in.Session.ID,
			approval.Approver{Name: "op", Classes: []string{skills.DefaultClass}}); err != nil {
			require.ErrorIs(t, err, retention.ErrOpenSession)
		}
	case 6:
		_, err := p.Operations().Retain(ctx)
		require.NoError(t, err)
		p.memory.Drop(func(any) bool { return true })
	case 7:
		p.opt.Live = !p.opt.Live || p.rng.IntN(3) > 0
		p.opt.Dry = !p.opt.Live && p.rng.IntN(4) > 0
		p.permits = nil
		p.reopen()
	case 8, 9, 10, 11, 12:
		if n := len(p.permits); n > 0 {
			i := p.rng.IntN(n)
			state := []act.State{act.Done, act.Nothing, act.Nothing, act.Failed, act.Unknown}[p.rng.IntN(5)]
			if err := p.permits[i].Finish(ctx, Receipt{State: state, Text: "so"}); err == nil {
				p.permits = slices.Delete(p.permits, i, i+1)
			}
		}
	case 13:
		doubts, err := p.Operations().Doubts(ctx)
		require.NoError(t, err)
		if len(doubts) > 0 {
			d := doubts[p.rng.IntN(len(doubts))]
			if p.rng.IntN(2) == 0 {
				_, _ = p.Operations().Retry(ctx, d.Intent, ana)
			} else {
				_ = p.Operations().Settle(ctx, d.Intent, p.rng.IntN(2) == 0, ana)
			}
		}
	default:
		tool := p.one("pay", "pay", "give", "look", "risky")
		args := fmt.Sprintf(`(:amount %g)`, []float64{0.1, 0.2, 0.3, 0.7, 1e15, 3}[p.rng.IntN(6)])
		switch tool {
		case "look":
			args = `(:text "x")`
		case "risky":
			args = `(:what "y")`
		}
		d, err := p.Decide(ctx, action(t, tool, args), in)
		require.NoError(t, err)
		if d.Kind != reason.Allow {
			return
		}
		permit, err := p.Begin(ctx, d)
		if err != nil {
			return // it is in doubt, or nothing is run at all
		}
		if permit.Dry() {
			p.dry++
		}
		p.permits = append(p.permits, permit)
		p.intents = append(p.intents, [2]uint64{permit.ID(), permit.Intent().Decision})
	}
}

// ask compares what the index says with what the slow one finds, at some point of
// the past.
func (p *past) ask(seen map[string]int) {
	t := p.t.(*testing.T)
	r := &history.Recall{H: p.Engine.history, Session: skills.Session{ID: p.one("s0", "s1", "s2"),
		Principal: p.one("ana", "bo", "ana", "bo", "")}, AsOf: p.j.Last()}
	if p.rng.IntN(3) == 0 {
		r.AsOf -= min(r.AsOf, uint64(p.rng.IntN(60)))
	}
	if n := len(p.intents); n > 0 && p.rng.IntN(5) == 0 {
		x := p.intents[p.rng.IntN(n)]
		r.Retry, r.First = x[0], x[1]
		seen["retry"]++
	}
	slow := rereading{t, r}
	turns, lost := slow.Turns()
	got, none := r.Turns()
	require.Equal(t, lost != nil, none != nil)
	spends, _ := slow.Spends()
	all, err := r.Spends()
	require.NoError(t, err)
	require.Equal(t, len(spends), len(all))
	for i := range all {
		require.True(t, spends[i] == all[i], "%+v is %+v", spends[i], all[i])
	}
	for range 4 {
		now := p.m.now().Unix() - int64(p.rng.IntN(3)*p.rng.IntN(4000))
		tool, most := p.one("pay", "give", "look", "risky", "none"), 1+p.rng.IntN(2)*300
		since := []int64{math.MinInt64, now - 600, now - 7200, now - 90_000}[p.rng.IntN(4)]
		if n := len(turns); n > 0 && p.rng.IntN(2) == 0 {
			if c := turns[p.rng.IntN(n)].Call; c != nil {
				tool, since = c.Tool, c.At+int64(p.rng.IntN(4))-1
			}
		}
		calls, err := r.Calls(tool, since, most)
		require.Equal(t, lost != nil, err != nil)
		if lost == nil {
			require.Len(t, got, len(turns))
			want := skills.CallsOf(turns, tool, since, most)
			require.Len(t, calls, len(want))
			for i, c := range calls {
				require.Equal(t,
					[...]any{want[i].Tool, want[i].At, want[i].Decision, want[i].Error, want[i].Happened, want[i].Args.String()},
					[...]any{c.Tool, c.At, c.Decision, c.Error, c.Happened, c.Args.String()})
			}
			seen["calls"] += len(calls)
		}
		of := skills.Sum{Budget: p.one("money", "money", "times", "none"), Session: p.rng.IntN(3) == 0}
		of.Since = skills.PeriodStart(now, []int64{3600, 86400}[p.rng.IntN(2)])
		if n := len(spends); n > 0 && p.rng.IntN(4) == 0 {
			of.Since = spends[p.rng.IntN(n)].At + int64(p.rng.IntN(4)) - 1
		}
		sum, err := r.Spent(of)
		require.NoError(t, err)
		want := of.Of(r.Session, spends)
		require.Equal(t, math.Float64bits(want), math.Float64bits(sum), "%+v of %+v as of %d is %v, not %v", of, r.Session,
			r.AsOf, want, sum)
		if sum != 0 {
			seen["sums"]++
		}
		if r.Retry == 0 {
			if _, ok, _ := p.history.Sum(r.Session, of, r.AsOf); !ok {
				seen["lists"]++
			}
		}
	}
}

// The index of a history answers as a scan of all of it does, whatever happened and
// as of whatever record: with what was undone, retried, in doubt or dry, moves of the
// clock, sessions that ended, and records that were removed. Sums are the same to the
// last bit.
func TestHistoryIsASlowOne(t *testing.T) {
	seen := map[string]int{}
	seeds := uint64(crashtest.Number("CORTEX_TORTURE", 16))
	if raceEnabled {
		crashtest.Long(t)
		seeds = 2 // it takes twenty times as long, and only one goroutine looks at the index
	}
	for seed := range seeds {
		b, m := newMachine(t, indexRules, func(o *Options) {
			o.Retain = retention.Retain{Age: 40 * time.Hour}
		}, onDisk)
		p := &past{bench: b, m: m, rng: rand.New(rand.NewPCG(seed, 7))}
		for n := range 260 {
			p.step()
			if n%4 == 0 {
				p.ask(seen)
			}
		}
		for range 20 {
			p.ask(seen)
		}
		got, err := b.Replay(t.Context(), ReplayOptions{})
		require.NoError(t, err)
		require.Empty(t, got.Differences)
		seen["dry"] += p.dry
	}
	t.Log(seen)
	for _, what := range []string{"calls", "sums", "retry", "lists"} {
		assert.Greater(t, seen[what], 5*int(seeds), what)
	}
	assert.Positive(t, seen["dry"])
	assert.Greater(t, seen["sums"], 2*seen["lists"], "most sums are read, and not added up")
}

// What was read before anybody knew that the clock had been moved is read anew.
func TestHistoryForgetsWhatItReadTooEarly(t *testing.T) {
	b := newBench(t, indexRules, "")
	for range 3 {
		p, err := b.Begin(t.Context(), must(b.Decide(t.Context(), action(t, "pay", `(:amount 1)`), asking("s", "p"))))
		require.NoError(t, err)
		require.NoError(t, p.Finish(t.Context(), Receipt{State: act.Done}))
	}
	r := &history.Recall{H: b.Engine.history, Session: skills.Session{ID: "s", Principal: "p"}, AsOf: b.j.Last()}
	all, err := r.Calls("pay", math.MinInt64, 10)
	require.NoError(t, err)
	now := all[2].At
	r.H.Jumped(clock.Jump{Seq: firstReceipt(t, b), By: -2 * time.Hour}) // behind the first call
	calls, err := r.Calls("pay", now-60, 10)
	require.NoError(t, err)
	assert.Len(t, calls, 2)
	sum, err := r.Spent(skills.Sum{Budget: "money", Since: skills.PeriodStart(now, 3600)})
	require.NoError(t, err)
	assert.Equal(t, 2.0, sum)

	since := skills.Sum{Budget: "money", Since: now - 60}
	sum, err = r.Spent(since)
	require.NoError(t, err)
	assert.Equal(t, 2.0, sum)
	b.decideOn("look", `(:text "x")`)
	r.AsOf = b.j.Last()
	r.H.Jumped(clock.Jump{Seq: r.AsOf, By: -time.Hour}) // nothing was spent since it was last asked
	sum, err = r.Spent(since)
	require.NoError(t, err)
	assert.Zero(t, sum)
}

// firstReceipt is the record of the first receipt.
func firstReceipt(t *testing.T, b *bench) (seq uint64) {
	require.NoError(t, b.j.Records(1, func(r Record) error {
		if r.Kind == record.KindReceipt && seq == 0 {
			seq = r.Seq
		}
		return nil
	}))
	return seq
}

const growingRules = testRules + `
(deftool pay :doc "Pay." :params (:amount number) :required (:amount) :tier :allow :effect :none :spends (:money :amount))
(deftool count :doc "Count." :tier :allow :effect :none)
(defskill limits :trigger (= action.tool "count")
  :gate ((deny often :when (or (> (len (calls "count")) 250) (> (len (calls-since "count" 60)) 250)) :reason "often enough")))
(definvariant little :when (= action.tool "pay")
  :holds (<= (+ action.args.amount (spent :money :day) (spent :money :session)) 1000000) :reason "more than a million a day")
`

// What a decision allocates that looks back does not grow with how much there is to
// look back to.
func TestLookingBackCostsTheSame(t *testing.T) {
	crashtest.Long(t)
	for name, c := range map[string]struct{ before, now *Action }{
		"calls": {action(t, "look", `(:text "milk")`), action(t, "count", `{}`)},
		"spent": {action(t, "pay", `(:amount 1)`), action(t, "pay", `(:amount 1)`)},
	} {
		t.Run(name, func(t *testing.T) {
			cost := func(n int) uint64 {
				b := newBench(t, growingRules, "")
				for range n {
					p, err := b.Begin(t.Context(), must(b.Decide(t.Context(), c.before, asking("s", "p"))))
					require.NoError(t, err)
					require.NoError(t, p.Finish(t.Context(), Receipt{State: act.Done}))
				}
				decide := func() {
					require.Equal(t, reason.Allow, must(b.Decide(t.Context(), c.now, asking("s", "p"))).Kind)
				}
				decide() // reads in what there is
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				for range 20 {
					decide()
				}
				runtime.ReadMemStats(&after)
				return after.TotalAlloc - before.TotalAlloc
			}
			few, many := cost(10), cost(2000)
			t.Logf("%d bytes after 10, %d after 2000", few/20, many/20)
			assert.Less(t, many, few*3/2)
		})
	}
}
