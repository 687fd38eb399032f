package cortex

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// sessionLog is one session, oldest first. Entries are only ever added.
type sessionLog struct {
	mu     sync.Mutex
	begun  bool   // end is known
	end    uint64 // the record up to which retention ended a session of this name; 0 for none
	upto   uint64 // everything up to this sequence number has been read
	turns  []logTurn
	byTool map[string][]int32 // the calls of each tool, by their places in turns
}

type logTurn struct {
	seq     uint64
	user    string
	call    *skills.Call // as it was decided
	settled *skills.Call // with its result
	at      uint64       // when it was settled
	latest  moveless     // the latest time of a call of its tool so far
}

// turns returns the session as it stood after record asOf, without the call that
// decision except allowed; 0 is none.
func (h *history) turns(session string, asOf, except uint64) ([]skills.Turn, error) {
	return h.heard(session, asOf, math.MaxUint64, except)
}

// heard is turns without what a person said in record before or later.
func (h *history) heard(session string, asOf, before, except uint64) (out []skills.Turn, err error) {
	x, err := h.look(session, asOf, false, func(l *sessionLog) { out = l.heard(h, asOf, before, except) })
	if err == nil {
		x.done()
	}
	return out, err
}

// look shows f the log of a session, up to record asOf at least. The caller says
// when they have done with what they got out of it, so that it counts until then.
// New work is refused where there is no memory for the log.
func (h *history) look(session string, asOf uint64, isNew bool, f func(*sessionLog)) (*memo, error) {
	h.gate.RLock()
	defer h.gate.RUnlock()
	_, size, err := standing(h.j, session)
	if err != nil {
		return nil, err
	}
	x, err := h.memory.take(string(key(tableSession, session)), size, isNew, func() any { return &sessionLog{} })
	if err != nil {
		return nil, err
	}
	l := x.what.(*sessionLog)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.read(h, x, session, asOf); err != nil {
		x.done()
		return nil, err
	}
	f(l)
	return x, nil
}

// read reads what is missing, up to record asOf.
func (l *sessionLog) read(h *history, x *memo, session string, asOf uint64) (err error) {
	if !l.begun {
		if l.end, err = endOf(h.j, session); err != nil {
			return err
		}
		l.begun, l.upto = true, l.end
	}
	if asOf < l.end {
		return fmt.Errorf("history of session %q before record %d: %w", session, l.end, journal.ErrRemoved)
	}
	return l.catchUp(h, x, session, asOf)
}

func (l *sessionLog) heard(h *history, asOf, before, except uint64) (out []skills.Turn) {
	for i := range l.turns {
		t := &l.turns[i]
		switch {
		case t.seq > asOf:
			return out
		case t.call == nil && t.seq >= before, t.call != nil && t.seq == except:
		case t.call == nil:
			out = append(out, skills.Turn{User: t.user})
		default:
			out = append(out, skills.Turn{Call: t.callAt(h, asOf)})
		}
	}
	return out
}

// callAt is the call as it stood after record asOf.
func (t *logTurn) callAt(h *history, asOf uint64) *skills.Call {
	c := t.call
	if t.settled != nil && t.at <= asOf {
		c = t.settled
	}
	if by := h.shift(t.seq, asOf); by != 0 && c.At != 0 {
		moved := *c
		moved.At = max(1, c.At+by)
		c = &moved
	}
	return c
}

// calls are those of one tool that are not older than since, as they stood after
// record asOf, and no more than most of them.
func (l *sessionLog) calls(h *history, tool string, since int64, most int, asOf, except uint64) (out []*skills.Call) {
	all := l.byTool[tool]
	first := 0
	if reach := h.reach(since, asOf); reach != anytime {
		first = sort.Search(len(all), func(i int) bool { return l.turns[all[i]].latest >= reach })
	}
	for _, i := range all[first:] {
		t := &l.turns[i]
		if t.seq > asOf || len(out) == most {
			break
		}
		if c := t.callAt(h, asOf); t.seq != except && (c.At == 0 || c.At >= since) {
			out = append(out, c)
		}
	}
	return out
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
		l.upto = f[0] // anyone who tries again after an error goes on from here
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
		l.addCall(h, seq, e.call)
		return bytesOfCall(e.call), nil
	case letter == markReceipt && e.receipt != nil:
		i, ok := slices.BinarySearchFunc(l.turns, decision,
			func(t logTurn, seq uint64) int { return cmp.Compare(t.seq, seq) })
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

// addCall adds a call, also to the calls of its tool.
func (l *sessionLog) addCall(h *history, seq uint64, c *skills.Call) {
	of, latest := l.byTool[c.Tool], h.moveless(c.At, seq)
	if n := len(of); n > 0 {
		latest = max(latest, l.turns[of[n-1]].latest)
	}
	if l.byTool == nil {
		l.byTool = map[string][]int32{}
	}
	l.byTool[c.Tool] = append(of, int32(len(l.turns)))
	l.turns = append(l.turns, logTurn{seq: seq, call: c, latest: latest})
}
