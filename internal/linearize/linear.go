// Package linearize models the legal histories of an approval, also of one for a plan, of a
// permit and a dedupe key, and checks recorded histories of many clients against them: each object must
// behave as if one client at a time had used it. It is only for tests and independent
// of the engine: it states the rules a second time, short and slow, and porcupine
// searches for an order.
package linearize

import (
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
)

// Object is the object of an operation: an approval, a permit or a dedupe key, by
// its number.
type Object struct {
	Kind   Kind
	Number int
}

// Kind is of an object.
type Kind uint8

// The kinds of objects.
const (
	Card Kind = iota
	Permit
	Key
	Plan // a card for a plan: its yes counts for steps
)

func (o Object) String() string {
	return fmt.Sprint([]string{"card ", "permit ", "key ", "plan "}[o.Kind], o.Number)
}

// In is an operation as it was asked for.
type In struct {
	On  Object
	Do  string // one of the operations below
	Who string // who approves
	Of  int    // how many people a card needs
	Use        // of a plan's card

	early bool // it was under way when the time was over, and may have looked at the clock before
}

// Out is what an operation was answered.
type Out struct {
	How    How
	State  string // of a card that was read
	Filled int    // how many had approved a card that was read
	Signal uint64 // the record that a dedupe key stands for
	Repeat bool   // the key was known
}

// How an operation ended.
type How uint8

// What an answer says of an operation.
const (
	Unknown How = iota // no answer: it may have happened, or not
	Did
	Refused
)

func (h How) String() string { return []string{"unknown", "did", "refused"}[h] }

// The operations. On cards: approve, deny, edit, withdraw, consume, read, expire,
// sweep. On cards for plans besides: take, reload. On permits: begin, finish, wonder, settle, restart, expire. On keys:
// accept.
const (
	Approve  = "approve"
	Deny     = "deny"
	Edit     = "edit"
	Withdraw = "withdraw"
	Consume  = "consume" // takes a permit on the grant
	Read     = "read"
	Expire   = "expire" // by the clock alone
	Sweep    = "sweep"  // a heartbeat

	Begin   = "begin"
	Finish  = "finish"  // with a receipt that says what happened
	Wonder  = "wonder"  // with one that says unknown
	Settle  = "settle"  // a person states the outcome
	Restart = "restart" // of the engine

	Accept = "accept"
)

// History is what many clients did and saw. It is safe for concurrent use.
type History struct {
	begun time.Time
	mu    sync.Mutex
	ops   []porcupine.Operation
}

// NewHistory returns an empty history; its time begins now.
func NewHistory() *History { return &History{begun: time.Now()} }

// Do runs one operation and records its beginning, end and answer. An operation
// without an answer may take effect at any later time.
func (h *History) Do(in In, f func() Out) Out {
	call := int64(time.Since(h.begun))
	out := f()
	end := int64(time.Since(h.begun))
	if out.How == Unknown {
		end = math.MaxInt64
	}
	h.note(in, call, out, end)
	return out
}

// Saw notes what must have happened since then, and now is seen.
func (h *History) Saw(in In, since time.Time, out Out) {
	end := int64(time.Since(h.begun))
	if out.How == Unknown {
		end = math.MaxInt64
	}
	h.note(in, int64(since.Sub(h.begun)), out, end)
}

// All runs what happens to many objects at once, such as a restart.
func (h *History) All(ins []In, f func()) {
	call := int64(time.Since(h.begun))
	f()
	end := int64(time.Since(h.begun))
	for _, in := range ins {
		h.note(in, call, Out{How: Did}, end)
	}
}

func (h *History) note(in In, call int64, out Out, end int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops = append(h.ops, porcupine.Operation{ClientId: len(h.ops), Input: in, Call: call, Output: out, Return: end})
}

// Len is how many operations there were.
func (h *History) Len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.ops)
}

// Counts says how often each operation ended how.
func (h *History) Counts() map[string]int {
	out := map[string]int{}
	for _, o := range h.ops {
		in := o.Input.(In)
		out[[]string{"card-", "permit-", "key-", "plan-"}[in.On.Kind]+in.Do+" "+o.Output.(Out).How.String()]++
	}
	return out
}

// Check looks for an order of each object's operations that explains all answers.
// It returns the objects for which there is none, with what was done to them.
func (h *History) Check() (wrong []string) {
	by := map[Object][]porcupine.Operation{}
	for _, o := range h.ops {
		on := o.Input.(In).On
		by[on] = append(by[on], o)
	}
	for on, ops := range by {
		markEarly(ops)
		if porcupine.CheckOperations(models[on.Kind], ops) {
			continue
		}
		text := on.String() + ":"
		for _, o := range ops {
			in, out := o.Input.(In), o.Output.(Out)
			text += fmt.Sprintf("\n  %12d..%-20d %s %s%s -> %v %s %d %d %v", o.Call, o.Return, in.Do, in.Who, in.Step, out.How,
				out.State, out.Filled, out.Signal, out.Repeat)
		}
		wrong = append(wrong, text)
	}
	return wrong
}

// markEarly marks the operations that were under way when an object's time was
// over. An answer counts if it came in time, and it is seen a little later.
func markEarly(ops []porcupine.Operation) {
	for _, x := range ops {
		if x.Input.(In).Do != Expire {
			continue
		}
		for i, o := range ops {
			if in := o.Input.(In); in.Do != Expire && o.Call < x.Return && x.Call < o.Return {
				in.early = true
				ops[i].Input = in
			}
		}
	}
}
