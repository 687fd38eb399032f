package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/opencortex-go/cortex/cortex/admission"
	"github.com/opencortex-go/cortex/cortex/approval"
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

// Question is what a decision is asked about, before history is looked up.
type Question struct {
	Proposal  sexpr.Value    // as the model put it, or ...
	Action    *skills.Action // ... ready made
	Facts     skills.Facts   // without turns and spends where the record supplies them
	own       bool           // the caller supplied the turns: leave them alone
	Root      uint64
	Depth     int
	isNew     bool              // it has just begun: it may be refused for lack of memory
	Resume    bool              // the engine itself runs what is allowed
	Requester string            // the agent's principal
	Halt      *skills.Reason    // refuses before any gate is asked
	joined    []approval.Joined // who else waits for a card that this question replaces
	Instead   *Instead          // what it replaces, in the same write; nil for nothing
	crowded   bool              // the record had no room for a card
	retry     uint64            // the intent that is to be tried again, and does not count; 0 for none
	first     uint64            // the decision that it rests on
	grants    []reason.Grant    // that hold for it, besides those that are open
	board     *board            // where facts.ctx came from; nil if the caller brought it

	Compensates uint64 // the intent that the action compensates; 0 for none
}

// again is the question of a recorded decision as it is put anew: what the engine
// itself supplies is what it has now.
func (q Question) again() Question {
	q.Facts.Now = 0
	if q.board != nil {
		q.Facts.Ctx, q.board = sexpr.Value{}, nil
	}
	return q
}

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
	q, err := questionOf(action, facts)
	if err != nil {
		return nil, err
	}
	q.isNew = true
	return l.DecideOn(ctx, q)
}

// questionOf is an embedder's question.
func questionOf(action *skills.Action, facts *skills.Facts) (Question, error) {
	if action == nil {
		return Question{}, errors.New("cortex: there is nothing to decide on without an action")
	}
	q := Question{Action: action}
	if facts != nil {
		q.Facts = *facts
		q.own, q.Requester = facts.Session.Turns != nil, facts.Session.Principal
	}
	return q, record.Named("session or principal", q.Facts.Session.ID, q.Facts.Session.Principal)
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
			return l.replace(tx, d, q, func(q Question) error { return l.record(tx, d, body, q, try < MaxRedo) })
		})
		switch {
		case err == nil:
			return d, nil
		case errors.As(err, new(*admission.BusyError)) && try <= MaxRedo:
			q.crowded = true // the next try says so in its reasons
		case !errors.Is(err, ErrStale):
			return nil, err
		}
	}
}

// printers are what bodies of decisions are printed with.
var printers = sync.Pool{New: func() any { return new(plist.Writer) }}

