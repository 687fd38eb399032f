package ledger

import (
	"fmt"

	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/internal/plist"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// putBody puts the body of a decision's record, in canonical order: the decision,
// and all that a replay starts from.
func putBody(b plist.Sink, d *reason.Decision, q *Question, req *reason.Request, where sexpr.Digest, asOf uint64) {
	f := *req.Facts
	f.Spends, f.Versions = nil, nil
	cause := q.Cause.recorded()
	again, tried := q.retry()
	if !q.own {
		f.Session.Turns = nil
	}
	if q.Answered {
		b.Add("answered", sexpr.T())
	}
	if q.Action != nil {
		b.Add("args", q.Action.Args())
	}
	b.Add("as-of", sexpr.Int64(int64(asOf)))
	if q.board != nil {
		b.Add("board", sexpr.Int64(int64(q.board.seq)))
	}
	b.Int("compensates", int64(cause.compensates))
	b.Open("decision")
	d.Put(b)
	b.Close()
	b.Add("depth", sexpr.Int64(int64(cause.depth)))
	if q.Action != nil {
		b.Add("explanation", sexpr.Str(q.Action.Explanation()))
	}
	b.Open("facts")
	f.Put(b)
	if b.Close() {
		b.Add("facts", sexpr.EmptyObject())
	}
	if tried {
		b.Add("first", sexpr.Int64(int64(again.Decision)))
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
	b.Add("resume", sexpr.Bool(cause.resume))
	if tried {
		b.Add("retry", sexpr.Int64(int64(again.Intent)))
	}
	b.Add("root", sexpr.Int64(int64(cause.root)))
	if cause.step != (record.Step{}) {
		b.Add("step", cause.step.Value())
	}
	if q.board != nil && q.took != q.usual() {
		b.Add("took", record.Texts(q.took.names()))
	}
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
	q := Question{Cause: causeFrom(body), Attempt: First{}, Facts: *f, own: body.GetTrue("own"),
		Requester: body.GetText("requester"), Answered: body.GetTrue("answered")}
	if intent := uint64(body.GetInt("retry")); intent != 0 {
		q.Attempt = Retry{Intent: intent, Decision: uint64(body.GetInt("first"))}
	}
	if seq, ok := body.Get("board"); ok {
		q.board, q.took = &board{seq: uint64(seq.Int())}, q.usual()
		if _, ok := body.Get("took"); ok {
			q.took = partsFrom(record.TextsFrom(body, "took"))
		}
	}
	if p, ok := body.Get("proposal"); ok {
		if q.Proposal, err = unquoteValue(p); err != nil && !record.IsVeiled(body) {
			return q, reason.Request{}, 0, err
		}
	} else if q.Action, err = actionIn(body); err != nil {
		return q, reason.Request{}, 0, err
	}
	req := reason.Request{Proposal: q.Proposal, Action: q.Action, Answered: q.Answered}
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

// actionIn reads the action of a decision's body. Its digest stands there only where the
// veil has put it.
func actionIn(body sexpr.Value) (*skills.Action, error) {
	args, _ := body.Get("args")
	tool, says := body.GetText("tool"), body.GetText("explanation")
	if !record.IsVeiled(body) {
		return skills.NewAction(tool, args, says)
	}
	digest, err := sexpr.ParseDigest(body.GetText("digest"))
	if err != nil { // it is not in the arguments
		return skills.NewAction(tool, args, says)
	}
	return skills.Recorded(tool, args, says, digest, true)
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
	v := sexpr.Plist("token", sexpr.Str(g.Token), "digest", sexpr.Str(g.Digest.String()), "keys", record.Texts(keys))
	if g.Step != "" {
		v = v.With("step", sexpr.Str(g.Step))
	}
	return v
}

func grantFrom(v sexpr.Value) (g reason.Grant, err error) {
	g.Token, g.Step = v.GetText("token"), v.GetText("step")
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
