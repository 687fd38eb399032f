package engine

// What is known of a simulated engine outside of it, and what must hold between
// that and its record.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
)

// simLedger reads the record as it grows, and never believes what it has not seen.
type simLedger struct {
	s *simulation

	mu       sync.Mutex
	acked    map[uint64]string // kind, by sequence number, of what clients were told of since the last check
	approved map[string]bool   // cards of which people were told since then that they are granted
	told     int
	bad      []string

	hashes  map[uint64]sexpr.Digest // of all records that were seen
	kinds   map[uint64]string
	allows  map[uint64]sexpr.Digest // decisions that allow, and what
	cards   map[string]*simCard
	intents map[string]simIntent // by key
	checked int                  // effects that were looked at
}

// simCard is an approval as the record tells of it.
type simCard struct {
	born    stamp
	expires int64
	of      sexpr.Digest
	state   approval.State
	used    uint64 // by which intent
	granted bool
}

type simIntent struct {
	seq uint64
	of  sexpr.Digest
}

func newSimLedger(s *simulation) *simLedger {
	return &simLedger{
		s: s, acked: map[uint64]string{}, approved: map[string]bool{}, hashes: map[uint64]sexpr.Digest{},
		kinds:  map[uint64]string{},
		allows: map[uint64]sexpr.Digest{}, cards: map[string]*simCard{}, intents: map[string]simIntent{},
	}
}

func (l *simLedger) wrong(format string, args ...any) {
	l.s.mu.Lock()
	step := l.s.steps
	l.s.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bad = append(l.bad, fmt.Sprintf("step %d: ", step)+fmt.Sprintf(format, args...))
}

// fine reports whether nothing was wrong so far.
func (l *simLedger) fine() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.bad) == 0
}

// ack notes that a client was told of a record, unless the power went meanwhile:
// then nobody is there to be told.
func (l *simLedger) ack(seq uint64, kind string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.acked[seq] = kind
}

func (l *simLedger) granted(token string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.approved[token] = true
}

// check reads what is new on record, and holds all that is known against it.
func (l *simLedger) check(e *Engine) {
	last := uint64(len(l.hashes))
	if last > 0 {
		switch r, err := e.Journal().Read(last); {
		case errors.Is(err, journal.ErrRemoved):
		case err != nil:
			l.wrong("record %d was there and is lost: %v", last, err)
			return
		case r.Hash != l.hashes[last]:
			l.wrong("record %d was written anew", last)
			return
		}
	}
	err := e.Journal().Records(last+1, func(r Record) error {
		if r.Seq != last+1 || r.Prev != l.hashes[last] {
			l.wrong("record %d does not follow record %d", r.Seq, last)
		}
		last = r.Seq
		l.hashes[r.Seq], l.kinds[r.Seq] = r.Hash, r.Kind
		return l.take(r)
	})
	if err != nil {
		l.wrong("the record ends at %d: %v", last, err)
	}
	l.mu.Lock()
	acked, approved := l.acked, l.approved
	l.acked, l.approved, l.told = map[uint64]string{}, map[string]bool{}, l.told+len(acked)+len(approved)
	l.mu.Unlock()
	for seq, kind := range acked {
		if l.kinds[seq] != kind {
			l.wrong("acknowledged and lost: %s %d (found %q)", kind, seq, l.kinds[seq])
		}
	}
	for token := range approved {
		if c := l.cards[token]; c == nil || !c.granted {
			l.wrong("an acknowledged yes is lost: %s", token)
		}
	}
	l.effects()
}

// take checks one record against those before it.
func (l *simLedger) take(r Record) error {
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
	}
	return nil
}

