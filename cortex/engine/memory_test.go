package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/admission"
	"github.com/opencortex-go/cortex/cortex/internal/history"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
)

// lookingBack are rules by which a decision depends on the whole of its session.
const lookingBack = testRules + `
(defskill again :priority 10 :trigger (= action.tool "note")
  :gate ((deny said :when (some (calls "note") (and (= it.decision "allow") (= it.args.text action.args.text))) :reason "it is noted already")))
`

// oldest is a slow memory: a list of memos, the least recently used first.
type oldest struct {
	most  int
	idle  []string
	size  map[string]int
	users map[string]int
	held  int
	gone  int
}

func (o *oldest) all() int {
	n := o.held
	for _, x := range o.size {
		n += x
	}
	return n
}

func (o *oldest) fit() {
	for o.all() > o.most && len(o.idle) > 0 {
		delete(o.size, o.idle[0])
		o.idle = o.idle[1:]
		o.gone++
	}
}

func (o *oldest) taken(name string) {
	for i, x := range o.idle {
		if x == name {
			o.idle = append(o.idle[:i:i], o.idle[i+1:]...)
			break
		}
	}
	if _, ok := o.size[name]; !ok {
		o.size[name] = admission.MemoSize + 2*len(name)
	}
	o.users[name]++
	o.fit()
}

func (o *oldest) done(name string) {
	if o.users[name]--; o.users[name] == 0 {
		delete(o.users, name)
		o.idle = append(o.idle, name)
	}
	o.fit()
}

// Whatever is taken, read in, given back, forgotten and held: the count is what a
// slow one says, the same memos are kept, and it is above the cap only where nothing
// can be let go.
func TestMemoryIsASlowOne(t *testing.T) {
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 3))
		const most = 20_000
		m, err := admission.NewMemory(most)
		require.NoError(t, err)
		o := &oldest{most: most, size: map[string]int{}, users: map[string]int{}}
		var taken []*admission.Memo
		var held []func()
		var bytes []int
		for range 3000 {
			switch rng.IntN(6) {
			case 0, 1:
				name := fmt.Sprint("s", rng.IntN(20))
				before := m.Firm
				x, err := m.Take(name, 0, rng.IntN(2) == 0, func() any { return name })
				if err != nil {
					require.ErrorAs(t, err, new(*admission.BusyError))
					require.Greater(t, before+max(o.size[name], admission.MemoSize+2*len(name)), most, "refused though there was room")
					continue
				}
				require.Equal(t, name, x.What)
				taken = append(taken, x)
				o.taken(name)
			case 2:
				if len(taken) > 0 {
					n, x := rng.IntN(2000), taken[rng.IntN(len(taken))]
					x.Grow(n)
					o.size[x.Name] += n
					o.fit()
				}
			case 3, 4:
				if n := len(taken); n > 0 {
					i := rng.IntN(n)
					taken[i].Done()
					o.done(taken[i].Name)
					taken = append(taken[:i], taken[i+1:]...)
				}
			case 5:
				if n := rng.IntN(3000); len(held) < 3 && rng.IntN(2) == 0 {
					release, err := m.Hold(n, rng.IntN(3) == 0)
					if err != nil {
						require.Greater(t, m.Firm+n, most)
						continue
					}
					held, bytes = append(held, release), append(bytes, n)
					o.held += n
					o.fit()
				} else if len(held) > 0 {
					held[0]()
					o.held -= bytes[0]
					held, bytes = held[1:], bytes[1:]
				}
			}
			require.Equal(t, o.all(), m.All)
			require.Equal(t, o.gone, m.Gone)
			require.Len(t, o.idle, m.Idle.Len())
			if len(o.idle) > 0 {
				require.Equal(t, o.idle, m.Idle.Keys())
			}
			require.True(t, m.All <= most || m.Idle.Len() == 0, "%d bytes, and there is something to let go", m.All)
		}
		require.Positive(t, m.Gone)
	}
}

