package clock

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/sexpr"
)

// slack is how far the wall clock may move against uptime before that counts as a jump.
const slack = 5 * time.Second

// ErrClock says that the wall clock was set back to before something was asked or granted,
// so its age is not known. It is valid again when the clock has caught up; or people are
// asked again.
var ErrClock = errors.New("the clock was set back after this was asked, so its age is unknown: have it " +
	"asked again")

// Clock tells the time by two clocks: the wall clock, which may be set to anything at any
// moment, and the uptime of the machine, which cannot be set. If the first moves against
// the second by more than [slack], that is a jump. The jump goes on record before anything
// is decided by the new time.
type Clock struct {
	Wall   func() time.Time
	Uptime func() (boot string, up time.Duration) // nil: time is what the wall clock says
	J      *journal.Journal
	Jumped func(Jump) // called for each recorded jump
	Logger *slog.Logger

	noting sync.Mutex // held while jumps are recorded

	mu      sync.Mutex
	Anchor  moment    // after the last jump
	High    time.Time // the latest that it has been since it was last set back
	ceiling time.Time // the latest that it has been before that
	Era     int       // how often it was set back
	pending []Jump    // not yet on record
	begun   moment    // when this engine opened
	steadys time.Time // the latest that steady has said
}

// moment is now, by both clocks.
type moment struct {
	wall time.Time
	boot string // which start of the machine; "" if that is not known
	up   time.Duration
}

// Jump is one move of the wall clock against real time.
type Jump struct {
	Seq uint64 // its record
	By  time.Duration
}

func (c *Clock) Read() moment {
	m := moment{wall: c.Wall().Round(0)}
	if c.Uptime != nil {
		m.boot, m.up = c.Uptime()
	}
	return m
}

// Now reads both clocks, and notes whether there was a jump.
func (c *Clock) Now() moment {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.look()
}

func (c *Clock) look() moment {
	m := c.Read()
	by := min(0, m.wall.Sub(c.High)) // all that is certain without a second clock
	if m.boot != "" && m.boot == c.Anchor.boot {
		by = m.wall.Sub(c.Anchor.wall) - (m.up - c.Anchor.up)
	}
	if by < -slack || by > slack {
		c.pending = append(c.pending, Jump{By: by})
		c.Anchor = m
	} else if m.boot != c.Anchor.boot {
		c.Anchor = m
	}
	if m.wall.Before(c.High.Add(-slack)) {
		c.Era++
		if c.High.After(c.ceiling) {
			c.ceiling = c.High
		}
		c.High = m.wall
	}
	if m.wall.After(c.High) {
		c.High = m.wall
	}
	return m
}

// Moved reports whether there was a jump that is not on record yet.
func (c *Clock) Moved() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.look()
	return len(c.pending) > 0
}

// Steady returns a time for durations within one run of the engine: it advances with uptime,
// sleep of the machine included, whatever the wall clock is set to.
func (c *Clock) Steady() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.Read()
	t := m.wall
	if m.boot != "" && m.boot == c.begun.boot {
		t = c.begun.wall.Add(m.up - c.begun.up)
	}
	if t.After(c.steadys) {
		c.steadys = t
	}
	return c.steadys
}

// Birth is when something was made, by both clocks.
type Birth struct {
	Boot string
	Up   time.Duration
	Era  int
}

// Birth returns the present time by both clocks, for something that is being made.
func (c *Clock) Birth() Birth {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.look()
	return Birth{m.boot, m.up, c.Era}
}

// Passed reports whether something made at b is over by either clock: after until, or after
// it has lasted for lasts. Once over, it stays over.
func (c *Clock) Passed(b Birth, until time.Time, lasts time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.look()
	latest := c.High
	if b.Era != c.Era && c.ceiling.After(latest) {
		latest = c.ceiling
	}
	return latest.Unix() >= until.Unix() || m.boot != "" && m.boot == b.Boot && m.up-b.Up >= lasts
}

