package cortextest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/cortex"
)

// Ledger is what a test knows of an engine from outside: what the engine said to its clients,
// and what its tools did to the world. Whatever becomes of the engine, that stays true.
// [Ledger.Check] holds it against the record, which it reads for itself.
//
// A ledger begins with an empty record and outlives every engine on it. The engines are Live.
// It is safe for concurrent use.
type Ledger struct {
	// Once says that each action of the test is to be done once in a session: then it is
	// wrong if it is done twice, even if it was allowed twice.
	Once bool

	mu     sync.Mutex
	said   said
	told   int      // of records, in all
	done   []effect // to the world
	byKey  map[string]int
	checks sync.Mutex // held by Check; the rest is for it alone
	recorded
	wrongs  []error
	counted int // effects that were checked
}

// said is what clients were told since the last check.
type said struct {
	records map[uint64]string // kinds, by number
	granted map[string]bool   // tokens of cards
}

// effect is something that was done to the world.
type effect struct {
	key, digest, what string
}

// NewLedger returns an empty ledger.
func NewLedger() *Ledger {
	return &Ledger{said: newSaid(), byKey: map[string]int{}, recorded: newRecorded()}
}

func newSaid() said { return said{map[uint64]string{}, map[string]bool{}} }

// Acknowledged notes that a client was told of a record, and of which kind it is: one of
// package record, such as [record.KindDecision] with the ID of a decision.
func (l *Ledger) Acknowledged(seq uint64, kind string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.said.records[seq] = kind
	l.told++
}

// Granted notes that a client was told that people have approved this card.
func (l *Ledger) Granted(token string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.said.granted[token] = true
	l.told++
}

// Effect notes that an action was done to the world under this key. A tool calls it where it
// changes something, and one that honours its key only the first time.
func (l *Ledger) Effect(key string, a *cortex.Action) {
	l.effect(effect{key, a.Digest().String(), a.Canonical()})
}

func (l *Ledger) effect(e effect) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done = append(l.done, e)
	l.byKey[e.key]++
}

// Happened reports whether there was an effect under this key.
func (l *Ledger) Happened(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.byKey[key] > 0
}

// Effects returns how many effects there were.
func (l *Ledger) Effects() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.done)
}

// Told returns how often clients were told that something is on record.
func (l *Ledger) Told() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.told
}

// Records are records to be held against a ledger: those of [cortex.Engine.Journal].
type Records interface {
	Read(seq uint64) (cortex.Record, error)
	Records(from uint64, f func(cortex.Record) error) error
}

// Check reads the records that were written since the last check. Its error lists what must
// never be:
//
//   - a record that clients were told of, or that an earlier check read, is lost or another;
//   - an intent has no recorded allow over its bytes, or shares its key;
//   - an approval was used twice, or was used and not granted for these bytes;
//   - two intents make up for the same one;
//   - there was an effect without an intent, with other bytes, or twice under one key.
//
// Clients and tools may go on meanwhile.
func (l *Ledger) Check(from Records) error {
	l.checks.Lock()
	defer l.checks.Unlock()
	l.mu.Lock() // before the record is read: what has been said by now must be there
	said, done := l.said, l.done[l.counted:]
	l.said, l.counted = newSaid(), len(l.done)
	l.mu.Unlock()
	l.read(from)
	for _, seq := range slices.Sorted(maps.Keys(said.records)) {
		if kind := said.records[seq]; l.kinds[seq] != kind {
			l.wrong("acknowledged and lost: %s %d (found %q)", kind, seq, l.kinds[seq])
		}
	}
	for _, token := range slices.Sorted(maps.Keys(said.granted)) {
		if c := l.cards[token]; c == nil || !c.granted {
			l.wrong("an acknowledged yes is lost: %s", token)
		}
	}
	for _, e := range done {
		l.judge(e)
	}
	return l.end()
}

// wrong notes what must never be. The caller holds checks.
func (l *Ledger) wrong(format string, args ...any) {
	l.wrongs = append(l.wrongs, fmt.Errorf(format, args...))
}

// end returns what was found since it was called last.
func (l *Ledger) end() error {
	err := errors.Join(l.wrongs...)
	l.wrongs = nil
	return err
}

// lines are the errors that a check has joined, one by one.
func lines(err error) (out []string) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range joined.Unwrap() {
			out = append(out, err.Error())
		}
	} else if err != nil {
		out = append(out, err.Error())
	}
	return out
}

// judge checks one effect against the record.
func (l *Ledger) judge(e effect) {
	if l.keys[e.key]++; l.keys[e.key] > 1 {
		l.wrong("done %d times under one key: %s", l.keys[e.key], e.what)
	}
	in, ok := l.intents[e.key]
	switch {
	case !ok:
		l.wrong("an effect without an intent: %s", e.what)
		return
	case in.of.String() != e.digest:
		l.wrong("other bytes than were allowed: %s", e.what)
	}
	if what := in.session + " " + e.what; l.Once {
		if l.whats[what]++; l.whats[what] > 1 {
			l.wrong("done twice: %s", what)
		}
	}
	if in.compensates != 0 {
		if l.undone[in.compensates]++; l.undone[in.compensates] > 1 {
			l.wrong("intent %d is made up for twice: %s", in.compensates, e.what)
		}
	}
}

// A stamp is when something got to the disk, by clocks that an engine cannot err about.
type stamp struct {
	wall time.Time
	boot string
	up   time.Duration
}