// What is claimed beforehand is counted once, and what was not needed is given back.
func TestMemoryIsClaimedBeforeItIsNeeded(t *testing.T) {
	const most = 10_000
	m, err := admission.NewMemory(most)
	require.NoError(t, err)
	blank := func() any { return nil }
	empty := admission.MemoSize + 2
	a, err := m.Take("a", 6000, true, blank)
	require.NoError(t, err)
	assert.Equal(t, empty+6000, m.All)
	_, err = m.Take("b", 6000, true, blank)
	assert.Equal(t, &admission.BusyError{What: "memory", Of: "", Cap: most}, err)
	again, err := m.Take("a", 6000, true, blank)
	require.NoError(t, err, "it is there already")
	a.Grow(2000)
	assert.Equal(t, empty+6000, m.All)
	a.Grow(5000)
	assert.Equal(t, empty+7000, m.All)
	a.Done()
	again.Done()
	_, err = m.Take("b", 6000, true, blank)
	require.NoError(t, err, "a is let go")
	assert.Equal(t, empty+6000, m.All)
	over, err := m.Take("c", 6000, false, blank)
	require.NoError(t, err, "what has begun is finished")
	m.Forget("c")
	assert.Equal(t, 2*(empty+6000), m.All, "somebody reads it still")
	over.Done()
	assert.Equal(t, empty+6000, m.All)
}

// The estimates are near what the heap gives, and rather above it.
func TestMemoryIsWhatTheHeapSays(t *testing.T) {
	crashtest.Long(t)
	assert.EqualValues(t, admission.ValueSize, reflect.TypeFor[sexpr.Value]().Size())
	heap := func() int {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	for name, args := range map[string]string{
		"a short text": `(:text "milk")`,
		"a long text":  `(:text "` + strings.Repeat("x", 5000) + `")`,
		"many numbers": `(:text "x" :list (` + strings.Repeat("1 ", 200) + `))`,
		"texts":        `(:text "one thing" :b "and another" :c ("a" "b" "c") :d (:e "something that is a little longer"))`,
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, testRules, "")
			const n = 20
			for range n {
				p, err := b.Begin(t.Context(), must(b.Decide(t.Context(), action(t, "look", args), asking("s", "agent"))))
				if errors.As(err, new(*ledger.NotAllowed)) {
					continue // of what is denied the arguments are kept too
				}
				require.NoError(t, err)
				require.NoError(t, p.Finish(t.Context(), Receipt{State: act.Done, Result: sexpr.Plist("did", sexpr.Str("it"))}))
			}
			const copies = 40
			keep := make([]*history.SessionLog, copies)
			for i := range keep {
				keep[i] = &history.SessionLog{}
			}
			x, err := b.memory.Take("x", 0, false, func() any { return nil })
			require.NoError(t, err)
			before := heap()
			for _, log := range keep {
				require.NoError(t, log.Read(b.history, x, "s", b.j.Last()))
			}
			took := heap() - before
			counted := x.Bytes - admission.MemoSize - 2
			x.Done()
			runtime.KeepAlive(keep)
			t.Logf("%d bytes are counted, the heap has %d", counted, took)
			assert.Greater(t, counted, took*9/10)
			assert.Less(t, counted, took*2)
		})
	}
}

// standings compares what is in memory with what was counted beforehand, and returns for
// how many sessions.
func standings(t *testing.T, b *bench) (loaded int) {
	t.Helper()
	for i := range 100 {
		name := fmt.Sprint("s", i)
		_, want, err := record.Standing(b.j, name)
		require.NoError(t, err)
		if want == 0 {
			continue
		}
		x, ok := b.memory.Idle.Peek(string(record.TableSession.Under(name)))
		if !ok {
			continue
		}
		_, err = b.history.Turns(name, b.j.Last(), 0) // all of it
		require.NoError(t, err)
		assert.Equal(t, want, x.Bytes-admission.MemoSize-2*len(x.Name), "session %s takes what its standing says", name)
		loaded++
	}
	return loaded
}

// chance is what is never twice the same.
var chance = regexp.MustCompile(`:(elapsed|took) \d+|:key "[0-9a-f]{32}"`)

