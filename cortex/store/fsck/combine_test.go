package fsck

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
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/cortex/store/internal/guard"
	"github.com/opencortex-go/cortex/cortex/store/internal/image"
	"github.com/opencortex-go/cortex/cortex/store/internal/tables"
	"github.com/opencortex-go/cortex/cortex/store/internal/wal"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
	"github.com/opencortex-go/cortex/internal/crashtest"
)

// subject is a world that is to be damaged.
type subject struct{ *image.World }

func subjects(t *testing.T) (out []*subject) {
	for _, w := range image.Worlds(t, 160, smallSegments(t)) {
		out = append(out, &subject{w})
	}
	return out
}

// smallSegments opens stores with small segments.
func smallSegments(t *testing.T) image.Opener {
	return func(d *storetest.Disk) image.Live {
		return mustOpen(t, "store", store.Options{Disk: d, Reserve: 64, Segment: 64 << 10})
	}
}

// harm is a kind of damage to one of the two places.
type harm struct {
	name string
	do   func(f image.Image, rng *rand.Rand)
}

// somewhere is a place in the part of a segment that was written to.
func somewhere(f image.Image, name string, rng *rand.Rand) int {
	end := len(bytes.TrimRight(f[name], "\x00"))
	if strings.HasSuffix(name, wal.Suffix) && end > wal.FramesAt {
		return wal.FramesAt + rng.IntN(end-wal.FramesAt)
	}
	return rng.IntN(max(1, len(f[name])))
}

func harms(parts []string, names map[string]func(f image.Image, name string, rng *rand.Rand)) (out []harm) {
	for _, part := range parts {
		for _, how := range slices.Sorted(maps.Keys(names)) {
			out = append(out, harm{part + " " + how, func(f image.Image, rng *rand.Rand) {
				if name, ok := f.Pick(rng, part); ok {
					names[how](f, name, rng)
				}
			}})
		}
	}
	return out
}

var anyFile = map[string]func(f image.Image, name string, rng *rand.Rand){
	"flipped": func(f image.Image, name string, rng *rand.Rand) {
		if len(f[name]) > 0 {
			image.Flip(f, name, somewhere(f, name, rng))
		}
	},
	"zeroed": func(f image.Image, name string, rng *rand.Rand) {
		raw := bytes.Clone(f[name])
		if len(raw) > 0 {
			at := somewhere(f, name, rng)
			clear(raw[at:min(len(raw), at+sector)])
		}
		f[name] = raw
	},
	"cut": func(f image.Image, name string, rng *rand.Rand) {
		if len(f[name]) > 0 {
			f[name] = f[name][:somewhere(f, name, rng)]
		}
	},
	"gone": func(f image.Image, name string, _ *rand.Rand) { delete(f, name) },
}

func tableHarms() []harm {
	return append(harms([]string{".sst", "MANIFEST", "OPTIONS", "marker.manifest", "marker.format"}, anyFile),
		harm{"every table gone", func(f image.Image, _ *rand.Rand) {
			for _, name := range f.Named(".sst") {
				delete(f, name)
			}
		}},
		harm{"the largest table flipped", func(f image.Image, rng *rand.Rand) {
			names := f.Named(".sst")
			if len(names) == 0 {
				return
			}
			name := slices.MaxFunc(names, func(a, b string) int { return len(f[a]) - len(f[b]) })
			image.Flip(f, name, rng.IntN(len(f[name])))
		}},
		harm{"three bits in tables", func(f image.Image, rng *rand.Rand) {
			for range 3 {
				if name, ok := f.Pick(rng, ".sst"); ok {
					image.Flip(f, name, rng.IntN(len(f[name])))
				}
			}
		}})
}

