package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/sexpr"
)

// world is a record of some hundred entries, and where they stand.
type world struct {
	name    string
	image   image
	records map[uint64][]byte
}

// newWorld writes a record in small segments. Tables are written now and then; with based
// the log was compacted in between, with retained old records were removed.
func newWorld(t *testing.T, seed uint64, n int, closed, based, retained bool) *world {
	disk := NewDisk(nil)
	st := mustOpen(t, "store", Options{Disk: disk, Reserve: 64, Segment: 64 << 10})
	j, err := journal.Open(st, journal.Options{})
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(seed, 21))
	for i := range n {
		require.NoError(t, j.Update(t.Context(), func(tx *journal.Tx) error {
			for range 1 + rng.IntN(3) { // some commits have more than one
				r, err := tx.Append([]string{"signal", "decision", "intent", "receipt"}[rng.IntN(4)], fmt.Sprint("s", i%3),
					sexpr.Plist("n", sexpr.Int64(int64(i)), "text", sexpr.Str(randomText(rng, 1+rng.IntN(900)))))
				if err != nil {
					return err
				}
				tx.Set(fmt.Appendf(nil, "i%d", i%40), fmt.Append(nil, r.Seq))
			}
			return nil
		}))
		switch {
		case retained && i == n/3:
			require.NoError(t, j.Update(t.Context(), func(tx *journal.Tx) error {
				_, err := tx.Retain(1, uint64(n/4), func(r journal.Record) (bool, error) { return r.Seq%7 == 0, nil })
				return err
			}))
		case based && i == n/2:
			require.NoError(t, st.(*store).Compact(t.Context()))
		case i%(n/4) == 0:
			require.NoError(t, st.(*store).flush())
		}
	}
	if !closed {
		disk = disk.PowerCut(100, rand.New(rand.NewPCG(seed, 1)))
	}
	require.NoError(t, j.Close())
	w := &world{image: filesOf(t, disk.fs, "store"), records: map[uint64][]byte{}}
	w.name = fmt.Sprintf("closed %v, base %v, retention %v", closed, based, retained)
	require.NoError(t, readEntries(t, w.image, func(key, value []byte) {
		if seq := journal.RecordIn(journal.Write{Key: key}); seq > 0 {
			w.records[seq] = bytes.Clone(value)
		}
	}))
	require.Greater(t, len(w.records), n)
	return w
}

// readEntries opens a store and reads all of it.
func readEntries(t *testing.T, files image, f func(key, value []byte)) error {
	disk, err := files.disk("", nil)
	require.NoError(t, err)
	s, err := Open("store", Options{Disk: disk, Reserve: 64})
	if err != nil {
		return err
	}
	err = s.Scan(nil, nil, func(key, value []byte) bool { f(key, value); return true })
	return errors.Join(err, s.Close())
}

// harm is a kind of damage to one of the two places.
type harm struct {
	name string
	do   func(f image, rng *rand.Rand)
}

func flip(f image, name string, at int) {
	raw := bytes.Clone(f[name])
	raw[at] ^= 1 << (at % 8)
	f[name] = raw
}

// pick is one of the files of a kind; they are sorted.
func (f image) pick(rng *rand.Rand, part string) (name string, ok bool) {
	names := f.named(part)
	if len(names) == 0 {
		return "", false
	}
	return names[rng.IntN(len(names))], true
}

func (f image) named(part string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(f)), func(n string) bool {
		return !strings.Contains(n, part) || len(f[n]) == 0 && !strings.Contains(part, "marker")
	})
}

// somewhere is a place in the part of a segment that was written to.
func somewhere(f image, name string, rng *rand.Rand) int {
	end := len(bytes.TrimRight(f[name], "\x00"))
	if strings.HasSuffix(name, suffix) && end > framesAt {
		return framesAt + rng.IntN(end-framesAt)
	}
	return rng.IntN(max(1, len(f[name])))
}

func harms(parts []string, names map[string]func(f image, name string, rng *rand.Rand)) (out []harm) {
	for _, part := range parts {
		for _, how := range slices.Sorted(maps.Keys(names)) {
			out = append(out, harm{part + " " + how, func(f image, rng *rand.Rand) {
				if name, ok := f.pick(rng, part); ok {
					names[how](f, name, rng)
				}
			}})
		}
	}
	return out
}

