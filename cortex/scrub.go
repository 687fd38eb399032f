package cortex

import (
	"errors"
	"time"

	"github.com/opencortex-go/cortex/cortex/journal"
)

const (
	scrubBatch = 256
	// scrubPause is the time between two batches: about 2 500 records a second, a
	// tenth of one core.
	scrubPause = 100 * time.Millisecond
)

// Scrub is how far the check in the background has come since the engine opened.
type Scrub struct {
	Checked uint64 // the last record that was checked
	Done    bool   // all that was there when the engine opened is as it was written
	Err     error  // the damage that was found, or nil
}

// scrub checks the whole chain once, in small steps, from the beginning to where it
// ended when the engine opened.
func (e *Engine) scrub() {
	t := time.NewTicker(scrubPause)
	defer t.Stop()
	end := e.j.Last()
	for at := uint64(1); ; {
		next, err := e.scrubSome(at, end)
		s := &Scrub{Checked: next, Done: err == nil && next >= end, Err: err}
		e.scrubbed.Store(s)
		if err != nil && e.ctx.Err() == nil {
			e.opt.Logger.Error("the record is damaged", "error", err)
		}
		if s.Done || err != nil {
			return
		}
		at = next // its link to the next one is still to be checked
		select {
		case <-t.C:
		case <-e.ctx.Done():
			return
		}
	}
}

// scrubSome checks a batch of records and returns the last of them.
func (e *Engine) scrubSome(from, end uint64) (last uint64, err error) {
	n := 0
	last = from
	err = e.j.Records(from, func(r journal.Record) error {
		if last, n = r.Seq, n+1; last >= end || n > scrubBatch {
			return errScrubbed
		}
		return nil
	})
	if errors.Is(err, errScrubbed) {
		err = nil
	} else if err == nil {
		last = max(last, end)
	}
	return last, err
}

var errScrubbed = errors.New("scrubbed")
