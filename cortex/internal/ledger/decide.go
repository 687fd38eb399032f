package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/opencortex-go/cortex/cortex/admission"
	"github.com/opencortex-go/cortex/cortex/internal/history"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/internal/plist"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// MaxRedo is how often a decision is made again because something that it read has
// changed.
const MaxRedo = 3

// ErrStale says that something a decision read has changed.
var ErrStale = errors.New("what the decision read has changed")

// Decide judges an action, records the decision and returns it. facts say who asks, in
// which session, and what the blackboard holds; nil means an anonymous session. If facts
// bring no turns, the engine uses the recorded turns of the session. What the principal
// has spent always comes from the record. If facts bring no time, the engine reads its
// clock.
//
// An ask makes a card, or joins the one that is pending; Decision.Approval is its token.
// After approval, a Decide on the same action allows it.
func (l *Ledger) Decide(ctx context.Context, action *skills.Action, facts *skills.Facts) (*record.Decision, error) {
	return l.DecideFor(ctx, "", action, facts)
}

// DecideFor is [Ledger.Decide] for an agent that acts on behalf of the session's principal. The agent
// is the requester of a card, and cannot answer it; the principal may. "" means that the principal
// asks for itself.
func (l *Ledger) DecideFor(ctx context.Context, agent string, action *skills.Action, facts *skills.Facts) (
	*record.Decision, error) {
	return l.decideFor(ctx, agent, action, facts, false)
}

// DecideOurs is [Ledger.Decide] for an action that the engine itself carries out, if it is allowed.
func (l *Ledger) DecideOurs(ctx context.Context, action *skills.Action, facts *skills.Facts) (*record.Decision, error) {
	return l.decideFor(ctx, "", action, facts, true)
}

func (l *Ledger) decideFor(ctx context.Context, agent string, action *skills.Action, facts *skills.Facts, ours bool) (
	*record.Decision, error) {
	q, err := questionOf(action, facts)
	if err != nil {
		return nil, err
	}
	q.Requester = cmp.Or(agent, q.Requester)
	q.Attempt, q.ours = First{isNew: true}, ours
	return l.DecideOn(ctx, q)
}

// DecideOn judges and records, and judges again if what it read has changed in between.
func (l *Ledger) DecideOn(ctx context.Context, q Question) (*record.Decision, error) {
	if err := l.Usable(); err != nil {
		return nil, err
	}
	if err := l.KeepsUp(); err != nil {
		return nil, err
	}
	if err := l.J.Room(); err != nil {
		return nil, Plain(err) // it could not be recorded, so it is not allowed
	}
	w := printers.Get().(*plist.Writer)
	defer printers.Put(w)
	for try := 1; ; try++ {
		if err := l.Clock.Set(ctx); err != nil {
			return nil, err
		}
		d, body, err := l.judge(ctx, q, w)
		if err != nil {
			return nil, err
		}
		err = l.Update(ctx, func(tx *journal.Tx) error {
			return l.replace(tx, d, q.replaces(), func() error { return l.record(tx, d, body, q, try < MaxRedo) })
		})
		switch {
		case err == nil:
			return d, nil
		case errors.As(err, new(*admission.BusyError)) && try <= MaxRedo:
			if in := q.replaces(); in != nil {
				in.crowded = true // the next try says so in its reasons
			}
		case !errors.Is(err, ErrStale):
			return nil, err
		}
	}
}

// printers are what bodies of decisions are printed with.
var printers = sync.Pool{New: func() any { return new(plist.Writer) }}

// judge gathers facts, decides, and prints the record with w. It writes nothing.
func (l *Ledger) judge(ctx context.Context, q Question, w *plist.Writer) (*record.Decision, journal.Body, error) {
	q.supply(l.board.Load())
	req, where, asOf, err := l.request(q)
	if err != nil {
		return nil, journal.Body{}, err
	}
	past := req.Facts.Recall.(*history.Recall)
	if f, ok := q.Attempt.(First); ok && f.isNew {
		digest := q.Action.Digest()
		past.Bound(q.Action, slices.ContainsFunc(req.Grants, func(g reason.Grant) bool { return g.Digest == digest }))
	}
	defer past.Keep()()
	d := &record.Decision{Decision: *reason.Decide(ctx, req)}
	if past.Full != nil {
		return nil, journal.Body{}, past.Full
	}
	if _, again := q.retry(); d.Kind == reason.Ask && !l.Opt.Observe && !again {
		why, err := l.unasked(d, q)
		if err != nil {
			return nil, journal.Body{}, err
		}
		if why != nil {
			req.Halt = why
			d.Decision = *reason.Decide(ctx, req)
		}
	}
	// Here, side by side with others: the writer is one.
	body, err := journal.PrintBody(w, func(b plist.Sink) { putBody(b, &d.Decision, &q, &req, where, asOf) })
	if err != nil {
		return nil, body, fmt.Errorf("cortex: the decision cannot be recorded: %w", err)
	}
	return d, body, nil
}

