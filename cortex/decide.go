package cortex

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/internal/plist"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// maxRedo is how often a decision is made again because what it had read has
// changed meanwhile.
const maxRedo = 3

// question is what a decision is asked about, before history is looked up.
type question struct {
	proposal  sexpr.Value // as the model put it, or ...
	action    *Action     // ... ready made
	facts     Facts       // without turns and spends where the record supplies them
	own       bool        // the caller supplied the turns: leave them alone
	root      uint64
	depth     int
	isNew     bool           // nobody waits for it yet: it may be refused for want of memory
	resume    bool           // the engine itself runs what is allowed
	requester string         // the agent\'s principal
	halt      *skills.Reason // refuses before any gate is asked
	joined    []Joined       // who else waits for a card that this question replaces
	instead   *instead       // what it replaces, in the same write; nil for nothing
	crowded   bool           // the record had no room for a card
	retry     uint64         // the intent that is to be tried again, and does not count; 0 for none
	first     uint64         // the decision that it rests on
	grants    []reason.Grant // that hold for it, besides those that are open
	board     *board         // where facts.ctx came from; nil if the caller brought it

	compensates uint64 // the intent that the action makes up for; 0 for none
}

// again is the question of a recorded decision as it is put anew: what the engine
// itself supplies is what it has now.
func (q question) again() question {
	q.facts.Now = 0
	if q.board != nil {
		q.facts.Ctx, q.board = sexpr.Value{}, nil
	}
	return q
}

// errStale says that something a decision read has changed.
var errStale = errors.New("what the decision read has changed")

// Decide judges an action and records the decision before it returns it. Facts
// say who asks, in which session, and what the blackboard holds; nil is an
// anonymous session. Where facts bring no turns, the session's recorded ones
// count; what the principal has spent always comes from the record. Where the
// clock is not given it is read now.
//
// An ask makes a card, or finds the one that is pending; its token is in
// Decision.Approval. Once approved, the same Decide allows.
func (e *Engine) Decide(ctx context.Context, action *Action, facts *Facts) (*Decision, error) {
	q, err := questionOf(action, facts)
	if err != nil {
		return nil, err
	}
	q.isNew = true
	return e.decide(ctx, q)
}

// questionOf is an embedder's question.
func questionOf(action *Action, facts *Facts) (question, error) {
	if action == nil {
		return question{}, errors.New("cortex: there is nothing to decide on without an action")
	}
	q := question{action: action}
	if facts != nil {
		q.facts = *facts
		q.own, q.requester = facts.Session.Turns != nil, facts.Session.Principal
	}
	return q, named("session or principal", q.facts.Session.ID, q.facts.Session.Principal)
}

// decide judges and records, again if the ground moved in between.
func (e *Engine) decide(ctx context.Context, q question) (*Decision, error) {
	if err := e.usable(); err != nil {
		return nil, err
	}
	if err := e.keepsUp(); err != nil {
		return nil, err
	}
	if err := e.j.Room(); err != nil {
		return nil, plain(err) // it could not be recorded, so it is not allowed
	}
	w := printers.Get().(*plist.Writer)
	defer printers.Put(w)
	for try := 1; ; try++ {
		if err := e.setClock(ctx); err != nil {
			return nil, err
		}
		d, body, err := e.judge(ctx, q, w)
		if err != nil {
			return nil, err
		}
		err = e.update(ctx, func(tx *journal.Tx) error {
			return e.replace(tx, d, q, func(q question) error { return e.record(tx, d, body, q, try < maxRedo) })
		})
		switch {
		case err == nil:
			return d, nil
		case errors.As(err, new(*BusyError)) && try <= maxRedo:
			q.crowded = true // the next try says so in its reasons
		case !errors.Is(err, errStale):
			return nil, err
		}
	}
}

// printers are what bodies of decisions are printed with.
var printers = sync.Pool{New: func() any { return new(plist.Writer) }}

