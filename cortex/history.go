package cortex

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// history answers what happened in a session, and what a principal spent, as of
// any sequence number, so that a replay sees what the decision saw. It is a
// cache over the record: nothing in it exists nowhere else.
type history struct {
	j *journal.Journal
	// gate is held for writing while retention takes records away, and for reading
	// while they are read: nobody goes by what was remembered before.
	gate  sync.RWMutex
	jumps []jump // of the wall clock, oldest first; under gate
	// memory holds a sessionLog for a session, under its key of tableSession, and a
	// spendLog for a principal and for a session, likewise.
	memory *memory
	// passed is what a replay has just read and checked, so that histories need not
	// read it once more; empty while there is none.
	passed *lru.Cache[uint64, *happening]
}

func newHistory(j *journal.Journal, m *memory) (*history, error) {
	passed, err := lru.New[uint64, *happening](keptHappenings)
	return &history{j: j, memory: m, passed: passed}, err
}

// What an entry of the session index says happened.
const (
	markUser     = 'u' // a person's message
	markDecision = 'd' // a decision
	markReceipt  = 'r' // what came of the decision whose number follows
)

func mark(letter byte, decision uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{letter}, decision)
}

// sessionLog is one session, oldest first. Entries are only ever added.
type sessionLog struct {
	mu    sync.Mutex
	begun bool   // end is known
	end   uint64 // the record up to which retention ended a session of this name; 0 for none
	upto  uint64 // everything up to this sequence number has been read
	turns []logTurn
}

type logTurn struct {
	seq     uint64
	user    string
	call    *skills.Call // as it was decided
	settled *skills.Call // with its result
	at      uint64       // when it was settled
}

// turns returns the session as it stood after record asOf, without the call that
// decision except allowed; 0 is none.
func (h *history) turns(session string, asOf, except uint64) ([]skills.Turn, error) {
	return h.heard(session, asOf, math.MaxUint64, except)
}

// heard is turns without what a person said in record before or later.
func (h *history) heard(session string, asOf, before, except uint64) ([]skills.Turn, error) {
	out, x, err := h.held(session, asOf, before, except, false)
	if err == nil {
		x.done()
	}
	return out, err
}

// held is heard for a caller who says when they have done with what they got, so
// that it counts until then. New work is refused where there is no memory for it.
func (h *history) held(session string, asOf, before, except uint64, isNew bool) (turns []skills.Turn, x *memo, err error) {
	h.gate.RLock()
	defer h.gate.RUnlock()
	_, size, err := standing(h.j, session)
	if err != nil {
		return nil, nil, err
	}
	x, err = h.memory.take(string(key(tableSession, session)), size, isNew, func() any { return &sessionLog{} })
	if err != nil {
		return nil, nil, err
	}
	if turns, err = x.what.(*sessionLog).heard(h, x, session, asOf, before, except); err != nil {
		x.done()
		return nil, nil, err
	}
	return turns, x, nil
}

func (l *sessionLog) heard(h *history, x *memo, session string, asOf, before, except uint64) (out []skills.Turn, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.begun {
		if l.end, err = endOf(h.j, session); err != nil {
			return nil, err
		}
		l.begun, l.upto = true, l.end
	}
	if asOf < l.end {
		return nil, fmt.Errorf("history of session %q before record %d: %w", session, l.end, journal.ErrRemoved)
	}
	if err := l.catchUp(h, x, session, asOf); err != nil {
		return nil, err
	}
	add := func(c *skills.Call, seq uint64) {
		if by := h.shift(seq, asOf); by != 0 && c.At != 0 {
			moved := *c
			moved.At = max(1, c.At+by)
			c = &moved
		}
		out = append(out, skills.Turn{Call: c})
	}
	for _, t := range l.turns {
		switch {
		case t.seq > asOf:
			return out, nil
		case t.call == nil && t.seq >= before, t.call != nil && t.seq == except:
		case t.call == nil:
			out = append(out, skills.Turn{User: t.user})
		case t.settled != nil && t.at <= asOf:
			add(t.settled, t.seq)
		default:
			add(t.call, t.seq)
		}
	}
	return out, nil
}

