package cortextest

import (
	"fmt"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/cortex"
)

// Clock is the clock of a machine: a wall clock, which anyone may set, and an uptime, which
// only goes on. It stands still until [Clock.Run]. It is safe for concurrent use.
type Clock struct {
	mu     sync.Mutex
	origin time.Time     // what it stands at, before it was moved
	runs   bool          // it goes with time.Now, and not from origin
	ahead  time.Duration // of the wall clock, before origin or time.Now
	boots  int
	booted time.Time     // when the machine was started, by origin or time.Now
	since  time.Duration // what is added to the time since
}

// NewClock returns a clock that stands still at this time. Its machine has just been
// started.
func NewClock(at time.Time) *Clock { return &Clock{origin: at, booted: at} }

// base is the time that the clock goes by. The caller holds mu.
func (c *Clock) base() time.Time {
	if c.runs {
		return time.Now()
	}
	return c.origin
}

// Now returns what the wall clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.base().Add(c.ahead)
}

// Uptime returns a name for the machine's start, and how long ago that was.
func (c *Clock) Uptime() (boot string, up time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fmt.Sprint("boot-", c.boots), c.base().Sub(c.booted) + c.since
}

// Run lets the clock go on from now, as time.Now does: in a bubble of testing/synctest,
// with the time of the bubble.
func (c *Clock) Run() {
	c.mu.Lock()
	defer c.mu.Unlock()
	wall, up := c.base().Add(c.ahead), c.base().Sub(c.booted)+c.since
	c.runs = true
	now := time.Now()
	c.ahead, c.booted, c.since = wall.Sub(now), now, up
}

// Add lets this much time pass, for the wall clock and the uptime.
func (c *Clock) Add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead, c.since = c.ahead+d, c.since+d
}

// Set moves the wall clock by this much, forward or back, as a person does who sets it. The
// uptime shows that no time has passed.
func (c *Clock) Set(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += by
}

// Reboot starts the machine again after it was off for this long. With an old battery the
// wall clock may even go back.
func (c *Clock) Reboot(off time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead, c.boots, c.booted, c.since = c.ahead+off, c.boots+1, c.base(), 0
}

// Options let an engine go by this clock.
func (c *Clock) Options() cortex.ClockOptions {
	return cortex.ClockOptions{Now: c.Now, Uptime: c.Uptime}
}
