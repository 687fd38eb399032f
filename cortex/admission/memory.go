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

// Memory counts the bytes that sessions take in memory: what is remembered of the
// record, as memos, and signals that wait. Memos that nobody reads are let go, the
// least recently used first, as soon as all of it is more than most. They are read
// again from the record when they are next asked for, so that letting one go costs
// time and changes nothing.
type Memory struct {
	most int

	mu   sync.Mutex
	Idle *simplelru.LRU[string, *Memo] // nobody reads them: they may go
	Used map[string]*Memo              // somebody does
	All  int                           // bytes of all memos, and of what waits
	Firm int                           // of these, what cannot be let go: memos in use, and what waits
	Gone int                           // how many memos were let go so far
}

// Memo is what is remembered of one session or principal. Its bytes are counted
// under the lock of the memory that it belongs to.
type Memo struct {
	in      *Memory
	Name    string
	Bytes   int // that it takes
	claimed int // that it is about to take, as anyone who reads it in knows beforehand
	users   int
	What    any // a *sessionLog or *spendLog
}

// MemoSize is about what a memo takes besides what is in it and its name.
const MemoSize = 512

// NewMemory returns the memory of an engine, of so many bytes at most.
func NewMemory(most int) (*Memory, error) {
	idle, err := simplelru.NewLRU[string, *Memo](math.MaxInt, nil) // bytes bound it, and not their number
	return &Memory{most: most, Idle: idle, Used: map[string]*Memo{}}, err
}

// Take returns the memo of a name for the caller to read, and to give back with
// [Memo.Done]. size is how many bytes will be in it when it is read in, as far as
// known. Where that is beyond what can be made room for, new work is refused; what
// has begun is not.
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

// Grow counts what was read in.
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

// Done gives a memo back. It must be called once for each take.
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
	} else { // it was forgotten meanwhile
		m.All -= x.Bytes
	}
	m.fit()
}

// Forget drops a memo. Anyone who reads it reads on.
func (m *Memory) Forget(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.Used, name)
	if x, ok := m.Idle.Peek(name); ok {
		m.Idle.Remove(name)
		m.All -= x.Bytes
	}
}

// Drop forgets every memo of which which says so.
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

// Hold counts bytes that are not let go before release, which must be called once.
// Where there is no room for them it refuses, unless it has to.
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

// fit lets memos go until what is left fits, or all of it is in use.
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

// Bytes returns how many there are, and of how many memos.
func (m *Memory) Bytes() (bytes, memos int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.All, m.Idle.Len() + len(m.Used)
}

// What things take in memory, in bytes: about as much as the heap gives for them,
// and rather more. [TestMemoryIsWhatTheHeapSays] compares.
const (
	ValueSize = 64  // a [sexpr.Value]
	turnSize  = 64  // a logTurn, in a slice with room to grow
	callSize  = 192 // a [skills.Call], and where it stands among those of its tool
	spendSize = 128 // a logSpend, likewise
	StepSize  = 64  // an accountStep, likewise
)

// bytesOfText is with what the heap rounds up to.
func bytesOfText(s string) int { return (len(s) + len(s)/16 + 15) &^ 15 }

// bytesOfValue is without the value itself, which stands in what holds it.
func bytesOfValue(v sexpr.Value) int {
	n := bytesOfText(v.Text()) + v.Len()*ValueSize/16
	for _, x := range v.Items() {
		n += ValueSize + bytesOfValue(x)
	}
	return n
}

// BytesOfWords is what a person's message takes in a history.
func BytesOfWords(text string) int { return turnSize + bytesOfText(text) }

// BytesOfAction is what a decision takes in a history; nil is one on nothing.
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
