package fsck

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"sync"
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
	"github.com/opencortex-go/cortex/sexpr"
)

// tamper: somebody who can write to the store's files, and knows their formats and
// every sum in them, changes the record, in one of its places or in both alike.
// Anyone who verifies it afterwards has to be told which record is the first bad one.

// place is where it is done.
var places = []string{"both", "tables", "log"}

// edit is what one tampering does to the map that the store is.
type edit struct {
	writes []journal.Write // nil: deleted
	seen   []journal.Head  // what the verifier has from elsewhere
	// first is the record that must be named, 0 for none: the head, or an entry that is
	// no record's. Where it is a retention record that is no longer what it was, what
	// it said of others is unknown, so it may be named before them.
	first uint64
}

// written is a record as it stands in a store.
type written struct {
	journal.Record
	raw []byte
}

// archive is a store with a journal that is to be tampered with.
type archive struct {
	t       testing.TB
	image   image.Image
	want    map[string]string
	records []written // that are left, oldest first
	head    journal.Head
	bound   uint64 // what is older was removed, or kept as an exception
}

func entryKey(seq uint64) []byte { return binary.BigEndian.AppendUint64([]byte{'e'}, seq) }

var headEntry = []byte{'e', 0xff}

// newArchive writes a journal of about n records, in half of the seeds one on which
// retention has run.
func newArchive(t *testing.T, seed uint64, n int) *archive {
	disk := storetest.NewDisk(nil)
	st := mustOpen(t, "store", store.Options{Disk: disk, Reserve: 64})
	j, err := journal.Open(st, journal.Options{})
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(seed, 11))
	ctx := context.Background()
	for i := range n {
		require.NoError(t, j.Update(ctx, func(tx *journal.Tx) error {
			r, err := tx.Append([]string{"signal", "decision", "intent", "receipt"}[rng.IntN(4)], fmt.Sprint("s", i%3),
				sexpr.Plist("n", sexpr.Int64(int64(i)), "text", sexpr.Str(image.RandomText(rng, 1+rng.IntN(200)))))
			tx.Set(fmt.Appendf(nil, "i%d", i), fmt.Append(nil, r.Seq))
			return err
		}))
		if seed%2 == 1 && i%30 == 29 {
			require.NoError(t, j.Update(ctx, func(tx *journal.Tx) error {
				to, _, err := j.Retained()
				if err != nil {
					return err
				}
				_, err = tx.Retain(to.Seq+1, to.Seq+1+rng.Uint64N(12),
					func(journal.Record) (bool, error) { return rng.IntN(4) == 0, nil })
				return err
			}))
		}
	}
	a := &archive{t: t, head: j.Head()}
	to, _, err := j.Retained()
	require.NoError(t, err)
	a.bound = to.Seq
	require.NoError(t, j.Records(1, func(r journal.Record) error {
		raw, err := st.Get(entryKey(r.Seq))
		a.records = append(a.records, written{r, raw})
		return err
	}))
	require.NoError(t, j.Close())
	a.image = image.Files(t, disk.System().FS, "store")
	a.want, err = readAll(store.Options{Disk: a.disk(), Reserve: 64})
	require.NoError(t, err)
	return a
}

func (a *archive) disk() *storetest.Disk {
	d, err := a.image.Disk("", nil)
	if err != nil {
		panic(err) // of a file system in memory
	}
	return d
}

// behind is a random record that is newer than the boundary.
func (a *archive) behind(rng *rand.Rand) written {
	i := slices.IndexFunc(a.records, func(r written) bool { return r.Seq > a.bound })
	return a.records[i+rng.IntN(len(a.records)-i)]
}

// forged is the stored form of r with right sums, as the insides page describes it.
func forged(r journal.Record) (raw []byte, hash sexpr.Digest) {
	content, err := sexpr.AppendCanonical(nil, sexpr.Plist("prev", sexpr.Str(r.Prev.String()), "record", sexpr.Plist(
		"at", sexpr.Int64(r.At), "body", r.Body, "kind", sexpr.Str(r.Kind), "seq", sexpr.Int64(int64(r.Seq)),
		"session", sexpr.Str(r.Session))))
	if err != nil {
		panic(err) // it was read from a record
	}
	hash = sha256.Sum256(append([]byte("cortex/record/1\n"), content...))
	return fmt.Appendf(nil, "(:hash %q %s", hash, content[1:]), hash
}