// request gathers all that a decision depends on. where names the protected
// places, and asOf the record up to which history counts.
func (l *Ledger) request(q Question) (req reason.Request, where sexpr.Digest, asOf uint64, err error) {
	p := l.Policies.Current()
	req = reason.Request{Policy: p.Gates, Proposal: q.Proposal, Action: q.Action, Answered: q.Answered,
		Places: &p.Places, Halt: l.Halted(), Lookup: l.Opt.Lookup, Observe: l.Opt.Observe}
	req.Halt = cmp.Or(req.Halt, q.Halt)
	if req.Halt == nil && (q.ours || q.Cause.recorded().resume) {
		req.Halt = p.Unrunnable(q.Action, q.Proposal)
	}
	f := q.Facts
	if f.Now == 0 {
		f.Now = l.Now().Unix()
	}
	if f.Env.IsNil() {
		f.Env = l.Opt.Env
	}
	if asOf, err = l.gather(&f, q); err != nil {
		return req, where, 0, err
	}
	req.Facts = &f
	s := f.Session
	if req.Grants, err = l.grants(l.J, s.ID, q.Requester, p.Gates.Hash(), q.Step().Root); err != nil {
		return req, where, 0, err
	}
	again, tried := q.retry()
	req.Grants = append(req.Grants, again.grants...)
	if !tried {
		planned, err := l.planned(l.J, q, p.Gates.Hash())
		if err != nil {
			return req, where, 0, err
		}
		req.Grants = append(req.Grants, planned...)
	}
	req.InDoubt, err = l.inDoubt(l.J, s.ID, again.Intent)
	return req, p.Where, asOf, err
}

// Gather fills in history as of now, for someone who only looks.
func (l *Ledger) Gather(f *skills.Facts) error {
	_, err := l.gather(f, Question{Attempt: First{}})
	return err
}

// gather fills in history as of now and the versions it goes with. Versions are
// read first: what lands in between makes the decision stale, never wrong. A commit
// can be read a moment before the head names it, so a version may be beyond the head:
// then history has to reach as far.
func (l *Ledger) gather(f *skills.Facts, q Question) (asOf uint64, err error) {
	f.Versions = map[string]uint64{}
	for _, k := range []string{skills.SessionKey(f.Session.ID), skills.PrincipalKey(f.Session.Principal)} {
		if f.Versions[k], err = record.Version(l.J, k); err != nil {
			return 0, err
		}
	}
	asOf = l.J.Last()
	for _, v := range f.Versions {
		asOf = max(asOf, v)
	}
	f.Recall = l.Recall(f.Session, &q, asOf)
	return asOf, nil
}

// Recall is the history that a question sees after record asOf.
func (l *Ledger) Recall(s skills.Session, q *Question, asOf uint64) *history.Recall {
	again, _ := q.retry()
	return &history.Recall{H: l.History, Session: s, Own: q.own, AsOf: asOf, Retry: again.Intent, First: again.Decision}
}

// record writes a decision inside the single writer, and the card an ask needs.
// With strict set it refuses to record what is stale already.
func (l *Ledger) record(tx *journal.Tx, d *record.Decision, body journal.Body, q Question, strict bool) error {
	stale, err := l.stale(tx, d)
	if err != nil {
		return err
	}
	if (stale || l.Clock.Moved()) && strict {
		return ErrStale
	}
	if stale {
		v, err := body.Value()
		if err != nil {
			return err
		}
		if body, err = journal.NewBody(v.With("stale", sexpr.T())); err != nil {
			return err
		}
	}
	session := q.Facts.Session.ID
	if err := record.AppendAll(tx, session, q.Before); err != nil {
		return err
	}
	rec, err := tx.AppendBody(record.KindDecision, session, body)
	if err != nil {
		return err
	}
	d.ID = rec.Seq
	if stale && d.Policy != l.Policies.Current().Gates.Hash() {
		record.OutOfForce(tx, d.Policy, rec.Seq)
	}
	if _, again := q.retry(); again {
		return nil // for the session this is the same call as before, and people are not asked twice
	}
	if err := record.HappenedIn(tx, session, rec.Seq, record.MarkDecision, 0,
		admission.BytesOfAction(d.Action)); err != nil {
		return err
	}
	if d.Kind == reason.Ask && !l.Opt.Observe {
		if d.Approval, err = l.openCard(tx, d, rec.Seq, q); err != nil {
			return err
		}
	}
	return tried(tx, q.Step(), func(t *record.Tried) { *t = record.Tried{Decision: rec.Seq, Approval: d.Approval} })
}

// stale reports whether the policy or anything the decision read has changed
// since; its own record does not count.
func (l *Ledger) stale(tx *journal.Tx, d *record.Decision) (bool, error) {
	if d.Policy != l.Policies.Current().Gates.Hash() {
		return true, nil
	}
	for _, k := range d.Reads {
		now, err := record.Version(tx, k)
		if err != nil {
			return false, err
		}
		if now != d.Versions[k] && (d.ID == 0 || now != d.ID) {
			return true, nil
		}
	}
	return false, nil
}
