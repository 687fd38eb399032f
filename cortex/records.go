package cortex

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
	kindOpen       = "open"        // an engine began to run on this record
	kindRulebook   = "rulebook"    // the files of a rulebook, once, by hash
	kindPlaces     = "places"      // the protected places, once, by hash
	kindSignal     = "signal"      // something observed
	kindDecision   = "decision"    // all verdicts combined, with what they rested on
	kindApproval   = "approval"    // an approval, each time it changes
	kindIntent     = "intent"      // before an effect
	kindReceipt    = "receipt"     // after an effect
	kindSettled    = "settled"     // what a person makes of a compensation that failed
	kindRetry      = "retry"       // an intent in doubt is tried once more
	kindAnswer     = "answer"      // how a root signal was answered
	kindKill       = "kill-switch" // turned on or off
	kindPairing    = "pairing"     // the hash of the operator's secret
	kindPosting    = "posting"     // a card was shown, or is about to be
	kindCheckpoint = "checkpoint"  // the head was signed
	kindRollback   = "rollback"    // an operator accepted a record that had gone back
	kindClock      = "clock"       // the wall clock was moved
	kindEnd        = "end"         // an operator ended a session
	kindFact       = "fact"        // an operator set a fact of facts.ctx
)

// decisionFrom reads the decision in a record.
func decisionFrom(rec journal.Record) (*Decision, error) {
	if rec.Kind != kindDecision {
		return nil, fmt.Errorf("record %d is of the kind %s, and not a decision", rec.Seq, rec.Kind)
	}
	v, _ := rec.Body.Get("decision")
	d, err := reason.DecodeDecision(v)
	if err != nil {
		return nil, fmt.Errorf("decision %d: %w", rec.Seq, err)
	}
	return &Decision{Decision: *d, ID: rec.Seq}, nil
}

// receiptBody is the record of what came of an intent.
func receiptBody(intent, decision uint64, r Receipt, by string) sexpr.Value {
	return sexpr.Plist(
		"intent", sexpr.Int64(int64(intent)), "decision", sexpr.Int64(int64(decision)), "state", sexpr.Str(string(r.State)),
		"result", r.Result, "text", sexpr.Str(r.Text), "error", sexpr.Str(r.Error), "took", sexpr.Int64(int64(r.Took)),
		"by", sexpr.Str(by))
}

// receiptFrom reads what receiptBody wrote.
func receiptFrom(v sexpr.Value) Receipt {
	result, _ := v.Get("result")
	return Receipt{
		State: act.State(v.GetText("state")), Result: result, Text: v.GetText("text"), Error: v.GetText("error"),
		Took: time.Duration(v.GetInt("took")),
	}
}

// happened reports whether an effect may have changed the world.
func happened(r Receipt) bool { return r.State != act.Nothing }
