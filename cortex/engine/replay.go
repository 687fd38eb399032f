package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/internal/policy"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts/origin"
	"github.com/opencortex-go/cortex/skills/rules"
)

// ReplayOptions say what to replay. The zero value replays every decision with the
// rulebook of its time.
type ReplayOptions struct {
	From  uint64          // first record; 0 means the first one
	To    uint64          // last record; 0 means the newest one
	Root  uint64          // only decisions about this root signal; 0 means all
	Rules *rules.Rulebook // judge by these instead, to see which decisions flip
	// Before, beside Rules, has Replay compare what Rules decide with what Before decide,
	// both on what the recorded decision rested on. nil compares with what is on record.
	Before *rules.Rulebook
	Most   int // how many differences to list; 0 lists all. Replay counts all.
	// Each is called with each difference, in the order of the record, listed or not. nil
	// calls nothing.
	Each func(Difference)
}

// Replayed is what a replay found.
type Replayed struct {
	Decisions   int
	Differences []Difference // at most ReplayOptions.Most
	Flips       int          // how many decisions came out differently
	// ByRule counts the differences by the key that decides now or, if no rule decides any
	// more, that decided then. ByTool counts them by tool.
	ByRule map[string]int
	ByTool map[string]int
	// Others are the rulebooks that this program compiles to a policy other than the
	// recorded one, because its functions or limits differ. Each is listed once. That
	// alone does not count as a difference.
	Others []sexpr.Digest
	// Gates names the recorded gates in Go that this engine lacks, or has in another
	// version, such as "fraud-check 2". Replay used their recorded answers. That alone
	// does not count as a difference.
	Gates []string
	// Skipped counts decisions whose rulebook this program cannot compile at all, because
	// it lacks a function. Their policies are among Others.
	Skipped int
	// Destroyed counts decisions that cannot be derived again, because the keys of their
	// secret arguments are destroyed or not at hand. They do not count as differences.
	Destroyed int
	// Removed counts decisions that cannot be derived again, because retention removed
	// what they rested on. They do not count as differences.
	Removed int
}

// Difference is one decision that came out differently from what is on record.
type Difference struct {
	Seq    uint64
	Was    *Decision // as recorded, or as ReplayOptions.Before decide
	Is     *Decision
	Fields []string // what differs: "kind", "key", "action", ...
}

// Replay derives recorded decisions again from the facts, history and rulebook that they
// rested on, and lists those that come out differently. It changes nothing. Under other
// rules it compares only kind, key and action. Before without Rules is an error.
func (e *Engine) Replay(ctx context.Context, opt ReplayOptions) (Replayed, error) {
	if opt.Before != nil && opt.Rules == nil {
		return Replayed{}, errors.New("ReplayOptions has Before and no Rules to compare with it")
	}
	defer e.history.Passed.Purge()
	r := &replaying{opt: opt, books: map[string]*policy.Policy{}, before: map[string]*policy.Policy{},
		places: map[string]*reason.Places{}}
	err := e.j.Records(max(opt.From, 1), func(rec journal.Record) error {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if opt.To > 0 && rec.Seq > opt.To {
			return errReplayed
		}
		if rec.Kind != record.KindDecision {
			return e.history.Pass(rec, nil)
		}
		was, err := record.DecisionFrom(rec)
		if err != nil {
			return err
		}
		if opt.Root != 0 && opt.Root != uint64(rec.Body.GetInt("root")) {
			return e.history.Pass(rec, was)
		}
		if record.IsVeiled(rec.Body) {
			r.out.Destroyed++
			return e.history.Pass(rec, was)
		}
		if err := e.history.Pass(rec, was); err != nil {
			return err
		}
		return e.replay(ctx, rec, was, r)
	})
	if errors.Is(err, errReplayed) {
		err = nil
	}
	return r.out, err
}

// replaying is what a replay has found, and what it keeps from one decision to the next.
type replaying struct {
	opt           ReplayOptions
	out           Replayed
	books, before map[string]*policy.Policy // that judge, by the hash of the policy on record
	places        map[string]*reason.Places // by hash
}

