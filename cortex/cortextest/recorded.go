package cortextest

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
)

// recorded is what a ledger has read of the record. It is a second telling of the rules: it
// reads records alone, and none of the engine's indexes.
type recorded struct {
	hashes  map[uint64]sexpr.Digest // of all records that were seen
	kinds   map[uint64]string
	allows  map[uint64]sexpr.Digest // decisions that allow, and what
	cards   map[string]*card
	intents map[string]intent // by key
	bySeq   map[uint64]intent
	madeUp  map[uint64]uint64 // which intent makes up for an intent

	keys, whats map[string]int // effects that were checked
	undone      map[uint64]int

	stamps func(seq uint64) stamp // when a record got to the disk; nil where that is not known
	ttl    time.Duration          // of cards, for stamps
}

// card is what a ledger keeps of an approval.
type card struct {
	born    stamp
	expires int64
	of      sexpr.Digest
	bound   string
	state   approval.State
	changed uint64 // by which record
	used    uint64 // by which intent
	granted bool
}

// intent is what a ledger keeps of an intent.
type intent struct {
	seq         uint64
	of          sexpr.Digest
	session     string
	compensates uint64
}

func newRecorded() recorded {
	return recorded{
		hashes: map[uint64]sexpr.Digest{}, kinds: map[uint64]string{}, allows: map[uint64]sexpr.Digest{},
		cards: map[string]*card{}, intents: map[string]intent{}, bySeq: map[uint64]intent{}, madeUp: map[uint64]uint64{},
		keys: map[string]int{}, whats: map[string]int{}, undone: map[uint64]int{},
	}
}

// read takes in what is new on record, if what was there is still the same.
func (l *Ledger) read(from Records) {
	last := uint64(len(l.hashes))
	if last > 0 {
		switch r, err := from.Read(last); {
		case errors.Is(err, journal.ErrRemoved):
		case err != nil:
			l.wrong("record %d was there and is lost: %w", last, err)
			return
		case r.Hash != l.hashes[last]:
			l.wrong("record %d was written anew", last)
			return
		}
	}
	err := from.Records(last+1, func(r cortex.Record) error {
		if r.Seq != last+1 || r.Prev != l.hashes[last] {
			l.wrong("record %d does not follow record %d", r.Seq, last)
		}
		last = r.Seq
		l.hashes[r.Seq], l.kinds[r.Seq] = r.Hash, r.Kind
		return l.take(r)
	})
	if err != nil {
		l.wrong("the record ends at %d: %w", last, err)
	}
}

// take checks one record against those before it.
func (l *Ledger) take(r cortex.Record) error {
	switch r.Kind {
	case record.KindDecision:
		d, err := record.DecisionFrom(r)
		if err != nil {
			return err
		}
		if d.Kind == reason.Allow {
			l.allows[r.Seq] = d.Action.Digest()
		}
	case record.KindApproval:
		a, err := approval.From(r.Body)
		if err != nil {
			return err
		}
		l.card(r, a)
	case record.KindIntent:
		return l.intent(r)
	case record.KindReceipt:
		n := uint64(r.Body.GetInt("intent"))
		if of := l.bySeq[n].compensates; r.Body.GetText("state") == string(act.Nothing) && l.madeUp[of] == n {
			delete(l.madeUp, of)
		}
	case record.KindSettled: // a person's word of a compensation that failed
		if !r.Body.GetTrue("happened") {
			delete(l.madeUp, uint64(r.Body.GetInt("compensates")))
		}
	}
	return nil
}

