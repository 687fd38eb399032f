package record

import (
	"fmt"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/internal/plist"
	"github.com/opencortex-go/cortex/perceive"
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
	KindCover      = "cover"       // a person covered more calls like an approved one, or took that back
	KindEvents     = "events"      // what one operation entered into a log
	KindKept       = "kept"        // content that logs pin, once, by its digest
	KindStanding   = "standing"    // an operator exempted a log from retention, or deleted it
	KindRunKeys    = "run-keys"    // an operator rotated the keys that tickets are signed with; never the keys
	KindThink      = "think"       // what a model was asked and what it answered
	KindRetention  = journal.KindRetention
)

// Entry is what one record says. Each kind has one type, which writes and reads its
// body; those of decisions, approvals, postings and signals stand where these do.
type Entry interface {
	Kind() string       // what KindIntent and the others name
	Value() sexpr.Value // the body of the record
}

// Append adds a record to the journal, with the content and the kind of e.
func Append(tx *journal.Tx, session string, e Entry) (journal.Record, error) {
	return tx.Append(e.Kind(), session, e.Value())
}

// Printed is a record that puts its members in canonical order, so that it is printed at once.
type Printed interface {
	Kind() string
	Put(plist.Sink)
}

// AppendPrinted adds a record to the chain, as [Append] does. w is for the writer's goroutine alone.
func AppendPrinted(tx *journal.Tx, session string, e Printed, w *plist.Writer) (journal.Head, error) {
	body, err := journal.PrintBody(w, e.Put)
	if err != nil {
		return journal.Head{}, fmt.Errorf("%s: %w", e.Kind(), err)
	}
	return tx.AppendBody(e.Kind(), session, body)
}

// AppendAll is [Append] for entries of one session, in order.
func AppendAll(tx *journal.Tx, session string, entries []Entry) error {
	for _, e := range entries {
		if _, err := Append(tx, session, e); err != nil {
			return err
		}
	}
	return nil
}

// Signal is a signal as an [Entry]; [perceive.DecodeSignal] reads it.
type Signal struct{ perceive.Signal }

// Kind implements [Entry].
func (Signal) Kind() string { return KindSignal }

// number is a sequence number or a count as records have it.
func number[N uint64 | int64 | int](n N) sexpr.Value { return sexpr.Int64(int64(n)) }

// seqIn reads a sequence number.
func seqIn(v sexpr.Value, field string) uint64 { return uint64(v.GetInt(field)) }

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

// Numbers and [NumbersFrom] carry lists of sequence numbers.
func Numbers(ns []uint64) sexpr.Value {
	out := make([]sexpr.Value, len(ns))
	for i, n := range ns {
		out[i] = number(n)
	}
	return sexpr.ListOf(out...)
}

// NumbersFrom reads what [Numbers] wrote into a field.
func NumbersFrom(v sexpr.Value, field string) []uint64 {
	list, _ := v.Get(field)
	var out []uint64
	for _, x := range list.Items() {
		out = append(out, uint64(x.Int()))
	}
	return out
}