// judge gathers facts, decides, and prints the record with w. Nothing is written.
func (e *Engine) judge(ctx context.Context, q question, w *plist.Writer) (*Decision, journal.Body, error) {
	if q.facts.Ctx.IsNil() {
		q.board = e.board.Load()
		q.facts.Ctx = q.board.facts
	}
	req, where, asOf, err := e.request(q)
	if err != nil {
		return nil, journal.Body{}, err
	}
	past := req.Facts.Recall.(*recall)
	defer past.keep(q, req.Grants)()
	d := reason.Decide(ctx, req)
	if past.full != nil {
		return nil, journal.Body{}, past.full
	}
	if d.Kind == reason.Ask && !e.opt.Observe && q.retry == 0 {
		over, err := e.exhausted(d.Action.Digest(), q)
		if err != nil {
			return nil, journal.Body{}, err
		}
		if over {
			req.Halt = &skills.Reason{Key: keyCards,
				Text: "people have been asked about this several times; it is not asked again"}
			d = reason.Decide(ctx, req)
		}
	}
	if d.Kind == reason.Ask && !e.opt.Observe && q.retry == 0 {
		full, err := e.noCard(d, q)
		if err != nil {
			return nil, journal.Body{}, err
		}
		if full != nil {
			req.Halt = crowded(full)
			d = reason.Decide(ctx, req)
		}
	}
	// Here, side by side with others: the writer is one.
	body, err := journal.PrintBody(w, func(b plist.Sink) { putBody(b, d, &q, &req, where, asOf) })
	if err != nil {
		return nil, body, fmt.Errorf("cortex: the decision cannot be recorded: %w", err)
	}
	return d, body, nil
}

// request gathers all that a decision depends on. where names the protected
// places, and asOf the record up to which history counts.
func (e *Engine) request(q question) (req reason.Request, where sexpr.Digest, asOf uint64, err error) {
	p := e.policy.Load()
	req = reason.Request{Policy: p.gates, Proposal: q.proposal, Action: q.action, Places: &p.places, Halt: e.halted(),
		Lookup: e.opt.Lookup, Observe: e.opt.Observe}
	if req.Halt == nil {
		req.Halt = q.halt
	}
	f := q.facts
	if f.Now == 0 {
		f.Now = e.now().Unix()
	}
	if f.Env.IsNil() {
		f.Env = e.opt.Env
	}
	if asOf, err = e.gather(&f, q); err != nil {
		return req, where, 0, err
	}
	req.Facts = &f
	s := f.Session
	if req.Grants, err = e.grants(e.j, s.ID, q.requester, p.gates.Hash()); err != nil {
		return req, where, 0, err
	}
	req.Grants = append(req.Grants, q.grants...)
	req.InDoubt, err = e.inDoubt(e.j, s.ID, q.retry)
	return req, p.where, asOf, err
}

// gather fills in history as of now and the versions it goes with. Versions are
// read first: what lands in between makes the decision stale, never wrong. A commit
// can be read a moment before the head names it, so a version may be beyond the head:
// then history has to reach as far.
func (e *Engine) gather(f *Facts, q question) (asOf uint64, err error) {
	f.Versions = map[string]uint64{}
	for _, k := range []string{skills.SessionKey(f.Session.ID), skills.PrincipalKey(f.Session.Principal)} {
		if f.Versions[k], err = version(e.j, k); err != nil {
			return 0, err
		}
	}
	asOf = e.j.Last()
	for _, v := range f.Versions {
		asOf = max(asOf, v)
	}
	f.Recall = recallFor(e, f.Session, &q, asOf)
	return asOf, nil
}