// Waited reports whether lasts has passed: since the given time by the wall clock, and since
// b by uptime.
func (c *Clock) Waited(b Birth, since time.Time, lasts time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.look()
	return !c.doubts(b) && m.wall.Unix() >= since.Add(lasts).Unix() &&
		(m.boot == "" || m.boot != b.Boot || m.up-b.Up >= lasts)
}

// Frozen reports whether the age of something is unknown: the clock has been set back since
// it was made, and has not caught up.
func (c *Clock) Frozen(b Birth) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.look()
	return c.doubts(b)
}

func (c *Clock) doubts(b Birth) bool { return b.Era != c.Era && c.High.Before(c.ceiling) }

// OpenClock returns an error if the record cannot be read. It restores from the record what
// earlier runs knew of the time. The caller has set the fields of c that read the clocks and
// receive jumps.
func OpenClock(c *Clock) error {
	c.begun = c.Read()
	c.Anchor, c.High, c.steadys, c.ceiling = c.begun, c.begun.wall, c.begun.wall, time.Unix(0, 0)
	v, known, err := record.GetPlist(c.J, record.TableSetting.Key(record.SettingClock))
	if err != nil {
		return err
	}
	if known {
		c.Era, c.ceiling = int(v.GetInt("era")), time.Unix(0, v.GetInt("ceiling"))
		c.Anchor = moment{time.Unix(0, v.GetInt("wall")), v.GetText("boot"), time.Duration(v.GetInt("up"))}
		c.High = time.Unix(0, v.GetInt("high"))
	}
	noted := uint64(v.GetInt("record"))
	// Records that were written after that say how late it has been, too; those before,
	// how late it was before the clock was set back.
	last := c.J.Last()
	for seq := last; seq > 0 && seq+64 > last; seq-- {
		rec, err := c.J.Read(seq)
		if errors.Is(err, journal.ErrRemoved) {
			continue
		}
		if err != nil {
			return err
		}
		switch at := time.Unix(0, rec.At); {
		case !at.After(c.High):
		case seq > noted:
			c.High = at
		case at.After(c.ceiling):
			c.ceiling = at
		}
	}
	return record.TableJump.Scan(c.J, func(seq uint64, by []byte) error {
		c.Jumped(Jump{seq, time.Duration(record.AsNumber(by))})
		return nil
	})
}

// Set records pending jumps of the wall clock. Call it before deciding by the new time.
func (c *Clock) Set(ctx context.Context) error {
	if !c.Moved() {
		return nil
	}
	c.noting.Lock()
	defer c.noting.Unlock()
	if !c.Moved() {
		return nil // another goroutine was first
	}
	noted := func() {}
	err := c.J.Finish(context.WithoutCancel(ctx), func(tx *journal.Tx) (err error) {
		noted, err = c.Note(tx)
		return err
	})
	if err == nil {
		noted()
	}
	return err
}

// Note records pending jumps and the state of the clocks in tx. The caller calls noted when
// tx is durable.
func (c *Clock) Note(tx *journal.Tx) (noted func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.look()
	jumps := slices.Clone(c.pending)
	for i := range jumps {
		by := jumps[i].By
		rec, err := record.Append(tx, "", record.Jump{By: by, Era: c.Era})
		if err != nil {
			return nil, err
		}
		tx.Set(record.TableJump.Key(rec.Seq), record.Number(uint64(by)))
		jumps[i].Seq = rec.Seq
	}
	return func() {
			for _, j := range jumps {
				c.Jumped(j)
				c.Logger.Warn("the wall clock was moved", "by", j.By)
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			c.pending = c.pending[len(jumps):]
		}, record.SetPlist(tx, record.TableSetting.Key(record.SettingClock),
			sexpr.Plist("era", sexpr.Int64(int64(c.Era)), "ceiling", sexpr.Int64(c.ceiling.UnixNano()),
				"high", sexpr.Int64(c.High.UnixNano()), "wall", sexpr.Int64(c.Anchor.wall.UnixNano()),
				"boot", sexpr.Str(c.Anchor.boot), "up", sexpr.Int64(int64(c.Anchor.up)),
				"record", sexpr.Int64(int64(tx.Last()))))
}
