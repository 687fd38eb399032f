package engine

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/admission"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/session"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/cortex/retention"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
)

func withCaps(c admission.Caps) func(*Options) { return func(o *Options) { o.Caps = c } }

// fill makes decisions until a session has no room for another one, and returns the
// refusal.
func (b *bench) fill(name string) error {
	b.t.Helper()
	for i := range 10_000 {
		if _, err := b.Decide(b.t.Context(), action(b.t, "note", fmt.Sprintf(`(:text "filling %d")`, i)),
			asking(name, "agent")); err != nil {
			return err
		}
	}
	return nil
}

// bytesIn is how many bytes the history of a session takes.
func (b *bench) bytesIn(name string) int {
	b.t.Helper()
	_, n, err := record.Standing(b.j, name)
	require.NoError(b.t, err)
	return n
}

func TestCapsOfMemory_Invalid(t *testing.T) {
	for name, c := range map[string]admission.Caps{
		"negative":         {Memory: -1},
		"session":          {SessionMemory: -1},
		"principal":        {PrincipalMemory: -1},
		"more of one":      {Memory: 10, SessionMemory: 11},
		"more of a sender": {Memory: 10, PrincipalMemory: 11},
	} {
		_, err := Options{Caps: c}.withDefaults()
		assert.ErrorContains(t, err, "Options.Caps", name)
	}
	all := admission.Caps{}.WithDefaults()
	assert.Equal(t, []int{128 << 20, 64 << 20, 32 << 20}, []int{all.Memory, all.SessionMemory, all.PrincipalMemory})
	assert.Equal(t, 1<<30, admission.Caps{SessionMemory: 512 << 20}.WithDefaults().Memory)
}

// A session that takes all the memory it may have takes nothing new, and says so for
// next to nothing. What has begun is finished; other sessions go on.
func TestCapsOfMemory_Session(t *testing.T) {
	const most = 16 << 10
	b := newBench(t, lookingBack, `(:repeat t :reply "hi")`, withCaps(admission.Caps{SessionMemory: most}))
	card := func(what string) *Decision {
		d, err := b.Decide(t.Context(), action(t, "risky", fmt.Sprintf(`(:what %q)`, what)), asking("s1", "agent"))
		require.NoError(t, err)
		require.Equal(t, reason.Ask, d.Kind)
		return d
	}
	yes, no := card("yes"), card("no")
	secret, err := b.Decide(t.Context(), action(t, "note", `(:text "a secret")`), asking("s1", "agent"))
	require.NoError(t, err)
	begun := b.decideOn("note", `(:text "begun")`)
	permit, err := b.Begin(t.Context(), begun)
	require.NoError(t, err)
	in, err := b.Begin(t.Context(), b.decideOn("note", `(:text "in doubt")`))
	require.NoError(t, err)
	waits, err := b.Accept(t.Context(), Signal{Text: "hello", Session: "s1", Principal: "ana", Key: "k"})
	require.NoError(t, err)

	assert.Equal(t, &admission.BusyError{What: "memory", Of: "session", Cap: most}, b.fill("s1"))
	assert.LessOrEqual(t, b.bytesIn("s1"), most)
	assert.Greater(t, b.bytesIn("s1"), most*9/10)
	last := b.j.Last()
	b.history.Forget("s1")
	for range 3 {
		_, err := b.Submit(t.Context(), Signal{Text: strings.Repeat("x", 500), Session: "s1", Principal: "ana"})
		require.Equal(t, &admission.BusyError{What: "memory", Of: "session", Cap: most}, err)
		assert.ErrorContains(t, err, "begin another session")
		require.ErrorAs(t, b.fill("s1"), new(*admission.BusyError))
	}
	assert.Equal(t, last, b.j.Last(), "nothing of it is on record")
	_, kept := b.memory.Idle.Peek(string(record.TableSession.Under("s1")))
	assert.False(t, kept, "nothing was read in to refuse it")

	again, err := b.Accept(t.Context(), Signal{Text: "hello", Session: "s1", Principal: "ana", Key: "k"})
	require.NoError(t, err, "a repeat has been accepted already")
	assert.True(t, again.Repeat)
	out, err := waits.Answer(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "hi", out.Text, "what was accepted is answered")
	again, err = b.Accept(t.Context(), Signal{Text: "hello", Session: "s1", Principal: "ana", Key: "k"})
	require.NoError(t, err, "also when it is answered")
	first, err := again.Answer(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "hi", first.Text)

	require.NoError(t, permit.Finish(t.Context(), Receipt{State: act.Done, Result: sexpr.Str(strings.Repeat("r", 300))}))
	require.NoError(t, in.Finish(t.Context(), Receipt{State: act.Unknown}))
	require.NoError(t, b.Operations().Settle(t.Context(), b.doubt().Intent, true, ana))
	require.NoError(t, b.Deny(t.Context(), no.Approval, ana, "no"))
	require.NoError(t, b.Approve(t.Context(), yes.Approval, ana))
	require.NoError(t, b.Approve(t.Context(), secret.Approval, ana))
	d, err := b.Decide(t.Context(), action(t, "note", `(:text "a secret")`), asking("s1", "agent"))
	require.NoError(t, err, "what people have approved is done")
	require.Equal(t, reason.Allow, d.Kind)
	p, err := b.Begin(t.Context(), d)
	require.NoError(t, err)
	require.NoError(t, p.Finish(t.Context(), Receipt{State: act.Done}))

	_, err = b.Decide(t.Context(), action(t, "look", `(:text "x")`), asking("s1", "agent"))
	require.NoError(t, err, "nobody looks back for this")
	_, err = b.Submit(t.Context(), Signal{Text: "hello", Session: "s2", Principal: "ana"})
	require.NoError(t, err)
	b.reopen()
	require.ErrorAs(t, b.fill("s1"), new(*admission.BusyError), "it is full after a restart too")
	b.intact()
}

