package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/internal/policy"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules"
)

// ReplayOptions says what to replay. The zero value replays every decision with
// the rulebook of its day.
type ReplayOptions struct {
	From  uint64          // first record; 0 means the first one
	To    uint64          // last record; 0 means the newest one
	Rules *rules.Rulebook // judge by these instead: which decisions would flip?
	Most  int             // list at most so many differences; 0 means all. All are counted.
}

// Replayed is what a replay found.
type Replayed struct {
	Decisions   int
	Differences []Difference // as many as were asked for
	Flips       int          // all that came out differently
	// ByRule counts them by the key that decides now, or, where no rule does any
	// more, decided then; ByTool by the tool.
	ByRule map[string]int
	ByTool map[string]int
	// Others are rulebooks that this program compiles to another policy than the
	// recorded one, because its functions or limits are others: said once each,
	// and no difference in itself.
	Others []sexpr.Digest
	// Gates names the gates in Go on record that this engine has not, or not in this
	// version, such as "fraud-check 2". Their recorded answers counted; it is no
	// difference.
	Gates []string
	// Skipped counts decisions whose rulebook this program cannot compile at
	// all, for want of a function; their policies are among Others.
	Skipped int
	// Removed counts decisions that cannot be derived again because retention
	// removed what they rested on. It is no difference.
	Removed int
}

// Difference is one decision that did not come out as recorded.
type Difference struct {
	Seq    uint64
	Was    *Decision
	Is     *Decision
	Fields []string // what differs: "kind", "key", "action", ...
}

// Replay derives recorded decisions again, from the facts, history and rulebook
// they rested on, and lists every one that comes out differently. It changes
// nothing. Under other rules it compares kind, key and action alone.
func (e *Engine) Replay(ctx context.Context, opt ReplayOptions) (Replayed, error) {
	var out Replayed
	defer e.history.Passed.Purge()
	books, places := map[string]*policy.Policy{}, map[string]*reason.Places{}
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
		if err := e.history.Pass(rec, was); err != nil {
			return err
		}
		judge, err := e.judgeAt(books, was, opt.Rules, &out)
		if err != nil || judge == nil {
			out.Skipped++
			return err
		}
		is, err := e.again(ctx, rec, was, judge, places, was.Passes)
		if errors.Is(err, journal.ErrRemoved) {
			out.Removed++
			return nil
		}
		if err != nil {
			return fmt.Errorf("decision %d: %w", rec.Seq, err)
		}
		out.Decisions++
		if fields := differ(was, is, opt.Rules != nil); len(fields) > 0 {
			out.flip(Difference{Seq: rec.Seq, Was: was, Is: is, Fields: fields}, opt.Most)
		}
		return nil
	})
	if errors.Is(err, errReplayed) {
		err = nil
	}
	return out, err
}

// flip counts a difference, and lists it while there are fewer than most.
func (r *Replayed) flip(d Difference, most int) {
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
	if most == 0 || len(r.Differences) < most {
		r.Differences = append(r.Differences, d)
	}
}

// errReplayed ends a replay behind its last record.
var errReplayed = errors.New("replayed")

// judgeAt returns what is to judge a recorded decision: the policy of its day, or
// other rules beside the gates in Go and the plugins of its day; nil if it cannot be
// compiled here.
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

// again makes a recorded decision once more, by book; passes is whether the trace is
// to list the gates that passed. The places that it has read are kept in known, by
// their hashes.
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
	f.Recall = e.ledger.Recall(f.Session, &q, asOf)
	f.Versions = was.Versions
	req.Facts, req.Policy, req.Places, req.Lookup = &f, book, places, reason.Recorded(was.Lookups)
	req.Passes, req.Observe = passes, was.Would
	is := &Decision{Decision: *reason.Decide(ctx, req)}
	return is, e.stillSpent(rec.Seq, f.Session.Principal, was, is)
}

// stillSpent errs where a decision rests on what its principal had spent, and
// retention has come past it: of what had been spent by then, only what later
// decisions look back to is kept.
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

// differ names what two decisions disagree in.
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

// bookAt returns the rulebook of a decision's day, kept in books once loaded; nil
// if it cannot be compiled here.
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

// Explanation is a decision with what it rested on and what came of it.
type Explanation struct {
	Decision *Decision
	// Trace is what every gate said, also those that passed, which the record only
	// counts: they are derived by judging again. Where that cannot be done, Underived
	// says why, and Trace is the record's.
	Trace     []reason.Step
	Underived error
	Facts     *Facts // as they were; without a history that retention has removed
	Intent    uint64 // the record of the intent it was used for; 0 for none
	// Compensates is the intent that the action makes up for; 0 for none.
	Compensates uint64
}

// Explain tells why record seq was decided as it was.
func (e *Engine) Explain(ctx context.Context, seq uint64) (*Explanation, error) {
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
	used, err := e.j.Get(record.Key(record.TableUsed, seq))
	out := &Explanation{Decision: d, Trace: d.Trace, Facts: &f, Intent: record.AsNumber(used), Compensates: q.Compensates}
	if d.Passed > 0 {
		if trace, why := e.everyGate(ctx, rec, d); why == nil {
			out.Trace = trace
		} else {
			out.Underived = why
		}
	}
	return out, err
}

// everyGate derives what every gate said, by making the decision again.
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

// otherGates notes the recorded gates that are not among those of here.
func (r *Replayed) otherGates(recorded, here []Gate) {
	for _, g := range recorded {
		name := g.Name + " " + g.Version
		same := func(h Gate) bool { return h.Name == g.Name && h.Version == g.Version }
		if !slices.ContainsFunc(here, same) && !slices.Contains(r.Gates, name) {
			r.Gates = append(r.Gates, name)
		}
	}
}