func headOfChain(h journal.Head) journal.Write {
	content := fmt.Sprintf("(:hash %q :seq %d", h.Hash, h.Seq)
	return journal.Write{Key: headEntry,
		Value: fmt.Appendf(nil, "%s :sum %q)", content, sexpr.DigestText("cortex/head/1", content+")"))}
}

// changed is r with another text in it.
func changed(r journal.Record, rng *rand.Rand) journal.Record {
	r.Body = sexpr.Plist("text", sexpr.Str("another "+image.RandomText(rng, 8)))
	return r
}

// cutOff deletes all records from seq on.
func (a *archive) cutOff(seq uint64) (out []journal.Write) {
	for _, r := range a.records {
		if r.Seq >= seq {
			out = append(out, journal.Write{Key: entryKey(r.Seq)})
		}
	}
	return out
}

// tampering is one way to do it.
type tampering func(a *archive, rng *rand.Rand) edit

var tamperings = map[string]tampering{
	"change a byte": func(a *archive, rng *rand.Rand) edit {
		r := a.records[rng.IntN(len(a.records))]
		raw := bytes.Clone(r.raw)
		raw[rng.IntN(len(raw))] ^= byte(1 + rng.IntN(255))
		return edit{writes: []journal.Write{{Key: entryKey(r.Seq), Value: raw}}, first: r.Seq}
	},
	"cut bytes off": func(a *archive, rng *rand.Rand) edit {
		r := a.records[rng.IntN(len(a.records))]
		return edit{writes: []journal.Write{{Key: entryKey(r.Seq), Value: bytes.Clone(r.raw[:rng.IntN(len(r.raw))])}},
			first: r.Seq}
	},
	"replace a value, and its hash": func(a *archive, rng *rand.Rand) edit {
		r := a.records[rng.IntN(len(a.records))]
		raw, _ := forged(changed(r.Record, rng))
		return edit{writes: []journal.Write{{Key: entryKey(r.Seq), Value: raw}}, first: r.Seq}
	},
	"replace a value and not its hash": func(a *archive, rng *rand.Rand) edit {
		r := a.records[rng.IntN(len(a.records))]
		raw, hash := forged(changed(r.Record, rng))
		raw = bytes.Replace(raw, []byte(hash.String()), []byte(r.Hash.String()), 1)
		return edit{writes: []journal.Write{{Key: entryKey(r.Seq), Value: raw}}, first: r.Seq}
	},
	"delete": func(a *archive, rng *rand.Rand) edit {
		r := a.records[rng.IntN(len(a.records))]
		return edit{writes: []journal.Write{{Key: entryKey(r.Seq)}}, first: r.Seq}
	},
	"swap": func(a *archive, rng *rand.Rand) edit {
		x, y := a.records[rng.IntN(len(a.records)-1)], a.records[len(a.records)-1]
		if i := rng.IntN(len(a.records) - 1); a.records[i].Seq != x.Seq {
			y = a.records[i]
		}
		return edit{writes: []journal.Write{{Key: entryKey(x.Seq), Value: y.raw}, {Key: entryKey(y.Seq), Value: x.raw}},
			first: min(x.Seq, y.Seq)}
	},
	"move to the end": func(a *archive, rng *rand.Rand) edit {
		r := a.records[rng.IntN(len(a.records))]
		return edit{writes: []journal.Write{{Key: entryKey(r.Seq)}, {Key: entryKey(a.head.Seq + 1), Value: r.raw}},
			first: r.Seq}
	},
	"duplicate over another": func(a *archive, rng *rand.Rand) edit {
		i, j := rng.IntN(len(a.records)), rng.IntN(len(a.records)-1)
		if j >= i {
			j++
		}
		return edit{writes: []journal.Write{{Key: entryKey(a.records[i].Seq), Value: a.records[j].raw}},
			first: a.records[i].Seq}
	},
	"duplicate behind the end": func(a *archive, rng *rand.Rand) edit {
		r := a.records[rng.IntN(len(a.records))]
		return edit{writes: []journal.Write{{Key: entryKey(a.head.Seq + 1), Value: r.raw}}, first: a.head.Seq + 1}
	},
	"continue the chain": func(a *archive, rng *rand.Rand) edit {
		raw, _ := forged(changed(journal.Record{Seq: a.head.Seq + 1, Kind: "signal", Prev: a.head.Hash}, rng))
		return edit{writes: []journal.Write{{Key: entryKey(a.head.Seq + 1), Value: raw}}, first: a.head.Seq + 1}
	},
	"cut off the end": func(a *archive, rng *rand.Rand) edit {
		r := a.behind(rng)
		return edit{writes: a.cutOff(r.Seq), first: r.Seq}
	},
	"cut off the end, with a head that fits, and a checkpoint seen": func(a *archive, rng *rand.Rand) edit {
		r := a.behind(rng)
		return edit{
			writes: append(a.cutOff(r.Seq), headOfChain(journal.Head{Seq: r.Seq - 1, Hash: r.Prev})),
			first:  r.Seq, seen: []journal.Head{a.head},
		}
	},
	"write all anew from one on, and a checkpoint seen": func(a *archive, rng *rand.Rand) edit {
		from := a.behind(rng)
		e := edit{first: from.Seq, seen: []journal.Head{{Seq: from.Seq, Hash: from.Hash}}}
		prev := from.Prev
		for _, w := range a.records {
			if w.Seq < from.Seq {
				continue
			}
			r := w.Record
			if r.Prev = prev; r.Seq == from.Seq {
				r = changed(r, rng)
			}
			var raw []byte
			raw, prev = forged(r)
			e.writes = append(e.writes, journal.Write{Key: entryKey(r.Seq), Value: raw})
		}
		e.writes = append(e.writes, headOfChain(journal.Head{Seq: a.head.Seq, Hash: prev}))
		return e
	},
	"an older head": func(a *archive, rng *rand.Rand) edit {
		r := a.behind(rng)
		return edit{writes: []journal.Write{headOfChain(journal.Head{Seq: r.Seq - 1, Hash: r.Prev})}, first: r.Seq}
	},
	"a head of another record": func(a *archive, rng *rand.Rand) edit {
		r := a.records[rng.IntN(len(a.records)-1)]
		return edit{writes: []journal.Write{headOfChain(journal.Head{Seq: a.head.Seq, Hash: r.Hash})}, first: a.head.Seq}
	},
	"change the head": func(a *archive, rng *rand.Rand) edit {
		raw := bytes.Clone(headOfChain(a.head).Value)
		raw[rng.IntN(len(raw))] ^= byte(1 + rng.IntN(255))
		return edit{writes: []journal.Write{{Key: headEntry, Value: raw}}}
	},
	"no head": func(*archive, *rand.Rand) edit { return edit{writes: []journal.Write{{Key: headEntry}}} },
	"an entry that is not a record": func(_ *archive, rng *rand.Rand) edit {
		return edit{writes: []journal.Write{{Key: append(entryKey(rng.Uint64N(200)), 'x'), Value: []byte("x")}}}
	},
	"bring back what retention removed": func(a *archive, rng *rand.Rand) edit {
		if a.bound == 0 {
			return edit{}
		}
		seq := 1 + rng.Uint64N(a.bound)
		if slices.ContainsFunc(a.records, func(r written) bool { return r.Seq == seq }) {
			return edit{}
		}
		raw, _ := forged(changed(journal.Record{Seq: seq, Kind: "signal"}, rng))
		return edit{writes: []journal.Write{{Key: entryKey(seq), Value: raw}}, first: seq}
	},
}

