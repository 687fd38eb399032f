package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/opencortex-go/cortex/cortex/journal"
)

// Report is what [Check] found in a store.
type Report struct {
	Dir     string  `json:"dir"`
	Commits uint64  `json:"commits"` // the newest one that any file tells of
	Keys    int     `json:"keys"`    // as of the newest one that can be read whole
	Faults  []Fault `json:"faults"`  // none: both places are as they were written
	// Torn is the last commit of the log, if it is not whole there: it was cut off by
	// a crash, and nobody was told that it was done, or the disk has lost its end.
	// Opening the store leaves it out. 0 if it is whole.
	Torn uint64 `json:"torn,omitempty"`
	Loss Loss   `json:"loss"`           // what is whole in neither place
	Kept string `json:"kept,omitempty"` // the folder in which a repair left the damaged files
}

// Fault is one thing that is not as it was written.
type Fault struct {
	File   string `json:"file"`
	Offset int64  `json:"offset"`           // in the file, in bytes; 0 where that is not known
	Commit uint64 `json:"commit,omitempty"` // that stands there, or should; 0 where that is not known
	Record uint64 `json:"record,omitempty"` // of the journal: the first that stands there; 0 where that is not known
	Text   string `json:"text"`
	Good   string `json:"good"` // which place has it whole: "log", "tables", "both" for a part each, or "" for none
}

// String says it in a line.
func (f Fault) String() string {
	at := ""
	if f.Offset > 0 {
		at += fmt.Sprintf(", byte %d", f.Offset)
	}
	switch {
	case f.Record > 0 && f.Commit == 0:
		at += fmt.Sprintf(" (record %d)", f.Record)
	case f.Record > 0:
		at += fmt.Sprintf(" (commit %d, record %d)", f.Commit, f.Record)
	case f.Commit > 0:
		at += fmt.Sprintf(" (commit %d)", f.Commit)
	}
	good := "not all of it is whole elsewhere"
	switch f.Good {
	case inLog:
		good = "the log has all of it"
	case inTables:
		good = "the tables have all of it"
	case inBoth:
		good = "both places together have all of it"
	}
	return fmt.Sprintf("%s%s: %s; %s", f.File, at, f.Text, good)
}

const (
	inLog    = "log"
	inTables = "tables"
	inBoth   = "both" // each has a part
)

// Loss is how much stands whole in neither place.
type Loss struct {
	Commits uint64 `json:"commits"`
	Records uint64 `json:"records"`            // of the journal, in those commits
	AtLeast bool   `json:"at_least,omitempty"` // the last of them cannot be read: there may be more records
	// Lost are the records, by number and kind.
	Lost []journal.Lost `json:"lost,omitempty"`
}

// some reports whether anything is lost.
func (l Loss) some() bool { return l.Commits > 0 || l.Records > 0 }

// String says it in a few words.
func (l Loss) String() string {
	least := ""
	if l.Records == 0 && len(l.Lost) == 0 && !l.AtLeast {
		return fmt.Sprintf("no record, but what %d commits wrote beside their records", l.Commits)
	}
	if l.AtLeast {
		least = "at least "
	}
	return fmt.Sprintf("%s%d records (%d commits)", least, l.Records, l.Commits)
}

// Check reads all of both places of the store in dir, and compares them key by
// key: what the log says there should be as of the last commit that the tables
// have, with what they have. It changes nothing. The error is for what kept it from
// looking: [ErrInUse], [ErrFormat], [fs.ErrNotExist], the context's.
//
// It keeps some 100 bytes in memory for each key.
func Check(ctx context.Context, dir string, opt Options) (Report, error) {
	x, err := examineLocked(ctx, dir, opt, false)
	if err != nil {
		return Report{}, fmt.Errorf("store: check: %w", err)
	}
	return x.report, errors.Join(x.close(), x.unlock())
}

// Exists reports whether there is a store in dir, whole or not: one of its files.
func Exists(dir string) (bool, error) { return exists(vfs.Default, dir) }

