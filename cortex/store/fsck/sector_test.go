package fsck

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/cortex/store/internal/image"
	"github.com/opencortex-go/cortex/cortex/store/internal/tables"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/sexpr"
)

// torture-sector: every sector of every file of a store is damaged in four ways,
// one at a time. What is found then is compared with what had been acknowledged.

const sector = 512

// ways is how a sector is damaged: zeros, one bit, what stood there at an earlier
// time, and what stands behind it.
var ways = []string{"zero", "flip", "stale", "swap"}

// damage returns a file with the nth sector damaged; nil if that makes no difference.
func damage(raw, earlier []byte, n int, way string, rng *rand.Rand) []byte {
	out := bytes.Clone(raw)
	one := out[n*sector : min((n+1)*sector, len(out))]
	switch way {
	case "zero":
		clear(one)
	case "flip":
		one[rng.IntN(len(one))] ^= 1 << rng.IntN(8)
	case "stale":
		old := make([]byte, len(one))
		if n*sector < len(earlier) {
			copy(old, earlier[n*sector:])
		}
		copy(one, old)
	case "swap":
		next := out[min((n+1)*sector, len(out)):min((n+2)*sector, len(out))]
		was := bytes.Clone(one)
		copy(one, next)
		copy(next, was[:len(next)])
	}
	if bytes.Equal(out, raw) {
		return nil
	}
	return out
}

// tape is a store that keeps what was acknowledged.
type tape struct {
	journal.Store
	commits [][]journal.Write
}

func (s *tape) Commit(writes []journal.Write) error {
	own := make([]journal.Write, len(writes))
	for i, w := range writes {
		own[i] = journal.Write{Key: bytes.Clone(w.Key), Value: bytes.Clone(w.Value)}
	}
	err := s.Store.Commit(writes)
	if err == nil {
		s.commits = append(s.commits, own)
	}
	return err
}

// upTo is all there is as of the nth commit.
func (s *tape) upTo(n int) map[string]string {
	out := map[string]string{}
	for _, c := range s.commits[:n] {
		for _, w := range c {
			if w.Value == nil {
				delete(out, string(w.Key))
				continue
			}
			out[string(w.Key)] = string(w.Value)
		}
	}
	return out
}

// victim is a store that is to be damaged.
type victim struct {
	name    string
	image   image.Image // as they are
	earlier image.Image // as they were
	tape    *tape
	want    map[string]string
	flushed int // commits that are in tables
}

// victims writes a store of about size bytes, records of all sizes in several
// segments and tables, with a base in the middle, and returns it as it was left by a
// clean close, by a kill when nothing had happened for some seconds, and by a kill
// in the middle of work.
func victims(t testing.TB, size int) []*victim {
	disk := storetest.NewDisk(nil)
	st, err := store.Open("store", store.Options{Disk: disk, Segment: int64(max(size/6, 64<<10)), Reserve: 64})
	require.NoError(t, err)
	s := st.(image.Live)
	rec := &tape{Store: st}
	j, err := journal.Open(rec, journal.Options{})
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, 1))
	var out []*victim
	var earlier image.Image
	flushed := 0
	take := func(name string, f image.Image) {
		out = append(out, &victim{name: name, image: f, earlier: earlier, tape: &tape{commits: slices.Clone(rec.commits)},
			want: rec.upTo(len(rec.commits)), flushed: flushed})
	}
	written, flushes := 0, 0
	for i := 0; written < size/2; i++ { // each byte stands in two places
		text := image.RandomText(rng, []int{20, 200, 1000, 5000, 12000}[rng.IntN(5)])
		require.NoError(t, j.Update(context.Background(), func(tx *journal.Tx) error {
			_, err := tx.Append("signal", "s", sexpr.Plist("text", sexpr.Str(text)))
			tx.Set(fmt.Appendf(nil, "i%06d", i), []byte("x"))
			tx.Set([]byte("newest"), fmt.Appendf(nil, "%d", i))
			if i > 10 && i%3 == 0 {
				tx.Delete(fmt.Appendf(nil, "i%06d", i-7))
			}
			return err
		}))
		written += len(text) + 400
		if part := written * 12 / (size / 2); part > flushes && part < 12 {
			flushes = part
			require.NoError(t, s.Flush())
			flushed = len(rec.commits)
			switch part {
			case 5:
				require.NoError(t, s.Compact(context.Background()))
			case 8:
				earlier = image.Files(t, disk.PowerCut(0, nil).System().FS, "store") // Pebble deletes files meanwhile
			}
		}
	}
	take("killed at work", image.Files(t, disk.PowerCut(0, nil).System().FS, "store"))
	require.NoError(t, s.Flush())
	flushed = len(rec.commits)
	take("killed at rest", image.Files(t, disk.PowerCut(0, nil).System().FS, "store"))
	require.NoError(t, j.Close())
	take("closed", image.Files(t, disk.System().FS, "store"))
	return out
}

