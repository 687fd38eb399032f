package guard

import (
	"time"

	"github.com/opencortex-go/cortex/cortex/journal"
)

// wait tries a change again and again until it is not refused for want of space,
// the store is dead, or the store is being opened or closed.
func (sp *space) wait(again func() error) error {
	sp.mu.Lock()
	sp.stuck++
	sp.mu.Unlock()
	defer func() {
		sp.mu.Lock()
		defer sp.mu.Unlock()
		sp.stuck--
	}()
	for pause := probeEvery; ; pause = min(2*pause, retryMost) {
		sp.mu.Lock()
		news := sp.news
		sp.mu.Unlock()
		if !sp.patient.Load() {
			return journal.ErrFull
		}
		timer := time.NewTimer(pause)
		select {
		case <-news:
		case <-timer.C:
		case <-sp.disk.Death.Done:
			timer.Stop()
			return sp.disk.Death.Err()
		}
		timer.Stop()
		if err := again(); !scarce(err) {
			return err
		}
	}
}

// tell wakes the changes that wait.
func (sp *space) tell() {
	close(sp.news)
	sp.news = make(chan struct{})
}

// Ready has changes wait for space from now on: the store is open.
func (sp *space) Ready() {
	if sp != nil {
		sp.patient.Store(true)
	}
}

// Hurry ends waiting: the store is being closed.
func (sp *space) Hurry() {
	if sp == nil {
		return
	}
	sp.patient.Store(false)
	sp.mu.Lock()
	defer sp.mu.Unlock()
	sp.tell()
}
