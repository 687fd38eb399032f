package history

import (
	"cmp"
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

// SessionLog is the history of one session, oldest first. Entries are only ever added.
type SessionLog struct {
	mu     sync.Mutex
	begun  bool   // end is known
	end    uint64 // the record that ended the last session of this name; 0 for none
	upto   uint64 // everything up to this sequence number has been read
	turns  []logTurn
	byTool map[string][]int32 // the calls of each tool, by their places in turns

	entered []entered // what the model may have seen, in the order in which it came
	covers  []cover
	awaited
	readings
}

type logTurn struct {
	seq     uint64
	user    string         // a message
	source  *skills.Source // a text that was read
	call    *skills.Call   // as it was decided
	settled *skills.Call   // with its result
	at      uint64         // when it was settled
	latest  moveless       // the latest time of a call of its tool so far
}

// said is a message or a text that was read; the zero Turn of a call. It is put together when it
// is asked for, since most turns are calls and a Turn is larger than what is kept of one.
func (t *logTurn) said() skills.Turn { return skills.Turn{User: t.user, Source: t.source} }

// Turns returns the session's history as of record asOf, without the call of decision
// except; 0 means none.
func (h *History) Turns(session string, asOf, except uint64) ([]skills.Turn, error) {
	return h.Heard(session, asOf, math.MaxUint64, except)
}

// Heard is [History.Turns] without what people said in record before or later.
func (h *History) Heard(session string, asOf, before, except uint64) (out []skills.Turn, err error) {
	x, err := h.look(session, asOf, false, func(l *SessionLog) { out = l.heard(h, asOf, before, except) })
	if err == nil {
		x.Done()
	}
	return out, err
}

// look returns an error if memory has no room for the session's log and the work is new. Else
// it calls f with the log, which has read at least up to record asOf. The log's memory is
// counted until the caller calls Done on the result.
func (h *History) look(session string, asOf uint64, isNew bool, f func(*SessionLog)) (*admission.Memo, error) {
	h.Gate.RLock()
	defer h.Gate.RUnlock()
	_, size, err := record.Standing(h.J, session)
	if err != nil {
		return nil, err
	}
	x, err := h.memory.Take(string(record.TableSession.Under(session)), size, isNew,
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

// Read brings the log up to record asOf. It returns an error wrapping [journal.ErrRemoved] if
// the session was ended after that.
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
			out = append(out, t.said())
		default:
			out = append(out, skills.Turn{Call: t.callAt(h, asOf)})
		}
	}
	return out
}

// callAt returns the call as of record asOf.
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

// calls returns at most most calls of a tool that are not earlier than since, as of record
// asOf.
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
	var fresh [][2]uint64 // sequence number and decision; their marks are in letters
	var letters []byte
	err := record.TableSession.Range(h.J, session, l.upto+1, asOf+1, func(seq uint64, v []byte) error {
		if len(v) == 9 {
			fresh = append(fresh, [2]uint64{seq, record.AsNumber(v[1:])})
			letters = append(letters, v[0])
		}
		return nil
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
		l.upto = f[0] // after an error, the next try continues here
	}
	l.upto = asOf
	return nil
}

// add adds the item of record seq, and returns how many bytes it takes.
func (l *SessionLog) add(h *History, letter byte, seq, decision uint64) (int, error) {
	e, err := h.item(seq)
	if err != nil {
		return 0, err
	}
	switch {
	case letter == record.MarkUser:
		l.say(seq, skills.Turn{User: e.User}, e.Unnamed)
		return admission.BytesOfWords(e.User), nil
	case letter == record.MarkSource && e.Source != nil:
		l.say(seq, skills.Turn{Source: e.Source}, false)
		return admission.BytesOfWords(e.Source.Text), nil
	case letter == record.MarkCover && e.Cover != nil:
		l.covers = append(l.covers, cover{seq, e.Cover})
		return BytesOfCover, nil
	case letter == record.MarkDecision && e.Call != nil:
		l.addCall(h, seq, e)
		return admission.BytesOfCall(e.Call), nil
	case letter == record.MarkReceipt && e.Receipt != nil:
		i := l.place(decision)
		if i < 0 || l.turns[i].call == nil {
			return 0, fmt.Errorf("record %d settles decision %d, which is not in the session", seq, decision)
		}
		t, r := &l.turns[i], e.Receipt
		done := *t.call
		done.Result, done.Error, done.Happened, done.Cut = r.Result, r.Error, record.Happened(*r), r.Cut
		if r.Result.IsNil() && r.Text != "" {
			done.Result = sexpr.Str(r.Text) // text is all that the tool returned
		}
		l.settle(t, &done, seq)
		return admission.BytesOfReceipt(r), nil
	}
	return 0, fmt.Errorf("record %d is in the session as %q, and says something else", seq, letter)
}

// say adds a message, or another text that the model read.
func (l *SessionLog) say(seq uint64, t skills.Turn, unnamed bool) {
	l.turns = append(l.turns, logTurn{seq: seq, user: t.User, source: t.Source})
	l.entered = append(l.entered, entered{seq: seq, turn: int32(len(l.turns) - 1), unnamed: unnamed})
}

// place finds the turn of a record; -1 if there is none.
func (l *SessionLog) place(seq uint64) int32 {
	i, ok := slices.BinarySearchFunc(l.turns, seq, func(t logTurn, seq uint64) int { return cmp.Compare(t.seq, seq) })
	if !ok {
		return -1
	}
	return int32(i)
}

// settle notes that record seq says how a call came out.
func (l *SessionLog) settle(t *logTurn, done *skills.Call, seq uint64) {
	l.answered(t, seq)
	t.settled, t.at = done, seq
	l.entered = append(l.entered, entered{seq: seq, turn: l.place(t.seq), call: done})
}

// addCall adds a call to the turns and to the calls of its tool.
func (l *SessionLog) addCall(h *History, seq uint64, e *Item) {
	c := e.Call
	if e.Open {
		l.waits = append(l.waits, wait{seq: seq, digest: e.Digest})
	}
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
