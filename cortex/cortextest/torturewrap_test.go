package cortextest

// Stands before the store of a tortured engine: named points at which it may be
// killed, and the faults that the harness has to find.

import (
	"slices"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
)

// The faults of the negative controls.
const (
	faultEarlyAck = "ack-before-sync"
	faultBytes    = "skip-the-digest"
	faultReuse    = "consume-without-compare-and-set"
	faultActFirst = "execute-before-intent"
	faultNoClaim  = "forget-what-is-made-up-for"
	faultNoWake   = "forget-to-wake-a-run"
)

var faults = []string{faultEarlyAck, faultBytes, faultReuse, faultActFirst, faultNoClaim, faultNoWake}

// symptoms are what each fault shows itself by.
var symptoms = map[string]string{
	faultEarlyAck: "lost|written anew|now \\d+$|effect without an intent|done twice|under one key|made up for",
	faultBytes:    "other bytes",
	faultReuse:    "was used by intents|was consumed|which the record does not say",
	faultActFirst: "effect without an intent|done twice|under one key",
	faultNoClaim:  "made up for",
	faultNoWake:   "a wake-up is lost",
}

// reuse forgets that a grant was used.
func reuse(st journal.Store) journal.Store { return dropping{st, faultReused.drops} }

// dropping is a store that does not carry out some writes.
type dropping struct {
	journal.Store
	drop func(journal.Write) bool
}

func (s dropping) Commit(writes []journal.Write) error {
	return s.Store.Commit(slices.DeleteFunc(slices.Clone(writes), s.drop))
}

// sleepy is a store that forgets to wake the runs that wait for an answer.
type sleepy struct{ journal.Store }

func (s sleepy) Commit(writes []journal.Write) error {
	if !slices.Contains(kindsIn(writes), record.KindApproval) {
		return s.Store.Commit(writes)
	}
	wakes := func(w journal.Write) bool { return len(w.Value) == 16 && w.Key[0] == byte(record.TableUnanswered) }
	return s.Store.Commit(slices.DeleteFunc(slices.Clone(writes), wakes))
}

// wrapped is the store of a tortured engine with a fault, or none.
func wrapped(fault string, reach func(string)) func(journal.Store) journal.Store {
	return func(st journal.Store) journal.Store {
		switch fault {
		case faultReuse:
			st = reuse(st)
		case faultEarlyAck:
			st = AckEarly(st)
		case faultNoClaim:
			st = dropping{st, func(w journal.Write) bool { return w.Key[0] == byte(record.TableCompensation) }}
		case faultNoWake:
			st = sleepy{st}
		}
		return Points(st, reach)
	}
}
