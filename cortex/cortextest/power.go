package cortextest

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
)

// ErrPower is in the errors of an engine whose machine has lost its power.
var ErrPower = errors.New("the power is gone")

// power is one run of a machine, from its start until the power goes.
type power struct {
	disk *storetest.Disk
	rng  *rand.Rand

	mu    sync.Mutex
	after int             // how many changes to the disk it goes at; 0 for never
	left  *storetest.Disk // what is left once it is gone
	gone  func()          // called then; may be nil
}

func (p *power) on() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.left == nil
}

// change is called before each change to the disk.
func (p *power) change(storetest.Op) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.after > 0 {
		if p.after--; p.after == 0 {
			p.cutNow()
		}
	}
	return nil
}

func (p *power) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cutNow()
}

// cutNow keeps what is left on the disk at this moment. What was synced is all there; of the
// rest there is nothing, half, or all. The caller holds mu.
func (p *power) cutNow() {
	if p.left == nil {
		p.left = p.disk.PowerCut([]int{0, 50, 100}[p.rng.IntN(3)], p.rng)
		if p.gone != nil {
			p.gone()
		}
	}
}

// powered is a store that works as long as there is power. A commit that the power did not
// outlast fails, whatever became of it on the disk: a dead machine tells nothing.
type powered struct {
	journal.Store
	power *power
}

func (s powered) Commit(writes []journal.Write) error {
	if !s.power.on() {
		return ErrPower
	}
	err := s.Store.Commit(writes)
	if !s.power.on() {
		return ErrPower
	}
	return err
}

func (s powered) Err() error {
	if !s.power.on() {
		return ErrPower
	}
	return s.Store.Err()
}

// Reclaim passes on what retention asks of a store that can do it.
func (s powered) Reclaim(ctx context.Context, lo, hi []byte) error {
	if r, ok := s.Store.(interface {
		Reclaim(ctx context.Context, lo, hi []byte) error
	}); ok {
		return r.Reclaim(ctx, lo, hi)
	}
	return nil
}