// retentions are the retention records that an edit touches.
func (a *archive) retentions(e edit) (out []uint64) {
	for _, w := range e.writes {
		for _, r := range a.records {
			if r.Kind == journal.KindRetention && r.Seq == journal.RecordIn(w) {
				out = append(out, r.Seq)
			}
		}
	}
	return out
}

// tampered is a disk on which an edit was made in one of the places, or both.
func (a *archive) tampered(e edit, place string) (*storetest.Disk, error) {
	disk := a.disk()
	var err error
	switch place {
	case "both": // through the store, so that nothing but the journal can tell
		var s journal.Store
		if s, err = store.Open("store", store.Options{Disk: disk, Reserve: 64}); err == nil {
			err = errors.Join(s.Commit(e.writes), s.Close())
		}
	case "tables":
		err = inTablesAlone(disk, e.writes)
	case "log":
		err = inLogAlone(disk, e.writes)
	}
	return disk, err
}

// inTablesAlone changes Pebble's files.
func inTablesAlone(disk *storetest.Disk, writes []journal.Write) error {
	db, err := pebble.Open("store", tables.Options(guard.New(guard.System{FS: disk.System().FS}, guard.NewDeath(discard))))
	if err != nil {
		return err
	}
	for _, w := range writes {
		if w.Value == nil {
			err = errors.Join(err, db.Delete(w.Key, pebble.NoSync))
			continue
		}
		err = errors.Join(err, db.Set(w.Key, w.Value, pebble.NoSync))
	}
	return errors.Join(err, db.Flush(), db.Close())
}

