package plugins

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/plugins/internal/sandbox"
)

// How a plugin that fails is treated.
const (
	strikesToEnd = 3 // failed answers in a row, after which the process is ended
	fallsToOpen  = 5 // starts in a row without one good answer, after which the circuit opens
	firstDelay   = 50 * time.Millisecond
	lastDelay    = 5 * time.Second
)

// supervisor keeps one plugin running: it starts the process, starts it again
// after it ended, later and later, and says why there is none.
//
// A process that falls is started again after 50 ms, then 100 ms, up to 5 s; one
// good answer sets that back. After five starts without a good answer the circuit
// is open: anyone who asks is told at once. Each new start is a trial.
type supervisor struct {
	entry *Entry
	supply
	log *slog.Logger

	mu      sync.Mutex
	proc    *process
	changed chan struct{} // closed, and replaced, when proc or falls change
	strikes int
	falls   int
	starts  int
	flaps   int   // double calls that were answered differently
	why     error // of the last fall
	ending  bool

	stop context.CancelFunc
	done chan struct{}
}

// supervise takes over a plugin; first, if not nil, is a process of it that runs
// already.
func supervise(e *Entry, s supply, first *process) *supervisor {
	ctx, cancel := context.WithCancel(context.Background())
	v := &supervisor{
		entry: e, supply: s, log: s.log, changed: make(chan struct{}), stop: cancel, done: make(chan struct{}),
	}
	if first != nil {
		v.proc, v.starts = first, 1
	}
	go v.run(ctx, first)
	return v
}

// close ends the process and waits until nothing of it is left.
func (v *supervisor) close() {
	v.stop()
	<-v.done
}

func (v *supervisor) run(ctx context.Context, p *process) {
	defer close(v.done)
	for {
		var err error
		if p == nil {
			p, err = start(ctx, v.entry, v.supply)
		}
		if err == nil {
			err = v.attend(ctx, p)
			p = nil
		}
		if ctx.Err() != nil {
			v.fell(errors.New("it was stopped"), true)
			return
		}
		delay := v.fell(err, false)
		v.log.Warn("a plugin is down and will be started again", "error", err, "after", delay)
		timer := time.NewTimer(delay)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
	}
}

// attend has a process answer until it ends, or has to be ended.
func (v *supervisor) attend(ctx context.Context, p *process) error {
	v.mu.Lock()
	if v.proc == nil {
		v.starts++
	}
	v.proc, v.strikes, v.ending = p, 0, false
	v.announce()
	v.mu.Unlock()
	for {
		v.mu.Lock()
		ending, changed := v.ending, v.changed
		v.mu.Unlock()
		var err error
		switch {
		case ending:
			err = fmt.Errorf("%d failed answers in a row", strikesToEnd)
		default:
			select {
			case <-p.guest.child.Gone():
				err = ended(p.guest.child.Wait())
			case <-ctx.Done():
				err = context.Cause(ctx)
			case <-changed:
				continue
			}
		}
		v.mu.Lock()
		v.proc = nil
		v.announce()
		v.mu.Unlock()
		p.stop()
		return err
	}
}

// ended says how a process ended by itself.
func ended(why error) error {
	if why == nil {
		return errors.New("it ended by itself")
	}
	return fmt.Errorf("it ended: %w", why)
}

// fell notes a fall and returns how long to wait.
func (v *supervisor) fell(err error, last bool) time.Duration {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.why = err
	v.falls++
	if last {
		v.falls = fallsToOpen
	}
	v.announce()
	return min(firstDelay<<min(v.falls-1, 10), lastDelay)
}

// announce wakes anyone who waits. The lock is held.
func (v *supervisor) announce() {
	close(v.changed)
	v.changed = make(chan struct{})
}

// process returns the running process, waiting for one that is being started,
// until ctx ends. With the circuit open it errs at once.
func (v *supervisor) process(ctx context.Context) (*process, error) {
	for {
		v.mu.Lock()
		p, falls, changed := v.proc, v.falls, v.changed
		v.mu.Unlock()
		switch {
		case p != nil:
			return p, nil
		case falls >= fallsToOpen:
			return nil, errOpen
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, errDown
		}
	}
}

var (
	errOpen = errors.New("its circuit is open: it failed again and again")
	errDown = errors.New("it is not running")
)

// answered notes how a process did. One good answer forgives all; several failed
// ones in a row end the process.
func (v *supervisor) answered(p *process, good bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.proc != p {
		return
	}
	if good {
		v.strikes, v.falls = 0, 0
		return
	}
	if v.strikes++; v.strikes == strikesToEnd {
		v.ending = true
		v.announce()
	}
}

// Fence is what holds a plugin's process in. What the kernel does not have is
// false, and the process runs without it, unless [Options.Strict] is set.
type Fence = sandbox.Fence

// State is how one plugin stands.
type State struct {
	Name     string
	Release  string
	Priority int
	Running  bool
	Open     bool // the circuit: every action it judges is denied
	PID      int  // 0 unless running
	Starts   int
	Flaps    int   // sampled double calls that were answered differently
	Err      error // why it was last down
	Fence    Fence // of the running process
}

func (v *supervisor) state() State {
	v.mu.Lock()
	defer v.mu.Unlock()
	s := State{
		Name: v.entry.Name, Release: v.entry.Release, Priority: v.entry.Priority, Running: v.proc != nil,
		Open: v.proc == nil && v.falls >= fallsToOpen, Starts: v.starts, Flaps: v.flaps, Err: v.why,
	}
	if v.proc != nil {
		s.PID, s.Fence = v.proc.guest.child.PID, v.proc.guest.child.Fence
	}
	return s
}