// judge gathers facts, decides, and prints the record with w. It writes nothing.
func (l *Ledger) judge(ctx context.Context, q Question, w *plist.Writer) (*record.Decision, journal.Body, error) {
	if q.Facts.Ctx.IsNil() {
		q.board = l.board.Load()
		q.Facts.Ctx = q.board.facts
	}
	req, where, asOf, err := l.request(q)
	if err != nil {
		return nil, journal.Body{}, err
	}
	past := req.Facts.Recall.(*history.Recall)
	if q.isNew {
		digest := q.Action.Digest()
		past.Bound(q.Action, slices.ContainsFunc(req.Grants, func(g reason.Grant) bool { return g.Digest == digest }))
	}
	defer past.Keep()()
	d := &record.Decision{Decision: *reason.Decide(ctx, req)}
	if past.Full != nil {
		return nil, journal.Body{}, past.Full
	}
	if d.Kind == reason.Ask && !l.Opt.Observe && q.retry == 0 {
		over, err := l.exhausted(d.Action.Digest(), q)
		if err != nil {
			return nil, journal.Body{}, err
		}
		if over {
			req.Halt = &skills.Reason{Key: KeyCards,
				Text: "people have been asked about this several times; it is not asked again"}
			d.Decision = *reason.Decide(ctx, req)
		}
	}
	if d.Kind == reason.Ask && !l.Opt.Observe && q.retry == 0 {
		full, err := l.noCard(d, q)
		if err != nil {
			return nil, journal.Body{}, err
		}
		if full != nil {
			req.Halt = crowded(full)
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
	req = reason.Request{Policy: p.Gates, Proposal: q.Proposal, Action: q.Action, Places: &p.Places, Halt: l.Halted(),
		Lookup: l.Opt.Lookup, Observe: l.Opt.Observe}
	if req.Halt == nil {
		req.Halt = q.Halt
	}
	f := q.Facts
	if f.Now == 0 {
		f.Now = l.Now().Unix()
	}
	if f.Env.IsNil() {
		f.Env = l.Opt.Env
	}
	if asOf, err = l.Gather(&f, q); err != nil {
		return req, where, 0, err
	}
	req.Facts = &f
	s := f.Session
	if req.Grants, err = l.grants(l.J, s.ID, q.Requester, p.Gates.Hash()); err != nil {
		return req, where, 0, err
	}
	req.Grants = append(req.Grants, q.grants...)
	req.InDoubt, err = l.inDoubt(l.J, s.ID, q.retry)
	return req, p.Where, asOf, err
}

// Gather fills in history as of now and the versions it goes with. Versions are
// read first: what lands in between makes the decision stale, never wrong. A commit
// can be read a moment before the head names it, so a version may be beyond the head:
// then history has to reach as far.
func (l *Ledger) Gather(f *skills.Facts, q Question) (asOf uint64, err error) {
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
	return &history.Recall{H: l.History, Session: s, Own: q.own, AsOf: asOf, Retry: q.retry, First: q.first}
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
	rec, err := tx.AppendBody(record.KindDecision, session, body)
	if err != nil {
		return err
	}
	d.ID = rec.Seq
	if stale && d.Policy != l.Policies.Current().Gates.Hash() {
		record.OutOfForce(tx, d.Policy, rec.Seq)
	}
	if q.retry != 0 {
		return nil // for the session this is the same call as before, and people are not asked twice
	}
	if err := record.HappenedIn(tx, session, rec.Seq, record.MarkDecision, 0,
		admission.BytesOfAction(d.Action)); err != nil {
		return err
	}
	if d.Kind != reason.Ask || l.Opt.Observe {
		return nil
	}
	d.Approval, err = l.openCard(tx, d, rec.Seq, q)
	return err
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

// putBody puts the body of a decision's record, in canonical order: the decision,
// and all that a replay starts from.
func putBody(b plist.Sink, d *reason.Decision, q *Question, req *reason.Request, where sexpr.Digest, asOf uint64) {
	f := *req.Facts
	f.Spends, f.Versions = nil, nil
	if !q.own {
		f.Session.Turns = nil
	}
	if q.Action != nil {
		b.Add("args", q.Action.Args())
	}
	b.Add("as-of", sexpr.Int64(int64(asOf)))
	if q.board != nil {
		b.Add("board", sexpr.Int64(int64(q.board.seq)))
	}
	b.Int("compensates", int64(q.Compensates))
	b.Open("decision")
	d.Put(b)
	b.Close()
	b.Add("depth", sexpr.Int64(int64(q.Depth)))
	if q.Action != nil {
		b.Add("explanation", sexpr.Str(q.Action.Explanation()))
	}
	b.Open("facts")
	f.Put(b)
	if b.Close() {
		b.Add("facts", sexpr.EmptyObject())
	}
	if q.retry != 0 {
		b.Add("first", sexpr.Int64(int64(q.first)))
	}
	b.Add("grants", listOf(req.Grants, grantValue))
	if req.Halt != nil {
		b.Add("halt", sexpr.Plist("key", sexpr.Str(req.Halt.Key), "retryable", sexpr.Bool(req.Halt.Retryable),
			"text", sexpr.Str(req.Halt.Text)))
	}
	b.Add("in-doubt", listOf(req.InDoubt, func(d sexpr.Digest) sexpr.Value { return sexpr.Str(d.String()) }))
	b.Add("own", sexpr.Bool(q.own))
	b.Add("places", sexpr.Str(where.String()))
	if q.Action == nil {
		b.Add("proposal", quoteValue(q.Proposal))
	}
	b.Add("requester", sexpr.Str(q.Requester))
	b.Add("resume", sexpr.Bool(q.Resume))
	if q.retry != 0 {
		b.Add("retry", sexpr.Int64(int64(q.retry)))
	}
	b.Add("root", sexpr.Int64(int64(q.Root)))
	if q.Action != nil {
		b.Add("tool", sexpr.Str(q.Action.Tool()))
	}
}

func listOf[T any](xs []T, f func(T) sexpr.Value) sexpr.Value {
	var out []sexpr.Value
	for _, x := range xs {
		out = append(out, f(x))
	}
	return sexpr.ListOf(out...)
}

// QuestionFrom reads back what putBody wrote, but for history, which is looked
// up as of the recorded number.
func QuestionFrom(body sexpr.Value) (Question, reason.Request, uint64, error) {
	fv, _ := body.Get("facts")
	f, err := skills.DecodeFacts(fv)
	if err != nil {
		return Question{}, reason.Request{}, 0, err
	}
	q := Question{Facts: *f, own: body.GetTrue("own"), Root: uint64(body.GetInt("root")), Depth: int(body.GetInt("depth")),
		retry: uint64(body.GetInt("retry")), first: uint64(body.GetInt("first")), Resume: body.GetTrue("resume"),
		Requester:   body.GetText("requester"),
		Compensates: uint64(body.GetInt("compensates"))}
	if seq, ok := body.Get("board"); ok {
		q.board = &board{facts: f.Ctx, seq: uint64(seq.Int())}
	}
	if p, ok := body.Get("proposal"); ok {
		if q.Proposal, err = unquoteValue(p); err != nil {
			return q, reason.Request{}, 0, err
		}
	} else {
		args, _ := body.Get("args")
		if q.Action, err = skills.NewAction(body.GetText("tool"), args, body.GetText("explanation")); err != nil {
			return q, reason.Request{}, 0, err
		}
	}
	req := reason.Request{Proposal: q.Proposal, Action: q.Action}
	grants, _ := body.Get("grants")
	for _, g := range grants.Items() {
		grant, err := grantFrom(g)
		if err != nil {
			return q, req, 0, err
		}
		req.Grants = append(req.Grants, grant)
	}
	doubts, _ := body.Get("in-doubt")
	for _, x := range doubts.Items() {
		d, err := sexpr.ParseDigest(x.Text())
		if err != nil {
			return q, req, 0, err
		}
		req.InDoubt = append(req.InDoubt, d)
	}
	if h, ok := body.Get("halt"); ok {
		req.Halt = &skills.Reason{Key: h.GetText("key"), Text: h.GetText("text"), Retryable: h.GetTrue("retryable")}
	}
	return q, req, uint64(body.GetInt("as-of")), nil
}

// quoteValue keeps a proposal as text: it need not have a canonical form.
func quoteValue(v sexpr.Value) sexpr.Value {
	text, err := sexpr.Print(v)
	if err != nil {
		text = fmt.Sprintf("(:error %q)", err.Error())
	}
	return sexpr.Str(text)
}

func unquoteValue(v sexpr.Value) (sexpr.Value, error) {
	return record.Unlimited.Read("proposal", v.Text())
}

func grantValue(g reason.Grant) sexpr.Value {
	keys := make([]string, len(g.Keys))
	for i, k := range g.Keys {
		keys[i] = k.String()
	}
	return sexpr.Plist("token", sexpr.Str(g.Token), "digest", sexpr.Str(g.Digest.String()), "keys", record.Texts(keys))
}

func grantFrom(v sexpr.Value) (g reason.Grant, err error) {
	g.Token = v.GetText("token")
	if g.Digest, err = sexpr.ParseDigest(v.GetText("digest")); err != nil {
		return g, err
	}
	for _, s := range record.TextsFrom(v, "keys") {
		k, err := sexpr.ParseDigest(s)
		if err != nil {
			return g, err
		}
		g.Keys = append(g.Keys, k)
	}
	return g, nil
}