// kept is a victim as a campaign in several parts keeps it.
type kept struct {
	Name           string
	Image, Earlier image.Image
	Commits        [][]journal.Write
	Flushed        int
}

// victimsIn are victims that a folder keeps, so that all parts of a campaign damage
// the same ones: when Pebble compacts is not the seed's to say. "" keeps none.
func victimsIn(t testing.TB, dir string, size int) (out []*victim) {
	at := filepath.Join(dir, fmt.Sprintf("victims-%d", size))
	raw, err := os.ReadFile(at)
	if dir == "" || errors.Is(err, fs.ErrNotExist) {
		out = victims(t, size)
	}
	if dir == "" {
		return out
	}
	var all []kept
	if len(out) == 0 {
		require.NoError(t, err)
		require.NoError(t, gob.NewDecoder(bytes.NewReader(raw)).Decode(&all))
		for _, k := range all {
			tape := &tape{commits: k.Commits}
			out = append(out, &victim{k.Name, k.Image, k.Earlier, tape, tape.upTo(len(k.Commits)), k.Flushed})
		}
		return out
	}
	for _, v := range out {
		all = append(all, kept{v.name, v.image, v.earlier, v.tape.commits, v.flushed})
	}
	var b bytes.Buffer
	require.NoError(t, gob.NewEncoder(&b).Encode(all))
	require.NoError(t, os.WriteFile(at, b.Bytes(), 0o600))
	return out
}

// outcome is what became of a damaged store.
type outcome string

const (
	harmless outcome = "harmless" // nothing is lost, and both places are as they should be
	repaired outcome = "repaired" // it was found, and mended to exactly what there was
	reported outcome = "lost, and said"
	silent   outcome = "SILENT"
	wrong    outcome = "WRONG" // found, but not dealt with as promised
)

// verdict is an outcome with what there is to say of it.
type verdict struct {
	outcome outcome
	text    string
	lost    int // commits
}

// try opens a damaged store as a daemon would, and mends it as an operator would.
func (v *victim) try(at string, damaged []byte) (verdict, error) {
	disk, err := v.image.Disk(at, damaged)
	if err != nil {
		return verdict{}, err
	}
	less, found := v.open(store.Options{Disk: disk, Segment: 1 << 20, Reserve: 64})
	if disk, err = v.image.Disk(at, damaged); err != nil {
		return verdict{}, err
	}
	r, err := Check(context.Background(), "store", Options{Disk: disk})
	if err != nil {
		return verdict{outcome: wrong, text: "check: " + err.Error()}, nil
	}
	told := len(r.Faults) > 0 || r.Torn > 0
	switch {
	case found == nil && less == 0 && !told:
		return verdict{outcome: harmless}, nil
	case !told && found != nil:
		return verdict{outcome: wrong, text: "check saw nothing, and opening said " + found.Error()}, nil
	case !told:
		return verdict{outcome: silent, text: fmt.Sprintf("%d commits", less)}, nil
	case found == nil && less > 0 && r.Torn == 0:
		return verdict{outcome: silent, text: fmt.Sprintf("%d commits without Check, which says %s", less, r.Faults[0])}, nil
	}
	return v.mend(disk, r), nil
}

// open says how many of the last commits are missing, and what is found by anyone who
// opens the store and reads all of it; -1 if it is not an earlier state.
func (v *victim) open(opt store.Options) (less int, found error) {
	var said bytes.Buffer
	opt.Logger = slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{Level: slog.LevelWarn}))
	got, err := readAll(opt)
	if err != nil {
		return 0, err
	}
	if maps.Equal(got, v.want) {
		return 0, nil
	}
	if strings.Contains(said.String(), "the last commit of the log was not whole") &&
		maps.Equal(got, v.tape.upTo(len(v.tape.commits)-1)) {
		return 1, nil
	}
	return -1, nil
}

// readAll opens a store, verifies its journal and returns what it has.
func readAll(opt store.Options) (got map[string]string, err error) {
	s, err := store.Open("store", opt)
	if err != nil {
		return nil, err
	}
	j, err := journal.Open(s, journal.Options{})
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	if err := j.Verify(context.Background()); err != nil {
		return nil, err
	}
	got = map[string]string{}
	err = s.Scan(nil, nil, func(k, v []byte) bool { got[string(k)] = string(v); return true })
	return got, err
}

