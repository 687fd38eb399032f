package cortex

import (
	"math"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// memory counts the bytes that sessions take in memory: what is remembered of the
// record, as memos, and signals that wait. Memos that nobody reads are let go, the
// least recently used first, as soon as all of it is more than most. They are read
// again from the record when they are next asked for, so that letting one go costs
// time and changes nothing.
type memory struct {
	most int

	mu   sync.Mutex
	idle *simplelru.LRU[string, *memo] // nobody reads them: they may go
	used map[string]*memo              // somebody does
	all  int                           // bytes of all memos, and of what waits
	firm int                           // of these, what cannot be let go: memos in use, and what waits
	gone int                           // how many memos were let go so far
}

// memo is what is remembered of one session or principal. Its bytes are counted
// under the lock of the memory that it belongs to.
type memo struct {
	in      *memory
	name    string
	bytes   int // that it takes
	claimed int // that it is about to take, as anyone who reads it in knows beforehand
	users   int
	what    any // a *sessionLog or *spendLog
}

// memoSize is about what a memo takes besides what is in it and its name.
const memoSize = 512

func newMemory(most int) (*memory, error) {
	idle, err := simplelru.NewLRU[string, *memo](math.MaxInt, nil) // bytes bound it, and not their number
	return &memory{most: most, idle: idle, used: map[string]*memo{}}, err
}

// take returns the memo of a name for the caller to read, and to give back with
// [memo.done]. size is how many bytes will be in it when it is read in, as far as
// known. Where that is beyond what can be made room for, new work is refused; what
// has begun is not.
func (m *memory) take(name string, size int, isNew bool, blank func() any) (*memo, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	x, used := m.used[name]
	known := used
	if !used {
		x, known = m.idle.Get(name)
	}
	empty := memoSize + 2*len(name)
	if !known {
		x = &memo{in: m, name: name, bytes: empty, what: blank()}
	}
	claim := max(0, empty+size-x.bytes-x.claimed)
	firm := claim
	if !used {
		firm += x.bytes
	}
	if isNew && m.firm+firm > m.most {
		return nil, &BusyError{"memory", "", m.most}
	}
	if !used {
		m.idle.Remove(name)
		m.used[name] = x
	}
	if !known {
		m.all += x.bytes
	}
	x.users++
	x.claimed += claim
	m.all += claim
	m.firm += firm
	m.fit()
	return x, nil
}

// grow counts what was read in.
func (x *memo) grow(n int) {
	m := x.in
	m.mu.Lock()
	defer m.mu.Unlock()
	more := n - min(n, x.claimed)
	x.claimed -= n - more
	x.bytes += n
	m.all += more
	m.firm += more
	m.fit()
}

// done gives a memo back. It must be called once for each take.
func (x *memo) done() {
	m := x.in
	m.mu.Lock()
	defer m.mu.Unlock()
	if x.users--; x.users > 0 {
		return
	}
	m.all -= x.claimed
	m.firm -= x.bytes + x.claimed
	x.claimed = 0
	if m.used[x.name] == x {
		delete(m.used, x.name)
		m.idle.Add(x.name, x)
	} else { // it was forgotten meanwhile
		m.all -= x.bytes
	}
	m.fit()
}

// forget drops a memo. Anyone who reads it reads on.
func (m *memory) forget(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.used, name)
	if x, ok := m.idle.Peek(name); ok {
		m.idle.Remove(name)
		m.all -= x.bytes
	}
}

// drop forgets every memo of which which says so.
func (m *memory) drop(which func(what any) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for name, x := range m.used {
		if which(x.what) {
			delete(m.used, name)
		}
	}
	for _, name := range m.idle.Keys() {
		if x, _ := m.idle.Peek(name); which(x.what) {
			m.idle.Remove(name)
			m.all -= x.bytes
		}
	}
}

// hold counts bytes that are not let go before release, which must be called once.
// Where there is no room for them it refuses, unless it has to.
func (m *memory) hold(n int, must bool) (release func(), err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !must && m.firm+n > m.most {
		return nil, &BusyError{"memory", "", m.most}
	}
	m.all += n
	m.firm += n
	m.fit()
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.all -= n
		m.firm -= n
	}, nil
}

// fit lets memos go until what is left fits, or all of it is in use.
func (m *memory) fit() {
	for m.all > m.most {
		_, x, ok := m.idle.RemoveOldest()
		if !ok {
			return
		}
		m.all -= x.bytes
		m.gone++
	}
}

// bytes returns how many there are, and of how many memos.
func (m *memory) bytes() (bytes, memos int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.all, m.idle.Len() + len(m.used)
}

// What things take in memory, in bytes: about as much as the heap gives for them,
// and rather more. [TestMemoryIsWhatTheHeapSays] compares.
const (
	valueSize = 64  // a [sexpr.Value]
	turnSize  = 64  // a logTurn, in a slice with room to grow
	callSize  = 192 // a [skills.Call], and where it stands among those of its tool
	spendSize = 128 // a logSpend, likewise
	stepSize  = 64  // an accountStep, likewise
)

// bytesOfText is with what the heap rounds up to.
func bytesOfText(s string) int { return (len(s) + len(s)/16 + 15) &^ 15 }

// bytesOfValue is without the value itself, which stands in what holds it.
func bytesOfValue(v sexpr.Value) int {
	n := bytesOfText(v.Text()) + v.Len()*valueSize/16
	for _, x := range v.Items() {
		n += valueSize + bytesOfValue(x)
	}
	return n
}

// bytesOfWords is what a person's message takes in a history.
func bytesOfWords(text string) int { return turnSize + bytesOfText(text) }

// bytesOfAction is what a decision takes in a history; nil is one on nothing.
func bytesOfAction(a *skills.Action) int {
	if a == nil {
		return turnSize + callSize
	}
	return turnSize + callSize + bytesOfText(a.Tool()) + bytesOfValue(a.Args())
}

func bytesOfCall(c *skills.Call) int {
	return turnSize + callSize + bytesOfText(c.Tool) + bytesOfValue(c.Args)
}

// bytesOfReceipt is what a receipt adds to the history that its decision is in.
func bytesOfReceipt(r *act.Receipt) int {
	return callSize + bytesOfValue(r.Result) + bytesOfText(r.Text) + bytesOfText(r.Error)
}

func bytesOfSpend(s *skills.Spend) int {
	return spendSize + bytesOfText(s.Budget) + bytesOfText(s.Session) + bytesOfText(s.Principal) + bytesOfText(s.Tool)
}

// bytesOfSignal is what a signal takes while it waits for its answer.
func bytesOfSignal(s perceive.Signal) int {
	return 1024 + len(s.Text) + bytesOfValue(s.Payload) + len(s.Session) + len(s.Principal) + len(s.Key)
}
