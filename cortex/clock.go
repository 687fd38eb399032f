package cortex

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/sexpr"
)

// clockSlack is how far the wall clock may be moved before that counts as a jump.
const clockSlack = 5 * time.Second

// ErrClock says that the wall clock has been set back behind the time at which
// something was asked or granted, so that nobody can say how old it is. It holds
// again when the clock has caught up; anyone who does not want to wait asks anew.
var ErrClock = errors.New("the clock was set back after this was asked, so nobody can say how old it is: have it " +
	"asked again")

// clock tells the time by two clocks: the wall clock, which may be set to
// anything at any moment, and the uptime of the machine, which may not. Where the
// first moves against the second by more than [clockSlack], that is a jump, and
// goes on record before anything is decided by the new time.
type clock struct {
	wall   func() time.Time
	uptime func() (boot string, up time.Duration) // nil: time is what the wall clock says
	j      *journal.Journal
	jumped func(jump) // told of each that is on record
	logger *slog.Logger

	noting sync.Mutex // held by anyone who puts jumps on record

	mu      sync.Mutex
	anchor  moment    // after the last jump
	high    time.Time // the latest that it has been since it was last set back
	ceiling time.Time // the latest that it has been before that
	era     int       // how often it was set back
	pending []jump    // not yet on record
	begun   moment    // when this engine opened
	steadys time.Time // the latest that steady has said
}

// moment is now, by both clocks.
type moment struct {
	wall time.Time
	boot string // which start of the machine; "" if that is not known
	up   time.Duration
}

// jump is one move of the wall clock against real time.
type jump struct {
	seq uint64 // its record
	by  time.Duration
}

func (c *clock) read() moment {
	m := moment{wall: c.wall().Round(0)}
	if c.uptime != nil {
		m.boot, m.up = c.uptime()
	}
	return m
}

// now reads both clocks, and notes whether there was a jump.
func (c *clock) now() moment {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.look()
}

func (c *clock) look() moment {
	m := c.read()
	by := min(0, m.wall.Sub(c.high)) // all that is certain without a clock beside it
	if m.boot != "" && m.boot == c.anchor.boot {
		by = m.wall.Sub(c.anchor.wall) - (m.up - c.anchor.up)
	}
	if by < -clockSlack || by > clockSlack {
		c.pending = append(c.pending, jump{by: by})
		c.anchor = m
	} else if m.boot != c.anchor.boot {
		c.anchor = m
	}
	if m.wall.Before(c.high.Add(-clockSlack)) {
		c.era++
		if c.high.After(c.ceiling) {
			c.ceiling = c.high
		}
		c.high = m.wall
	}
	if m.wall.After(c.high) {
		c.high = m.wall
	}
	return m
}

// moved reports whether there was a jump that is not on record yet.
func (c *clock) moved() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.look()
	return len(c.pending) > 0
}

// steady is a time for what lasts within one run of the engine: it goes on by
// uptime, sleep of the machine included, whatever the wall clock is set to.
func (c *clock) steady() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.read()
	t := m.wall
	if m.boot != "" && m.boot == c.begun.boot {
		t = c.begun.wall.Add(m.up - c.begun.up)
	}
	if t.After(c.steadys) {
		c.steadys = t
	}
	return c.steadys
}

// birth is when something was made, by both clocks.
type birth struct {
	boot string
	up   time.Duration
	era  int
}

func (c *clock) birth() birth {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.look()
	return birth{m.boot, m.up, c.era}
}

// passed reports whether the time until is over for what was born at from and
// lasts for so long: by either clock, and never again not.
func (c *clock) passed(b birth, until time.Time, lasts time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.look()
	latest := c.high
	if b.era != c.era && c.ceiling.After(latest) {
		latest = c.ceiling
	}
	return latest.Unix() >= until.Unix() || m.boot != "" && m.boot == b.boot && m.up-b.up >= lasts
}