func logHarms() []harm {
	return append(harms([]string{".seg", "log/base-"}, anyFile),
		harm{"both heads", func(f image.Image, rng *rand.Rand) {
			if name, ok := f.Pick(rng, ".seg"); ok && len(f[name]) > wal.FramesAt {
				image.Flip(f, name, 20)
				image.Flip(f, name, wal.SlotBlock+20)
			}
		}},
		harm{"the newer head", func(f image.Image, rng *rand.Rand) {
			name, ok := f.Pick(rng, ".seg")
			if !ok || len(f[name]) < wal.FramesAt {
				return
			}
			a, aOK := wal.ParseSlot(f[name])
			b, bOK := wal.ParseSlot(f[name][wal.SlotBlock:])
			at := 20
			if aOK && bOK && b.Turn > a.Turn {
				at += wal.SlotBlock
			}
			image.Flip(f, name, at)
		}},
		harm{"the head of the base", func(f image.Image, rng *rand.Rand) {
			if name, ok := f.Pick(rng, "log/base-"); ok {
				image.Flip(f, name, rng.IntN(min(wal.BaseHead, len(f[name]))))
			}
		}},
		harm{"three bits in the log", func(f image.Image, rng *rand.Rand) {
			for range 3 {
				if name, ok := f.Pick(rng, ".seg"); ok {
					image.Flip(f, name, somewhere(f, name, rng))
				}
			}
		}},
		harm{"the log gone", func(f image.Image, _ *rand.Rand) {
			for name := range f {
				if strings.HasPrefix(name, "store/log/") {
					delete(f, name)
				}
			}
		}})
}

// inLogStill are the records in frames and chunks that stand in the damaged files as they
// stood before, wherever that is.
func (w *subject) inLogStill(t *testing.T, damaged image.Image) map[uint64]bool {
	had := map[uint64]bool{}
	same := func(name string, from, to int) bool {
		return len(damaged[name]) >= to && bytes.Equal(damaged[name][from:to], w.Image[name][from:to])
	}
	take := func(payload []byte) {
		require.NoError(t, wal.EachWrite(payload, func(x journal.Write) error {
			if seq := journal.RecordIn(x); seq > 0 && x.Value != nil && w.Records[seq] != nil {
				had[seq] = true
			}
			return nil
		}))
	}
	for _, name := range w.Image.Named(".seg") {
		raw := w.Image[name]
		for at := wal.FramesAt; at+wal.FrameHead <= len(raw); {
			n := int(binary.LittleEndian.Uint32(raw[at:]))
			if binary.LittleEndian.Uint64(raw[at+4:]) == 0 {
				break
			}
			if same(name, at, at+wal.FrameHead+n) {
				take(raw[at+wal.FrameHead : at+wal.FrameHead+n])
			}
			at += wal.FrameHead + n
		}
	}
	for _, name := range w.Image.Named("log/base-") {
		raw := w.Image[name]
		for at := wal.BaseHead; ; {
			n := int(binary.LittleEndian.Uint32(raw[at:]))
			if n == 0 {
				break
			}
			if same(name, at, at+wal.ChunkHead+n) {
				take(raw[at+wal.ChunkHead : at+wal.ChunkHead+n])
			}
			at += wal.ChunkHead + n
		}
	}
	return had
}

// inTablesStill are the records that Pebble alone gives back.
func (w *subject) inTablesStill(t *testing.T, damaged image.Image) map[uint64]bool {
	had := map[uint64]bool{}
	disk, err := damaged.Disk("", nil)
	require.NoError(t, err)
	opt := tables.Options(guard.New(disk.System(), guard.NewDeath(discard)))
	opt.FS, opt.ReadOnly, opt.Logger = disk.System().FS, true, quiet()
	opt.EventListener = &pebble.EventListener{DataCorruption: func(pebble.DataCorruptionInfo) {}}
	opt.ErrorIfNotExists = true
	db, err := pebble.Open("store", opt)
	if err != nil {
		return had
	}
	defer func() { require.NoError(t, db.Close()) }()
	for seq, want := range w.Records {
		got, closer, err := db.Get(entryKey(seq))
		if err != nil {
			continue
		}
		had[seq] = bytes.Equal(got, want)
		require.NoError(t, closer.Close())
	}
	return had
}

