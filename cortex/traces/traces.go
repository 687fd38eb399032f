// Package traces reads a record as traces: for each root signal, what models were asked about
// it, what was decided, who had to agree, what ran and how it was answered. It folds records
// in their order, keeps in memory what is not over yet, and writes nothing.
package traces

import (
	"time"

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/perceive"
)

// Trace is all that one root signal led to, or one decision that an embedder asked for.
type Trace struct {
	Root     uint64          // the signal's record; 0 for an embedder's decision
	ID       [16]byte        // of the hash of the record that it began with
	Begun    journal.Record  // the signal, or the decision; only its head if the trace is Late
	Signal   perceive.Signal // zero for an embedder's decision
	Session  string
	Thoughts []*Thought
	Calls    []*Call
	Answers  []Answer // in order: one that waits for people is followed by another
	// Late says that the trace was told before, and this is what has come after that.
	Late bool
}

// Thought is one question to a model.
type Thought struct {
	record.Think
	Seq  uint64
	At   int64 // of the record, in nanoseconds: when the answer was there, or soon after
	Span [8]byte
}

// Call is one decision, and all that it led to.
type Call struct {
	*record.Decision
	At      int64 // of the record, in nanoseconds
	Span    [8]byte
	Step    record.Step // of a run; zero for none
	Thought *Thought    // that proposed it; nil if none is on record
	Waits   []Wait
	Runs    []*Run
	record  journal.Record
}

// Record is the decision's record, whole.
func (c *Call) Record() journal.Record { return c.record }

// Wait is a card that is answered or over.
type Wait struct {
	Seq            uint64
	Span           [8]byte
	State          approval.State
	Created, Ended int64 // in nanoseconds
}

// Run is one intent and how it ended.
type Run struct {
	record.Intent
	Seq     uint64 // of the intent
	At      int64  // of the intent, in nanoseconds
	Receipt *record.Receipt
	Ended   int64 // of the receipt, in nanoseconds; 0 without one
	Span    [8]byte
}

// Answer is how the root signal was answered.
type Answer struct {
	record.Answer
	At int64
}

// End returns when the last that is known of a trace happened, in nanoseconds.
func (t *Trace) End() int64 {
	end := t.Begun.At
	for _, x := range t.Thoughts {
		end = max(end, x.At)
	}
	for _, c := range t.Calls {
		end = max(end, c.At)
		for _, w := range c.Waits {
			end = max(end, w.Ended)
		}
		for _, r := range c.Runs {
			end = max(end, r.At, r.Ended)
		}
	}
	for _, a := range t.Answers {
		end = max(end, a.At)
	}
	return end
}

// Usage is what a trace's questions to models have taken.
type Usage struct {
	Cost                float64 // US dollars
	TokensIn, TokensOut int64
	Took                time.Duration
}

// Usage adds up what the questions to models took, as far as it is on record.
func (t *Trace) Usage() (u Usage) {
	for _, x := range t.Thoughts {
		u.Cost += x.Cost
		u.TokensIn += x.TokensIn
		u.TokensOut += x.TokensOut
		u.Took += x.Took
	}
	return u
}

// Answered reports whether the last answer is final: it waits for no person.
func (t *Trace) Answered() bool {
	return len(t.Answers) > 0 && t.Answers[len(t.Answers)-1].Approval == ""
}

// open reports whether something of the trace still runs.
func (t *Trace) open() bool {
	for _, c := range t.Calls {
		for _, r := range c.Runs {
			if r.Receipt == nil {
				return true
			}
		}
	}
	return false
}

func trace(r journal.Record) [16]byte { return [16]byte(r.Hash[:16]) }

func span(r journal.Record) [8]byte { return [8]byte(r.Hash[16:24]) }
