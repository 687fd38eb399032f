package cortex_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/cortex/store/fsck"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
)

// goldenKinds are all kinds of record there were at commit b0855d1.
var goldenKinds = []string{
	"answer", "approval", "checkpoint", "clock", "decision", "end", "fact", "intent", "kill-switch", "open", "pairing",
	"places", "posting", "receipt", "retention", "retry", "rollback", "rulebook", "settled", "signal",
}

// goldenStates are all states of an approval.
var goldenStates = []string{"approved", "consumed", "denied", "expired", "pending", "superseded", "withdrawn"}

// What the record says of itself, and how many decisions of it can be derived again:
// what the others rested on was removed by retention.
const (
	goldenHead      = "421@sha256:1d649e599b58b200c3915fc654e1051a9f9c7435a58c6f22563cd6a33abeaf44"
	goldenDecisions = 139
	goldenRemoved   = 7
)

// goldenChanged names the decisions of the golden record that come out otherwise today,
// and which function or limit has changed since. Only decisions under rulebooks that
// [cortex.Replayed] lists among Others can be here.
var goldenChanged = map[uint64]string{}

// TestGoldenRecord opens, verifies and replays a record that commit b0855d1 wrote. It
// is never written anew: what that version kept must be read for ever.
func TestGoldenRecord(t *testing.T) {
	dir := crashtest.Unpack(t, "../testdata/golden/b0855d1.tar.gz")
	checkGolden(t, dir)
	before := digestOf(t, dir)
	defer func() { assert.Equal(t, before, digestOf(t, dir), "a copy that is read changes in no byte") }()
	e, err := cortex.Open(t.Context(), cortex.Options{Dir: dir, Inspect: true, ReadOnly: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, e.Close()) }()
	require.NoError(t, e.Journal().Verify(t.Context()))
	require.Equal(t, goldenHead, e.Journal().Head().String())
	got, err := e.Replay(t.Context(), cortex.ReplayOptions{})
	require.NoError(t, err)
	t.Logf("%d decisions, %d without what they rested on, %d rulebooks are others today", got.Decisions, got.Removed,
		len(got.Others))
	assert.Zero(t, got.Skipped, "every rulebook still compiles")
	assert.Equal(t, goldenDecisions, got.Decisions)
	assert.Equal(t, goldenRemoved, got.Removed)
	changed := 0
	for _, d := range got.Differences {
		why := goldenChanged[d.Seq]
		if assert.NotEmpty(t, why, "decision %d was %s %s, is %s %s: %v", d.Seq, d.Was.Kind, d.Was.Key, d.Is.Kind, d.Is.Key,
			d.Fields) {
			assert.Contains(t, got.Others, d.Was.Policy, "decision %d: its functions and limits are those of its day", d.Seq)
			changed++
		}
	}
	assert.Len(t, goldenChanged, changed, "a change that is named is one")
}

// TestGoldenCauses reads why each decision of the golden record was made, and finds that nothing is left out: what the
// record says of it is what its cause and its attempt say.
func TestGoldenCauses(t *testing.T) {
	dir := crashtest.Unpack(t, "../testdata/golden/b0855d1.tar.gz")
	e, err := cortex.Open(t.Context(), cortex.Options{Dir: dir, Inspect: true, ReadOnly: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, e.Close()) }()
	seen := map[string]int{}
	require.NoError(t, e.Journal().Records(1, func(r cortex.Record) error {
		if r.Kind != record.KindDecision {
			return nil
		}
		q, _, _, err := ledger.QuestionFrom(r.Body)
		require.NoError(t, err)
		var root, compensates, retry, first uint64
		var depth int
		resume := false
		switch c := q.Cause.(type) {
		case ledger.Called:
		case ledger.Answering:
			root, depth, resume = c.Root, c.Depth, true
		case ledger.Compensating:
			compensates, resume = c.Intent, c.Ours
		case ledger.Stepping: // the record is older than steps
			assert.Fail(t, "a step", r.Seq)
		}
		if again, ok := q.Attempt.(ledger.Retry); ok {
			retry, first = again.Intent, again.Decision
		}
		said := func(field string) uint64 { return uint64(r.Body.GetInt(field)) }
		assert.Equal(t, []uint64{said("root"), said("depth"), said("compensates"), said("retry"), said("first")},
			[]uint64{root, uint64(depth), compensates, retry, first}, r.Seq)
		assert.Equal(t, r.Body.GetTrue("resume"), resume, r.Seq)
		seen[fmt.Sprintf("%T %T", q.Cause, q.Attempt)]++
		return nil
	}))
	t.Log(seen)
	assert.Len(t, seen, 4, "every cause, and a retry")
}

