package cortex

import (
	"strings"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// keptHappenings is how many records of a replay stay in memory, as far as histories
// tell of them. As many may well lie between one decision of a session and the next.
const keptHappenings = 4096

// keptBytes is how long such a record may be: longer ones are read once more.
const keptBytes = 16 << 10

// happening is what a record says that concerns a history. It shares no memory with the
// record, which is many times as long.
type happening struct {
	user    string         // a person's message
	call    *skills.Call   // a decision's, as it was decided
	receipt *act.Receipt   // what came of a call, and ...
	intent  uint64         // ... of which intent
	spends  []skills.Spend // an intent's
}

// happeningOf is what rec says. A decision that was decoded already need not be again.
func happeningOf(rec journal.Record, d *reason.Decision) (*happening, error) {
	switch rec.Kind {
	case kindSignal:
		return &happening{user: strings.Clone(rec.Body.GetText("text"))}, nil
	case kindDecision:
		if d == nil {
			var err error
			if d, err = decisionFrom(rec); err != nil {
				return nil, err
			}
		}
		return &happening{call: callOf(rec, d)}, nil
	case kindReceipt:
		r := receiptFrom(rec.Body)
		r.State, r.Result, r.Text, r.Error = act.State(strings.Clone(string(r.State))), r.Result.Clone(), strings.Clone(
			r.Text), strings.Clone(r.Error)
		return &happening{receipt: &r, intent: uint64(rec.Body.GetInt("intent"))}, nil
	}
	var e happening
	spends, _ := rec.Body.Get("spends")
	for _, s := range spends.Items() {
		e.spends = append(e.spends, spendFrom(s, rec))
	}
	return &e, nil
}

// bytes is about what a happening takes in memory.
func (e *happening) bytes() int {
	n := bytesOfWords(e.user)
	if e.call != nil {
		n += bytesOfCall(e.call)
	}
	if e.receipt != nil {
		n += bytesOfReceipt(e.receipt)
	}
	for i := range e.spends {
		n += bytesOfSpend(&e.spends[i])
	}
	return n
}

// happening returns what record seq says.
func (h *history) happening(seq uint64) (*happening, error) {
	if e, ok := h.passed.Get(seq); ok {
		return e, nil
	}
	rec, err := h.j.Read(seq)
	if err != nil {
		return nil, err
	}
	return happeningOf(rec, nil)
}

// pass keeps what a record says that a replay has read and checked; d is its decision,
// if it is one.
func (h *history) pass(rec journal.Record, d *reason.Decision) error {
	switch rec.Kind {
	case kindSignal, kindDecision, kindIntent, kindReceipt:
		e, err := happeningOf(rec, d)
		if err == nil && e.bytes() <= keptBytes {
			h.passed.Add(rec.Seq, e)
		}
		return err
	}
	return nil
}

// callOf is the call that a decision record stands for in a session.
func callOf(rec journal.Record, d *reason.Decision) *skills.Call {
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