var anyFile = map[string]func(f image, name string, rng *rand.Rand){
	"flipped": func(f image, name string, rng *rand.Rand) {
		if len(f[name]) > 0 {
			flip(f, name, somewhere(f, name, rng))
		}
	},
	"zeroed": func(f image, name string, rng *rand.Rand) {
		raw := bytes.Clone(f[name])
		if len(raw) > 0 {
			at := somewhere(f, name, rng)
			clear(raw[at:min(len(raw), at+sector)])
		}
		f[name] = raw
	},
	"cut": func(f image, name string, rng *rand.Rand) {
		if len(f[name]) > 0 {
			f[name] = f[name][:somewhere(f, name, rng)]
		}
	},
	"gone": func(f image, name string, _ *rand.Rand) { delete(f, name) },
}

func tableHarms() []harm {
	return append(harms([]string{".sst", "MANIFEST", "OPTIONS", "marker.manifest", "marker.format"}, anyFile),
		harm{"every table gone", func(f image, _ *rand.Rand) {
			for _, name := range f.named(".sst") {
				delete(f, name)
			}
		}},
		harm{"the largest table flipped", func(f image, rng *rand.Rand) {
			names := f.named(".sst")
			if len(names) == 0 {
				return
			}
			name := slices.MaxFunc(names, func(a, b string) int { return len(f[a]) - len(f[b]) })
			flip(f, name, rng.IntN(len(f[name])))
		}},
		harm{"three bits in tables", func(f image, rng *rand.Rand) {
			for range 3 {
				if name, ok := f.pick(rng, ".sst"); ok {
					flip(f, name, rng.IntN(len(f[name])))
				}
			}
		}})
}

func logHarms() []harm {
	return append(harms([]string{".seg", "log/base-"}, anyFile),
		harm{"both heads", func(f image, rng *rand.Rand) {
			if name, ok := f.pick(rng, ".seg"); ok && len(f[name]) > framesAt {
				flip(f, name, 20)
				flip(f, name, slotBlock+20)
			}
		}},
		harm{"the newer head", func(f image, rng *rand.Rand) {
			name, ok := f.pick(rng, ".seg")
			if !ok || len(f[name]) < framesAt {
				return
			}
			a, aOK := parseSlot(f[name])
			b, bOK := parseSlot(f[name][slotBlock:])
			at := 20
			if aOK && bOK && b.turn > a.turn {
				at += slotBlock
			}
			flip(f, name, at)
		}},
		harm{"the head of the base", func(f image, rng *rand.Rand) {
			if name, ok := f.pick(rng, "log/base-"); ok {
				flip(f, name, rng.IntN(min(baseHead, len(f[name]))))
			}
		}},
		harm{"three bits in the log", func(f image, rng *rand.Rand) {
			for range 3 {
				if name, ok := f.pick(rng, ".seg"); ok {
					flip(f, name, somewhere(f, name, rng))
				}
			}
		}},
		harm{"the log gone", func(f image, _ *rand.Rand) {
			for name := range f {
				if strings.HasPrefix(name, "store/log/") {
					delete(f, name)
				}
			}
		}})
}

// inLogStill are the records in frames and chunks that stand in the damaged files as they
// stood before, wherever that is.
func (w *world) inLogStill(t *testing.T, damaged image) map[uint64]bool {
	had := map[uint64]bool{}
	same := func(name string, from, to int) bool {
		return len(damaged[name]) >= to && bytes.Equal(damaged[name][from:to], w.image[name][from:to])
	}
	take := func(payload []byte) {
		require.NoError(t, eachWrite(payload, func(x journal.Write) error {
			if seq := journal.RecordIn(x); seq > 0 && x.Value != nil && w.records[seq] != nil {
				had[seq] = true
			}
			return nil
		}))
	}
	for _, name := range w.image.named(".seg") {
		raw := w.image[name]
		for at := framesAt; at+frameHead <= len(raw); {
			n := int(binary.LittleEndian.Uint32(raw[at:]))
			if binary.LittleEndian.Uint64(raw[at+4:]) == 0 {
				break
			}
			if same(name, at, at+frameHead+n) {
				take(raw[at+frameHead : at+frameHead+n])
			}
			at += frameHead + n
		}
	}
	for _, name := range w.image.named("log/base-") {
		raw := w.image[name]
		for at := baseHead; ; {
			n := int(binary.LittleEndian.Uint32(raw[at:]))
			if n == 0 {
				break
			}
			if same(name, at, at+chunkHead+n) {
				take(raw[at+chunkHead : at+chunkHead+n])
			}
			at += chunkHead + n
		}
	}
	return had
}

