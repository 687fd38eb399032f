package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/cortex/retention"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
)

// obeys is a model that proposes what it was last told to, and notes how the conversation
// began when it hears what came of that. What lies between depends on which of two that
// go on at once comes first.
type obeys struct {
	mu    sync.Mutex
	heard []string
}

func (*obeys) Name() string { return "obeys" }

func (m *obeys) Complete(ctx context.Context, p model.Prompt) (model.Completion, error) {
	last := p.Messages[len(p.Messages)-1]
	if last.Role != model.RoleUser {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.heard = append(m.heard, p.Messages[0].Text+" ... "+last.Text)
		return model.Completion{Text: "I see"}, ctx.Err()
	}
	tool, rest, _ := strings.Cut(last.Text, " ")
	args := map[string]string{"risky": `(:what "` + rest + `")`, "note": `(:text "` + rest + `")`,
		"send_money": `(:recipient "x" :amount ` + rest + `)`}[tool]
	if args == "" {
		return model.Completion{Text: "what?"}, ctx.Err()
	}
	return model.Completion{Text: `(:type :request :payload (:tool "` + tool + `" :args ` + args + `))`}, ctx.Err()
}

// cutLife is a record as a power cut leaves it, and what had happened in the world.
type cutLife struct {
	disk *storetest.Disk
	done []string
	at   int64
}

// randomLife drives an engine through what people, models and embedders do, and cuts
// the power at some of the moments in which something becomes durable.
func randomLife(t *testing.T, seed uint64) (opt Options, cuts []cutLife) {
	ctx, rnd, chance := context.Background(), rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 2))
	var mu sync.Mutex
	var b *bench
	var disk *storetest.Disk
	watching := false
	disk = storetest.NewDisk(func(op storetest.Op) error {
		mu.Lock()
		defer mu.Unlock()
		if watching && op.Kind == "sync" && chance.IntN(12) == 0 {
			b.tool.mu.Lock()
			defer b.tool.mu.Unlock()
			cuts = append(cuts,
				cutLife{disk.PowerCut(0, rand.New(rand.NewPCG(1, 1))), slices.Clone(b.tool.calls), b.clock.Load()})
		}
		return nil
	})
	watch := func(on bool) {
		mu.Lock()
		defer mu.Unlock()
		watching = on
	}
	opt, b = options(t, calmRules, "")
	opt.Dir, opt.mount, opt.Approvals.TTL, opt.Models.Providers = "state", on(disk), 1000*time.Hour, []model.Provider{
		&obeys{}}
	b.opt = opt
	b.reopen()
	watch(true)
	for n := range 20 {
		b.clock.Add(rnd.Int64N(300))
		who := fmt.Sprint("s", rnd.IntN(3))
		text := ""
		switch rnd.IntN(8) {
		case 0, 1, 2:
			text = fmt.Sprintf("risky thing %d", rnd.IntN(2))
		case 3:
			text = fmt.Sprintf("send_money %d", rnd.IntN(300))
		case 4:
			text = fmt.Sprintf("note a secret %d", rnd.IntN(3))
		case 5:
			b.embedded(who, n)
		default:
			b.answerOne(rnd)
		}
		if text != "" {
			_, err := b.Submit(ctx, Signal{Text: text, Session: who, Principal: who, Key: fmt.Sprint("k", n)})
			require.NoError(t, err)
		}
	}
	require.NoError(t, b.Operations().Wait(ctx))
	watch(false)
	require.NoError(t, b.Close())
	return opt, cuts
}

// embedded is what a program does that runs its own tools: it may never say what came
// of them.
func (b *bench) embedded(who string, n int) {
	b.t.Helper()
	d, err := b.Decide(context.Background(), action(b.t, "send_money", fmt.Sprintf(`(:recipient "y" :amount %d)`, n)),
		asking(who, who))
	require.NoError(b.t, err)
	if d.Kind != reason.Allow {
		return
	}
	p, err := b.Begin(context.Background(), d)
	require.NoError(b.t, err)
	switch n % 3 {
	case 0:
		require.NoError(b.t, p.Finish(context.Background(), Receipt{State: act.Done}))
	case 1:
		require.NoError(b.t, p.Finish(context.Background(), Receipt{State: act.Nothing}))
	}
}

// answerOne has a person answer one of the cards that wait, in one way or another.
func (b *bench) answerOne(rnd *rand.Rand) {
	b.t.Helper()
	cards := b.pending()
	if len(cards) == 0 {
		return
	}
	a, ctx := cards[rnd.IntN(len(cards))], context.Background()
	switch key := a.Action.Args().Items()[0].Text(); rnd.IntN(5) {
	case 0:
		_, err := b.Edit(ctx, a.Token, ana, sexpr.Plist(key, sexpr.Str(fmt.Sprint("a secret, edited ", rnd.IntN(9)))))
		require.NoError(b.t, err)
	case 1, 2:
		require.NoError(b.t, b.Deny(ctx, a.Token, ana, "no, says ana"))
	default:
		require.NoError(b.t, b.Approve(ctx, a.Token, ana))
	}
}