// An approved card does not let anybody fill the memory: it has some room, and no more.
func TestCapsOfMemory_ApprovedAgainAndAgain(t *testing.T) {
	const most = 16 << 10
	b := newBench(t, lookingBack, "", withCaps(admission.Caps{SessionMemory: most}))
	d := b.decideOn("note", `(:text "a secret")`)
	require.NoError(t, b.Approve(t.Context(), d.Approval, ana))
	require.ErrorAs(t, b.fill("s1"), new(*admission.BusyError))
	var err error
	n := 0
	for ; err == nil && n < 1000; n++ {
		_, err = b.Decide(t.Context(), action(t, "note", `(:text "a secret")`), asking("s1", "agent"))
	}
	require.ErrorAs(t, err, new(*admission.BusyError))
	assert.Greater(t, n, 2)
	assert.LessOrEqual(t, b.bytesIn("s1"), most+most/8)
}

// A conversation that fills its session stops, and says why.
func TestCapsOfMemory_Conversation(t *testing.T) {
	const most = 16 << 10
	b := newBench(t, testRules, `(:repeat t :form (:type :request :target :tool :payload (:tool "note" :args (:text "`+
		strings.Repeat("x", 30)+`")) :explanation "on and on"))`,
		withCaps(admission.Caps{SessionMemory: most}))
	var out *session.Outcome
	for range 20 {
		next, err := b.Submit(t.Context(), Signal{Text: strings.Repeat("word ", 300), Session: "s1", Principal: "ana"})
		if err != nil {
			require.Equal(t, &admission.BusyError{What: "memory", Of: "session", Cap: most}, err)
			break
		}
		out = next
	}
	require.NotNil(t, out)
	assert.Contains(t, out.Notice, "this session is full")
	assert.Less(t, b.bytesIn("s1"), most+most/8+4096, "it stops within a turn")
	assert.Zero(t, b.entries(byte(record.TableUnanswered)), "all of it is answered")
}

// What waits counts, by sender and in all, and is never let go.
func TestCapsOfMemory_Waiting(t *testing.T) {
	long := Signal{Text: strings.Repeat("x", 20_000), Session: "s", Principal: "p"}
	for name, c := range map[string]struct {
		caps admission.Caps
		want admission.BusyError
		free *Signal
	}{
		"in all": {admission.Caps{Memory: 100_000, PrincipalMemory: 100_000},
			admission.BusyError{What: "memory", Of: "", Cap: 100_000}, nil},
		"of a sender": {admission.Caps{Memory: 400_000, PrincipalMemory: 100_000},
			admission.BusyError{What: "memory", Of: "principal", Cap: 100_000},
			&Signal{Text: long.Text, Session: "s", Principal: "q"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, lookingBack, `(:repeat t :reply "hi")`, withCaps(c.caps))
			var in []*session.Accepted
			var err error
			for i := 0; err == nil && i < 20; i++ {
				var a *session.Accepted
				sig := long
				sig.Session = fmt.Sprint("s", i)
				if a, err = b.Accept(t.Context(), sig); err == nil {
					in = append(in, a)
				}
				bytes, _ := b.memory.Bytes()
				require.LessOrEqual(t, bytes, c.caps.Memory)
			}
			require.Equal(t, &c.want, err)
			require.GreaterOrEqual(t, len(in), 2)
			last := b.j.Last()
			_, err = b.Accept(t.Context(), long)
			require.ErrorAs(t, err, new(*admission.BusyError))
			assert.Equal(t, last, b.j.Last())
			_, err = b.Submit(t.Context(), Signal{Text: "/approve x " + long.Text, Session: "s", Principal: "p"})
			require.NoError(t, err, "people's answers are always taken")
			if c.free != nil {
				_, err = b.Submit(t.Context(), *c.free)
				require.NoError(t, err)
			}
			for _, a := range in {
				out, err := a.Answer(t.Context())
				require.NoError(t, err)
				assert.Equal(t, "hi", out.Text)
			}
			assert.Zero(t, b.memory.Firm)
			_, err = b.Submit(t.Context(), long)
			require.NoError(t, err)
			b.intact()
		})
	}
}

