package cortextest

// What the torture harnesses hear of an engine, which may be in another process, and
// what must hold between that and the record after every crash.

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/sexpr"
)

// event is one line of what a tortured engine says. Once it is said it stays
// said, whatever becomes of the engine.
type event struct {
	Do    string    `json:"do"` // "ack", "approved", "effect", "rec", "bad", "ready"
	Seq   uint64    `json:"seq,omitempty"`
	Kind  string    `json:"kind,omitempty"`
	Key   string    `json:"key,omitempty"`    // idempotency key of an effect
	Of    string    `json:"of,omitempty"`     // digest of its action
	What  string    `json:"what,omitempty"`   // the action, which occurs once in its session
	Token string    `json:"token,omitempty"`  // of an approval
	Spend int64     `json:"amount,omitempty"` // of an effect
	Rec   *recorder `json:"rec,omitempty"`
}

// recorder carries a record between processes.
type recorder struct{ Session, Body, Prev, Hash string }

func (e event) line() []byte {
	raw, err := json.Marshal(e)
	if err != nil {
		panic(err)
	}
	return append(raw, '\n')
}

func recEvent(r cortex.Record) event {
	return event{Do: "rec", Seq: r.Seq, Kind: r.Kind,
		Rec: &recorder{r.Session, r.Body.String(), r.Prev.String(), r.Hash.String()}}
}

// record is what a ledger needs of the record in an event.
func (e event) record() (r cortex.Record, err error) {
	r.Seq, r.Kind, r.Session = e.Seq, e.Kind, e.Rec.Session
	if r.Body, err = sexpr.Read("body", e.Rec.Body); err != nil {
		return r, err
	}
	if r.Hash, err = sexpr.ParseDigest(e.Rec.Hash); err != nil {
		return r, err
	}
	r.Prev, err = sexpr.ParseDigest(e.Rec.Prev)
	return r, err
}

// heard are the records that an engine said it found. They implement [Records].
type heard []event

func (h heard) Read(seq uint64) (cortex.Record, error) {
	if seq > uint64(len(h)) {
		return cortex.Record{}, journal.ErrNotFound
	}
	return h[seq-1].record()
}

func (h heard) Records(from uint64, f func(cortex.Record) error) error {
	for _, e := range h[min(from-1, uint64(len(h))):] {
		r, err := e.record()
		if err == nil {
			err = f(r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// mayPay is what testRules allow to be paid.
const mayPay = 1000

// witness is a ledger that hears what one engine after another says.
type witness struct {
	*Ledger

	mu    sync.Mutex
	up    bool    // it has said what it found
	found heard   // so far
	early []event // said before that, and of no concern to the check
	paid  int64
	bad   []string // what must never be
}

func newWitness() *witness {
	l := NewLedger()
	l.Once = true
	return &witness{Ledger: l}
}

// begin is the beginning of another engine's life.
func (w *witness) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.take()
	w.up, w.found = false, nil
}

// take enters what was said early. The caller holds mu.
func (w *witness) take() {
	for _, e := range w.early {
		w.enter(e)
	}
	w.early = nil
}

// fork is a witness who goes on alone from here, in a world of its own.
func (w *witness) fork() *witness {
	w.mu.Lock()
	defer w.mu.Unlock()
	return &witness{Ledger: w.clone(), early: w.early, paid: w.paid}
}

// hear takes one event. It reports whether the engine is up, with its record held
// against what was said by those before it.
func (w *witness) hear(e event) (ready bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e.Do {
	case "rec":
		w.found = append(w.found, e)
	case "bad":
		w.wrong("%s", e.What)
	case "ready":
		w.check(w.found)
		w.up = true
		w.take()
		return true
	default:
		if !w.up {
			w.early = append(w.early, e)
		} else {
			w.enter(e)
		}
	}
	return false
}

// enter enters an event into the ledger.
func (w *witness) enter(e event) {
	switch e.Do {
	case "ack":
		w.Acknowledged(e.Seq, e.Kind)
	case "approved":
		w.Granted(e.Token)
	case "effect":
		w.effect(effect{e.Key, e.Of, e.What})
		w.paid += e.Spend
	}
}

// check holds records against the ledger. The caller holds mu.
func (w *witness) check(from Records) {
	w.bad = append(w.bad, lines(w.Check(from))...)
	if w.paid > mayPay {
		w.wrong("%d paid, %d allowed", w.paid, int64(mayPay))
	}
}

// wrong notes what must never be. The caller holds mu.
func (w *witness) wrong(format string, args ...any) {
	w.bad = append(w.bad, fmt.Sprintf(format, args...))
}

// ok fails the test with what was found.
func (w *witness) ok(t *testing.T, what string) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.bad) > 0 {
		t.Errorf("%s: %d wrong: %s", what, len(w.bad), strings.Join(w.bad[:min(5, len(w.bad))], "; "))
	}
}

// The records that a ledger hears of from another process are those of the journal.
func TestTorture_RecordsAreHeardAsTheyAre(t *testing.T) {
	b := newBench(t)
	w := &toiler{e: b.Engine, say: func(event) {}, reach: func(string) {}}
	if _, err := w.do(t.Context(), "risky", `(:what "x")`, "s"); err != nil {
		t.Fatal(err)
	}
	var all heard
	if err := b.Journal().Records(1, func(r cortex.Record) error {
		all = append(all, recEvent(r))
		back, err := all[len(all)-1].record()
		if err == nil && (back.Hash != r.Hash || back.Prev != r.Prev || back.Body.String() != r.Body.String()) {
			err = fmt.Errorf("record %d has changed on the way", r.Seq)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if err := NewLedger().Check(all); err != nil || len(all) < 3 {
		t.Errorf("%d records: %v", len(all), err)
	}
	b.m.Close()
}