// inLogAlone writes the log anew, with every sum right: each key is changed where it was
// last written, and what was never written comes with the last commit.
func inLogAlone(disk *storetest.Disk, writes []journal.Write) error {
	dir := disk.System().FS.PathJoin("store", "log")
	all, err := wal.Segments(disk.System().FS, dir)
	if err != nil {
		return err
	}
	var frames [][]journal.Write
	for _, s := range all {
		if _, err := s.Scan(disk.System().FS, s.Start(), func(payload []byte, _ wal.Place) error {
			frames = append(frames, nil)
			return wal.EachWrite(bytes.Clone(payload), func(w journal.Write) error {
				frames[len(frames)-1] = append(frames[len(frames)-1], w)
				return nil
			})
		}); err != nil {
			return err
		}
		if err := disk.System().FS.Remove(s.Path); err != nil {
			return err
		}
	}
	for _, w := range writes {
		at, i := len(frames)-1, -1
		for n, f := range frames {
			if k := slices.IndexFunc(f, func(x journal.Write) bool { return bytes.Equal(x.Key, w.Key) }); k >= 0 {
				at, i = n, k
			}
		}
		if i < 0 {
			frames[at] = append(frames[at], w)
			continue
		}
		frames[at][i] = w
	}
	l := wal.New(guard.New(guard.System{FS: disk.System().FS}, guard.NewDeath(discard)), dir, 0)
	if err := l.Begin(1, wal.Mark{}); err != nil {
		return err
	}
	for _, f := range frames {
		if _, err := l.Append(f); err != nil {
			return err
		}
	}
	return l.Close()
}

// inspector is who looks at a record: what `cortex journal verify` and `cortex fsck` do,
// or, for the negative controls, what is less than that.
type inspector struct {
	verify func(s journal.Store, seen []journal.Head) error
	check  func(disk *storetest.Disk) (Report, error)
}

// careful is as the program is.
var careful = inspector{verifyWhole, checkWhole}

func verifyWhole(s journal.Store, seen []journal.Head) error {
	j, err := journal.Open(s, journal.Options{})
	if err != nil {
		return err
	}
	return errors.Join(j.Verify(context.Background(), seen...), j.Close())
}

func checkWhole(disk *storetest.Disk) (Report, error) {
	return Check(context.Background(), "store", Options{Disk: disk})
}

var recordNamed = regexp.MustCompile(`record (\d+)`)