// goesOn opens what was cut off, twice: first, for some hours, without a model and dry;
// then as it was. Between any two steps somebody may forget something. It returns all that
// can be seen of how everything that was under way went on.
func (c cutLife) goesOn(t *testing.T, opt Options, hours int64, forget func(*bench)) []string {
	m, ctx := &obeys{}, context.Background()
	b := &bench{t: t, tool: &recordingTool{calls: slices.Clone(c.done)}, clock: new(atomic.Int64), opt: opt}
	b.clock.Store(c.at)
	b.opt.mount = on(c.disk.PowerCut(100, rand.New(rand.NewPCG(1, 1))))
	b.opt.Clock.Now = func() time.Time { return time.Unix(b.clock.Load(), 0) }
	b.opt.Tools = slices.Clone(opt.Tools)
	for i := range b.opt.Tools {
		b.opt.Tools[i].Actuator = b.tool
	}
	w := &witness{bench: b}
	pass := func(hours int64) {
		b.clock.Add(hours * 3600)
		forget(b)
		w.fine("the chain", b.j.Verify(ctx))
	}
	b.opt.Live, b.opt.Models.Providers = false, nil
	if !w.open() {
		return w.seen
	}
	left := w.unanswered()
	pass(hours)
	if w.open() {
		pass(0)
		b.opt.Live, b.opt.Models.Providers = true, []model.Provider{m}
	}
	if !w.open() {
		return w.seen
	}
	w.fine("all that goes on", b.Operations().Wait(ctx))
	w.again(left)
	pass(0)
	w.answerAll(func() { pass(0) })
	w.settleAll()
	w.spend()
	pass(2)
	r, err := b.Replay(ctx, ReplayOptions{})
	w.fine("replay", err)
	w.see("replay differs in %d", len(r.Differences))
	w.fine("closing", b.Close())
	return append(append(w.seen, sorted("done", b.tool.calls)...), sorted("heard", m.heard)...)
}

// witness notes what can be seen of an engine.
type witness struct {
	*bench
	seen []string
}

func (w *witness) see(format string, args ...any) {
	w.seen = append(w.seen, tokenless(fmt.Sprintf(format, args...)))
}

// failed begins what nobody should ever see.
const failed = "FAILED "

func (w *witness) fine(what string, err error) {
	if err != nil {
		w.see(failed+"%s: %v", what, err)
	}
}

// open opens the engine anew.
func (w *witness) open() bool {
	if w.Engine != nil {
		w.fine("closing", w.Close())
	}
	e, err := open(w.t.Context(), w.opt)
	w.fine("opening", err)
	w.Engine = e
	return err == nil
}

// unanswered are the signals that nobody has answered.
func (w *witness) unanswered() (left []Signal) {
	w.fine("what is left", record.TableUnanswered.Scan(w.j, func(seq uint64, _ []byte) error {
		rec, err := w.j.Read(seq)
		left = append(left, Signal{Text: rec.Body.GetText("text"), Session: rec.Session, Principal: rec.Session,
			Key: rec.Body.GetText("key")})
		return err
	}))
	return left
}

// again sends signals once more: each has its first answer.
func (w *witness) again(signals []Signal) {
	for _, sig := range signals {
		out, err := w.Submit(context.Background(), sig)
		w.fine("the first answer", err)
		if err == nil {
			w.see("the first answer to %s: %q %q %v", sig.Key, out.Text, out.Notice, out.Repeat)
		}
	}
}

// answerAll answers all cards that wait, one after the other.
func (w *witness) answerAll(then func()) {
	ctx := context.Background()
	for i, a := range w.cards() {
		w.see("pending: %s in %s", a.Action.Canonical(), a.Session)
		if i%2 == 0 {
			w.fine("a yes", w.Approve(ctx, a.Token, ana))
		} else {
			w.fine("a no", w.Deny(ctx, a.Token, ana, "not today"))
		}
		w.fine("what follows", w.Operations().Wait(ctx))
		then()
	}
}

func (w *witness) cards() (out []*approval.Approval) {
	for a, err := range w.Pending(context.Background()) {
		w.fine("what is pending", err)
		if err == nil {
			out = append(out, a)
		}
	}
	return out
}

// settleAll has people settle what is in doubt.
func (w *witness) settleAll() {
	doubts, err := w.Operations().Doubts(context.Background())
	w.fine("what is in doubt", err)
	for i, d := range doubts {
		w.see("in doubt: %s in %s", d.Action.Canonical(), d.Session)
		if i%2 == 0 {
			w.fine("to settle it", w.Operations().Settle(context.Background(), d.Intent, i%4 == 0, ana))
			continue
		}
		rc, err := w.Operations().Retry(context.Background(), d.Intent, ana)
		w.see("tried again: %s %v", rc.State, err)
	}
}