// record writes a decision inside the single writer, and the card an ask needs.
// With strict set it refuses to record what is stale already.
func (e *Engine) record(tx *journal.Tx, d *Decision, body journal.Body, q question, strict bool) error {
	stale, err := e.stale(tx, d)
	if err != nil {
		return err
	}
	if (stale || e.clock.moved()) && strict {
		return errStale
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
	session := q.facts.Session.ID
	rec, err := tx.AppendBody(kindDecision, session, body)
	if err != nil {
		return err
	}
	d.ID = rec.Seq
	if stale && d.Policy != e.policy.Load().gates.Hash() {
		outOfForce(tx, d.Policy, rec.Seq)
	}
	if q.retry != 0 {
		return nil // in the session it is the same call as the first time; and nobody is asked twice
	}
	if err := happenedIn(tx, session, rec.Seq, markDecision, 0, bytesOfAction(d.Action)); err != nil {
		return err
	}
	if d.Kind != reason.Ask || e.opt.Observe {
		return nil
	}
	d.Approval, err = e.openCard(tx, d, rec.Seq, q)
	return err
}

// stale reports whether the policy or anything the decision read has changed
// since; its own record does not count.
func (e *Engine) stale(tx *journal.Tx, d *Decision) (bool, error) {
	if d.Policy != e.policy.Load().gates.Hash() {
		return true, nil
	}
	for _, k := range d.Reads {
		now, err := version(tx, k)
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
func putBody(b plist.Sink, d *Decision, q *question, req *reason.Request, where sexpr.Digest, asOf uint64) {
	f := *req.Facts
	f.Spends, f.Versions = nil, nil
	if !q.own {
		f.Session.Turns = nil
	}
	if q.action != nil {
		b.Add("args", q.action.Args())
	}
	b.Add("as-of", sexpr.Int64(int64(asOf)))
	if q.board != nil {
		b.Add("board", sexpr.Int64(int64(q.board.seq)))
	}
	b.Int("compensates", int64(q.compensates))
	b.Open("decision")
	d.Put(b)
	b.Close()
	b.Add("depth", sexpr.Int64(int64(q.depth)))
	if q.action != nil {
		b.Add("explanation", sexpr.Str(q.action.Explanation()))
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
	if q.action == nil {
		b.Add("proposal", quoteValue(q.proposal))
	}
	b.Add("requester", sexpr.Str(q.requester))
	b.Add("resume", sexpr.Bool(q.resume))
	if q.retry != 0 {
		b.Add("retry", sexpr.Int64(int64(q.retry)))
	}
	b.Add("root", sexpr.Int64(int64(q.root)))
	if q.action != nil {
		b.Add("tool", sexpr.Str(q.action.Tool()))
	}
}

func listOf[T any](xs []T, f func(T) sexpr.Value) sexpr.Value {
	var out []sexpr.Value
	for _, x := range xs {
		out = append(out, f(x))
	}
	return sexpr.ListOf(out...)
}

// questionFrom reads back what putBody wrote, but for history, which is looked
// up as of the recorded number.
func questionFrom(body sexpr.Value) (question, reason.Request, uint64, error) {
	fv, _ := body.Get("facts")
	f, err := skills.DecodeFacts(fv)
	if err != nil {
		return question{}, reason.Request{}, 0, err
	}
	q := question{facts: *f, own: body.GetTrue("own"), root: uint64(body.GetInt("root")), depth: int(body.GetInt("depth")),
		retry: uint64(body.GetInt("retry")), first: uint64(body.GetInt("first")), resume: body.GetTrue("resume"),
		requester:   body.GetText("requester"),
		compensates: uint64(body.GetInt("compensates"))}
	if seq, ok := body.Get("board"); ok {
		q.board = &board{facts: f.Ctx, seq: uint64(seq.Int())}
	}
	if p, ok := body.Get("proposal"); ok {
		if q.proposal, err = unquoteValue(p); err != nil {
			return q, reason.Request{}, 0, err
		}
	} else {
		args, _ := body.Get("args")
		if q.action, err = skills.NewAction(body.GetText("tool"), args, body.GetText("explanation")); err != nil {
			return q, reason.Request{}, 0, err
		}
	}
	req := reason.Request{Proposal: q.proposal, Action: q.action}
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

func unquoteValue(v sexpr.Value) (sexpr.Value, error) { return unlimited.Read("proposal", v.Text()) }

func grantValue(g reason.Grant) sexpr.Value {
	keys := make([]string, len(g.Keys))
	for i, k := range g.Keys {
		keys[i] = k.String()
	}
	return sexpr.Plist("token", sexpr.Str(g.Token), "digest", sexpr.Str(g.Digest.String()), "keys", texts(keys))
}

func grantFrom(v sexpr.Value) (g reason.Grant, err error) {
	g.Token = v.GetText("token")
	if g.Digest, err = sexpr.ParseDigest(v.GetText("digest")); err != nil {
		return g, err
	}
	for _, s := range textsFrom(v, "keys") {
		k, err := sexpr.ParseDigest(s)
		if err != nil {
			return g, err
		}
		g.Keys = append(g.Keys, k)
	}
	return g, nil
}