// randomWork decides, acts, and gets answers in some sessions, and says what came of each
// step.
func randomWork(t *testing.T, b *bench, rng *rand.Rand, steps int, each func(said string)) {
	t.Helper()
	for range steps {
		in := asking(fmt.Sprint("s", rng.IntN(12)), fmt.Sprint("p", rng.IntN(3)))
		var said string
		switch rng.IntN(6) {
		case 0:
			d, err := b.Decide(t.Context(), action(t, "send_money", fmt.Sprintf(`(:recipient "x" :amount %d)`, rng.IntN(200))),
				in)
			require.NoError(t, err)
			if p, err := b.Begin(t.Context(), d); err == nil {
				require.NoError(t,
					p.Finish(t.Context(), Receipt{State: []act.State{act.Done, act.Nothing}[rng.IntN(2)], Text: "paid"}))
			}
			said = d.Value().String()
		case 1:
			out, err := b.Submit(t.Context(),
				Signal{Text: strings.Repeat("word ", rng.IntN(40)), Session: in.Session.ID, Principal: in.Session.Principal})
			require.NoError(t, err)
			said = out.Text + out.Notice
		default:
			d, err := b.Decide(t.Context(), action(t, "note", fmt.Sprintf(`(:text "%d")`, rng.IntN(30))), in)
			require.NoError(t, err)
			if d.Kind == reason.Allow {
				p, err := b.Begin(t.Context(), d)
				require.NoError(t, err)
				require.NoError(t,
					p.Finish(t.Context(), Receipt{State: act.Done, Result: sexpr.Str(strings.Repeat("r", rng.IntN(100)))}))
			}
			said = d.Value().String()
		}
		if rng.IntN(40) == 0 {
			b.reopen()
			said += ", opened again"
		}
		each(said)
	}
}

// With a memory for a few sessions, everything is decided and recorded as with one
// for all of them, byte for byte, and it is never above its cap. The engine that lets
// nothing go is the control: it needs more than the cap.
func TestI19_MemoryDecidesNothing(t *testing.T) {
	crashtest.Long(t)
	for seed := range uint64(2) {
		play := func(caps admission.Caps) (said, records []string, most, gone int) {
			b := newBench(t, lookingBack, `(:repeat t :reply "hi")`, func(o *Options) { o.Caps = caps; onDisk(o) })
			last, before := b.memory, 0
			randomWork(t, b, rand.New(rand.NewPCG(seed, 5)), 250, func(s string) {
				said = append(said, chance.ReplaceAllString(s, ""))
				bytes, _ := b.memory.Bytes()
				require.LessOrEqual(t, bytes, b.opt.Caps.WithDefaults().Memory, "step %d", len(said))
				require.Empty(t, b.memory.Used, "nobody looks at anything")
				require.Equal(t, 0, b.memory.Firm)
				most = max(most, bytes)
				if b.memory != last {
					last, before = b.memory, gone
				}
				gone = before + b.memory.Gone
			})
			require.NoError(t, b.Journal().Records(1, func(r Record) error {
				records = append(records, chance.ReplaceAllString(fmt.Sprint(r.Seq, r.Kind, r.Session, r.Body.String()), ""))
				return nil
			}))
			require.Positive(t, standings(t, b))
			b.intact()
			return said, records, most, gone
		}
		tiny := admission.Caps{Memory: 40 << 10, SessionMemory: 40 << 10, PrincipalMemory: 40 << 10}
		said, records, _, gone := play(tiny)
		all, whole, peak, left := play(admission.Caps{})
		require.Greater(t, gone, 20, "nothing was let go")
		require.Zero(t, left)
		require.Greater(t, peak, 2*tiny.Memory, "all of it would have had room")
		require.Equal(t, all, said)
		require.Equal(t, whole, records)
	}
}

// Many at once, with room for few: all are answered, and nothing is counted twice.
func TestMemoryUnderMany(t *testing.T) {
	crashtest.Long(t)
	b := newBench(t, lookingBack, `(:repeat t :reply "hi")`, func(o *Options) {
		o.Caps = admission.Caps{Memory: 64 << 10, SessionMemory: 64 << 10}
	})
	var wg sync.WaitGroup
	var busy, did sync.Map
	for w := range 8 {
		wg.Go(func() {
			for i := range 30 {
				name := fmt.Sprint("s", (w*7+i)%10)
				_, err := b.Decide(context.Background(), action(t, "note", fmt.Sprintf(`(:text "%d %d")`, w, i)),
					asking(name, "agent"))
				if err == nil && i%5 == 0 {
					_, err = b.Submit(context.Background(), Signal{Text: "hello", Session: name, Principal: "ana"})
				}
				if errors.As(err, new(*admission.BusyError)) {
					busy.Store(w*100+i, err)
				} else if assert.NoError(t, err) {
					did.Store(w*100+i, true)
				}
			}
		})
	}
	wg.Wait()
	assert.Empty(t, b.memory.Used)
	assert.Zero(t, b.memory.Firm)
	bytes, _ := b.memory.Bytes()
	assert.LessOrEqual(t, bytes, 64<<10)
	standings(t, b)
	n := 0
	did.Range(func(any, any) bool { n++; return true })
	assert.Greater(t, n, 100)
	b.intact()
}
