package history

import (
	"math"
	"sort"
	"time"

	"github.com/opencortex-go/cortex/cortex/internal/clock"
)

// jumps are the moves of the wall clock, oldest first. What happened before one is
// as old as it was, and not as the clock would have it now.
type jumps struct {
	list []clock.Jump
	sums []time.Duration // of the moves up to each
	wild bool            // one was so far that times cannot be reckoned with
}

func (j *jumps) add(x clock.Jump) {
	sum := x.By
	if n := len(j.sums); n > 0 {
		sum += j.sums[n-1]
	}
	j.list, j.sums = append(j.list, x), append(j.sums, sum)
	j.wild = j.wild || max(x.By, -x.By, sum, -sum) > farthest || x.By == math.MinInt64 || sum == math.MinInt64
}

// count is how many there were up to record seq.
func (j *jumps) count(seq uint64) int {
	if n := len(j.list); n == 0 || j.list[n-1].Seq <= seq {
		return n
	}
	return sort.Search(len(j.list), func(i int) bool { return j.list[i].Seq > seq })
}

// upTo is how far the clock was moved in all up to record seq.
func (j *jumps) upTo(seq uint64) time.Duration {
	if n := j.count(seq); n > 0 {
		return j.sums[n-1]
	}
	return 0
}

// farthest is how far the wall clock may be moved, either way, for times before
// that to be compared quickly: some 73 years.
const farthest = time.Duration(1) << 61

// moveless is a time in nanoseconds less what the clock had been moved by: whatever
// jumps come, the order of such times stays, and [History.reach] says which are late
// enough.
type moveless int64

// anytime is the moveless time of what may have happened at any.
const anytime moveless = math.MaxInt64

// moveless is the time at, in Unix seconds, of record seq. The gate is held.
func (h *History) moveless(at int64, seq uint64) moveless {
	if at <= 0 || at >= 1<<32 || h.jumps.wild {
		return anytime
	}
	return moveless(at*1e9 - int64(h.jumps.upTo(seq)))
}

// reach is the moveless time before which nothing is as late as since, as of record
// asOf; anytime, if that cannot be told. Not all that is later than reach is as late
// as since: times are cut to seconds. The gate is held.
func (h *History) reach(since int64, asOf uint64) moveless {
	if since <= 2 || since >= 1<<32 || h.jumps.wild {
		return anytime
	}
	return moveless((since-2)*1e9 - int64(h.jumps.upTo(asOf)))
}

// Jumped notes that the wall clock was moved. What was read beyond the record that
// says so without knowing of it is forgotten.
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

// shift is by how many seconds the wall clock was moved after record seq, as of a
// record: what happened before is as old as it was, and not as the clock would
// have it now. The gate is held.
func (h *History) shift(seq, asOf uint64) int64 {
	if asOf <= seq {
		return 0
	}
	return int64((h.jumps.upTo(asOf) - h.jumps.upTo(seq)) / time.Second)
}