// catchUp reads the entries that came since the last look, up to asOf.
func (l *sessionLog) catchUp(h *history, x *memo, session string, asOf uint64) error {
	if asOf <= l.upto {
		return nil
	}
	prefix := key(tableSession, session)
	var fresh [][2]uint64 // sequence number, mark and decision packed apart
	var letters []byte
	err := h.j.Scan(key(tableSession, session, l.upto+1), key(tableSession, session, asOf+1), func(k, v []byte) bool {
		if len(k) == len(prefix)+8 && len(v) == 9 {
			fresh = append(fresh, [2]uint64{binary.BigEndian.Uint64(k[len(prefix):]), binary.BigEndian.Uint64(v[1:])})
			letters = append(letters, v[0])
		}
		return true
	})
	if err != nil {
		return err
	}
	for i, f := range fresh {
		grown, err := l.add(h, letters[i], f[0], f[1])
		if err != nil {
			return fmt.Errorf("history of session %q: %w", session, err)
		}
		x.grow(grown)
		l.upto = f[0] // whoever tries again after an error goes on from here
	}
	l.upto = asOf
	return nil
}

// add adds what record seq says, and returns how many bytes it takes.
func (l *sessionLog) add(h *history, letter byte, seq, decision uint64) (int, error) {
	e, err := h.happening(seq)
	if err != nil {
		return 0, err
	}
	switch {
	case letter == markUser:
		l.turns = append(l.turns, logTurn{seq: seq, user: e.user})
		return bytesOfWords(e.user), nil
	case letter == markDecision && e.call != nil:
		l.turns = append(l.turns, logTurn{seq: seq, call: e.call})
		return bytesOfCall(e.call), nil
	case letter == markReceipt && e.receipt != nil:
		i, ok := slices.BinarySearchFunc(l.turns, decision, func(t logTurn, seq uint64) int { return cmp.Compare(t.seq, seq) })
		if !ok || l.turns[i].call == nil {
			return 0, fmt.Errorf("record %d settles decision %d, which is not in the session", seq, decision)
		}
		t, r := &l.turns[i], e.receipt
		done := *t.call
		done.Result, done.Error, done.Happened = r.Result, r.Error, happened(*r)
		if r.Result.IsNil() && r.Text != "" {
			done.Result = sexpr.Str(r.Text) // text is all that the tool returned
		}
		t.settled, t.at = &done, seq
		return bytesOfReceipt(r), nil
	}
	return 0, fmt.Errorf("record %d is in the session as %q, and says something else", seq, letter)
}

// spendLog is what one principal spent, or was spent in one session, oldest
// first.
type spendLog struct {
	mu     sync.Mutex
	upto   uint64
	spends []logSpend
}

type logSpend struct {
	skills.Spend
	seq    uint64
	undone uint64 // the receipt that says that nothing happened; 0 for none
}

// spends returns what the session's principal had spent after record asOf, and
// what others had spent in the session.
// The intent except does not count; 0 is none.
func (h *history) spends(s skills.Session, asOf, except uint64) ([]skills.Spend, error) {
	h.gate.RLock()
	defer h.gate.RUnlock()
	end, err := endOf(h.j, s.ID)
	if err != nil {
		return nil, err
	}
	all, err := h.spent(tablePrincipal, s.Principal, asOf, func(x *logSpend) bool { return x.seq != except })
	if err != nil {
		return nil, err
	}
	others, err := h.spent(tableSpent, s.ID, asOf, func(x *logSpend) bool { return x.Principal != s.Principal && x.seq > end && x.seq != except })
	if err != nil {
		return nil, err
	}
	if len(others) > 0 {
		all = append(all, others...)
		slices.SortStableFunc(all, func(a, b logSpend) int { return cmp.Compare(a.seq, b.seq) })
	}
	out := make([]skills.Spend, len(all))
	for i := range all {
		out[i] = all[i].Spend
		if by := h.shift(all[i].seq, asOf); by != 0 && out[i].At != 0 {
			out[i].At = max(1, out[i].At+by)
		}
		if all[i].seq <= end && out[i].Session == s.ID {
			out[i].Session = endedSession // the one before, which is over
		}
	}
	return out, nil
}

// jumped notes that the wall clock was moved.
func (h *history) jumped(j jump) {
	h.gate.Lock()
	defer h.gate.Unlock()
	h.jumps = append(h.jumps, j)
}

// shift is by how many seconds the wall clock was moved after record seq, as of a
// record: what happened before is as old as it was, and not as the clock would
// have it now. The gate is held.
func (h *history) shift(seq, asOf uint64) int64 {
	var by time.Duration
	for i := len(h.jumps) - 1; i >= 0 && h.jumps[i].seq > seq; i-- {
		if h.jumps[i].seq <= asOf {
			by += h.jumps[i].by
		}
	}
	return int64(by / time.Second)
}

