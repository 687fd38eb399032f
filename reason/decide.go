package reason

import (
	"context"
	"errors"
	"time"

	"github.com/opencortex-go/cortex/reason/internal/foreign"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// maxRounds is how often the chain of gates runs on one proposal. The last round
// must rewrite nothing.
const maxRounds = 3

// Decide judges one proposal: it canonicalises, keeps actions away from the
// protected places, asks every gate in order, again after every rewrite, holds
// the final action against the invariants, and combines what was said.
//
// It never fails: an error, a panic, an absent or malformed answer is a Deny
// with its reason. It is a pure function of the request, but for
// [Decision.Elapsed]; ctx bounds gates that run in other processes alone.
func Decide(ctx context.Context, req Request) *Decision {
	start := time.Now()
	r := &run{req: req}
	r.d.Untraced, r.d.Would, r.d.Passes = req.NoTrace, req.Observe, req.Passes
	r.decide(ctx)
	r.req, r.c, r.facts, r.skills, r.mends = Request{}, skills.Case{}, nil, nil, nil // the decision outlives them
	r.d.Elapsed = time.Since(start)
	return &r.d
}

// run is one decision in the making. It and the decision are one allocation,
// which on the way to an allow is the only one.
type run struct {
	d      Decision
	req    Request
	c      skills.Case
	facts  *skills.Facts // as c must still hold them, and the tool
	tool   *skills.Tool
	skills []*skills.Skill // that may apply to the tool, in order
	ran    int             // gates of skills, in this round
	unsure bool            // may touch a protected place: it cannot be determined
	mends  []*skills.Mend  // of the denials that ask for a hint
	origin bool            // a rewrite rested on where a value came from
	failed bool            // something could not be judged

	vouched [1]skills.Reason // where Decision.Vouched begins
}

func (r *run) decide(ctx context.Context) {
	defer func() {
		if p := recover(); p != nil {
			r.fail("decide", foreign.Panicked(p))
			r.combine()
		}
	}()
	if r.begin() {
		r.rounds(ctx)
	}
	if !r.denied() {
		r.invariants(ctx)
	}
	r.hint(ctx)
	r.reads()
	r.combine()
}

// begin does steps 0 to 2: what needs no gate. It reports whether gates are to
// be asked.
func (r *run) begin() bool {
	d, p := &r.d, r.req.Policy
	if r.facts = r.req.Facts; r.facts == nil {
		r.facts = new(skills.Facts)
	}
	r.c = *skills.NewCase(nil, nil, r.facts)
	switch w := r.req.within; {
	case w == nil:
		r.c = *r.c.Trying(r)
	case r.req.tried:
		r.c = *w.c.Within(r.facts)
	default:
		r.c = *w.c.Supposed()
	}
	if r.req.Lookup != nil {
		r.c = *r.c.WithLookup(r.lookup)
	}
	if p != nil {
		d.Policy = p.Hash()
	}
	switch {
	case r.req.Halt != nil:
		r.deny(*r.req.Halt)
	case p == nil || p.Empty():
		r.deny(skills.Reason{Key: KeyEmpty, Text: "there are no rules, so nothing is allowed"})
	}
	var tools skills.ToolSet
	if !r.denied() { // the record still says what was proposed
		tools = p
	}
	a, notes, err := r.canonical(tools)
	d.Proposed, d.Action = a, a
	if err != nil && !r.denied() {
		r.deny(malformed(err, notes))
	}
	if a == nil {
		return false
	}
	// An observed action runs whatever is decided here, so what is refused already
	// is kept from the protected places too.
	r.take(a, err)
	if !r.protect(err) || r.denied() || !r.question(false) {
		return false
	}
	r.skills = p.Skills(a.Tool())
	return true
}

// canonical makes the action of the request and holds it against the schema.
func (r *run) canonical(tools skills.ToolSet) (*skills.Action, []skills.Note, error) {
	if r.req.Action != nil {
		if tools == nil {
			return r.req.Action, nil, nil
		}
		a, err := skills.Conform(r.req.Action, tools)
		return a, nil, err
	}
	a, notes, err := skills.Propose(r.req.Proposal, tools)
	for _, n := range notes {
		r.trace(Step{Gate: KeyProposal, Outcome: Noted, Note: n.Text})
	}
	return a, notes, err
}

// malformed is the reason for an action without a canonical form, or one that
// breaks its tool's schema. The position stands apart from the text: the same
// proposal may be read from another place when it is replayed.
func malformed(err error, notes []skills.Note) skills.Reason {
	why := skills.Reason{Key: KeyProposal, Text: err.Error(), Retryable: true}
	var pos sexpr.Pos
	var schema *skills.SchemaError
	var form *sexpr.Error
	switch {
	case errors.As(err, &schema):
		why.Key, why.Text, pos = schemaKey(schema.Tool), schema.Text(), schema.Faults[0].Pos
	case errors.As(err, &form):
		why.Text, pos = form.Msg, form.Pos
	}
	for _, n := range notes {
		why.Text += "; " + n.Text
	}
	why.Text = foreign.Legible(why.Text)
	if pos.Line > 0 {
		why.Pos = pos.String()
	}
	return why
}

// take makes a the action that is judged from here on. broken is what its tool's
// schema has against it.
func (r *run) take(a *skills.Action, broken error) {
	r.d.Action = a
	name := a.Tool()
	if broken != nil {
		var schema *skills.SchemaError
		if errors.As(broken, &schema) {
			name = schema.Tool
		}
	}
	if r.req.Policy != nil {
		r.tool, _ = r.req.Policy.Tool(name)
	}
	r.c = *r.c.On(a, r.tool)
}

// rounds runs the chain until nothing is rewritten any more.
func (r *run) rounds(ctx context.Context) {
	for r.d.Rounds < maxRounds {
		r.d.Rounds++
		before := r.d.Action
		r.round(ctx)
		r.d.Skipped = r.req.Policy.Len() - r.ran
		if r.denied() || r.d.Action == before {
			return
		}
	}
	r.deny(skills.Reason{
		Key:  KeyUnsettled,
		Text: "gates do not agree: they rewrite the action again and again",
	})
}

// round asks the gates of every triggered skill once. Only the last round's
// asks and allows count. A denial ends it, and so does a panic, which is one.
func (r *run) round(ctx context.Context) {
	var s *skills.Skill
	var g skills.Gate
	defer func() {
		if p := recover(); p != nil {
			r.untouched()
			r.fail(asked(s, g), foreign.Panicked(p))
		}
	}()
	r.d.Asks, r.d.Plan, r.d.Vouched, r.ran = nil, nil, r.vouched[:0:1], 0
	for _, s = range r.skills {
		g = nil
		on := r.triggered(s)
		if r.denied() {
			return
		}
		if !on {
			continue
		}
		for _, g = range s.Gates {
			r.ran++
			r.gate(ctx, g)
			if r.denied() {
				return
			}
		}
	}
}

// asked names what was asked last.
func asked(s *skills.Skill, g skills.Gate) string {
	if g == nil {
		return s.Name + "/trigger"
	}
	return g.Key()
}

// reads notes which versioned facts the decision depends on, and what gates were
// told from outside.
func (r *run) reads() {
	for _, a := range r.c.Answers() {
		r.d.Lookups = append(r.d.Lookups, Lookup{
			Function: a.Function, Argument: LookupArgument(a.Argument), Result: a.Result, Error: a.Error,
		})
	}
	reads := r.c.Reads()
	if len(reads) == 0 {
		return
	}
	r.d.Reads, r.d.Versions = reads, make(map[string]uint64, len(reads))
	for _, k := range reads {
		r.d.Versions[k] = r.facts.Versions[k]
	}
}

func (r *run) denied() bool { return len(r.d.Reasons) > 0 }

func (r *run) deny(why skills.Reason) { r.d.Reasons = append(r.d.Reasons, why) }

// fail denies because a gate, or Decide itself, gave no answer that counts.
func (r *run) fail(gate string, err error) {
	key := failedKey(gate)
	r.failed = true
	r.deny(skills.Reason{
		Key: key, Detail: foreign.Legible(err.Error()),
		Text: "a check could not be made, so the action is refused",
	})
	r.trace(Step{Round: r.d.Rounds, Gate: gate, Outcome: Failed, Note: foreign.Legible(err.Error())})
}

func (r *run) trace(s Step) {
	if !r.req.NoTrace {
		if r.d.Trace == nil {
			r.d.Trace = make([]Step, 0, 4) // most have no more
		}
		r.d.Trace = append(r.d.Trace, s)
	}
}
