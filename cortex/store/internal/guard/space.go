package guard

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/opencortex-go/cortex/cortex/journal"
)

const (
	// reserveSize is what is kept free on a disk that has plenty, in bytes.
	reserveSize = 64 << 20
	// askEvery and askAfter say when the free space that was last asked for has
	// become too old: a time, and a number of bytes written.
	askEvery = 10 * time.Millisecond
	askAfter = 1 << 20
	// probeEvery is how often it is tried whether a disk that refused to write has
	// space again, where nothing else tells.
	probeEvery = 50 * time.Millisecond
	// retryMost is the longest pause between two tries of one change to a full disk.
	retryMost = time.Second
)

// MemTable is how much a memtable holds, in bytes: small enough to be replayed
// quickly after a crash, large enough that flushes are rare.
const MemTable = 16 << 20

// space watches over what is left of the disk. Of the reserve, what is above a
// quarter is refused to news and left to what finishes things; a quarter is in the
// ballast, a file that is there to be removed when the disk refuses to write; and
// an eighth is for Pebble alone, so that it need not wait to write its tables.
//
// A nil space is endless.
type space struct {
	disk    *Disk
	dir     string
	reserve int64
	patient atomic.Bool // changes wait for space; not while the store is opened or closed

	mu      sync.Mutex
	asked   time.Time // when free was found
	written int64     // since
	free    int64     // as the disk says; unknown where it does not say
	tried   time.Time // when it was last tried to make the ballast
	ballast bool      // it is there
	short   bool      // too little for news
	files   bool      // it is descriptors that are short
	stuck   int       // changes that wait for space
	news    chan struct{}
}

// unknown is the free space of a disk that does not tell. It is endless until a
// write is refused.
const unknown = int64(1) << 62

func newSpace(disk *Disk, dir string, reserve int64) *space {
	return &space{disk: disk, dir: dir, reserve: reserve, free: unknown, news: make(chan struct{})}
}

// begin sets the reserve aside, once the store's folder is there. What an earlier
// process has left of the ballast is used.
func (sp *space) begin() {
	if sp == nil {
		return
	}
	if sp.reserve == 0 {
		sp.reserve = reserveSize
		if u, err := sp.disk.FS.GetDiskUsage(sp.dir); err == nil && u.TotalBytes > 0 {
			sp.reserve = min(sp.reserve, int64(u.TotalBytes/8))
		}
	}
	_, err := sp.disk.FS.Stat(sp.path())
	sp.mu.Lock()
	defer sp.mu.Unlock()
	sp.ballast = err == nil
	sp.look(time.Now())
	if !sp.ballast && sp.total() >= sp.reserve {
		sp.fillBallast()
	}
}

// Room reports whether something new may be begun: see [journal.Store].
func (sp *space) Room() error {
	if sp == nil {
		return nil
	}
	sp.mu.Lock()
	defer sp.mu.Unlock()
	sp.look(time.Now())
	if sp.stuck > 0 || sp.short {
		return sp.full()
	}
	return nil
}

// Admit reports whether a commit of so many bytes may be written. While Pebble cannot
// write its tables, it is as much as Pebble takes into memory without waiting.
func (sp *space) Admit(bytes int64) error {
	if sp == nil {
		return nil
	}
	sp.mu.Lock()
	defer sp.mu.Unlock()
	sp.look(time.Now())
	if sp.ballast && sp.free-bytes < sp.reserve/8 {
		sp.drop()
	}
	if sp.free-bytes < sp.reserve/8 || sp.stuck > 0 && sp.written+bytes > min(sp.reserve/8, MemTable/2) {
		return sp.full()
	}
	sp.written += bytes
	return nil
}

// Spare reports whether so many bytes may be used for a while: a quarter of the reserve
// is left to who finishes something meanwhile.
func (sp *space) Spare(bytes int64) error {
	if sp == nil {
		return nil
	}
	sp.mu.Lock()
	defer sp.mu.Unlock()
	sp.look(time.Now())
	if sp.stuck > 0 || sp.free-bytes < sp.reserve/4 {
		return sp.full()
	}
	return nil
}

// full is the error for want of space, with what an operator wants to know.
func (sp *space) full() error {
	if sp.files {
		return fmt.Errorf("%w: the process has as many files open as it may (RLIMIT_NOFILE); nothing new is begun until "+
			"it has fewer", journal.ErrFull)
	}
	if sp.free == unknown {
		return fmt.Errorf("%w: the disk of %q refuses to write; nothing new is begun until it does not", journal.ErrFull,
			sp.dir)
	}
	return fmt.Errorf("%w: the disk of %q has %d MiB free, and nothing new is begun below %d MiB", journal.ErrFull, sp.dir,
		sp.free>>20, sp.low()>>20)
}

// low is how much must be free for news. What the ballast holds need not be.
func (sp *space) low() int64 {
	if sp.ballast {
		return sp.reserve - sp.ballastSize()
	}
	return sp.reserve
}

// total is the free space, and what the ballast holds.
func (sp *space) total() int64 {
	if sp.ballast {
		return sp.free + sp.ballastSize()
	}
	return sp.free
}

// look asks how much is free, unless that was just done, and draws conclusions.
func (sp *space) look(now time.Time) {
	if now.Sub(sp.asked) < askEvery && sp.written < askAfter {
		return
	}
	sp.asked = now
	if sp.stuck == 0 {
		sp.written = 0 // else it counts what Pebble could not write yet
	}
	sp.free = unknown
	if u, err := sp.disk.FS.GetDiskUsage(sp.dir); err == nil {
		sp.free = int64(min(u.AvailBytes, uint64(unknown)))
	}
	switch {
	case !sp.short && sp.free < sp.low():
		sp.becomeShort(nil)
	case sp.short && sp.stuck == 0 && sp.total() >= sp.reserve+sp.reserve/8 && (sp.ballast || sp.refill(now)):
		sp.short, sp.files = false, false
		sp.disk.Death.Log.Info("what was short is there again: work goes on", "dir", sp.dir)
	}
	if !sp.short || sp.total() >= sp.reserve {
		sp.tell()
	}
}

func (sp *space) becomeShort(cause error) {
	if !sp.short {
		sp.short = true
		text := "no space left on the disk: nothing new is begun until there is"
		if sp.files {
			text = "no file can be opened any more: nothing new is begun until one can"
		}
		sp.disk.Death.Log.Error(text, "dir", sp.dir, "free", sp.free, "reserve", sp.reserve, "cause", cause)
	}
}
