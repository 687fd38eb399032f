package history

import (
	"errors"
	"math"
	"sort"
	"time"

	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/skills"
)

// Span is how long ago the first of some things happened, and the last.
type Span struct{ First, Last time.Duration }

// Calls returns when calls of a session were decided on, begun and ended, of those that are not longer ago than
// within; nil if none is on record. Where the wall clock was set to meanwhile does not count.
func (h *History) Calls(session string, now time.Time, within time.Duration) (*Span, error) {
	h.Gate.RLock()
	defer h.Gate.RUnlock()
	var all []uint64
	err := record.TableSession.Scan(h.J, session, func(seq uint64, mark []byte) error {
		if mark[0] == record.MarkDecision || mark[0] == record.MarkReceipt {
			all = append(all, seq)
		}
		return nil
	})
	if err != nil || len(all) == 0 {
		return nil, err
	}
	var failed error
	age := func(seq uint64) time.Duration {
		rec, err := h.J.Read(seq)
		failed = errors.Join(failed, err)
		return max(0, now.Sub(time.Unix(0, rec.At))-(h.jumps.upTo(math.MaxUint64)-h.jumps.upTo(seq)))
	}
	all = all[sort.Search(len(all), func(i int) bool { return age(all[i]) <= within }):]
	last, err := record.Version(h.J, skills.SessionKey(session)) // an intent, too
	if err = errors.Join(failed, err); err != nil || len(all) == 0 {
		return nil, err
	}
	return &Span{age(all[0]), age(max(last, all[len(all)-1]))}, failed
}
