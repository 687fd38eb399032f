package history

import (
	"strings"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/admission"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// keptItems is how many records of a replay stay in memory, reduced to what histories
// need. Between two decisions of one session there may be that many records.
const keptItems = 4096

// keptBytes bounds such a record, in bytes; longer ones are read again.
const keptBytes = 16 << 10

// Item is the part of a record that a history needs. It shares no memory with the record,
// which is many times as long.
type Item struct {
	User    string         // a person's message, and ...
	Unnamed bool           // ... that it is not known who sent it
	Source  *skills.Source // another text that the model read
	// Open is set of a call that somebody else than the engine may have run: what it
	// returned is not known before there is a receipt for it, or for a later decision on
	// the same action. What the engine runs, a model sees with its receipt alone.
	Open    bool
	Digest  sexpr.Digest   // of the action of a call
	Call    *skills.Call   // a decision's, as it was decided
	Receipt *act.Receipt   // the receipt of a call, and ...
	Intent  uint64         // ... of which intent
	Cover   *record.Cover  // what a person covered, or took back
	Spends  []skills.Spend // an intent's
}

// ItemOf returns the item of rec. d is its decoded decision, or nil to decode it here.
func ItemOf(rec journal.Record, d *record.Decision) (*Item, error) {
	switch rec.Kind {
	case record.KindSignal:
		text := strings.Clone(rec.Body.GetText("text"))
		if rec.Body.GetText("sensor") == perceive.TextRead {
			payload, _ := rec.Body.Get("payload")
			return &Item{Source: &skills.Source{Name: strings.Clone(payload.GetText("name")), Text: text}}, nil
		}
		return &Item{User: text,
			Unnamed: rec.Body.GetText("principal") == "" || rec.Body.GetInt("depth") > 0}, nil
	case record.KindDecision:
		if d == nil {
			var err error
			if d, err = record.DecisionFrom(rec); err != nil {
				return nil, err
			}
		}
		return &Item{Call: callOf(rec, d), Open: (d.Kind == reason.Allow || d.Would) && !rec.Body.GetTrue("resume"),
			Digest: digestOf(d)}, nil
	case record.KindReceipt:
		is := record.ReceiptFrom(rec.Body)
		r := is.Receipt
		r.State, r.Result, r.Text, r.Error = act.State(strings.Clone(string(r.State))), r.Result.Clone(), strings.Clone(
			r.Text), strings.Clone(r.Error)
		return &Item{Receipt: &r, Intent: is.Intent}, nil
	case record.KindIntent:
		return &Item{Spends: spendsOf(rec)}, nil
	case record.KindCover:
		c := record.CoverFrom(rec.Body)
		c.Cover.Tool, c.Cover.Principal = strings.Clone(c.Cover.Tool), strings.Clone(c.Cover.Principal)
		c.Token, c.By, c.Via = "", "", ""
		return &Item{Cover: &c}, nil
	}
	return &Item{}, nil
}

func digestOf(d *record.Decision) sexpr.Digest {
	if d.Action == nil {
		return sexpr.Digest{}
	}
	return d.Action.Digest()
}

// bytes estimates how much memory an item takes.
func (e *Item) bytes() int {
	n := admission.BytesOfWords(e.User)
	if e.Source != nil {
		n += admission.BytesOfWords(e.Source.Text)
	}
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

// item returns the item of record seq.
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

// Pass caches the item of a record that a replay has read and checked; d is its decision,
// or nil for other records. It returns an error if the record cannot be decoded.
func (h *History) Pass(rec journal.Record, d *record.Decision) error {
	switch rec.Kind {
	case record.KindSignal, record.KindDecision, record.KindIntent, record.KindReceipt, record.KindCover:
		e, err := ItemOf(rec, d)
		if err == nil && e.bytes() <= keptBytes {
			h.Passed.Add(rec.Seq, e)
		}
		return err
	}
	return nil
}

// callOf returns the call that a decision adds to its session's history.
func callOf(rec journal.Record, d *record.Decision) *skills.Call {
	call := &skills.Call{Decision: d.Kind.String(), At: rec.At / 1e9, Happened: d.Kind == reason.Allow}
	if a := d.Action; a != nil {
		call.Tool, call.Args = strings.Clone(a.Tool()), a.Args().Clone()
		if a.Withheld() {
			call.Args = known(rec.Body, call.Args)
		}
	}
	return call
}

// known returns the arguments without those that are destroyed: a condition that reads one
// errs, as it does for any argument that is not there.
func known(body, args sexpr.Value) sexpr.Value {
	hidden, _ := body.Get(record.Veiled)
	mark := "[secret " + hidden.GetText("mark") + "."
	var kept []sexpr.Value
	for kv := args.Items(); len(kv) > 1; kv = kv[2:] {
		if !strings.Contains(kv[1].String(), mark) {
			kept = append(kept, kv[0], kv[1])
		}
	}
	if len(kept) == 0 {
		return sexpr.EmptyObject()
	}
	return sexpr.ListOf(kept...)
}

// spendsOf is what an intent spends.
func spendsOf(rec journal.Record) (out []skills.Spend) {
	in := record.IntentFrom(rec.Body)
	for _, s := range in.Spends {
		out = append(out, skills.Spend{Budget: strings.Clone(s.Budget), Amount: s.Amount,
			Session: strings.Clone(rec.Session), Principal: strings.Clone(in.Principal), Tool: strings.Clone(in.Tool),
			At: rec.At / 1e9})
	}
	return out
}
