package engine

// What the torture harnesses know of the world outside the engine, and what
// must hold between that and the record after every crash.

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason"
)

// event is one line of what a tortured engine says. Once it is said it stays
// said, whatever becomes of the engine.
type event struct {
	Do    string `json:"do"` // "ack", "approved", "effect", "rec", "bad", "ready"
	Seq   uint64 `json:"seq,omitempty"`
	Kind  string `json:"kind,omitempty"`
	Hash  string `json:"hash,omitempty"`
	Key   string `json:"key,omitempty"`    // idempotency key, of an effect or an intent
	Of    string `json:"of,omitempty"`     // digest of the action
	What  string `json:"what,omitempty"`   // of an effect: session and arguments, which occur once in all worlds
	Token string `json:"token,omitempty"`  // of an approval, or the grant of an intent
	State string `json:"state,omitempty"`  // of an approval, a decision or a receipt
	Ref   uint64 `json:"ref,omitempty"`    // the decision of an intent, the intent of a receipt
	For   uint64 `json:"for,omitempty"`    // the intent that an intent makes up for
	Spend int64  `json:"amount,omitempty"` // of an effect
	Dry   bool   `json:"dry,omitempty"`
}

func (e event) line() []byte {
	raw, err := json.Marshal(e)
	if err != nil {
		panic(err)
	}
	return append(raw, '\n')
}

// recEvent is what the ledger needs of a record.
func recEvent(r Record) event {
	e := event{Do: "rec", Seq: r.Seq, Kind: r.Kind, Hash: r.Hash.String()}
	switch r.Kind {
	case record.KindDecision:
		d, err := record.DecisionFrom(r)
		if err != nil {
			return event{Do: "bad", What: err.Error()}
		}
		e.State, e.Token = d.Kind.String(), d.Grant
		if d.Action != nil {
			e.Of = d.Action.Digest().String()
		}
	case record.KindApproval:
		e.Token, e.State, e.Of = r.Body.GetText("token"), r.Body.GetText("state"), r.Body.GetText("digest")
	case record.KindIntent:
		e.Key, e.Of, e.Token = r.Body.GetText("key"), r.Body.GetText("digest"), r.Body.GetText("grant")
		e.Ref, e.Dry = uint64(r.Body.GetInt("decision")), r.Body.GetTrue("dry")
		e.For = uint64(r.Body.GetInt("compensates"))
	case record.KindReceipt:
		e.Ref, e.State = uint64(r.Body.GetInt("intent")), r.Body.GetText("state")
	}
	return e
}

// mayPay is what testRules allow to be paid.
const mayPay = 1000

// outsideRecord is kept outside the engine: what it acknowledged and what it did.
type outsideRecord struct {
	mu       sync.Mutex
	acked    map[uint64]string // kind by sequence number
	approved map[string]bool   // tokens whose approval was acknowledged
	effects  []event
	hashes   map[uint64]string // of records seen after earlier restarts
	snapshot []event           // records that come in, until "ready"
	bad      []string          // what must never be
}

func newLedger() *outsideRecord {
	return &outsideRecord{acked: map[uint64]string{}, approved: map[string]bool{}, hashes: map[uint64]string{}}
}

// before is the state against which the record after a restart is checked: what
// had been said when the earlier engine ended.
type before struct {
	acked    map[uint64]string
	approved map[string]bool
	effects  []event
}

// mark copies what is known now.
func (l *outsideRecord) mark() before {
	b := before{acked: map[uint64]string{}, approved: map[string]bool{}, effects: append([]event(nil), l.effects...)}
	for k, v := range l.acked {
		b.acked[k] = v
	}
	for k := range l.approved {
		b.approved[k] = true
	}
	return b
}

// happened reports whether the effect of an intent is in the world.
func (l *outsideRecord) happened(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.effects {
		if e.Key == key {
			return true
		}
	}
	return false
}

// hear takes one event. It reports whether the engine is up, with its record as
// it found it in l.snapshot.
func (l *outsideRecord) hear(e event) (ready bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch e.Do {
	case "ack":
		l.acked[e.Seq] = e.Kind
	case "approved":
		l.approved[e.Token] = true
	case "effect":
		l.effects = append(l.effects, e)
	case "rec":
		l.snapshot = append(l.snapshot, e)
	case "bad":
		l.wrong("%s", e.What)
	case "ready":
		return true
	}
	return false
}