// replay derives one decision again, and that of the rules before it where there are any,
// and notes how they differ.
func (e *Engine) replay(ctx context.Context, rec journal.Record, was *Decision, r *replaying) error {
	judge, err := e.judgeAt(r.books, was, r.opt.Rules, &r.out)
	if err != nil || judge == nil {
		r.out.Skipped++
		return err
	}
	is, err := e.again(ctx, rec, was, judge, r.places, was.Passes)
	if err == nil && r.opt.Before != nil {
		if judge, err = e.judgeAt(r.before, was, r.opt.Before, &r.out); err == nil {
			was, err = e.again(ctx, rec, was, judge, r.places, was.Passes)
		}
	}
	switch {
	case errors.Is(err, journal.ErrRemoved):
		r.out.Removed++
		return nil
	case err != nil:
		return fmt.Errorf("decision %d: %w", rec.Seq, err)
	}
	r.out.Decisions++
	if fields := differ(was, is, r.opt.Rules != nil); len(fields) > 0 {
		r.out.flip(Difference{Seq: rec.Seq, Was: was, Is: is, Fields: fields}, r.opt)
	}
	return nil
}

// flip counts a difference, and lists it as long as fewer than opt.Most are listed.
func (r *Replayed) flip(d Difference, opt ReplayOptions) {
	if r.Flips == 0 {
		r.ByRule, r.ByTool = map[string]int{}, map[string]int{}
	}
	r.Flips++
	r.ByRule[cmp.Or(d.Is.Key, d.Was.Key)]++
	tool := ""
	if d.Was.Action != nil {
		tool = d.Was.Action.Tool()
	} else if d.Is.Action != nil {
		tool = d.Is.Action.Tool()
	}
	r.ByTool[tool]++
	if opt.Most == 0 || len(r.Differences) < opt.Most {
		r.Differences = append(r.Differences, d)
	}
	if opt.Each != nil {
		opt.Each(d)
	}
}

// errReplayed ends a replay after its last record.
var errReplayed = errors.New("replayed")

// judgeAt returns the policy that is to judge a recorded decision: the policy of its time
// or, with other rules, those beside the gates in Go and the plugins of its time. It
// returns nil if this program cannot compile it.
func (e *Engine) judgeAt(books map[string]*policy.Policy, was *Decision, other *rules.Rulebook,
	out *Replayed) (skills.Policy,
	error) {
	if other == nil {
		if p := e.bookAt(books, was, out); p != nil {
			return p.Gates, nil
		}
		return nil, nil
	}
	if p := books[was.Policy.String()]; p != nil {
		return p.Gates, nil
	}
	v, err := e.policies.Recorded(was.Policy)
	switch {
	case e.opt.Plugins != nil && err != nil:
		return nil, fmt.Errorf("rulebook: %w", err)
	case e.opt.Plugins == nil && err != nil:
		return other, nil
	case e.opt.Plugins == nil:
		v = v.With("lock", sexpr.Str(""))
	}
	inGo, _ := v.Get("gates")
	out.otherGates(policy.GatesFrom(inGo), e.opt.Gates)
	gates, err := e.policies.Replugged(other, v)
	books[was.Policy.String()] = &policy.Policy{Gates: gates}
	return gates, err
}

// again derives a recorded decision once more, with book. passes says whether the trace
// lists the gates that passed. known keeps the protected places that were read, by hash.
func (e *Engine) again(ctx context.Context, rec journal.Record, was *Decision, book skills.Policy,
	known map[string]*reason.Places, passes bool) (*Decision, error) {
	q, req, asOf, err := ledger.QuestionFrom(rec.Body)
	if err != nil {
		return nil, err
	}
	switch end, err := record.EndOf(e.j, q.Facts.Session.ID); {
	case err != nil:
		return nil, err
	case asOf < end:
		return nil, fmt.Errorf("the session's history: %w", journal.ErrRemoved)
	}
	hash := rec.Body.GetText("places")
	places := known[hash]
	if places == nil {
		if places, err = e.policies.PlacesAt(hash); err != nil {
			return nil, err
		}
		known[hash] = places
	}
	f := q.Facts
	past := e.ledger.Recall(f.Session, &q, asOf)
	defer past.Keep()()
	f.Recall, f.Versions = past, was.Versions
	req.Facts, req.Policy, req.Places, req.Lookup = &f, book, places, reason.Recorded(was.Lookups)
	req.Passes, req.Observe = passes, was.Would
	is := &Decision{Decision: *reason.Decide(ctx, req)}
	return is, e.stillSpent(rec.Seq, f.Session.Principal, was, is)
}