// named says which record an inspector names, of those that may be.
func named(err error, first uint64, instead []uint64) string {
	if err == nil {
		return "nothing was found"
	}
	var d *journal.Damage
	var r *journal.ReadError
	switch {
	case errors.As(err, &d) && d.Seq == first, errors.As(err, &r) && r.Seq == first:
		return ""
	}
	for _, n := range recordNamed.FindAllStringSubmatch(err.Error(), -1) {
		if slices.ContainsFunc(instead, func(seq uint64) bool { return n[1] == fmt.Sprint(seq) }) {
			return ""
		}
	}
	return fmt.Sprintf("record %d was to be named: %v", first, err)
}

// look opens the store as anyone who verifies does, and says what is wrong with what is
// found.
func (in inspector) look(disk *storetest.Disk, a *archive, e edit) string {
	s, err := store.Open("store", store.Options{Disk: disk, Reserve: 64})
	if errors.Is(err, guard.ErrCorrupt) { // the program asks the check which record it is
		r, checked := in.check(disk)
		if checked != nil {
			return checked.Error()
		}
		return in.told(r, e)
	}
	if err != nil {
		return "opening: " + err.Error()
	}
	err = in.verify(s, e.seen)
	_ = s.Close() // the journal has closed it, if it opened
	return named(err, e.first, a.retentions(e))
}

// told says whether a report names the first record that an edit changed.
func (in inspector) told(r Report, e edit) string {
	first := uint64(0)
	for _, w := range e.writes {
		if seq := journal.RecordIn(w); seq > 0 && (first == 0 || seq < first) {
			first = seq
		}
	}
	for _, f := range r.Faults {
		if f.Record == first {
			return ""
		}
	}
	return fmt.Sprintf("record %d was to be named by the check: %v", first, r.Faults)
}

// trial tampers with an archive, and says what went wrong.
func (in inspector) trial(a *archive, e edit, place string) string {
	disk, err := a.tampered(e, place)
	if err != nil {
		return "tampering: " + err.Error()
	}
	after := archive{image: image.Files(a.t, disk.System().FS, "store")}
	if place != "both" {
		r, err := in.check(after.disk())
		if err != nil {
			return "check: " + err.Error()
		}
		if wrong := in.told(r, e); wrong != "" {
			return wrong
		}
	}
	if wrong := in.look(after.disk(), a, e); wrong != "" {
		return wrong
	}
	if place == "both" {
		return ""
	}
	mended := after.disk()
	if _, err := Repair(context.Background(), "store", Options{Disk: mended}, false); err != nil {
		return "repair: " + err.Error()
	}
	got, err := readAll(store.Options{Disk: mended, Reserve: 64})
	switch {
	case err == nil && maps.Equal(got, a.want):
		return ""
	case place == "log": // it is believed: the chain has to tell
		return in.look(mended, a, e)
	}
	return fmt.Sprintf("the repair did not bring back what the log has: %v", err)
}

