package cortex_test

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/store/fsck"
	"github.com/opencortex-go/cortex/internal/crashtest"
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
	dir := unpack(t, "../testdata/golden/b0855d1.tar.gz")
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

// unpack unpacks an archive of a record's folder.
func unpack(t *testing.T, archive string) (dir string) {
	dir = t.TempDir()
	f, err := os.Open(archive)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	zipped, err := gzip.NewReader(f)
	require.NoError(t, err)
	for in := tar.NewReader(zipped); ; {
		head, err := in.Next()
		if errors.Is(err, io.EOF) {
			return dir
		}
		require.NoError(t, err)
		require.True(t, filepath.IsLocal(head.Name), head.Name)
		path := filepath.Join(dir, head.Name)
		if head.Typeflag == tar.TypeDir {
			require.NoError(t, os.MkdirAll(path, 0o700))
			continue
		}
		raw, err := io.ReadAll(in)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, raw, 0o600))
	}
}
