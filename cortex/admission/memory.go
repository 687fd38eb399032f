package admission

import (
	"math"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Memory counts the bytes that sessions take in memory: memos, which hold what was read
// from the record, and signals that wait. When the total exceeds most, it drops memos that
// are not in use, the least recently used first. They are read again from the record when
// they are next needed, so dropping one costs time and changes nothing.
type Memory struct {
	most int

	mu   sync.Mutex
	Idle *simplelru.LRU[string, *Memo] // not in use: these may be dropped
	Used map[string]*Memo              // in use
	All  int                           // bytes of all memos, and of what waits
	Firm int                           // of these, what cannot be dropped: memos in use, and what waits
	Gone int                           // how many memos were dropped so far
}

// Memo holds what was read of one session or principal. The lock of its memory guards its
// byte counts.
type Memo struct {
	in      *Memory
	Name    string
	Bytes   int // its size
	claimed int // bytes reserved for what is about to be read in
	users   int
	What    any // a *sessionLog or *spendLog
}

// MemoSize is about how many bytes a memo takes in addition to its contents and its name.
const MemoSize = 512

// NewMemory returns the memory of an engine, of at most so many bytes.
func NewMemory(most int) (*Memory, error) {
	idle, err := simplelru.NewLRU[string, *Memo](math.MaxInt, nil) // bytes bound it, not the number of memos
	return &Memory{most: most, Idle: idle, Used: map[string]*Memo{}}, err
}

// Take returns the memo of a name for the caller to read. The caller gives it back with
// [Memo.Done]. size is how many bytes the memo will hold once it is read in, as far as
// known. Without room for it, Take refuses new work with a [BusyError]; it does not refuse
// work that has begun.
func (m *Memory) Take(name string, size int, isNew bool, blank func() any) (*Memo, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	x, used := m.Used[name]
	known := used
	if !used {
		x, known = m.Idle.Get(name)
	}
	empty := MemoSize + 2*len(name)
	if !known {
		x = &Memo{in: m, Name: name, Bytes: empty, What: blank()}
	}
	claim := max(0, empty+size-x.Bytes-x.claimed)
	firm := claim
	if !used {
		firm += x.Bytes
	}
	if isNew && m.Firm+firm > m.most {
		return nil, &BusyError{"memory", "", m.most}
	}
	if !used {
		m.Idle.Remove(name)
		m.Used[name] = x
	}
	if !known {
		m.All += x.Bytes
	}
	x.users++
	x.claimed += claim
	m.All += claim
	m.Firm += firm
	m.fit()
	return x, nil
}

// Grow counts n bytes that were read in.
func (x *Memo) Grow(n int) {
	m := x.in
	m.mu.Lock()
	defer m.mu.Unlock()
	more := n - min(n, x.claimed)
	x.claimed -= n - more
	x.Bytes += n
	m.All += more
	m.Firm += more
	m.fit()
}

// Done gives a memo back. Call it once for each Take.
func (x *Memo) Done() {
	m := x.in
	m.mu.Lock()
	defer m.mu.Unlock()
	if x.users--; x.users > 0 {
		return
	}
	m.All -= x.claimed
	m.Firm -= x.Bytes + x.claimed
	x.claimed = 0
	if m.Used[x.Name] == x {
		delete(m.Used, x.Name)
		m.Idle.Add(x.Name, x)
	} else { // Forget or Drop removed it meanwhile
		m.All -= x.Bytes
	}
	m.fit()
}

// Forget drops a memo. Callers that are reading it may go on.
func (m *Memory) Forget(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.Used, name)
	if x, ok := m.Idle.Peek(name); ok {
		m.Idle.Remove(name)
		m.All -= x.Bytes
	}
}

// Drop drops every memo for which which returns true.
func (m *Memory) Drop(which func(what any) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for name, x := range m.Used {
		if which(x.What) {
			delete(m.Used, name)
		}
	}
	for _, name := range m.Idle.Keys() {
		if x, _ := m.Idle.Peek(name); which(x.What) {
			m.Idle.Remove(name)
			m.All -= x.Bytes
		}
	}
}

// Hold counts bytes that cannot be dropped until release, which must be called once.
// Without room for them it returns a [BusyError], unless must is set.
func (m *Memory) Hold(n int, must bool) (release func(), err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !must && m.Firm+n > m.most {
		return nil, &BusyError{"memory", "", m.most}
	}
	m.All += n
	m.Firm += n
	m.fit()
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.All -= n
		m.Firm -= n
	}, nil
}

// fit drops memos until the rest fits, or all of it is in use.
func (m *Memory) fit() {
	for m.All > m.most {
		_, x, ok := m.Idle.RemoveOldest()
		if !ok {
			return
		}
		m.All -= x.Bytes
		m.Gone++
	}
}

// Bytes returns how many bytes are in memory, and how many memos.
func (m *Memory) Bytes() (bytes, memos int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.All, m.Idle.Len() + len(m.Used)
}

// What things take in memory, in bytes: about as much as the heap gives for them,
// and rather more. [TestMemoryIsWhatTheHeapSays] compares.
const (
	ValueSize = 64  // a [sexpr.Value]
	turnSize  = 128 // a logTurn and what is entered of it, in slices with room to grow
	callSize  = 224 // a [skills.Call], and where it stands among those of its tool
	spendSize = 128 // a logSpend, likewise
	StepSize  = 64  // an accountStep, likewise
)

// bytesOfText includes what the heap rounds up to.
func bytesOfText(s string) int { return (len(s) + len(s)/16 + 15) &^ 15 }

// bytesOfValue leaves out the value itself, which is part of what holds it.
func bytesOfValue(v sexpr.Value) int {
	n := bytesOfText(v.Text()) + v.Len()*ValueSize/16
	for _, x := range v.Items() {
		n += ValueSize + bytesOfValue(x)
	}
	return n
}

// BytesOfWords is what a person's message takes in a history.
func BytesOfWords(text string) int { return turnSize + bytesOfText(text) }

// BytesOfAction is what a decision takes in a history; nil is a decision without an action.
func BytesOfAction(a *skills.Action) int {
	if a == nil {
		return turnSize + callSize
	}
	return turnSize + callSize + bytesOfText(a.Tool()) + bytesOfValue(a.Args())
}

// BytesOfCall is what a call takes in a history.
func BytesOfCall(c *skills.Call) int {
	return turnSize + callSize + bytesOfText(c.Tool) + bytesOfValue(c.Args)
}

// BytesOfReceipt is what a receipt adds to the history that its decision is in.
func BytesOfReceipt(r *act.Receipt) int {
	return callSize + bytesOfValue(r.Result) + bytesOfText(r.Text) + bytesOfText(r.Error)
}

// BytesOfSpend is what a spend takes in the log of its principal or session.
func BytesOfSpend(s *skills.Spend) int {
	return spendSize + bytesOfText(s.Budget) + bytesOfText(s.Session) + bytesOfText(s.Principal) + bytesOfText(s.Tool)
}

// BytesOfSignal is what a signal takes while it waits for its answer.
func BytesOfSignal(s perceive.Signal) int {
	return 1024 + len(s.Text) + bytesOfValue(s.Payload) + len(s.Session) + len(s.Principal) + len(s.Key)
}