func (l *Ledger) card(r cortex.Record, a *approval.Approval) {
	c := l.cards[a.Token]
	if c == nil {
		c = &card{expires: a.Expires, of: a.Action.Digest(), state: a.State}
		if l.stamps != nil {
			c.born = l.stamps(r.Seq)
		}
		l.cards[a.Token] = c
	}
	if c.of != a.Action.Digest() || c.expires != a.Expires {
		l.wrong("card %s has another action or another end than at first", a.Token)
	}
	if a.State != c.state && !slices.Contains(approval.Next[c.state], a.State) {
		l.wrong("card %s was %s and is %s", a.Token, c.state, a.State)
	}
	if a.State == approval.Approved && c.state != approval.Approved {
		l.inTime(c, r, "approved")
	}
	c.state, c.changed, c.bound = a.State, r.Seq, a.Bound.String()
	c.granted = c.granted || a.State == approval.Approved
}

// inTime checks that something was done with a card before its end, by both clocks.
func (l *Ledger) inTime(c *card, r cortex.Record, what string) {
	if l.stamps == nil {
		return
	}
	at := l.stamps(r.Seq)
	if at.wall.Unix() >= c.expires {
		l.wrong("record %d: %s after the end of the card, by the wall clock: %s after", r.Seq, what,
			at.wall.Sub(time.Unix(c.expires, 0)))
	}
	if at.boot == c.born.boot && at.up-c.born.up >= l.ttl {
		l.wrong("record %d: %s at an age of %s, by the uptime", r.Seq, what, at.up-c.born.up)
	}
}

func (l *Ledger) intent(r cortex.Record) error {
	if r.Body.GetTrue("dry") {
		return nil
	}
	of, err := sexpr.ParseDigest(r.Body.GetText("digest"))
	if err != nil {
		return err
	}
	key, decision, token := r.Body.GetText("key"), uint64(r.Body.GetInt("decision")), r.Body.GetText("grant")
	if l.allows[decision] != of {
		l.wrong("intent %d has no recorded allow over its bytes", r.Seq)
	}
	if was, ok := l.intents[key]; ok {
		l.wrong("intents %d and %d share a key", was.seq, r.Seq)
	}
	in := intent{r.Seq, of, r.Session, uint64(r.Body.GetInt("compensates"))}
	l.intents[key], l.bySeq[r.Seq] = in, in
	if in.compensates != 0 {
		if by := l.madeUp[in.compensates]; by != 0 {
			l.wrong("intent %d is made up for by intents %d and %d", in.compensates, by, r.Seq)
		}
		l.madeUp[in.compensates] = r.Seq
	}
	if token != "" {
		l.uses(r, token, of)
	}
	return nil
}

// uses checks that an intent may rest on a card.
func (l *Ledger) uses(r cortex.Record, token string, of sexpr.Digest) {
	c := l.cards[token]
	switch {
	case c == nil:
		l.wrong("intent %d rests on card %s, which is not on record", r.Seq, token)
		return
	case c.used != 0:
		l.wrong("approval %s was used by intents %d and %d", token, c.used, r.Seq)
	case !c.granted || c.of != of:
		l.wrong("intent %d rests on card %s, which was not granted for it", r.Seq, token)
	}
	c.used = r.Seq
	l.inTime(c, r, "used")
}

// clone returns a ledger that goes on by itself from here.
func (l *Ledger) clone() *Ledger {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := &Ledger{Once: l.Once, said: said{maps.Clone(l.said.records), maps.Clone(l.said.granted)}, told: l.told,
		done: slices.Clone(l.done), byKey: maps.Clone(l.byKey), recorded: l.recorded, counted: l.counted}
	for _, m := range []*map[string]int{&out.keys, &out.whats} {
		*m = maps.Clone(*m)
	}
	out.hashes, out.kinds, out.allows = maps.Clone(l.hashes), maps.Clone(l.kinds), maps.Clone(l.allows)
	out.intents, out.bySeq, out.madeUp = maps.Clone(l.intents), maps.Clone(l.bySeq), maps.Clone(l.madeUp)
	out.undone, out.cards = maps.Clone(l.undone), map[string]*card{}
	for token, c := range l.cards {
		own := *c
		out.cards[token] = &own
	}
	return out
}