// mend repairs, and looks at the result.
func (v *victim) mend(disk *storetest.Disk, r Report) verdict {
	opt := Options{Disk: disk}
	total := len(v.tape.commits)
	_, err := Repair(context.Background(), "store", opt, false)
	var loss *LossError
	if errors.As(err, &loss) {
		_, err = Repair(context.Background(), "store", opt, true)
	}
	if err != nil {
		return verdict{outcome: wrong, text: fmt.Sprintf("repair: %v", err)}
	}
	left := total
	if loss == nil && r.Torn > 0 {
		left--
	}
	got, err := readAll(store.Options{Disk: disk, Segment: 1 << 20, Reserve: 64})
	switch {
	case err != nil:
		return verdict{outcome: wrong, text: fmt.Sprintf("after the repair: %v", err)}
	case loss != nil:
		return v.without(got, loss.Loss)
	case left == total && maps.Equal(got, v.want):
		return verdict{outcome: repaired}
	case left < v.flushed:
		return verdict{outcome: wrong,
			text: fmt.Sprintf("%d commits are left, and %d had been in tables: %v", left, v.flushed, r.Faults)}
	case !maps.Equal(got, v.tape.upTo(left)):
		return verdict{outcome: silent,
			text: fmt.Sprintf("after the repair it is not as of commit %d; found: %v", left, r.Faults)}
	}
	return verdict{outcome: reported, lost: total - left}
}

// without looks at what is left when something was lost: all records but those of which
// that was said.
func (v *victim) without(got map[string]string, loss Loss) verdict {
	told := map[string]bool{}
	for _, l := range loss.Lost {
		for seq := l.From; seq <= l.To; seq++ {
			told[string(entryKey(seq))] = true
		}
	}
	if len(told) != int(loss.Records) {
		return verdict{outcome: wrong, text: fmt.Sprintf("%s, it said, and named %d", loss, len(told))}
	}
	for k, want := range v.want {
		if journal.RecordIn(journal.Write{Key: []byte(k)}) == 0 {
			continue
		}
		if is := got[k] == want; is == told[k] && !loss.AtLeast {
			return verdict{outcome: silent,
				text: fmt.Sprintf("record %q is there: %v; it was said to be lost: %v", k, is, told[k])}
		}
	}
	return verdict{outcome: reported, lost: int(loss.Commits)}
}

// trial is one sector, damaged in one way.
type trial struct {
	file string
	n    int
	way  string
}

func trialsOf(f image.Image) (all []trial) {
	for _, name := range slices.Sorted(maps.Keys(f)) {
		for n := range (len(f[name]) + sector - 1) / sector {
			for _, way := range ways {
				all = append(all, trial{name, n, way})
			}
		}
	}
	return all
}

// each runs f for every trial, on as many goroutines as there are processors.
func each(all []trial, f func(trial)) {
	var wg sync.WaitGroup
	next := make(chan trial)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for t := range next {
				f(t)
			}
		})
	}
	for _, t := range all {
		next <- t
	}
	close(next)
	wg.Wait()
}

// sizes of the campaign: what is usual, and what `make torture-sector` asks for.
func sectorSize(usual int) (size, most int) {
	if n, err := strconv.Atoi(os.Getenv("CORTEX_SECTOR")); err == nil {
		return n, 0
	}
	return usual, 250
}

// partOf returns which part of the trials is wanted, CORTEX_PART=k/n for the kth of
// n, from 0 on; all of them if it is not set.
func partOf(t testing.TB, all []trial) (some []trial, k int) {
	text, n := os.Getenv("CORTEX_PART"), 1
	if text != "" {
		_, err := fmt.Sscanf(text, "%d/%d", &k, &n)
		require.NoError(t, err)
		require.True(t, 0 <= k && k < n, "CORTEX_PART=%s", text)
	}
	for i := k; i < len(all); i += n {
		some = append(some, all[i])
	}
	return some, k
}