// inTablesStill are the records that Pebble alone gives back.
func (w *world) inTablesStill(t *testing.T, damaged image) map[uint64]bool {
	had := map[uint64]bool{}
	disk, err := damaged.disk("", nil)
	require.NoError(t, err)
	opt := (&store{death: newDeath(discard), disk: diskOf(Options{Disk: disk}, newDeath(discard))}).options()
	opt.FS, opt.ReadOnly, opt.Logger = disk.fs, true, logger{newDeath(discard)}
	opt.EventListener = &pebble.EventListener{DataCorruption: func(pebble.DataCorruptionInfo) {}}
	opt.ErrorIfNotExists = true
	db, err := pebble.Open("store", opt)
	if err != nil {
		return had
	}
	defer func() { require.NoError(t, db.Close()) }()
	for seq, want := range w.records {
		got, closer, err := db.Get(entryKey(seq))
		if err != nil {
			continue
		}
		had[seq] = bytes.Equal(got, want)
		require.NoError(t, closer.Close())
	}
	return had
}

// mended repairs a damaged record, and says what is wrong with what came of it.
func (w *world) mended(t *testing.T, damaged image) (lost int, wrong string) {
	had := w.inLogStill(t, damaged)
	for seq, ok := range w.inTablesStill(t, damaged) {
		had[seq] = had[seq] || ok
	}
	disk, err := damaged.disk("", nil)
	require.NoError(t, err)
	opt := Options{Disk: disk, Reserve: 64}
	checked, err := Check(t.Context(), "store", opt)
	if errors.Is(err, ErrFormat) && !slices.Contains(slices.Collect(maps.Values(had)), true) {
		return len(w.records), "" // there is nothing, and that is said
	}
	if err != nil {
		return 0, "check: " + err.Error()
	}
	before := filesOf(t, disk.fs, "store")
	refused, err := Repair(t.Context(), "store", opt, false)
	var loss *LossError
	switch {
	case errors.As(err, &loss):
		if !assert.ObjectsAreEqual(before, filesOf(t, disk.fs, "store")) {
			return 0, "a repair that is refused changed something"
		}
		if !assert.ObjectsAreEqual(loss.Loss, checked.Loss) {
			return 0, fmt.Sprintf("the repair would lose %v, the check says %v", loss.Loss, checked.Loss)
		}
		refused, err = Repair(t.Context(), "store", opt, true)
	case err == nil && checked.Loss.some():
		return 0, fmt.Sprintf("it was mended though the check says that %v is lost", checked.Loss)
	}
	if err != nil {
		return 0, "repair: " + err.Error()
	}
	if !assert.ObjectsAreEqual(refused.Loss, checked.Loss) {
		return 0, fmt.Sprintf("the repair lost %v, the check said %v", refused.Loss, checked.Loss)
	}
	return w.kept(t, disk, damaged, had, refused)
}

// headed reports whether one of the last segment's heads is left, which tells how far the
// log went.
func (w *world) headed(damaged image) bool {
	name := w.image.named(suffix)[len(w.image.named(suffix))-1]
	a, _ := parseSlot(w.image[name])
	b, _ := parseSlot(w.image[name][slotBlock:])
	at := 0
	if b.turn > a.turn {
		at = slotBlock
	}
	return len(damaged[name]) >= at+slotSize && bytes.Equal(damaged[name][at:at+slotSize], w.image[name][at:at+slotSize])
}

