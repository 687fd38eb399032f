package wal

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/internal/guard"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
)

func markOf(seq uint64) Mark { return Mark{Seq: seq, Hash: hash{byte(seq), byte(seq >> 8)}} }

func segmentOfHead(from, to uint64, closed bool) *Segment {
	return &Segment{Number: from + 1, Path: "log", Size: FramesAt + 1000,
		slots: [2]*Slot{{Turn: 1, Before: markOf(from), Tail: markOf(to), End: FramesAt + 1000, Closed: closed}}}
}

// One commit less than the head names is a crash's only where nothing says that it was
// whole: neither that the store was closed, nor the tables.
func TestTornAt(t *testing.T) {
	other := markOf(9)
	other.Hash[5] = 1
	for name, tt := range map[string]struct {
		closed        bool
		last, applied uint64
		other         bool // the last frame is another one than the head's
		torn          uint64
		damage        string
	}{
		"whole":                              {last: 9, applied: 9},
		"whole, the tables behind":           {last: 9, applied: 5},
		"the head one behind":                {last: 10, applied: 9},
		"a crash":                            {last: 8, applied: 8, torn: 9},
		"a crash, the tables further behind": {last: 8, applied: 3, torn: 9},
		"closed":                             {closed: true, last: 8, applied: 8, damage: "goes on to commit 9"},
		"the tables have it":                 {last: 8, applied: 9, damage: "goes on to commit 9"},
		"two are missing":                    {last: 7, applied: 7, damage: "goes on to commit 9"},
		"the tables have more":               {last: 9, applied: 10, damage: "the tables have commit 10"},
		"another one":                        {last: 9, applied: 9, other: true, damage: "another commit of this number"},
	} {
		last := Place{Mark: markOf(tt.last), End: FramesAt + 500}
		if tt.other {
			last.Mark = other
		}
		torn, err := TornAt(segmentOfHead(0, 9, tt.closed), last, Place{Mark: markOf(tt.applied)})
		assert.Equal(t, tt.torn, torn, name)
		if tt.damage == "" {
			assert.NoError(t, err, name)
			continue
		}
		require.ErrorIs(t, err, guard.ErrCorrupt, name)
		assert.ErrorContains(t, err, tt.damage, name)
	}
}

// Segments follow one another, and the first one the base, without a gap of a single
// commit; one that lost its newer head names one commit less.
func TestSegmentsFollowOneAnother(t *testing.T) {
	for name, tt := range map[string]struct {
		all []*Segment
		ok  bool
	}{
		"one after the other":    {[]*Segment{segmentOfHead(0, 4, false), segmentOfHead(4, 9, false)}, true},
		"the newer head is lost": {[]*Segment{segmentOfHead(0, 3, false), segmentOfHead(4, 9, false)}, true},
		"a gap of two":           {[]*Segment{segmentOfHead(0, 2, false), segmentOfHead(4, 9, false)}, false},
		"they overlap":           {[]*Segment{segmentOfHead(0, 5, false), segmentOfHead(4, 9, false)}, false},
		"no head at all":         {[]*Segment{{Path: "log"}}, false},
		"shorter than its head says": {[]*Segment{{Path: "log", Size: FramesAt + 999,
			slots: segmentOfHead(0, 4, false).slots}}, false},
	} {
		err := connected(tt.all)
		assert.Equal(t, tt.ok, err == nil, "%s: %v", name, err)
	}
	at := func(seq uint64) []*Base { return []*Base{{At: markOf(seq)}} }
	assert.NoError(t, grounded(segmentOfHead(0, 9, false), nil))
	assert.Error(t, grounded(segmentOfHead(1, 9, false), nil), "the first commit is missing")
	assert.NoError(t, grounded(segmentOfHead(4, 9, false), at(4)))
	assert.NoError(t, grounded(segmentOfHead(2, 9, false), at(4)))
	assert.Error(t, grounded(segmentOfHead(5, 9, false), at(4)), "one commit is in neither")
	another := segmentOfHead(4, 9, false)
	another.slots[0].Before.Hash[7] = 1
	assert.Error(t, grounded(another, at(4)), "another commit of this number")
}

// Tables that come from somewhere else know a commit of a number that the log has, too,
// and another one, wherever they think that it stands.
func TestReplayComparesWhatTheTablesReached(t *testing.T) {
	disk := storetest.NewDisk(nil)
	l, _, err := Open(guard.New(disk.System(), guard.NewDeath(slog.New(slog.DiscardHandler))), "store/log", 0, Place{},
		nil)
	require.NoError(t, err)
	for range 9 {
		_, err = l.Append([]journal.Write{write("k", "v")})
		require.NoError(t, err)
	}
	require.NoError(t, l.Close())
	all, err := Segments(disk.System().FS, "store/log")
	require.NoError(t, err)
	var fifth Place
	_, err = all[0].Scan(disk.System().FS, all[0].Start(), func(_ []byte, at Place) error {
		if at.Seq == 5 {
			fifth = at
		}
		return nil
	})
	require.NoError(t, err)
	for _, segment := range []uint64{fifth.Segment, fifth.Segment + 70} {
		at, replayed := fifth, 0
		at.Segment = segment
		count := func([]byte, Place) error { replayed++; return nil }
		_, _, err = replay(disk.System().FS, all, at, count)
		require.NoError(t, err)
		assert.Equal(t, 4, replayed)
		at.Hash[0] ^= 1
		_, _, err = replay(disk.System().FS, all, at, count)
		require.ErrorIs(t, err, guard.ErrCorrupt, "segment %d", segment)
	}
}