func (l *outsideRecord) wrong(format string, args ...any) {
	l.bad = append(l.bad, fmt.Sprintf(format, args...))
}

// check compares the record that an engine found with what had been said before.
func (l *outsideRecord) check(b before) {
	l.mu.Lock()
	defer l.mu.Unlock()
	recs, granted, keys := map[uint64]event{}, map[string]uint64{}, map[string]event{}
	states := map[string][]string{}
	for i, r := range l.snapshot {
		if r.Seq != uint64(i)+1 {
			l.wrong("record %d stands at place %d", r.Seq, i+1)
		}
		if was, ok := l.hashes[r.Seq]; ok && was != r.Hash {
			l.wrong("record %d was written anew", r.Seq)
		}
		l.hashes[r.Seq], recs[r.Seq] = r.Hash, r
		switch r.Kind {
		case record.KindApproval:
			states[r.Token] = append(states[r.Token], r.State)
		case record.KindIntent:
			l.intent(r, granted, keys)
		}
	}
	if len(l.hashes) > len(recs) {
		l.wrong("%d records were there after an earlier restart, now %d", len(l.hashes), len(recs))
	}
	l.snapshot = nil
	for n, kind := range b.acked {
		if recs[n].Kind != kind {
			l.wrong("acknowledged and lost: %s %d (found %q)", kind, n, recs[n].Kind)
		}
	}
	for token := range b.approved {
		if !strings.Contains(strings.Join(states[token], " "), string(approval.Approved)) {
			l.wrong("an acknowledged approval is lost: %s", token)
		}
	}
	for token, list := range states {
		if n := strings.Count(strings.Join(list, " "), string(approval.Consumed)); n > 1 {
			l.wrong("approval %s was consumed %d times", token, n)
		}
	}
	l.world(b.effects, recs, keys)
	l.compensations(recs)
}

// compensations checks that at most one intent makes up for another, not counting
// those that did nothing.
func (l *outsideRecord) compensations(recs map[uint64]event) {
	nothing, by := map[uint64]bool{}, map[uint64][]uint64{}
	for _, r := range recs {
		if r.Kind == record.KindReceipt && r.State == string(act.Nothing) {
			nothing[r.Ref] = true
		}
	}
	for n, r := range recs {
		if r.Kind == record.KindIntent && r.For != 0 && !r.Dry && !nothing[n] {
			by[r.For] = append(by[r.For], n)
		}
	}
	for n, list := range by {
		if len(list) > 1 {
			l.wrong("intent %d is made up for by %d intents: %v", n, len(list), list)
		}
	}
}

// intent checks one intent against those before it.
func (l *outsideRecord) intent(r event, granted map[string]uint64, keys map[string]event) {
	if r.Dry {
		return
	}
	if was, ok := keys[r.Key]; ok {
		l.wrong("intents %d and %d share a key", was.Seq, r.Seq)
	}
	keys[r.Key] = r
	if r.Token == "" {
		return
	}
	if was, ok := granted[r.Token]; ok {
		l.wrong("approval %s was used by intents %d and %d", r.Token, was, r.Seq)
	}
	granted[r.Token] = r.Seq
}

// world checks all effects against the record.
func (l *outsideRecord) world(effects []event, recs map[uint64]event, keys map[string]event) {
	byKey, byWhat, byFor, paid := map[string]int{}, map[string]int{}, map[uint64]int{}, int64(0)
	for _, e := range effects {
		paid += e.Spend
		if byKey[e.Key]++; byKey[e.Key] > 1 {
			l.wrong("done twice under one key: %s", e.What)
		}
		if byWhat[e.What]++; byWhat[e.What] > 1 {
			l.wrong("done twice: %s", e.What)
		}
		in, ok := keys[e.Key]
		if !ok {
			l.wrong("an effect without an intent: %s", e.What)
			continue
		}
		if byFor[in.For]++; in.For != 0 && byFor[in.For] > 1 {
			l.wrong("made up for twice: intent %d: %s", in.For, e.What)
		}
		d := recs[in.Ref]
		if d.Kind != record.KindDecision || d.State != reason.Allow.String() {
			l.wrong("an effect without a recorded allow: %s", e.What)
		}
		if in.Of != e.Of || d.Of != e.Of {
			l.wrong("other bytes than were allowed: %s", e.What)
		}
	}
	if paid > mayPay {
		l.wrong("%d paid, %d allowed", paid, int64(mayPay))
	}
}