func (l *simLedger) card(r Record, a *approval.Approval) {
	c := l.cards[a.Token]
	if c == nil {
		c = &simCard{born: l.s.disk.stamp(r.Seq), expires: a.Expires, of: a.Action.Digest(), state: a.State}
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
	c.state, c.granted = a.State, c.granted || a.State == approval.Approved
}

// inTime checks that something was done with a card before its end, by both clocks.
func (l *simLedger) inTime(c *simCard, r Record, what string) {
	at := l.s.disk.stamp(r.Seq)
	if at.wall.Unix() >= c.expires {
		l.wrong("record %d: %s after the end of the card, by the wall clock: %s after", r.Seq, what,
			at.wall.Sub(time.Unix(c.expires, 0)))
	}
	if at.boot == c.born.boot && at.up-c.born.up >= simTTL {
		l.wrong("record %d: %s at an age of %s, by the uptime", r.Seq, what, at.up-c.born.up)
	}
}

func (l *simLedger) intent(r Record) error {
	of, err := sexpr.ParseDigest(r.Body.GetText("digest"))
	if err != nil {
		return err
	}
	k, decision, token := r.Body.GetText("key"), uint64(r.Body.GetInt("decision")), r.Body.GetText("grant")
	if l.allows[decision] != of {
		l.wrong("intent %d has no recorded allow over its bytes", r.Seq)
	}
	if was, ok := l.intents[k]; ok {
		l.wrong("intents %d and %d share a key", was.seq, r.Seq)
	}
	l.intents[k] = simIntent{r.Seq, of}
	if token == "" {
		return nil
	}
	c := l.cards[token]
	switch {
	case c == nil:
		l.wrong("intent %d rests on card %s, which is not on record", r.Seq, token)
		return nil
	case c.used != 0:
		l.wrong("approval %s was used by intents %d and %d", token, c.used, r.Seq)
	case !c.granted || c.of != of:
		l.wrong("intent %d rests on card %s, which nobody granted for it", r.Seq, token)
	}
	c.used = r.Seq
	l.inTime(c, r, "used")
	return nil
}

// effects checks what was done to the world since the last time.
func (l *simLedger) effects() {
	l.s.world.mu.Lock()
	defer l.s.world.mu.Unlock()
	all := l.s.world.all
	for _, e := range all[l.checked:] {
		if n := l.s.world.done[e.Key]; n > 1 {
			l.wrong("done %d times under one key: %s", n, e.What)
		}
		switch in, ok := l.intents[e.Key]; {
		case !ok:
			l.wrong("an effect without an intent: %s", e.What)
		case in.of.String() != e.Of:
			l.wrong("other bytes than were allowed: %s", e.What)
		}
	}
	l.checked = len(all)
}

// open checks what is open after a round of maintenance: no card whose time is over,
// and no doubt about what nobody began.
func (l *simLedger) open(e *Engine) {
	now := l.s.host.stamp()
	all, err := e.Approvals().All(context.Background())
	if err != nil {
		l.wrong("%v", err)
	}
	for _, a := range all {
		c := l.cards[a.Token]
		if c == nil || c.state != a.State {
			l.wrong("card %s is %s, which the record does not say", a.Token, a.State)
			continue
		}
		if (a.State == approval.Pending || a.State == approval.Approved) &&
			(now.wall.Unix() >= c.expires || now.boot == c.born.boot && now.up-c.born.up >= simTTL) {
			l.wrong("card %s is still %s after its end", a.Token, a.State)
		}
	}
	doubts, err := e.Operations().Doubts(context.Background())
	if err != nil {
		l.wrong("%v", err)
	}
	for _, d := range doubts {
		if in, ok := l.intents[d.Key]; !ok || in.seq != d.Intent {
			l.wrong("intent %d is in doubt, and not on record", d.Intent)
		}
	}
}

// simWorld is what engines act on. It outlives them.
type simWorld struct {
	s *simulation

	mu   sync.Mutex
	all  []event
	done map[string]int // effects by key
	life int
}

func (w *simWorld) next() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.life++
}

func (w *simWorld) effects() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.all)
}

func (w *simWorld) happened(key string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.done[key] > 0
}

// effect changes the world, where there is power to do so.
func (w *simWorld) effect(key string, a *Action) {
	if !w.s.disk.on() {
		return
	}
	a = w.s.fault.other(a)
	w.mu.Lock()
	defer w.mu.Unlock()
	if a.Tool() == "wire" && w.done[key] > 0 {
		return // it honours its key
	}
	w.done[key]++
	w.all = append(w.all, event{Do: "effect", Key: key, Of: a.Digest().String(), What: a.Canonical()})
}

// Act implements [act.Actuator]: some calls fail, some break off, and some never
// answer, before or after they have changed the world.
func (w *simWorld) Act(ctx context.Context, c act.Call) (Receipt, error) {
	last := w.s.stagger()
	w.mu.Lock()
	life := w.life
	w.mu.Unlock()
	dice := int(sexpr.DigestText("sim", fmt.Sprint(c.Key, " ", life))[0])
	select {
	case <-time.After(time.Duration(dice%16) * 977 * time.Millisecond):
	case <-ctx.Done():
		last()
		return Receipt{State: act.Nothing, Text: "stopped before it began"}, nil
	}
	last()
	switch {
	case dice < 16:
		return Receipt{State: act.Failed}, errors.New("no line")
	case dice < 28:
		return Receipt{State: act.Nothing, Text: "not today"}, nil
	case dice < 48: // done, and the answer is lost
		w.effect(c.Key, c.Action)
		fallthrough
	case dice < 60:
		<-ctx.Done()
		last()
		return Receipt{}, ctx.Err()
	case dice < 68:
		w.effect(c.Key, c.Action)
		panic("the tool breaks off")
	}
	w.effect(c.Key, c.Action)
	return Receipt{State: act.Done, Text: "done"}, nil
}
