package traces

import (
	"fmt"

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/perceive"
)

// Fold makes traces of records, which are added in their order.
type Fold struct {
	// Only folds the trace of one root signal, and no decision of embedders; 0 folds all.
	Only uint64
	// Tell gets each trace once it is answered and nothing of it runs. What comes later, such
	// as the receipt of an action that a person approved, follows in a trace of the same
	// Root and ID that is Late.
	Tell func(*Trace) error

	roots map[uint64]*Trace   // that are not told yet
	told  map[uint64][16]byte // roots that are: the ID of each
	alone []*Trace            // embedders' decisions, in order
	calls map[uint64]place    // by decision
	runs  map[uint64]*Run     // by intent, without a receipt
}

// place is a decision in its trace.
type place struct {
	t *Trace
	c *Call
}

// Add takes the next record.
func (f *Fold) Add(r journal.Record) error {
	if f.roots == nil {
		f.roots, f.told, f.calls, f.runs = map[uint64]*Trace{}, map[uint64][16]byte{}, map[uint64]place{},
			map[uint64]*Run{}
	}
	switch r.Kind {
	case record.KindSignal:
		return f.signal(r)
	case record.KindThink:
		x := record.ThinkFrom(r.Body)
		if t := f.trace(x.Root, r); t != nil {
			t.Thoughts = append(t.Thoughts, &Thought{Think: x, Seq: r.Seq, At: r.At, Span: span(r)})
		}
	case record.KindDecision:
		return f.decision(r)
	case record.KindApproval:
		return f.approval(r)
	case record.KindIntent:
		f.intent(r)
	case record.KindReceipt:
		return f.receipt(r)
	case record.KindAnswer:
		return f.answer(r)
	}
	return nil
}

// End tells all traces that are not over, in the order in which they began.
func (f *Fold) End() error {
	var left []*Trace
	for _, t := range f.roots {
		left = append(left, t)
	}
	left = append(left, f.alone...)
	sortByBeginning(left)
	for _, t := range left {
		if err := f.Tell(t); err != nil {
			return err
		}
	}
	f.roots, f.alone = nil, nil
	return nil
}

func (f *Fold) signal(r journal.Record) error {
	if f.Only != 0 && f.Only != r.Seq {
		return nil
	}
	sig, err := perceive.DecodeSignal(r.Body)
	if err != nil {
		return fmt.Errorf("signal %d: %w", r.Seq, err)
	}
	if sig.Root == 0 || sig.Root == r.Seq {
		f.roots[r.Seq] = &Trace{Root: r.Seq, ID: trace(r), Begun: r, Signal: sig, Session: r.Session}
	}
	return nil
}

// trace returns the trace of a root, a late one where it is told already. nil says that it is
// not wanted, or that its signal is not among the records.
func (f *Fold) trace(root uint64, r journal.Record) *Trace {
	if t := f.roots[root]; t != nil {
		return t
	}
	id, ok := f.told[root]
	if !ok {
		return nil
	}
	t := &Trace{Root: root, ID: id, Begun: journal.Record{Seq: r.Seq, At: r.At}, Session: r.Session, Late: true}
	f.roots[root] = t
	return t
}

func (f *Fold) decision(r journal.Record) error {
	root := uint64(r.Body.GetInt("root"))
	t := f.trace(root, r)
	if t == nil && (root != 0 || f.Only != 0) {
		return nil
	}
	d, err := record.DecisionFrom(r)
	if err != nil {
		return err
	}
	c := &Call{Decision: d, At: r.At, Span: span(r), record: r}
	if step, ok := record.StepFrom(r.Body); ok {
		c.Step = step
	}
	if t == nil {
		t = &Trace{ID: trace(r), Begun: r, Session: r.Session}
		f.alone = append(f.alone, t)
	}
	if n := len(t.Thoughts); n > 0 && c.Step == (record.Step{}) {
		c.Thought = t.Thoughts[n-1]
	}
	t.Calls = append(t.Calls, c)
	f.calls[r.Seq] = place{t, c}
	return nil
}

// call returns the decision in a trace that is not told yet; in a late one, if it is, with no
// more than its number.
func (f *Fold) call(decision, root uint64, r journal.Record) *Call {
	if p, ok := f.calls[decision]; ok {
		return p.c
	}
	t := f.trace(root, r)
	if root == 0 || t == nil {
		return nil
	}
	c := &Call{Decision: &record.Decision{ID: decision}, At: r.At}
	t.Calls = append(t.Calls, c)
	f.calls[decision] = place{t, c}
	return c
}

func (f *Fold) approval(r journal.Record) error {
	a, err := approval.From(r.Body)
	if err != nil {
		return fmt.Errorf("record %d: %w", r.Seq, err)
	}
	if a.State == approval.Pending || a.State == approval.Consumed {
		return nil
	}
	if c := f.call(a.Decision, a.Root, r); c != nil {
		c.Waits = append(c.Waits, Wait{Seq: r.Seq, Span: span(r), State: a.State, Created: a.Created * 1e9, Ended: r.At})
	}
	return nil
}

func (f *Fold) intent(r journal.Record) {
	in := record.IntentFrom(r.Body)
	if c := f.call(in.Decision, in.Root, r); c != nil {
		x := &Run{Intent: in, Seq: r.Seq, At: r.At, Span: span(r)}
		c.Runs = append(c.Runs, x)
		f.runs[r.Seq] = x
	}
}

func (f *Fold) receipt(r journal.Record) error {
	rc := record.ReceiptFrom(r.Body)
	x := f.runs[rc.Intent]
	if x == nil {
		return nil
	}
	x.Receipt, x.Ended, x.Span = &rc, r.At, span(r)
	delete(f.runs, rc.Intent)
	if t := f.roots[x.Root]; t != nil && t.Answered() {
		return f.tell(t)
	}
	return nil
}

func (f *Fold) answer(r journal.Record) error {
	a := record.AnswerFrom(r.Body)
	t := f.trace(a.Signal, r)
	if t == nil {
		return nil
	}
	t.Answers = append(t.Answers, Answer{a, r.At})
	if t.Answered() && !t.open() {
		return f.tell(t)
	}
	return nil
}

// tell tells a trace and forgets all of it but its name.
func (f *Fold) tell(t *Trace) error {
	if f.Only != 0 {
		return nil // End tells it, whole
	}
	for _, c := range t.Calls {
		delete(f.calls, c.ID)
	}
	delete(f.roots, t.Root)
	f.told[t.Root] = t.ID
	return f.Tell(t)
}