// mended repairs a damaged record, and says what is wrong with the result.
func (w *subject) mended(t *testing.T, damaged image.Image) (lost int, wrong string) {
	had := w.inLogStill(t, damaged)
	for seq, ok := range w.inTablesStill(t, damaged) {
		had[seq] = had[seq] || ok
	}
	disk, err := damaged.Disk("", nil)
	require.NoError(t, err)
	opt := Options{Disk: disk}
	checked, err := Check(t.Context(), "store", opt)
	if errors.Is(err, guard.ErrFormat) && !slices.Contains(slices.Collect(maps.Values(had)), true) {
		return len(w.Records), "" // there is nothing, and that is said
	}
	if err != nil {
		return 0, "check: " + err.Error()
	}
	before := image.Files(t, disk.System().FS, "store")
	refused, err := Repair(t.Context(), "store", opt, false)
	var loss *LossError
	switch {
	case errors.As(err, &loss):
		if !assert.ObjectsAreEqual(before, image.Files(t, disk.System().FS, "store")) {
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
func (w *subject) headed(damaged image.Image) bool {
	name := w.Image.Named(wal.Suffix)[len(w.Image.Named(wal.Suffix))-1]
	a, _ := wal.ParseSlot(w.Image[name])
	b, _ := wal.ParseSlot(w.Image[name][wal.SlotBlock:])
	at := 0
	if b.Turn > a.Turn {
		at = wal.SlotBlock
	}
	return len(damaged[name]) >= at+wal.SlotSize &&
		bytes.Equal(damaged[name][at:at+wal.SlotSize], w.Image[name][at:at+wal.SlotSize])
}

// kept compares what is left with what either place had, and what is gone with what was
// told.
func (w *subject) kept(t *testing.T, disk *storetest.Disk, damaged image.Image, had map[uint64]bool,
	report Report) (lost int,
	wrong string) {
	told := map[uint64]bool{}
	for _, l := range report.Loss.Lost {
		for seq := l.From; seq <= l.To; seq++ {
			told[seq] = true
			if was := w.Records[seq]; l.Kind != "" && was != nil &&
				!bytes.Contains(was, fmt.Appendf(nil, ":kind %q :seq", l.Kind)) {
				return 0, fmt.Sprintf("record %d is said to be of kind %s", seq, l.Kind)
			}
		}
	}
	if len(told) != int(report.Loss.Records) {
		return 0, fmt.Sprintf("%d records are said to be lost, and %d are named", report.Loss.Records, len(told))
	}
	st, err := store.Open("store", store.Options{Disk: disk, Reserve: 64})
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
	for seq, want := range w.Records {
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
	again, err := Check(context.Background(), "store", Options{Disk: disk})
	if !errors.Is(err, guard.ErrInUse) && (err != nil || len(again.Faults) > 0) {
		return lost, fmt.Sprintf("not whole afterwards: %v %v", err, again.Faults)
	}
	return lost, ""
}

// Every kind of damage to the tables meets every kind of damage to the log: what is kept
// is what either place had, and what is gone was told.
func TestI4_RepairCombinesBothPlaces(t *testing.T) {
	crashtest.Long(t)
	all := subjects(t)
	trials, losses, wrong := 0, 0, []string{}
	for wi, w := range all {
		for ti, th := range append([]harm{{"nothing", func(image.Image, *rand.Rand) {}}}, tableHarms()...) {
			for li, lh := range append([]harm{{"nothing", func(image.Image, *rand.Rand) {}}}, logHarms()...) {
				if os.Getenv("CORTEX_TORTURE") == "" && (ti+li)%len(all) != wi {
					continue // each pair in one of the worlds
				}
				damaged, rng := maps.Clone(w.Image), rand.New(rand.NewPCG(uint64(ti), uint64(li)))
				th.do(damaged, rng)
				lh.do(damaged, rng)
				lost, text := w.mended(t, damaged)
				trials++
				if lost > 0 {
					losses++
				}
				if text != "" {
					wrong = append(wrong, fmt.Sprintf("%s; %s and %s: %s", w.Name, th.name, lh.name, text))
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
	all, tables, logs := subjects(t), tableHarms(), logHarms()
	losses, wrong := 0, []string{}
	for i := range trials {
		w, rng := all[i%len(all)], rand.New(rand.NewPCG(uint64(i), 31))
		damaged, names := maps.Clone(w.Image), []string{}
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
			wrong = append(wrong, fmt.Sprintf("trial %d, %s; %q: %s", i, w.Name, names, text))
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