// TestGoldenEntries reads each record of the golden record into its type, and writes it back as it was.
func TestGoldenEntries(t *testing.T) {
	dir := crashtest.Unpack(t, "../testdata/golden/b0855d1.tar.gz")
	e, err := cortex.Open(t.Context(), cortex.Options{Dir: dir, Inspect: true, ReadOnly: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, e.Close()) }()
	seen := map[string]bool{}
	require.NoError(t, e.Journal().Records(1, func(r cortex.Record) error {
		seen[r.Kind] = true
		x, err := entryOf(r)
		if err != nil || x == nil {
			return err
		}
		assert.Equal(t, r.Kind, x.Kind(), r.Seq)
		want, err := sexpr.Canonical(r.Body)
		require.NoError(t, err)
		got, err := sexpr.Canonical(x.Value())
		require.NoError(t, err)
		assert.Equal(t, want, got, "record %d, of the kind %s", r.Seq, r.Kind)
		return nil
	}))
	assert.Len(t, seen, len(goldenKinds))
}

// entryOf reads a record into the type of its kind; nil for the kinds that other packages write as a whole.
func entryOf(r cortex.Record) (record.Entry, error) {
	switch r.Kind {
	case record.KindSignal:
		sig, err := perceive.DecodeSignal(r.Body)
		return record.Signal{Signal: sig}, err
	case record.KindApproval:
		return approval.From(r.Body)
	case record.KindDecision, record.KindRulebook, record.KindRetention:
		return nil, nil
	}
	return map[string]func(sexpr.Value) record.Entry{
		record.KindOpen:       func(v sexpr.Value) record.Entry { return record.OpenedFrom(v) },
		record.KindPlaces:     func(v sexpr.Value) record.Entry { return record.PlacesFrom(v) },
		record.KindIntent:     func(v sexpr.Value) record.Entry { return record.IntentFrom(v) },
		record.KindReceipt:    func(v sexpr.Value) record.Entry { return record.ReceiptFrom(v) },
		record.KindSettled:    func(v sexpr.Value) record.Entry { return record.SettledFrom(v) },
		record.KindRetry:      func(v sexpr.Value) record.Entry { return record.RetryFrom(v) },
		record.KindAnswer:     func(v sexpr.Value) record.Entry { return record.AnswerFrom(v) },
		record.KindKill:       func(v sexpr.Value) record.Entry { return record.KillFrom(v) },
		record.KindPairing:    func(v sexpr.Value) record.Entry { return record.PairingFrom(v) },
		record.KindPosting:    func(v sexpr.Value) record.Entry { return approval.PostingFrom(v) },
		record.KindCheckpoint: func(v sexpr.Value) record.Entry { return record.CheckpointFrom(v) },
		record.KindRollback:   func(v sexpr.Value) record.Entry { return record.RollbackFrom(v) },
		record.KindClock:      func(v sexpr.Value) record.Entry { return record.JumpFrom(v) },
		record.KindEnd:        func(v sexpr.Value) record.Entry { return record.EndFrom(v) },
		record.KindFact:       func(v sexpr.Value) record.Entry { return record.FactFrom(v) },
	}[r.Kind](r.Body), nil
}

// TestGoldenScript has today's code write the same record, so that the script stays one
// that runs and covers everything.
func TestGoldenScript(t *testing.T) {
	crashtest.Long(t)
	dir := os.Getenv("CORTEX_GOLDEN")
	if dir == "" {
		dir = t.TempDir()
	}
	writeGolden(t, dir)
	checkGolden(t, dir)
	e, err := cortex.Open(t.Context(), cortex.Options{Dir: dir, Inspect: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, e.Close()) }()
	got, err := e.Replay(t.Context(), cortex.ReplayOptions{})
	require.NoError(t, err)
	t.Logf("head %s, %d decisions, %d removed", e.Journal().Head(), got.Decisions, got.Removed)
	assert.Empty(t, got.Differences)
	assert.Positive(t, got.Removed, "retention took what some rested on")
}

// checkGolden checks both places and the chain, and that nothing is missing from a
// golden record that is to be in it.
func checkGolden(t *testing.T, dir string) {
	report, err := fsck.Check(t.Context(), dir, fsck.Options{})
	require.NoError(t, err)
	require.Empty(t, report.Faults)
	e, err := cortex.Open(t.Context(), cortex.Options{Dir: dir, Inspect: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, e.Close()) }()
	require.NoError(t, e.Journal().Verify(t.Context()))
	kinds := kindsOf(t, e)
	for _, kind := range goldenKinds {
		assert.Positive(t, kinds[kind], kind)
	}
	t.Log(kinds)
	policies := map[any]bool{}
	require.NoError(t, e.Journal().Records(1, func(r cortex.Record) error {
		if r.Kind == "rulebook" {
			policies[r.Seq] = true
		}
		return nil
	}))
	assert.Greater(t, len(policies), 1, "the policy changed")

	approvals, err := e.Approvals().All(t.Context())
	require.NoError(t, err)
	states := []string{}
	for _, a := range approvals {
		states = append(states, string(a.State))
	}
	slices.Sort(states)
	assert.Equal(t, goldenStates, slices.Compact(states))
	doubts, err := e.Operations().Doubts(t.Context())
	require.NoError(t, err)
	assert.Len(t, doubts, 3)
}

// digestOf has the digest of each file of a folder.
func digestOf(t *testing.T, dir string) map[string]string {
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		out[path] = fmt.Sprintf("%x", sha256.Sum256(raw))
		return err
	}))
	return out
}
