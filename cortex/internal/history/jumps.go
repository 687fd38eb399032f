package history

import (
	"math"
	"sort"
	"time"

	"github.com/opencortex-go/cortex/cortex/internal/clock"
)

// jumps are the moves of the wall clock, oldest first. A jump does not change the age of
// what happened before it.
type jumps struct {
	list []clock.Jump
	sums []time.Duration // of the moves up to each
	wild bool            // a jump was too large to calculate with
}

func (j *jumps) add(x clock.Jump) {
	sum := x.By
	if n := len(j.sums); n > 0 {
		sum += j.sums[n-1]
	}
	j.list, j.sums = append(j.list, x), append(j.sums, sum)
	j.wild = j.wild || max(x.By, -x.By, sum, -sum) > farthest || x.By == math.MinInt64 || sum == math.MinInt64
}

// count returns the number of jumps up to record seq.
func (j *jumps) count(seq uint64) int {
	if n := len(j.list); n == 0 || j.list[n-1].Seq <= seq {
		return n
	}
	return sort.Search(len(j.list), func(i int) bool { return j.list[i].Seq > seq })
}

// upTo returns the sum of all jumps up to record seq.
func (j *jumps) upTo(seq uint64) time.Duration {
	if n := j.count(seq); n > 0 {
		return j.sums[n-1]
	}
	return 0
}

// farthest is the largest move of the wall clock, either way, with which times can still be
// compared by bisection: some 73 years.
const farthest = time.Duration(1) << 61

// moveless is a time in nanoseconds, minus the sum of all jumps before it. Later jumps do
// not change the order of such times; [History.reach] says which are late enough.
type moveless int64

// anytime is the moveless time of an event whose time is unknown.
const anytime moveless = math.MaxInt64

// moveless converts the time at, in Unix seconds, of record seq. The caller holds Gate.
func (h *History) moveless(at int64, seq uint64) moveless {
	if at <= 0 || at >= 1<<32 || h.jumps.wild {
		return anytime
	}
	return moveless(at*1e9 - int64(h.jumps.upTo(seq)))
}

// reach returns a moveless time before which every event is earlier than since, as of record
// asOf, or anytime if none is known. Some events after it may be earlier than since, too,
// because times are cut to seconds. The caller holds Gate.
func (h *History) reach(since int64, asOf uint64) moveless {
	if since <= 2 || since >= 1<<32 || h.jumps.wild {
		return anytime
	}
	return moveless((since-2)*1e9 - int64(h.jumps.upTo(asOf)))
}

// Jumped adds a jump of the wall clock, and drops caches that have read beyond the jump's
// record without knowing of it.
func (h *History) Jumped(j clock.Jump) {
	h.Gate.Lock()
	defer h.Gate.Unlock()
	h.jumps.add(j)
	h.memory.Drop(func(what any) bool {
		switch l := what.(type) {
		case *SessionLog:
			return l.upto >= j.Seq
		case *spendLog:
			return l.upto >= j.Seq
		}
		return false
	})
}

// shift returns by how many seconds the wall clock was moved after record seq and up to
// record asOf. Adding it to an earlier time keeps that event's age. The caller holds Gate.
func (h *History) shift(seq, asOf uint64) int64 {
	if asOf <= seq {
		return 0
	}
	return int64((h.jumps.upTo(asOf) - h.jumps.upTo(seq)) / time.Second)
}