// stillSpent returns an error if a decision rests on what its principal had spent and
// retention has moved beyond the decision. Of the spends up to the boundary, retention
// keeps only those that later decisions look back to.
func (e *Engine) stillSpent(seq uint64, principal string, was, is *Decision) error {
	k := skills.PrincipalKey(principal)
	if !slices.Contains(was.Reads, k) && !slices.Contains(is.Reads, k) {
		return nil
	}
	if end, err := e.j.Boundary(); err != nil || seq > end {
		return err
	}
	return fmt.Errorf("what %q had spent: %w", principal, journal.ErrRemoved)
}

// differ names the fields in which two decisions differ.
func differ(was, is *Decision, otherRules bool) []string {
	if !otherRules {
		return was.Same(&is.Decision)
	}
	var out []string
	if was.Kind != is.Kind {
		out = append(out, "kind")
	}
	if was.Key != is.Key {
		out = append(out, "key")
	}
	if (was.Action == nil) != (is.Action == nil) || was.Action != nil && was.Action.Digest() != is.Action.Digest() {
		out = append(out, "action")
	}
	return out
}

// bookAt returns the policy that a decision was made under, and keeps it in books. It
// returns nil if this program cannot compile the rulebook.
func (e *Engine) bookAt(books map[string]*policy.Policy, d *Decision, out *Replayed) *policy.Policy {
	name := d.Policy.String()
	if b, known := books[name]; known {
		return b
	}
	b, err := e.policies.RecordedPolicy(d.Policy)
	if err != nil {
		e.opt.Logger.Warn("a recorded rulebook cannot be compiled", "policy", name, "error", err)
		b = nil
	}
	books[name] = b
	if b != nil {
		out.otherGates(policy.GatesFrom(b.InGo), e.opt.Gates)
	}
	if b == nil || b.Gates.Hash() != d.Policy {
		out.Others = append(out.Others, d.Policy)
	}
	return b
}

// Explanation is a decision with what it rested on and the intent it led to.
type Explanation struct {
	Decision *Decision
	// Trace is what every gate said, including the gates that passed. The record only
	// counts those; Explain derives them by judging again. If that fails, Underived says
	// why, and Trace is the recorded one.
	Trace     []reason.Step
	Underived error
	Facts     *Facts // as they were then, without history that retention has removed
	Intent    uint64 // the intent that used the decision; 0 for none
	// Compensates is the intent that the action compensates; 0 for none.
	Compensates uint64
	// Origins says where each value in the action came from, if the rulebook asks that.
	// If it cannot be told any more, NoOrigins says why.
	Origins   []Origin
	NoOrigins error
}

// Origin is a value of an action, and where it came from.
type Origin = origin.Argument

// Explain shows why the decision in record seq came out as it did. It has marks in place of
// secret arguments.
func (e *Engine) Explain(ctx context.Context, seq uint64) (*Explanation, error) {
	out, err := e.explain(ctx, seq)
	if err != nil {
		return nil, err
	}
	rec, err := e.j.View().Read(seq)
	if err != nil || !record.IsVeiled(rec.Body) && !e.veil.Knows(rec.Session) {
		return out, err
	}
	if out.Decision, err = record.DecisionFrom(rec); err != nil {
		return nil, err
	}
	return out, e.cover(out)
}