func exists(disk vfs.FS, dir string) (bool, error) {
	names, err := disk.List(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return slices.ContainsFunc(names, func(n string) bool { return n == "LOCK" || isStore(n) }), err
}

// state is everything that a store holds as of one commit, each value as the
// beginning of its SHA-256.
type state map[string][16]byte

func (s state) put(w journal.Write) {
	if w.Value == nil {
		delete(s, string(w.Key))
		return
	}
	sum := sha256.Sum256(w.Value)
	s[string(w.Key)] = [16]byte(sum[:16])
}

// examination is a look at a store in which both places are read whole.
type examination struct {
	report Report
	dir    string
	disk   *guarded
	lock   func() error

	unfinished bool // a repair was cut off; nothing was read
	parked     bool // a goroutine that a disk failed may still be reading: nothing is closed
	tables     tables
	log        logReading
	// Where Repair takes everything from, "" if there is nothing to take it from;
	// the last commit it has then, and what there is as of it.
	source string
	reach  mark
	state  state
	// What can be had where neither place is whole; nil where one is.
	salvage *salvage
}

func diskOf(opt Options, d *death) *guarded {
	if opt.Disk != nil {
		return &guarded{FS: opt.Disk.fs, death: d, before: opt.Disk.before}
	}
	return &guarded{FS: vfs.Default, death: d}
}

// examineLocked takes the folder's lock, and keeps it until unlock is called. Where the
// folder cannot be written to there is none, and only who changes it needs it.
func examineLocked(ctx context.Context, dir string, opt Options, change bool) (*examination, error) {
	log := opt.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	disk := diskOf(opt, newDeath(log))
	if there, err := exists(disk.FS, dir); err != nil {
		return nil, err
	} else if !there {
		return nil, fmt.Errorf("there is no store in %q: %w", dir, fs.ErrNotExist)
	}
	lock, err := disk.FS.Lock(disk.PathJoin(dir, "LOCK"))
	if err != nil {
		if err = lockError(dir, err); change || !errors.Is(err, ErrNotWritable) {
			return nil, err
		}
		lock = io.NopCloser(nil)
	}
	x, err := examine(ctx, dir, disk)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	x.lock = lock.Close
	return x, nil
}

func (x *examination) unlock() error { return x.lock() }

func (x *examination) close() error {
	if x.parked {
		return nil
	}
	return x.tables.close()
}

// examine reads the store in dir, whose lock is held. The caller closes what it
// returns.
func examine(ctx context.Context, dir string, disk *guarded) (x *examination, err error) {
	x = &examination{dir: dir, disk: disk, report: Report{Dir: dir, Faults: []Fault{}}}
	if unfinished, err := unfinishedRepair(disk, dir); err != nil {
		return nil, err
	} else if unfinished != "" {
		x.report.Faults = append(x.report.Faults,
			Fault{File: unfinished, Text: "a repair was cut off; opening the store, or `cortex fsck --repair`, ends it",
				Good: inLog})
		x.unfinished = true
		return x, nil
	}
	looked := x
	defer func() {
		if err != nil {
			err = errors.Join(err, looked.close())
		}
	}()
	if x.tables, err = readTables(ctx, dir, disk); err != nil {
		return nil, err
	}
	x.log, err = readLog(ctx, disk.FS, disk.PathJoin(dir, "log"), &x.tables)
	if err != nil {
		return nil, err
	}
	if x.tables.fault == nil && len(x.tables.state) > 0 && x.tables.applied.seq == 0 {
		return nil, fmt.Errorf("%w: it was written without a log", ErrFormat)
	}
	x.judge()
	if x.source == "" || x.report.Loss.some() || x.report.Torn > 0 || x.tables.fault != nil && !x.log.closed() {
		return x, x.combine(ctx)
	}
	return x, nil
}

// combine takes what there is from both places, where neither has all of it.
func (x *examination) combine(ctx context.Context) (err error) {
	s, err := newSalvage(ctx, x)
	if err != nil || x.source != "" && !x.report.Loss.some() && s.reach().seq <= x.reach.seq {
		return err // one place has all of it
	}
	if len(x.report.Faults) == 0 {
		x.report.Faults = []Fault{{File: x.dir, Commit: s.at.seq,
			Text: fmt.Sprintf("there are tables of commit %d, and the list of the tables that count ends before", s.at.seq)}}
	}
	x.report.Torn = 0
	x.salvage = s
	claim := x.report.Commits
	for _, f := range s.frames {
		claim = max(claim, f.seq)
	}
	x.report.Commits = claim
	if n := len(x.log.segs); n > 0 {
		if head := x.log.segs[n-1].newest(); head.tail.seq == s.reach().seq+1 && !head.closed && claim == head.tail.seq {
			x.report.Torn = claim
		}
	}
	if x.report.Loss, err = s.mend(ctx, claim, x.report.Torn); err != nil {
		return err
	}
	x.source, x.reach, x.state, x.report.Keys = inBoth, s.reach(), s.state, len(s.state)
	good := ""
	if !x.report.Loss.some() {
		good = inBoth
	}
	for i := range x.report.Faults {
		x.report.Faults[i].Good = good
	}
	return nil
}

// judge decides which place is to be believed, and what neither has.
func (x *examination) judge() {
	t, l := &x.tables, &x.log
	claim := max(l.claim, t.applied.seq)
	x.report.Commits, x.report.Torn = claim, l.torn
	if l.whole { // it is the record; the tables follow
		x.source, x.reach, x.state = inLog, l.last.mark, l.state
	}
	if t.fault == nil && (x.source == "" || l.beyond.seq > x.reach.seq) {
		x.source, x.reach, x.state = inTables, l.beyond.mark, t.state
	}
	if t.fault == nil && l.fault == nil && l.end == nil {
		x.report.Keys = len(x.state)
		return
	}
	lost := claim - min(x.reach.seq, claim)
	if l.torn > 0 && lost > 0 {
		lost--
	}
	good := ""
	if lost == 0 {
		good = x.source
	}
	x.report.Keys = len(x.state)
	for _, f := range []*Fault{t.fault, l.fault, l.end} {
		if f != nil {
			f.Good = good
			x.report.Faults = append(x.report.Faults, *f)
		}
	}
	if lost > 0 {
		x.report.Loss = Loss{Commits: lost}
		if l.newest > l.heads(x.source) {
			x.report.Loss.Records = l.newest - l.heads(x.source)
		}
		x.report.Loss.AtLeast = l.newestIn < claim
	}
}

// tables are Pebble's files as they are found.
type tables struct {
	dir     string
	store   *store // open for reading; its db is nil where it does not open
	exist   bool
	applied place
	head    uint64 // the newest record
	record  uint64 // the last one that could be read
	state   state
	fault   *Fault // the first; state is not whole then
}

func (t *tables) close() error {
	if t.store == nil || t.store.db == nil {
		return nil
	}
	s := t.store
	t.store = nil
	if s.death.Err() != nil {
		return nil // a goroutine of its own may be parked: it keeps what it has
	}
	return s.alive(s.db.Close)
}

// readTables reads all that Pebble has.
func readTables(ctx context.Context, dir string, disk *guarded) (t tables, err error) {
	was, err := pebble.Peek(dir, disk)
	if err != nil {
		return t, formatError(err)
	}
	if gone := markerGone(disk, dir, was); gone != nil {
		t.dir, t.state, t.exist, t.fault = dir, state{}, true, &Fault{File: gone.File, Text: gone.Text}
		return t, nil
	}
	if was.Exists && was.FormatMajorVersion != format {
		return t, fmt.Errorf("%w: it is %d, this version has %d", ErrFormat, was.FormatMajorVersion, format)
	}
	t.dir, t.state, t.exist = dir, state{}, was.Exists
	if !was.Exists {
		return t, nil
	}
	// What fails in here must not be the end of the disk that a repair works on.
	own := newDeath(disk.death.log)
	t.store = &store{death: own, disk: &guarded{FS: disk.FS, death: own}}
	var bad pebble.DataCorruptionInfo
	err = t.store.alive(func() error { return t.read(ctx, dir, &bad) })
	switch {
	case ctx.Err() != nil:
		return t, errors.Join(context.Cause(ctx), t.close())
	case err != nil:
		t.fault = &Fault{File: dir, Text: firstLine(err)}
		if t.head == 0 && t.record > 0 { // it is behind that one
			t.fault.Record = t.record + 1
		}
		if bad.Path != "" {
			t.fault.File = bad.Path
		}
	}
	return t, nil
}

// markerGone finds out that Pebble's tables are there, and a file is not that says which
// of them count, or of which format they are: both are empty, and hard to miss.
func markerGone(disk vfs.FS, dir string, was *pebble.DBDesc) *Damage {
	if was.Exists && was.FormatMajorVersion != pebble.FormatDefault {
		return nil
	}
	names, err := disk.List(dir)
	made := func(n string) bool { return strings.HasSuffix(n, ".sst") || was.Exists && n == "log" }
	if err != nil || !slices.ContainsFunc(names, made) {
		return nil // it was being made when the process ended
	}
	if !was.Exists {
		return &Damage{File: disk.PathJoin(dir, "marker.manifest.*"), Text: "it is gone"}
	}
	return &Damage{File: disk.PathJoin(dir, "marker.format-version.*"), Text: "it is gone"}
}

func (t *tables) read(ctx context.Context, dir string, bad *pebble.DataCorruptionInfo) (err error) {
	opt := t.store.options()
	opt.ReadOnly = true
	opt.EventListener = &pebble.EventListener{DataCorruption: func(info pebble.DataCorruptionInfo) { *bad = info }}
	if t.store.db, err = pebble.Open(dir, opt); err != nil {
		return err
	}
	t.applied, err = t.store.applied()
	return errors.Join(err, eachKey(ctx, t.store.db, func(w journal.Write) error {
		t.state.put(w)
		if seq := journal.RecordIn(w); seq > 0 {
			t.record = seq
		}
		if seq, ok := journal.HeadIn(w); ok {
			t.head = seq
		}
		return nil
	}))
}

// eachKey calls f with each key of others, in order.
func eachKey(ctx context.Context, db pebble.Reader, f func(w journal.Write) error) (err error) {
	it, err := db.NewIter(&pebble.IterOptions{LowerBound: []byte{ownTable + 1}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for ok := it.First(); ok; ok = it.Next() {
		value, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		if value == nil {
			value = []byte{}
		}
		if err := f(journal.Write{Key: it.Key(), Value: value}); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return it.Error()
}

// differ finds what the tables have otherwise than the log says, and names the first
// record among that.
func (t *tables) differ(want state, at mark) *Fault {
	if maps.Equal(t.state, want) {
		return nil
	}
	f := &Fault{File: t.dir, Commit: at.seq}
	seen := func(key string) {
		if seq := journal.RecordIn(journal.Write{Key: []byte(key)}); seq > 0 && (f.Record == 0 || seq < f.Record) {
			f.Record = seq
		}
	}
	more, less, other := 0, 0, 0
	for k, v := range t.state {
		if w, ok := want[k]; !ok {
			more++
			seen(k)
		} else if w != v {
			other++
			seen(k)
		}
	}
	for k := range want {
		if _, ok := t.state[k]; !ok {
			less++
			seen(k)
		}
	}
	f.Text = fmt.Sprintf("the tables are not what the log says: of %d keys %d are missing, %d are others, %d are too many",
		len(want), less, other, more)
	return f
}

func firstLine(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return text
}

// stamp is the time in the name of a folder that keeps damaged files.
func stamp(t time.Time) string { return t.UTC().Format("20060102T150405.000Z") }

// missing reports whether there is nothing of this name.
func missing(disk vfs.FS, path string) (bool, error) {
	_, err := disk.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	return false, err
}