// tamperCampaign tampers so often, and returns what went wrong.
func tamperCampaign(t *testing.T, in inspector, trials int, seed uint64, with func(world uint64) bool) (wrong []string,
	count map[string]int) {
	const ofOne = 200 // tamperings with one archive
	names := slices.Sorted(maps.Keys(tamperings))
	count = map[string]int{}
	var mu sync.Mutex
	for done, world := 0, seed; done < trials; world++ {
		if !with(world) {
			continue
		}
		a := newArchive(t, world, 90)
		var wg sync.WaitGroup
		n := min(ofOne, trials-done)
		for hand := range 2 {
			wg.Go(func() {
				for i := hand; i < n; i += 2 {
					rng := rand.New(rand.NewPCG(world, uint64(i)))
					name, place := names[rng.IntN(len(names))], places[rng.IntN(len(places))]
					e := tamperings[name](a, rng)
					for len(e.writes) == 0 { // it does not apply here
						name = names[rng.IntN(len(names))]
						e = tamperings[name](a, rng)
					}
					text := in.trial(a, e, place)
					mu.Lock()
					if count[place]++; text != "" {
						wrong = append(wrong, fmt.Sprintf("seed %d, number %d: %s (%s): %s", world, i, name, place, text))
					}
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		done += n
	}
	return wrong, count
}

// Whatever is done to the record, in one place or in both alike, the first bad one is
// named; and what was done to the tables alone is mended from the log.
func TestTamper(t *testing.T) {
	crashtest.Long(t)
	trials, seed := crashtest.Size(200)
	wrong, count := tamperCampaign(t, careful, trials, seed, func(uint64) bool { return true })
	for _, text := range wrong[:min(20, len(wrong))] {
		assert.Fail(t, text)
	}
	assert.Len(t, count, len(places))
	crashtest.Result{Harness: "tamper", Trials: trials, Seed: seed, Failures: len(wrong),
		More: fmt.Sprint(count)}.Report(t)
}

// lazy is a verifier that leaves something out: the digest of each record, or the chain.
func lazy(digest, chain bool) func(journal.Store, []journal.Head) error {
	return func(s journal.Store, seen []journal.Head) (err error) {
		defer func() { _ = s.Close() }() // as a journal would
		var last journal.Head
		bad := func(text string) bool {
			err = &journal.Damage{Seq: last.Seq + 1, Err: errors.New(text)}
			return false
		}
		scanned := s.Scan(entryKey(1), headEntry, func(k, raw []byte) bool {
			v, unread := sexpr.Read("record", string(raw))
			inner, _ := v.Get("record")
			r := journal.Record{Seq: uint64(inner.GetInt("seq")), At: inner.GetInt("at"), Kind: inner.GetText("kind"),
				Session: inner.GetText("session")}
			r.Body, _ = inner.Get("body")
			r.Hash, _ = sexpr.ParseDigest(v.GetText("hash"))
			r.Prev, _ = sexpr.ParseDigest(v.GetText("prev"))
			if unread != nil || r.Seq != last.Seq+1 || !bytes.Equal(k, entryKey(r.Seq)) {
				return bad("it is not in its place")
			}
			if again, _ := forged(r); digest && !bytes.Equal(again, raw) {
				return bad("its digest is another")
			}
			if chain && r.Prev != last.Hash {
				return bad("it continues another record")
			}
			last = journal.Head{Seq: r.Seq, Hash: r.Hash}
			return true
		})
		if err = errors.Join(scanned, err); err != nil {
			return err
		}
		for _, h := range seen {
			if h.Seq > last.Seq {
				return &journal.Damage{Seq: last.Seq + 1, Err: journal.ErrTruncated}
			}
		}
		return nil
	}
}

// The harness finds verifiers and checks that leave something out.
func TestTamper_NegativeControls(t *testing.T) {
	crashtest.Long(t)
	for name, tt := range map[string]struct {
		in    inspector
		found string
	}{
		"skip the digest": {inspector{lazy(false, true), checkWhole},
			`replace a value and not its hash \(both\): nothing was found`},
		"skip the chain": {inspector{lazy(true, false), checkWhole},
			`replace a value, and its hash \(both\): nothing was found`},
		"places are not compared": {inspector{verifyWhole, func(*storetest.Disk) (Report, error) {
			return Report{}, nil
		}}, `\((tables|log)\): record \d+ was to be named by the check: \[\]`},
		"it is not said where": {inspector{verifyWhole, unnamed},
			`\((tables|log)\): record \d+ was to be named by the check: \[store`},
		"what was seen is left out": {inspector{func(s journal.Store, _ []journal.Head) error {
			return verifyWhole(s, nil)
		}, checkWhole}, `checkpoint seen \(both\): nothing was found`},
	} {
		t.Run(name, func(t *testing.T) {
			// without retention, of which the lazy know nothing
			wrong, _ := tamperCampaign(t, tt.in, 100, 2, func(world uint64) bool { return world%2 == 0 })
			i := slices.IndexFunc(wrong, func(text string) bool { return regexp.MustCompile(tt.found).MatchString(text) })
			require.GreaterOrEqual(t, i, 0, "not found, or not for what it is: %v", wrong)
			t.Logf("RESULT control=%q found-by=tamper %s", name, wrong[i])
		})
	}
}

// unnamed is a check that says that the places differ, and not where.
func unnamed(disk *storetest.Disk) (Report, error) {
	r, err := checkWhole(disk)
	for i := range r.Faults {
		r.Faults[i].Record = 0
	}
	return r, err
}
