package ledger

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/internal/plist"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// bodies makes decisions with all that can stand in their records, at random.
type bodies struct{ *rand.Rand }

func (r bodies) often() bool { return r.IntN(3) > 0 }

func (r bodies) text() string {
	return []string{"",
		"x", "session-7", "two words", "a \"quoted\" \\ | text\nand a line", "ö\u2028", "(:a 1)", "nil"}[r.IntN(8)]
}

func (r bodies) digest() sexpr.Digest { return sexpr.DigestText("test", fmt.Sprint(r.IntN(9))) }

func (r bodies) value() sexpr.Value {
	return []sexpr.Value{{}, {}, sexpr.EmptyObject(),
		sexpr.Plist("b", sexpr.Str(r.text()),
			"a", sexpr.ListOf(sexpr.Plist("z", sexpr.Float64(r.Float64()), "y", sexpr.Null())))}[r.IntN(4)]
}

func several[T any](r bodies, make func() T) (out []T) {
	for range r.IntN(4) {
		out = append(out, make())
	}
	return out
}

func (r bodies) action() *skills.Action {
	a, err := skills.NewAction("tool"+r.text(), r.value(), r.text())
	if err != nil {
		panic(err)
	}
	return a
}

func (r bodies) reason() skills.Reason {
	return skills.Reason{Key: r.text(), Text: r.text(), Detail: r.text(), Pos: r.text(), Retryable: r.often()}
}

func (r bodies) ask() skills.Ask {
	return skills.Ask{Reason: r.reason(),
		Slot: skills.Slot{Class: r.text(), Quorum: r.IntN(3), NotUser: r.often(), Key: r.digest()}}
}

func (r bodies) step() reason.Step {
	diff, err := sexpr.Sorted(r.value()) // as a rewrite has it
	if err != nil {
		panic(err)
	}
	return reason.Step{Round: r.IntN(3), Gate: r.text(), Outcome: reason.Outcome(r.text()), Note: r.text(), Diff: diff}
}

func (r bodies) lookup() reason.Lookup {
	return reason.Lookup{Function: r.text(), Argument: r.digest(), Result: r.text(), Error: r.text()}
}

func (r bodies) decision() *reason.Decision {
	d := &reason.Decision{
		Kind: reason.Kind(r.IntN(3)), Key: r.text(), Reasons: several(r, r.reason), Asks: several(r, r.ask),
		Vouched: several(r, r.reason),
		Grant:   r.text(), Trace: several(r, r.step), Untraced: r.often(), Skipped: r.IntN(3), Rounds: r.IntN(3),
		Lookups: several(r, r.lookup),
		Retry:   r.often(), Would: r.often(), Elapsed: time.Duration(r.IntN(1000)),
	}
	if d.Passes = r.often(); !d.Passes {
		d.Passed = r.IntN(3)
	}
	if r.often() {
		d.Action, d.Policy = r.action(), r.digest()
	}
	if d.Proposed = d.Action; !r.often() {
		d.Proposed = r.action()
	}
	if r.often() {
		d.Reads, d.Versions = []string{"principal/p", "session/s"}, map[string]uint64{"session/s": r.Uint64N(9)}
	}
	return d
}

func (r bodies) facts() *skills.Facts {
	f := &skills.Facts{Ctx: r.value(), Env: r.value(), Work: r.value(), Policy: r.value()}
	if r.often() {
		f.Now = r.Int64N(9)
	}
	if r.often() {
		f.Session = skills.Session{ID: r.text(), Principal: r.text(), Roles: several(r, r.text), System: r.text(),
			Turns: []skills.Turn{{User: r.text()}, {Call: &skills.Call{Tool: r.text(), Args: r.value(), Happened: r.often()}}}}
	}
	if r.often() {
		f.Step = skills.Step{Plan: r.text(), Version: r.IntN(3), ID: r.text(), Undo: r.often()}
	}
	if r.often() {
		f.Signal = perceive.Signal{Type: r.text(), Text: r.text(), Payload: r.value(), Depth: r.IntN(3)}
	}
	return f
}

func (r bodies) question() (q Question, req reason.Request) {
	q = Question{Attempt: First{}, own: r.often(), Requester: r.text(), Proposal: r.value()}
	q.Cause = []Cause{Called{}, Answering{1 + r.Uint64N(9), r.IntN(3)}, Compensating{1 + r.Uint64N(9), r.often()},
		Stepping{Step: record.Step{Root: 1 + r.Uint64N(9), ID: r.text(), Try: r.text()}, Undoes: r.Uint64N(3)}}[r.IntN(4)]
	if r.often() {
		q.Action = r.action()
	}
	if r.often() {
		q.Attempt = Retry{Intent: 1 + r.Uint64N(9), Decision: r.Uint64N(9)}
	}
	if r.often() {
		q.board = &board{seq: r.Uint64N(9)}
	}
	req = reason.Request{Facts: r.facts(), InDoubt: several(r, r.digest)}
	req.Grants = several(r, func() reason.Grant {
		return reason.Grant{Token: r.text(), Digest: r.digest(), Keys: several(r, r.digest)}
	})
	if r.often() {
		why := r.reason()
		req.Halt = &why
	}
	return q, req
}

// What is printed for the record, without a value of it, is what is printed of the
// value: byte for byte the same record, which reads back.
func TestADecisionIsPrintedAsItsValueWould(t *testing.T) {
	st, err := store.Open("", store.Options{})
	require.NoError(t, err)
	j, err := journal.Open(st, journal.Options{})
	require.NoError(t, err)
	defer func() { assert.NoError(t, j.Close()) }()
	w := new(plist.Writer)
	for seed := range uint64(400) {
		r := bodies{rand.New(rand.NewPCG(seed, 1))}
		d, where, asOf := r.decision(), r.digest(), r.Uint64N(9)
		q, req := r.question()
		var b plist.Builder
		putBody(&b, d, &q, &req, where, asOf)
		body, err := journal.PrintBody(w, func(b plist.Sink) { putBody(b, d, &q, &req, where, asOf) })
		require.NoError(t, err, seed)

		var printed journal.Head
		var built journal.Record
		require.NoError(t, j.Update(t.Context(), func(tx *journal.Tx) (err error) {
			printed, err = tx.AppendBody(record.KindDecision, "s", body)
			return err
		}))
		require.NoError(t, j.Update(t.Context(), func(tx *journal.Tx) (err error) {
			built, err = tx.Append(record.KindDecision, "s", b.Done())
			return err
		}))
		rec, err := j.Read(printed.Seq)
		require.NoError(t, err, "seed %d: what was printed is a record", seed)
		require.Equal(t, built.Body.String(), rec.Body.String(), seed)

		back, err := record.DecisionFrom(rec)
		require.NoError(t, err, seed)
		require.Empty(t, d.Same(&back.Decision), seed)
		read, _, at, err := QuestionFrom(rec.Body)
		require.NoError(t, err, seed)
		require.Equal(t, asOf, at, seed)
		require.Equal(t, q.Cause, read.Cause, seed)
		require.Equal(t, q.Attempt, read.Attempt, seed)
		require.Equal(t, req.Facts.Step, read.Facts.Step, seed)
	}
}
