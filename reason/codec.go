package reason

import (
	"fmt"
	"slices"
	"time"

	"github.com/opencortex-go/cortex/internal/plist"
	"github.com/opencortex-go/cortex/reason/internal/foreign"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// countsPasses is the version of the record in which a decision counts the gates that
// passed. In version 1, which says no number, the trace lists them.
const countsPasses = 2

// Value returns the decision as the journal keeps it, with its timing.
func (d *Decision) Value() sexpr.Value { return d.value(true) }

// Identity returns what two decisions on the same request have in common, byte
// for byte once printed: all but timing, the values of the versions that were read,
// and the positions of reasons and the advice with them, which say where a proposal or
// rule happened to stand.
func (d *Decision) Identity() sexpr.Value { return d.value(false) }

func (d *Decision) value(whole bool) sexpr.Value {
	var b plist.Builder
	d.put(&b, whole)
	return b.Done()
}

// Put puts the members of [Decision.Value] into b, in canonical order.
func (d *Decision) Put(b plist.Sink) { d.put(b, true) }

// put puts the whole decision, or its identity.
func (d *Decision) put(b plist.Sink, whole bool) {
	reason := func(b plist.Sink, w *skills.Reason) { putReason(b, w, whole) }
	putAction(b, "action", d.Action)
	plist.Plists(b, "asks", d.Asks, func(b plist.Sink, a *skills.Ask) { putAsk(b, a, whole) })
	if whole {
		b.Int("elapsed", int64(d.Elapsed))
	}
	b.Text("grant", d.Grant)
	putHint(b, d.Hint)
	b.Text("key", d.Key)
	b.Text("kind", d.Kind.String())
	if whole {
		plist.Each(b, "lookups", d.Lookups, lookupValue)
	}
	b.Int("passed", int64(d.Passed))
	plist.Plists(b, "plan", d.Plan, putOf)
	b.Digest("policy", d.Policy)
	if d.Proposed != d.Action {
		putAction(b, "proposed", d.Proposed)
	}
	plist.Each(b, "reads", d.Reads, sexpr.Str)
	plist.Plists(b, "reasons", d.Reasons, reason)
	b.True("retry", d.Retry)
	b.Int("rounds", int64(d.Rounds))
	b.Int("skipped", int64(d.Skipped))
	plist.Plists(b, "trace", d.Trace, putStep)
	b.True("untraced", d.Untraced)
	if whole && !d.Passes {
		b.Int("version", countsPasses)
	}
	if whole && len(d.Versions) > 0 {
		plist.Each(b, "versions", d.Reads, func(k string) sexpr.Value {
			return sexpr.ListOf(sexpr.Str(k), sexpr.Int64(int64(d.Versions[k])))
		})
	}
	plist.Plists(b, "vouched", d.Vouched, reason)
	b.True("would", d.Would)
}

// DecodeDecision reads what [Decision.Value] wrote. An action whose digest is
// not the one recorded is an error.
func DecodeDecision(v sexpr.Value) (*Decision, error) {
	r := plist.NewReader(v, "decision")
	d := &Decision{
		Kind: decodeKind(r), Key: r.Text("key"), Policy: r.Digest("policy"), Grant: r.Text("grant"),
		Untraced: r.True("untraced"), Skipped: r.Small("skipped"), Rounds: r.Small("rounds"),
		Reads: r.Texts("reads"), Retry: r.True("retry"), Would: r.True("would"),
		Elapsed: time.Duration(r.Int("elapsed")),
		Action:  decodeAction(r, "action"), Proposed: decodeAction(r, "proposed"),
		Reasons: decodeReasons(r, "reasons"), Vouched: decodeReasons(r, "vouched"),
	}
	switch v := r.Small("version"); v {
	case 0:
		d.Passes = true
	case countsPasses:
		d.Passed = r.Small("passed")
	default:
		r.Fail(fmt.Errorf("version %d of a decision; this program reads versions 1 and %d", v, countsPasses))
	}
	if d.Proposed == nil {
		d.Proposed = d.Action
	}
	for _, a := range r.List("asks") {
		slot := skills.Slot{Class: a.Text("class"), Quorum: a.Small("quorum"), NotUser: a.True("not-user"),
			Key: a.Digest("ask")}
		d.Asks = append(d.Asks, skills.Ask{Reason: decodeReason(a), Slot: slot, Of: decodeOf(a)})
	}
	for _, s := range r.List("plan") {
		d.Plan = append(d.Plan, stepFrom(s))
	}
	for _, s := range r.List("trace") {
		d.Trace = append(d.Trace, Step{
			Round: s.Small("round"), Gate: s.Text("gate"), Outcome: Outcome(s.Text("outcome")),
			Note: s.Text("note"), Diff: s.Value("diff"),
		})
	}
	d.Versions = decodeVersions(r)
	d.Lookups = decodeLookups(r)
	d.Hint = decodeHint(r)
	return d, r.Err()
}

func decodeKind(r plist.Reader) Kind {
	switch s := r.Text("kind"); s {
	case "allow":
		return Allow
	case "ask":
		return Ask
	case "deny":
	default:
		r.Fail(fmt.Errorf("the kind %q, expected allow, ask or deny", foreign.Clip(s, 40)))
	}
	return Deny
}

func decodeVersions(r plist.Reader) map[string]uint64 {
	var out map[string]uint64
	for _, pair := range r.Value("versions").Items() {
		p := pair.Items()
		if len(p) != 2 || p[0].Kind() != sexpr.String || p[1].Kind() != sexpr.Int {
			r.Fail(fmt.Errorf("%s: :versions holds a %s, expected (\"key\" number)", pair.Pos(), pair.Kind()))
			return nil
		}
		if out == nil {
			out = make(map[string]uint64)
		}
		out[p[0].Text()] = uint64(p[1].Int())
	}
	return out
}

// putAction puts an action under key, unless there is none.
func putAction(b plist.Sink, key string, a *skills.Action) {
	if a == nil {
		return
	}
	b.Open(key)
	b.Add("args", a.Args())
	b.Digest("digest", a.Digest())
	b.Text("explanation", a.Explanation())
	b.Text("tool", a.Tool())
	if a.Withheld() { // it is shown, with marks in place of secrets
		b.True("withheld", true)
	}
	b.Close()
}

func decodeAction(r plist.Reader, key string) *skills.Action {
	if r.Value(key).IsNil() {
		return nil
	}
	s := r.Sub(key)
	a, err := skills.Recorded(s.Text("tool"), s.Value("args"), s.Text("explanation"), s.Digest("digest"),
		!s.Value("withheld").IsNil())
	if err != nil {
		r.Fail(fmt.Errorf(":%s: %w", key, err))
		return nil
	}
	return a
}

func putReason(b plist.Sink, w *skills.Reason, places bool) {
	putAsk(b, &skills.Ask{Reason: *w}, places)
}

// putAsk puts an ask, or with no slot a bare reason.
func putAsk(b plist.Sink, a *skills.Ask, places bool) {
	if places {
		b.Text("advice", a.Reason.Advice)
	}
	b.Digest("ask", a.Slot.Key)
	b.Text("class", a.Slot.Class)
	b.Text("detail", a.Reason.Detail)
	b.Text("key", a.Reason.Key)
	b.True("not-user", a.Slot.NotUser)
	if a.Of != nil {
		b.Open("of")
		putOf(b, a.Of)
		b.Close()
	}
	if places {
		b.Text("pos", a.Reason.Pos)
	}
	b.Int("quorum", int64(a.Slot.Quorum))
	b.True("retryable", a.Reason.Retryable)
	b.Text("text", a.Reason.Text)
}

func putOf(b plist.Sink, o *skills.Of) {
	putAction(b, "action", o.Action)
	b.Text("note", o.Note)
	b.Text("step", o.Step)
}

func decodeOf(r plist.Reader) *skills.Of {
	if r.Value("of").IsNil() {
		return nil
	}
	o := stepFrom(r.Sub("of"))
	return &o
}

func stepFrom(r plist.Reader) skills.Of {
	return skills.Of{Step: r.Text("step"), Note: r.Text("note"), Action: decodeAction(r, "action")}
}

func decodeReason(r plist.Reader) skills.Reason {
	return skills.Reason{
		Key: r.Text("key"), Text: r.Text("text"), Detail: r.Text("detail"), Pos: r.Text("pos"),
		Advice:    r.Text("advice"),
		Retryable: r.True("retryable"),
	}
}

func decodeReasons(r plist.Reader, key string) []skills.Reason {
	var out []skills.Reason
	for _, x := range r.List(key) {
		out = append(out, decodeReason(x))
	}
	return out
}

func putStep(b plist.Sink, s *Step) {
	b.Value("diff", s.Diff)
	b.Text("gate", s.Gate)
	b.Text("note", s.Note)
	b.Text("outcome", string(s.Outcome))
	b.Int("round", int64(s.Round))
}

// identity lists the members that [Decision.Same] compares. The policy is not
// among them: replay says once that it is another one.
var identity = []string{
	"kind", "key", "action", "proposed", "reasons", "asks", "plan", "vouched", "grant", "rounds", "reads", "hint", "retry",
	"would",
}

// Same lists how o differs from d in its identity, one line each; none if they
// are the same decision. Traces are compared if both have one; gates that passed, by
// their number, unless both list them.
func (d *Decision) Same(o *Decision) []string {
	members := identity
	if !d.Untraced && !o.Untraced {
		members = append(slices.Clone(members), "trace", "passed", "skipped")
	}
	if d.Passes != o.Passes {
		d, o = d.counted(), o.counted()
	}
	a, b := d.Identity(), o.Identity()
	var out []string
	for _, key := range members {
		x, _ := a.Get(key)
		y, _ := b.Get(key)
		if !sexpr.Equal(x, y) {
			out = append(out,
				fmt.Sprintf(":%s was %s, is %s", key, foreign.Clip(x.String(), foreign.MaxText),
					foreign.Clip(y.String(), foreign.MaxText)))
		}
	}
	return out
}

// counted is d with the gates that passed, and said nothing, counted and not listed.
func (d *Decision) counted() *Decision {
	if !d.Passes {
		return d
	}
	out := *d
	out.Passes, out.Trace = false, nil
	for _, s := range d.Trace {
		if s.Outcome == Passed && s.Note == "" {
			out.Passed++
		} else {
			out.Trace = append(out.Trace, s)
		}
	}
	return &out
}

// TraceValue is a trace as a decision's value has it.
func TraceValue(steps []Step) sexpr.Value {
	var b plist.Builder
	plist.Plists(&b, "trace", steps, putStep)
	v, _ := b.Done().Get("trace")
	return v
}
