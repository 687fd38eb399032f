package record

import (
	"fmt"
	"time"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
)

// The kinds of record.
const (
	KindOpen       = "open"        // an engine began to run on this record
	KindRulebook   = "rulebook"    // the files of a rulebook, once, by hash
	KindPlaces     = "places"      // the protected places, once, by hash
	KindSignal     = "signal"      // something observed
	KindDecision   = "decision"    // all verdicts combined, with what they rested on
	KindApproval   = "approval"    // an approval, each time it changes
	KindIntent     = "intent"      // before an effect
	KindReceipt    = "receipt"     // after an effect
	KindSettled    = "settled"     // what a person makes of a compensation that failed
	KindRetry      = "retry"       // an intent in doubt is tried once more
	KindAnswer     = "answer"      // how a root signal was answered
	KindKill       = "kill-switch" // turned on or off
	KindPairing    = "pairing"     // the hash of the operator's secret
	KindPosting    = "posting"     // a card was shown, or is about to be
	KindCheckpoint = "checkpoint"  // the head was signed
	KindRollback   = "rollback"    // an operator accepted a record that had gone back
	KindClock      = "clock"       // the wall clock was moved
	KindEnd        = "end"         // an operator ended a session
	KindFact       = "fact"        // an operator set a fact of facts.ctx
)

// DecisionFrom reads the decision in a record.
func DecisionFrom(rec journal.Record) (*Decision, error) {
	if rec.Kind != KindDecision {
		return nil, fmt.Errorf("record %d is of the kind %s, and not a decision", rec.Seq, rec.Kind)
	}
	v, _ := rec.Body.Get("decision")
	d, err := reason.DecodeDecision(v)
	if err != nil {
		return nil, fmt.Errorf("decision %d: %w", rec.Seq, err)
	}
	return &Decision{Decision: *d, ID: rec.Seq}, nil
}

// ReceiptBody is the record of the receipt of an intent.
func ReceiptBody(intent, decision uint64, r act.Receipt, by string) sexpr.Value {
	return sexpr.Plist(
		"intent", sexpr.Int64(int64(intent)), "decision", sexpr.Int64(int64(decision)), "state", sexpr.Str(string(r.State)),
		"result", r.Result, "text", sexpr.Str(r.Text), "error", sexpr.Str(r.Error), "took", sexpr.Int64(int64(r.Took)),
		"by", sexpr.Str(by))
}

// ReceiptFrom reads what [ReceiptBody] wrote.
func ReceiptFrom(v sexpr.Value) act.Receipt {
	result, _ := v.Get("result")
	return act.Receipt{
		State: act.State(v.GetText("state")), Result: result, Text: v.GetText("text"), Error: v.GetText("error"),
		Took: time.Duration(v.GetInt("took")),
	}
}

// Happened reports whether an effect may have changed the world.
func Happened(r act.Receipt) bool { return r.State != act.Nothing }

// Texts and [TextsFrom] carry lists of strings.
func Texts(ss []string) sexpr.Value {
	out := make([]sexpr.Value, len(ss))
	for i, s := range ss {
		out[i] = sexpr.Str(s)
	}
	return sexpr.ListOf(out...)
}

// TextsFrom reads what [Texts] wrote into a field.
func TextsFrom(v sexpr.Value, field string) []string {
	list, _ := v.Get(field)
	var out []string
	for _, x := range list.Items() {
		out = append(out, x.Text())
	}
	return out
}