// cover puts marks into what was derived for an explanation.
func (e *Engine) cover(x *Explanation) error {
	tool := ""
	if x.Decision.Action != nil {
		tool = x.Decision.Action.Tool()
	}
	for i := range x.Trace {
		s := &x.Trace[i]
		s.Note, s.Diff = e.veil.Redact(s.Note), e.veil.Cover(tool, s.Diff)
	}
	for i := range x.Origins {
		o := &x.Origins[i]
		o.Text = e.veil.Redact(o.Text)
		name, _, _ := strings.Cut(o.Name, "[")
		name, _, _ = strings.Cut(name, ".")
		if shown, _ := x.Decision.Action.Args().Get(name); e.veil.IsSecret(tool, name) {
			o.Value = shown.Text()
		} else if text, ok := o.Value.(string); ok {
			o.Value = e.veil.Redact(text)
		}
	}
	turns, spends, versions := x.Facts.Session.Turns, x.Facts.Spends, x.Facts.Versions
	bare := *x.Facts
	bare.Session.Turns, bare.Spends, bare.Versions = nil, nil, nil
	covered, err := skills.DecodeFacts(e.veil.CoverTexts(bare.Value()))
	if err != nil {
		return fmt.Errorf("its facts without secrets: %w", err)
	}
	x.Facts, covered.Spends, covered.Versions = covered, spends, versions
	x.Facts.Session.Turns = slices.Clone(turns)
	for i := range x.Facts.Session.Turns {
		t := &x.Facts.Session.Turns[i]
		t.User, t.Reply = e.veil.Redact(t.User), e.veil.Redact(t.Reply)
		if t.Call != nil {
			c := *t.Call
			c.Args, c.Result = e.veil.Cover(c.Tool, c.Args), e.veil.Cover("", c.Result)
			c.Error = e.veil.Redact(c.Error)
			t.Call = &c
		}
	}
	return nil
}

func (e *Engine) explain(ctx context.Context, seq uint64) (*Explanation, error) {
	rec, err := e.j.Read(seq)
	if err != nil {
		return nil, err
	}
	d, err := record.DecisionFrom(rec)
	if err != nil {
		return nil, err
	}
	q, _, asOf, err := ledger.QuestionFrom(rec.Body)
	if err != nil {
		return nil, err
	}
	f, past := q.Facts, e.ledger.Recall(q.Facts.Session, &q, asOf)
	if f.Session.Turns, err = past.Turns(); err != nil && !errors.Is(err, journal.ErrRemoved) {
		return nil, err
	}
	if f.Spends, err = past.Spends(); err != nil {
		return nil, err
	}
	used, err := e.j.Get(record.TableUsed.Key(seq))
	out := &Explanation{Decision: d, Trace: d.Trace, Facts: &f, Intent: record.AsNumber(used),
		Compensates: q.Compensates()}
	if d.Passed > 0 {
		if trace, why := e.everyGate(ctx, rec, d); why == nil {
			out.Trace = trace
		} else {
			out.Underived = why
		}
	}
	if err == nil {
		out.Origins, out.NoOrigins = e.origins(d, &q, asOf)
	}
	return out, err
}

// origins says where the values of a decision's action came from, by the rulebook of its
// time.
func (e *Engine) origins(d *Decision, q *ledger.Question, asOf uint64) ([]Origin, error) {
	book := e.policies.Current()
	if book.Gates.Hash() != d.Policy {
		var err error
		if book, err = e.policies.RecordedPolicy(d.Policy); err != nil {
			return nil, err
		}
	}
	f, past := q.Facts, e.ledger.Recall(q.Facts.Session, q, asOf)
	defer past.Keep()()
	f.Recall = past
	return reason.Origins(book.Book, &d.Decision, &f)
}

// everyGate derives what every gate said, by deciding again.
func (e *Engine) everyGate(ctx context.Context, rec journal.Record, was *Decision) ([]reason.Step, error) {
	book := e.Rules().Policy()
	if book.Hash() != was.Policy || e.opt.Plugins != nil || len(e.opt.Gates) > 0 { // they are not asked again
		p, err := e.policies.RecordedPolicy(was.Policy)
		if err != nil {
			return nil, err
		}
		book = p.Gates
	}
	is, err := e.again(ctx, rec, was, book, map[string]*reason.Places{}, true)
	if err != nil {
		return nil, err
	}
	if fields := was.Same(&is.Decision); len(fields) > 0 {
		return nil, fmt.Errorf("this program decides otherwise: %s", fields[0])
	}
	return is.Trace, nil
}

// otherGates notes the recorded gates that this engine lacks.
func (r *Replayed) otherGates(recorded, here []Gate) {
	for _, g := range recorded {
		name := g.Name + " " + g.Version
		same := func(h Gate) bool { return h.Name == g.Name && h.Version == g.Version }
		if !slices.ContainsFunc(here, same) && !slices.Contains(r.Gates, name) {
			r.Gates = append(r.Gates, name)
		}
	}
}