// TestTortureSector damages every sector of every file, in four ways. In its short
// form the store is small, and a part of the trials is drawn.
func TestTortureSector(t *testing.T) {
	crashtest.Long(t)
	size, most := sectorSize(256 << 10)
	for _, v := range victimsIn(t, os.Getenv("CORTEX_VICTIMS"), size) {
		t.Run(v.name, func(t *testing.T) {
			all, part := partOf(t, trialsOf(v.image))
			if most > 0 {
				rand.New(rand.NewPCG(2, 2)).Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
				all = all[:min(most, len(all))]
			}
			var mu sync.Mutex
			count, lines, lost := map[outcome]int{}, map[string]int{}, 0
			each(all, func(tr trial) {
				raw := v.image[tr.file]
				damaged := damage(raw, v.earlier[tr.file], tr.n, tr.way, rand.New(rand.NewPCG(uint64(tr.n), 3)))
				got := verdict{outcome: harmless}
				var err error
				if damaged != nil {
					got, err = v.try(tr.file, damaged)
				}
				mu.Lock()
				defer mu.Unlock()
				assert.NoError(t, err)
				count[got.outcome]++
				lost += got.lost
				lines[fmt.Sprintf("%-8s %-5s %s", kindOf(tr.file), tr.way, got.outcome)]++
				if got.outcome == silent || got.outcome == wrong {
					t.Errorf("%s, sector %d, %s: %s: %s", tr.file, tr.n, tr.way, got.outcome, got.text)
				}
			})
			// What only the log has, behind the last flush of a store that was killed, is
			// lost with a sector of it, and anyone who mends it is told how much.
			commits := len(all) * len(v.tape.commits)
			assert.GreaterOrEqual(t, 100*(commits-lost), 99*commits, "so many of 100 commits are there after the repair")
			mended := 99
			if v.flushed < len(v.tape.commits) {
				mended = 85 // 94 to 95, of all sectors
			}
			assert.GreaterOrEqual(t, 100*(len(all)-count[reported]), mended*len(all), "so many of 100 faults cost nothing")
			for _, line := range slices.Sorted(maps.Keys(lines)) {
				t.Logf("%6d %s", lines[line], line)
			}
			crashtest.Result{Harness: "torture-sector", Trials: len(all), Seed: uint64(1 + part),
				Failures: count[silent] + count[wrong], Acknowledged: len(v.tape.commits),
				More: fmt.Sprintf("(%s) bytes=%d in-tables=%d kept=%.3f%% %v", v.name, sizeOf(v.image), v.flushed,
					100-100*float64(lost)/float64(commits), count)}.Report(t)
		})
	}
}

func sizeOf(f image.Image) (n int) {
	for _, raw := range f {
		n += len(raw)
	}
	return n
}

func kindOf(file string) string {
	switch base := path.Base(file); {
	case strings.Contains(file, "/log/"):
		return strings.TrimRight(strings.TrimPrefix(path.Ext(base), "."), "0123456789") + base[:min(len(base), 0)] + "log"
	case strings.HasSuffix(base, ".sst"):
		return "table"
	default:
		return strings.TrimRight(base, "0123456789-.")
	}
}

// The same damage, done to a store that is Pebble alone, synced with each commit,
// loses commits without a word: that is what the log is for, and shows that the
// harness can see it.
func TestTortureSector_PebbleAloneIsSilent(t *testing.T) {
	crashtest.Long(t)
	for name, version := range map[string]pebble.FormatMajorVersion{"as it is by default": pebble.FormatDefault,
		"in the newest format": pebble.FormatNewest} {
		t.Run(name, func(t *testing.T) {
			mem := vfs.NewCrashableMem()
			opt := func(fs vfs.FS) *pebble.Options {
				return &pebble.Options{FS: fs, FormatMajorVersion: version, Logger: quiet()}
			}
			db, err := pebble.Open("store", opt(mem))
			require.NoError(t, err)
			rng, want := rand.New(rand.NewPCG(1, 1)), 0
			for want = range 300 {
				require.NoError(t,
					db.Set(binary.BigEndian.AppendUint32(nil, uint32(want)), []byte(image.RandomText(rng, 300)), pebble.Sync))
			}
			f := image.Files(t, mem.CrashClone(vfs.CrashCloneCfg{}), "store")
			require.NoError(t, db.Close())
			var mu sync.Mutex
			count := map[outcome]int{}
			all := slices.DeleteFunc(trialsOf(f), func(tr trial) bool { return tr.way != "zero" })
			each(all, func(tr trial) {
				damaged := damage(f[tr.file], nil, tr.n, tr.way, rng)
				got := harmless
				if damaged != nil {
					disk, err := f.Disk(tr.file, damaged)
					assert.NoError(t, err)
					got = pebbleAlone(opt(disk.System().FS), want+1)
				}
				mu.Lock()
				defer mu.Unlock()
				count[got]++
			})
			assert.Positive(t, count[silent])
			t.Logf("RESULT control=\"Pebble alone, %s\" found-by=torture-sector: %d of %d silent", name, count[silent], len(all))
		})
	}
}

func pebbleAlone(opt *pebble.Options, want int) outcome {
	db, err := pebble.Open("store", opt)
	if err != nil {
		return reported
	}
	n := 0
	err = tables.Each(db, func(journal.Write) error { n++; return nil })
	if err = errors.Join(err, db.Close()); err != nil {
		return reported
	}
	if n < want-1 { // key 0 begins with a zero, as the store's own do
		return silent
	}
	return harmless
}
