package history

import (
	"strings"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/admission"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// keptItems is how many records of a replay stay in memory, as far as histories
// tell of them. As many may well lie between one decision of a session and the next.
const keptItems = 4096

// keptBytes is how long such a record may be: longer ones are read once more.
const keptBytes = 16 << 10

// Item is what a record says that concerns a history. It shares no memory with the
// record, which is many times as long.
type Item struct {
	User    string         // a person's message
	Call    *skills.Call   // a decision's, as it was decided
	Receipt *act.Receipt   // the receipt of a call, and ...
	Intent  uint64         // ... of which intent
	Spends  []skills.Spend // an intent's
}

// ItemOf is what rec says. A decision that was decoded already need not be again.
func ItemOf(rec journal.Record, d *record.Decision) (*Item, error) {
	switch rec.Kind {
	case record.KindSignal:
		return &Item{User: strings.Clone(rec.Body.GetText("text"))}, nil
	case record.KindDecision:
		if d == nil {
			var err error
			if d, err = record.DecisionFrom(rec); err != nil {
				return nil, err
			}
		}
		return &Item{Call: callOf(rec, d)}, nil
	case record.KindReceipt:
		r := record.ReceiptFrom(rec.Body)
		r.State, r.Result, r.Text, r.Error = act.State(strings.Clone(string(r.State))), r.Result.Clone(), strings.Clone(
			r.Text), strings.Clone(r.Error)
		return &Item{Receipt: &r, Intent: uint64(rec.Body.GetInt("intent"))}, nil
	}
	var e Item
	spends, _ := rec.Body.Get("spends")
	for _, s := range spends.Items() {
		e.Spends = append(e.Spends, spendFrom(s, rec))
	}
	return &e, nil
}

// bytes is about what a item takes in memory.
func (e *Item) bytes() int {
	n := admission.BytesOfWords(e.User)
	if e.Call != nil {
		n += admission.BytesOfCall(e.Call)
	}
	if e.Receipt != nil {
		n += admission.BytesOfReceipt(e.Receipt)
	}
	for i := range e.Spends {
		n += admission.BytesOfSpend(&e.Spends[i])
	}
	return n
}

// item returns what record seq says.
func (h *History) item(seq uint64) (*Item, error) {
	if e, ok := h.Passed.Get(seq); ok {
		return e, nil
	}
	rec, err := h.J.Read(seq)
	if err != nil {
		return nil, err
	}
	return ItemOf(rec, nil)
}

// Pass keeps what a record says that a replay has read and checked; d is its decision,
// if it is one.
func (h *History) Pass(rec journal.Record, d *record.Decision) error {
	switch rec.Kind {
	case record.KindSignal, record.KindDecision, record.KindIntent, record.KindReceipt:
		e, err := ItemOf(rec, d)
		if err == nil && e.bytes() <= keptBytes {
			h.Passed.Add(rec.Seq, e)
		}
		return err
	}
	return nil
}

// callOf is the call that a decision record stands for in a session.
func callOf(rec journal.Record, d *record.Decision) *skills.Call {
	call := &skills.Call{Decision: d.Kind.String(), At: rec.At / 1e9, Happened: d.Kind == reason.Allow}
	if a := d.Action; a != nil {
		call.Tool, call.Args = strings.Clone(a.Tool()), a.Args().Clone()
	}
	return call
}

func spendFrom(v sexpr.Value, rec journal.Record) skills.Spend {
	amount, _ := v.Get("amount")
	n := amount.Float()
	if amount.Kind() == sexpr.Int {
		n = float64(amount.Int())
	}
	return skills.Spend{
		Budget: strings.Clone(v.GetText("budget")), Amount: n, Session: strings.Clone(rec.Session),
		Principal: strings.Clone(rec.Body.GetText("principal")), Tool: strings.Clone(rec.Body.GetText("tool")),
		At: rec.At / 1e9,
	}
}
