package history

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/opencortex-go/cortex/cortex/admission"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// SessionLog is one session, oldest first. Entries are only ever added.
type SessionLog struct {
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

// Turns returns the session as it stood after record asOf, without the call that
// decision except allowed; 0 is none.
func (h *History) Turns(session string, asOf, except uint64) ([]skills.Turn, error) {
	return h.Heard(session, asOf, math.MaxUint64, except)
}

// Heard is turns without what a person said in record before or later.
func (h *History) Heard(session string, asOf, before, except uint64) (out []skills.Turn, err error) {
	x, err := h.look(session, asOf, false, func(l *SessionLog) { out = l.heard(h, asOf, before, except) })
	if err == nil {
		x.Done()
	}
	return out, err
}

// look shows f the log of a session, up to record asOf at least. The caller says
// when they have done with what they got out of it, so that it counts until then.
// It refuses new work if memory lacks the room for the log.
func (h *History) look(session string, asOf uint64, isNew bool, f func(*SessionLog)) (*admission.Memo, error) {
	h.Gate.RLock()
	defer h.Gate.RUnlock()
	_, size, err := record.Standing(h.J, session)
	if err != nil {
		return nil, err
	}
	x, err := h.memory.Take(string(record.Key(record.TableSession, session)), size, isNew,
		func() any { return &SessionLog{} })
	if err != nil {
		return nil, err
	}
	l := x.What.(*SessionLog)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.Read(h, x, session, asOf); err != nil {
		x.Done()
		return nil, err
	}
	f(l)
	return x, nil
}

// Read reads what is missing, up to record asOf.
func (l *SessionLog) Read(h *History, x *admission.Memo, session string, asOf uint64) (err error) {
	if !l.begun {
		if l.end, err = record.EndOf(h.J, session); err != nil {
			return err
		}
		l.begun, l.upto = true, l.end
	}
	if asOf < l.end {
		return fmt.Errorf("history of session %q before record %d: %w", session, l.end, journal.ErrRemoved)
	}
	return l.catchUp(h, x, session, asOf)
}

func (l *SessionLog) heard(h *History, asOf, before, except uint64) (out []skills.Turn) {
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
func (t *logTurn) callAt(h *History, asOf uint64) *skills.Call {
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
func (l *SessionLog) calls(h *History, tool string, since int64, most int, asOf, except uint64) (out []*skills.Call) {
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
func (l *SessionLog) catchUp(h *History, x *admission.Memo, session string, asOf uint64) error {
	if asOf <= l.upto {
		return nil
	}
	prefix := record.Key(record.TableSession, session)
	var fresh [][2]uint64 // sequence number, mark and decision packed apart
	var letters []byte
	err := h.J.Scan(record.Key(record.TableSession, session, l.upto+1), record.Key(record.TableSession, session, asOf+1),
		func(k, v []byte) bool {
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
		x.Grow(grown)
		l.upto = f[0] // anyone who tries again after an error goes on from here
	}
	l.upto = asOf
	return nil
}

// add adds what record seq says, and returns how many bytes it takes.
func (l *SessionLog) add(h *History, letter byte, seq, decision uint64) (int, error) {
	e, err := h.item(seq)
	if err != nil {
		return 0, err
	}
	switch {
	case letter == record.MarkUser:
		l.turns = append(l.turns, logTurn{seq: seq, user: e.User})
		return admission.BytesOfWords(e.User), nil
	case letter == record.MarkDecision && e.Call != nil:
		l.addCall(h, seq, e.Call)
		return admission.BytesOfCall(e.Call), nil
	case letter == record.MarkReceipt && e.Receipt != nil:
		i, ok := slices.BinarySearchFunc(l.turns, decision,
			func(t logTurn, seq uint64) int { return cmp.Compare(t.seq, seq) })
		if !ok || l.turns[i].call == nil {
			return 0, fmt.Errorf("record %d settles decision %d, which is not in the session", seq, decision)
		}
		t, r := &l.turns[i], e.Receipt
		done := *t.call
		done.Result, done.Error, done.Happened = r.Result, r.Error, record.Happened(*r)
		if r.Result.IsNil() && r.Text != "" {
			done.Result = sexpr.Str(r.Text) // text is all that the tool returned
		}
		t.settled, t.at = &done, seq
		return admission.BytesOfReceipt(r), nil
	}
	return 0, fmt.Errorf("record %d is in the session as %q, and says something else", seq, letter)
}

// addCall adds a call, also to the calls of its tool.
func (l *SessionLog) addCall(h *History, seq uint64, c *skills.Call) {
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