// kept compares what is left with what either place had, and what is gone with what was
// told.
func (w *world) kept(t *testing.T, disk *Disk, damaged image, had map[uint64]bool, report Report) (lost int,
	wrong string) {
	told := map[uint64]bool{}
	for _, l := range report.Loss.Lost {
		for seq := l.From; seq <= l.To; seq++ {
			told[seq] = true
			if was := w.records[seq]; l.Kind != "" && was != nil &&
				!bytes.Contains(was, fmt.Appendf(nil, ":kind %q :seq", l.Kind)) {
				return 0, fmt.Sprintf("record %d is said to be of kind %s", seq, l.Kind)
			}
		}
	}
	if len(told) != int(report.Loss.Records) {
		return 0, fmt.Sprintf("%d records are said to be lost, and %d are named", report.Loss.Records, len(told))
	}
	st, err := Open("store", Options{Disk: disk, Reserve: 64})
	if err != nil {
		return 0, "open: " + err.Error()
	}
	defer func() { require.NoError(t, st.Close()) }()
	j, err := journal.Open(st, journal.Options{})
	if err != nil {
		return 0, "journal: " + err.Error()
	}
	defer func() { require.NoError(t, j.Close()) }()
	if err := j.Verify(context.Background()); err != nil {
		return 0, "verify: " + err.Error()
	}
	newest := uint64(0) // behind it, nothing need tell
	for seq, ok := range had {
		if ok {
			newest = max(newest, seq)
		}
	}
	for seq, want := range w.records {
		raw, err := st.Get(entryKey(seq))
		require.NoError(t, err)
		is := bytes.Equal(raw, want)
		switch {
		case had[seq] && !is:
			return 0, fmt.Sprintf("record %d was whole in a place, and is gone: %+v", seq, report)
		case !is && raw != nil && seq <= newest && !told[seq]:
			return 0, fmt.Sprintf("record %d is another one", seq)
		case is && told[seq]:
			return 0, fmt.Sprintf("record %d is said to be lost, and is there", seq)
		case !is && !told[seq] && report.Torn == 0 && !report.Loss.AtLeast && (seq <= newest || w.headed(damaged)):
			return 0, fmt.Sprintf("record %d is lost, and nothing says so: %+v", seq, report)
		case !is:
			lost++
		}
	}
	again, err := Check(context.Background(), "store", Options{Disk: disk, Reserve: 64})
	if !errors.Is(err, ErrInUse) && (err != nil || len(again.Faults) > 0) {
		return lost, fmt.Sprintf("not whole afterwards: %v %v", err, again.Faults)
	}
	return lost, ""
}

func worlds(t *testing.T, n int) (out []*world) {
	for i, closed := range []bool{true, false} {
		for k, based := range []bool{false, true} {
			out = append(out, newWorld(t, uint64(2*i+k), n, closed, based, based))
		}
	}
	return out
}

// Every kind of damage to the tables meets every kind of damage to the log: what is kept
// is what either place had, and what is gone was told.
func TestI4_RepairCombinesBothPlaces(t *testing.T) {
	crashtest.Long(t)
	all := worlds(t, 160)
	trials, losses, wrong := 0, 0, []string{}
	for wi, w := range all {
		for ti, th := range append([]harm{{"nothing", func(image, *rand.Rand) {}}}, tableHarms()...) {
			for li, lh := range append([]harm{{"nothing", func(image, *rand.Rand) {}}}, logHarms()...) {
				if os.Getenv("CORTEX_TORTURE") == "" && (ti+li)%len(all) != wi {
					continue // each pair in one of the worlds
				}
				damaged, rng := maps.Clone(w.image), rand.New(rand.NewPCG(uint64(ti), uint64(li)))
				th.do(damaged, rng)
				lh.do(damaged, rng)
				lost, text := w.mended(t, damaged)
				trials++
				if lost > 0 {
					losses++
				}
				if text != "" {
					wrong = append(wrong, fmt.Sprintf("%s; %s and %s: %s", w.name, th.name, lh.name, text))
				}
			}
		}
	}
	t.Logf("%d pairs, with losses in %d", trials, losses)
	for _, text := range wrong[:min(len(wrong), 20)] {
		t.Error(text)
	}
	assert.Zero(t, len(wrong))
	assert.Positive(t, losses, "some pairs hit the same records in both places")
}

// Random damage to both places, up to three kinds in each.
func TestI4_RepairCombinesRandomDamage(t *testing.T) {
	crashtest.Long(t)
	trials := crashtest.Number("CORTEX_TORTURE", 60)
	all, tables, logs := worlds(t, 160), tableHarms(), logHarms()
	losses, wrong := 0, []string{}
	for i := range trials {
		w, rng := all[i%len(all)], rand.New(rand.NewPCG(uint64(i), 31))
		damaged, names := maps.Clone(w.image), []string{}
		for range 1 + rng.IntN(3) {
			th, lh := tables[rng.IntN(len(tables))], logs[rng.IntN(len(logs))]
			th.do(damaged, rng)
			lh.do(damaged, rng)
			names = append(names, th.name, lh.name)
		}
		lost, text := w.mended(t, damaged)
		if lost > 0 {
			losses++
		}
		if text != "" {
			wrong = append(wrong, fmt.Sprintf("trial %d, %s; %q: %s", i, w.name, names, text))
		}
	}
	for _, text := range wrong[:min(len(wrong), 20)] {
		t.Error(text)
	}
	assert.Zero(t, len(wrong))
	assert.Positive(t, losses)
	crashtest.Result{Harness: "repair-combined", Trials: trials, Seed: 31, Failures: len(wrong),
		More: fmt.Sprintf("%d with losses", losses)}.Report(t)
}