// endedSession is no session's name, for what was spent in one that is over.
const endedSession = "\x00"

// forget drops what is remembered of a session. The gate is held for writing.
func (h *history) forget(session string) {
	h.memory.forget(string(key(tableSession, session)))
	h.memory.forget(string(key(tableSpent, session)))
	h.passed.Purge()
}

// spent returns what an index held after record asOf, as far as keep wants it, in
// a slice of its own.
func (h *history) spent(table byte, name string, asOf uint64, keep func(*logSpend) bool) ([]logSpend, error) {
	x, err := h.memory.take(string(key(table, name)), 0, false, func() any { return &spendLog{} })
	if err != nil {
		return nil, err
	}
	defer x.done()
	log := x.what.(*spendLog)
	log.mu.Lock()
	defer log.mu.Unlock()
	if err := log.catchUp(h, x, table, name, asOf); err != nil {
		return nil, fmt.Errorf("spending of %q: %w", name, err)
	}
	var out []logSpend
	for i := range log.spends {
		s := &log.spends[i]
		if s.seq > asOf {
			break
		}
		if (s.undone == 0 || s.undone > asOf) && keep(s) {
			if out == nil {
				out = make([]logSpend, 0, len(log.spends)-i)
			}
			out = append(out, *s)
		}
	}
	return out, nil
}

func (l *spendLog) catchUp(h *history, x *memo, table byte, name string, asOf uint64) error {
	if asOf <= l.upto {
		return nil
	}
	prefix := key(table, name)
	var seqs []uint64
	err := h.j.Scan(key(table, name, l.upto+1), key(table, name, asOf+1), func(k, _ []byte) bool {
		if len(k) == len(prefix)+8 {
			seqs = append(seqs, binary.BigEndian.Uint64(k[len(prefix):]))
		}
		return true
	})
	if err != nil {
		return err
	}
	for _, seq := range seqs {
		e, err := h.happening(seq)
		if errors.Is(err, journal.ErrRemoved) {
			continue // longer ago than any rule looks back
		}
		if err != nil {
			return err
		}
		l.upto = seq
		if e.receipt != nil {
			l.undo(e.intent, seq)
			continue
		}
		for _, s := range e.spends {
			l.spends = append(l.spends, logSpend{seq: seq, Spend: s})
			x.grow(bytesOfSpend(&s))
		}
	}
	l.upto = asOf
	return nil
}

func (l *spendLog) undo(intent, seq uint64) {
	for i := range l.spends {
		if l.spends[i].seq == intent {
			l.spends[i].undone = seq
		}
	}
}

// version is the last record that changed a versioned key; 0 for none.
func version(r reader, versioned string) (uint64, error) {
	raw, err := r.Get(key(tableVersion, versioned))
	return asNumber(raw[:min(8, len(raw))]), err
}

// standing is the version of a session, and how many bytes its history takes in
// memory when it is read in: whoever asks for room need not read it for that.
func standing(r reader, session string) (seq uint64, bytes int, err error) {
	raw, err := r.Get(key(tableVersion, skills.SessionKey(session)))
	if len(raw) == 16 {
		bytes = int(asNumber(raw[8:]))
	}
	return asNumber(raw[:min(8, len(raw))]), bytes, err
}

// touched notes that record seq changed a session, and that its history takes so
// many bytes more.
func touched(tx *journal.Tx, session string, seq uint64, more int) error {
	_, bytes, err := standing(tx, session)
	tx.Set(key(tableVersion, skills.SessionKey(session)), append(number(seq), number(uint64(bytes+more))...))
	return err
}

// happenedIn notes in the session index what record seq means for the session, and
// how many bytes that takes.
func happenedIn(tx *journal.Tx, session string, seq uint64, letter byte, decision uint64, bytes int) error {
	tx.Set(key(tableSession, session, seq), mark(letter, decision))
	return touched(tx, session, seq, bytes)
}

// spentBy notes in the indexes of principal and session that record seq changed
// what was spent. The session's own version changes with every intent and receipt.
func spentBy(tx *journal.Tx, principal, session string, seq uint64) {
	tx.Set(key(tablePrincipal, principal, seq), []byte{1})
	tx.Set(key(tableSpent, session, seq), []byte{1})
	tx.Set(key(tableVersion, skills.PrincipalKey(principal)), number(seq))
}