// spend shows what is left of the day's budgets.
func (w *witness) spend() {
	for i := range 3 {
		who := fmt.Sprint("s", i)
		for _, amount := range []int{1000, 900, 700, 400, 200} {
			d, err := w.Decide(context.Background(),
				action(w.t, "send_money", fmt.Sprintf(`(:recipient "z" :amount %d)`, amount)), asking("new", who))
			w.fine("to decide", err)
			if err == nil {
				w.see("%s spends %d: %s", who, amount, d.Kind)
			}
		}
	}
}

func sorted(what string, list []string) (out []string) {
	for _, s := range slices.Sorted(slices.Values(list)) {
		out = append(out, what+": "+s)
	}
	return out
}

// tokenless is a text without the token of a card, which is never the same twice.
func tokenless(s string) string {
	words := strings.Fields(s)
	for i := range words {
		if i > 0 && words[i-1] == "approval" {
			words[i] = "TOKEN"
		}
	}
	return strings.Join(words, " ")
}

// differs compares how a life goes on where somebody forgets with how it goes on where
// nobody does. What goes on at once may come out in one of several ways, so either is
// looked at again, so many times, before it counts as another.
func (c cutLife) differs(t *testing.T, opt Options, hours int64, times int, forget func(*bench)) (want, got []string,
	differs bool) {
	for range times {
		want, got = c.goesOn(t, opt, hours, func(*bench) {}), c.goesOn(t, opt, hours, forget)
		if slices.Equal(want, got) {
			return want, got, false
		}
	}
	return want, got, true
}

// careless forgets what somebody still refers to, as a retention with a bug would.
var careless = map[string]func(b *bench, tx *journal.Tx) error{
	"what waits for an answer": func(b *bench, tx *journal.Tx) error { return drop(tx, byte(record.TableUnanswered)) },
	"cards that were denied": func(b *bench, tx *journal.Tx) error {
		denied, err := b.ledger.Select(context.Background(),
			b.j, func(a *approval.Approval) bool { return a.State == approval.Denied })
		for _, a := range denied {
			tx.Delete(record.TableApproval.Key(a.Token))
		}
		return err
	},
	"cards that are open": func(b *bench, tx *journal.Tx) error { return drop(tx, byte(record.TableGrant)) },
	"intents without a receipt": func(b *bench, tx *journal.Tx) error {
		return errors.Join(drop(tx, byte(record.TableIntent)), drop(tx, byte(record.TableDoing)))
	},
	"what was spent":        func(b *bench, tx *journal.Tx) error { return drop(tx, byte(record.TablePrincipal)) },
	"what was said":         func(b *bench, tx *journal.Tx) error { return drop(tx, byte(record.TableSession)) },
	"keys of first answers": func(b *bench, tx *journal.Tx) error { return drop(tx, byte(record.TableDedupe)) },
}

func drop(tx *journal.Tx, table byte) error {
	return record.Scan(tx, []byte{table}, func(k, _ []byte) error { tx.Delete(k); return nil })
}

// TestI4_RetentionChangesNothingThatLives cuts random lives off, lets hours pass, and
// compares how all goes on where retention removes whatever it may with how it goes on
// where nothing is ever removed: that is the slow and obvious reference.
func TestI4_RetentionChangesNothingThatLives(t *testing.T) {
	crashtest.Long(t)
	seeds := uint64(crashtest.Number("CORTEX_TORTURE", 1))
	under, caught, removed := map[string]int{}, map[string]bool{}, 0
	for seed := uint64(0); seed < seeds || len(caught) < len(careless) && seed < 30; seed++ {
		opt, cuts := randomLife(t, seed)
		for i, c := range cuts {
			hours := []int64{2, 30, 80}[i%3]
			opt := opt
			opt.Retain = retention.Retain{Age: time.Hour, Bytes: 1, Keep: 1}
			want, got, differs := c.differs(t, opt, hours, 6, func(b *bench) {
				did, err := b.Operations().Retain(t.Context())
				require.NoError(t, err)
				removed += did.Removed
			})
			require.False(t, differs, "seed %d, cut %d: want\n%s\ngot\n%s", seed, i, strings.Join(want, "\n"),
				strings.Join(got, "\n"))
			for _, s := range want {
				require.NotContains(t, s, failed, "seed %d, cut %d", seed, i)
				what, _, _ := strings.Cut(s, ":")
				what, _, _ = strings.Cut(what, " to ")
				under[what]++
			}
			for name, f := range careless { // what this test is worth
				if caught[name] || i%2 == 0 {
					continue
				}
				if _, _, differs := c.differs(t, opt, hours, 2, func(b *bench) {
					require.NoError(t, b.j.Update(t.Context(), func(tx *journal.Tx) error { return f(b, tx) }))
				}); differs {
					caught[name] = true
				}
			}
		}
	}
	assert.Greater(t, removed, 100)
	for _, what := range []string{"the first answer", "pending", "in doubt", "tried again", "done", "heard"} {
		assert.Positive(t, under[what], "%s: no life had that", what)
	}
	for name := range careless {
		assert.True(t, caught[name], "%s: nobody would notice if it were forgotten", name)
	}
}