// waited reports whether so much time has passed since then by both clocks.
func (c *clock) waited(b birth, since time.Time, lasts time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.look()
	return !c.doubts(b) && m.wall.Unix() >= since.Add(lasts).Unix() &&
		(m.boot == "" || m.boot != b.boot || m.up-b.up >= lasts)
}

// frozen reports whether the age of something cannot be told: the clock has been
// set back since it was made, and has not caught up.
func (c *clock) frozen(b birth) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.look()
	return c.doubts(b)
}

func (c *clock) doubts(b birth) bool { return b.era != c.era && c.high.Before(c.ceiling) }

// openClock finds out what earlier runs knew of the time. The fields of c that say how
// it reads the clocks, and where it notes jumps, are set.
func openClock(c *clock) error {
	c.begun = c.read()
	c.anchor, c.high, c.steadys, c.ceiling = c.begun, c.begun.wall, c.begun.wall, time.Unix(0, 0)
	v, known, err := getPlist(c.j, key(tableSetting, "clock"))
	if err != nil {
		return err
	}
	if known {
		c.era, c.ceiling = int(v.GetInt("era")), time.Unix(0, v.GetInt("ceiling"))
		c.anchor = moment{time.Unix(0, v.GetInt("wall")), v.GetText("boot"), time.Duration(v.GetInt("up"))}
		c.high = time.Unix(0, v.GetInt("high"))
	}
	noted := uint64(v.GetInt("record"))
	// Records that were written after that say how late it has been, too; those before,
	// how late it was before the clock was set back.
	last := c.j.Last()
	for seq := last; seq > 0 && seq+64 > last; seq-- {
		rec, err := c.j.Read(seq)
		if errors.Is(err, journal.ErrRemoved) {
			continue
		}
		if err != nil {
			return err
		}
		switch at := time.Unix(0, rec.At); {
		case !at.After(c.high):
		case seq > noted:
			c.high = at
		case at.After(c.ceiling):
			c.ceiling = at
		}
	}
	return scan(c.j, []byte{tableJump}, func(k, v []byte) error {
		c.jumped(jump{asNumber(k[1:]), time.Duration(asNumber(v))})
		return nil
	})
}

// set puts on record that the wall clock was moved, if it was. What is
// decided by the new time comes after that.
func (c *clock) set(ctx context.Context) error {
	if !c.moved() {
		return nil
	}
	c.noting.Lock()
	defer c.noting.Unlock()
	if !c.moved() {
		return nil // somebody else was first
	}
	noted := func() {}
	err := c.j.Finish(context.WithoutCancel(ctx), func(tx *journal.Tx) (err error) {
		noted, err = c.note(tx)
		return err
	})
	if err == nil {
		noted()
	}
	return err
}

// note records the jumps that are not on record yet, and how the clocks
// stand. noted is to be called when that is durable.
func (c *clock) note(tx *journal.Tx) (noted func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.look()
	jumps := slices.Clone(c.pending)
	for i := range jumps {
		by := jumps[i].by
		rec, err := tx.Append(kindClock, "", sexpr.Plist("by", sexpr.Int64(int64(by)), "era", sexpr.Int64(int64(c.era))))
		if err != nil {
			return nil, err
		}
		tx.Set(key(tableJump, rec.Seq), number(uint64(by)))
		jumps[i].seq = rec.Seq
	}
	return func() {
			for _, j := range jumps {
				c.jumped(j)
				c.logger.Warn("the wall clock was moved", "by", j.by)
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			c.pending = c.pending[len(jumps):]
		}, setPlist(tx, key(tableSetting, "clock"),
			sexpr.Plist("era", sexpr.Int64(int64(c.era)), "ceiling", sexpr.Int64(c.ceiling.UnixNano()),
				"high", sexpr.Int64(c.high.UnixNano()), "wall", sexpr.Int64(c.anchor.wall.UnixNano()),
				"boot", sexpr.Str(c.anchor.boot), "up", sexpr.Int64(int64(c.anchor.up)),
				"record", sexpr.Int64(int64(tx.Last()))))
}