// Where what waits leaves no room for a history, new work on it is refused, and what
// has begun is not.
func TestCapsOfMemory_NoRoomForAHistory(t *testing.T) {
	const most = 64 << 10
	b := newBench(t, lookingBack, "", withCaps(admission.Caps{Memory: most, SessionMemory: 40 << 10}))
	require.ErrorAs(t, b.fill("s1"), new(*admission.BusyError))
	release, err := b.memory.Hold(50<<10, false)
	require.NoError(t, err)
	_, err = b.Decide(t.Context(), action(t, "note", `(:text "x")`), asking("s0", "agent"))
	require.NoError(t, err, "a short one has room")
	b2 := b.opt.Caps.SessionMemory
	b.history.Caps.SessionMemory = most // so that the session is not what is in the way
	_, err = b.Decide(t.Context(), action(t, "note", `(:text "x")`), asking("s1", "agent"))
	assert.Equal(t, &admission.BusyError{What: "memory", Of: "", Cap: most}, err)
	turns, err := b.history.Turns("s1", b.j.Last(), 0)
	require.NoError(t, err, "whoever goes on with something has to look back")
	assert.NotEmpty(t, turns)
	release()
	_, err = b.Decide(t.Context(), action(t, "note", `(:text "x")`), asking("s1", "agent"))
	require.NoError(t, err)
	b.history.Caps.SessionMemory = b2
}

// A signal that an engine did not live to answer is answered by the next one, however
// little memory that has.
func TestCapsOfMemory_TakenUp(t *testing.T) {
	b := newBench(t, lookingBack, `(:repeat t :reply "hi")`, onDisk)
	for i := range 3 {
		_, err := b.Accept(t.Context(),
			Signal{Text: strings.Repeat("x", 20_000), Session: fmt.Sprint("s", i), Principal: "p"})
		require.NoError(t, err)
	}
	b.opt.Caps = admission.Caps{Memory: 30_000}
	b.reopen()
	require.NoError(t, b.Operations().Wait(t.Context()))
	assert.Zero(t, b.entries(byte(record.TableUnanswered)))
	assert.Equal(t, 3, b.kinds()[record.KindAnswer])
	assert.Zero(t, b.memory.Firm)
	bytes, _ := b.memory.Bytes()
	assert.LessOrEqual(t, bytes, 30_000)
}

func TestEndSession(t *testing.T) {
	const most = 16 << 10
	b := newBench(t, lookingBack, `(:repeat t :reply "hi")`, onDisk, withCaps(admission.Caps{SessionMemory: most}))
	note := func(text string) *Decision {
		d, err := b.Decide(t.Context(), action(t, "note", fmt.Sprintf(`(:text %q)`, text)), asking("s1", "agent"))
		require.NoError(t, err)
		return d
	}
	require.Equal(t, reason.Allow, note("milk").Kind)
	require.Equal(t, reason.Deny, note("milk").Kind, "it is noted")
	old, err := b.Decide(t.Context(), action(t, "look", `(:text "x")`), asking("s1", "agent"))
	require.NoError(t, err)
	require.ErrorAs(t, b.fill("s1"), new(*admission.BusyError))

	require.ErrorIs(t, b.Operations().EndSession(t.Context(), "s1", approval.Approver{Name: "cho"}),
		approval.ErrNotApprover)
	require.ErrorIs(t, b.Operations().EndSession(t.Context(), "s1", approval.Approver{Classes: []string{"operator"}}),
		approval.ErrNotApprover,
		"nobody, of the right class")
	permit, err := b.Begin(t.Context(), old)
	require.NoError(t, err)
	require.ErrorIs(t, b.Operations().EndSession(t.Context(), "s1", ana), retention.ErrOpenSession)
	require.NoError(t, permit.Finish(t.Context(), Receipt{State: act.Done}))
	before := b.j.Last()
	require.NoError(t, b.Operations().EndSession(t.Context(), "s1", ana))
	assert.Equal(t, 1, b.kinds()[record.KindEnd])
	assert.Zero(t, b.bytesIn("s1"))

	for range 2 {
		require.Equal(t, reason.Allow, note("milk").Kind, "nobody knows of the one before")
		require.Equal(t, reason.Deny, note("milk").Kind)
		out, err := b.Submit(t.Context(), Signal{Text: "hello", Session: "s1", Principal: "ana"})
		require.NoError(t, err)
		assert.Equal(t, "hi", out.Text)
		require.NoError(t, b.Operations().EndSession(t.Context(), "s1", ana))
		b.reopen()
	}
	_, err = b.history.Turns("s1", before, 0)
	require.ErrorIs(t, err, journal.ErrRemoved)
	_, err = b.Explain(context.Background(), old.ID)
	require.NoError(t, err)
	b.intact()
}
