package store

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/internal/guard"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/sexpr"
)

// The test binary is its own child process: childVar says what it is to do.
const (
	childVar = "CORTEX_STORE_TEST_CHILD"
	dirVar   = "CORTEX_STORE_TEST_DIR"
)

func TestMain(m *testing.M) {
	switch os.Getenv(childVar) {
	case "write":
		writeForEver(os.Getenv(dirVar))
	case "rotate-guarded":
		fail(rotate(true))
	case "rotate-raw":
		fail(rotate(false))
	default:
		os.Exit(m.Run())
	}
}

func fail(err error) {
	fmt.Println("returned:", err)
	os.Exit(3)
}

func child(what, dir string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVar+"="+what, dirVar+"="+dir)
	return cmd
}

// writeForEver appends records with four writers, and prints each one after it
// was acknowledged.
func writeForEver(dir string) {
	s, err := Open(dir, Options{})
	if err != nil {
		fail(err)
	}
	j, err := journal.Open(s, journal.Options{})
	if err != nil {
		fail(err)
	}
	acks := make(chan journal.Record)
	for range 4 {
		go func() {
			for {
				r, err := appendOne(j)
				if err != nil {
					fail(err)
				}
				acks <- r
			}
		}()
	}
	for r := range acks {
		fmt.Println(r.Seq, r.Hash)
	}
}

func appendOne(j *journal.Journal) (rec journal.Record, err error) {
	err = j.Update(context.Background(), func(tx *journal.Tx) error {
		rec, err = tx.Append("signal", "s", sexpr.Plist("text", sexpr.Str(strings.Repeat("x", 300))))
		tx.Set(fmt.Appendf(nil, "i%d", rec.Seq), []byte(rec.Hash.String()))
		return err
	})
	return rec, err
}

// lostOf returns which acknowledged records are not there, or not with their
// index entry. A damaged chain is an error.
func lostOf(dir string, opt Options, acked []journal.Head) (lost []journal.Head, err error) {
	s, err := Open(dir, opt)
	if err != nil {
		return nil, err
	}
	j, err := journal.Open(s, journal.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = firstOf(err, j.Close()) }()
	if err := j.Verify(context.Background()); err != nil { // no gap, no damage
		return nil, err
	}
	for _, a := range acked {
		rec, err := j.Read(a.Seq)
		entry, err2 := j.Get(fmt.Appendf(nil, "i%d", a.Seq))
		if err != nil || err2 != nil || rec.Hash != a.Hash || string(entry) != a.Hash.String() {
			lost = append(lost, a)
		}
	}
	return lost, nil
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// TestI4_KilledProcess kills a process that writes to a real folder, again and
// again: all that it said was written is there, in a chain without gaps. It says
// nothing about a loss of power: what the process wrote stays in the kernel.
func TestI4_KilledProcess(t *testing.T) {
	rounds := cycles(50)
	if testing.Short() {
		rounds = min(rounds, 4)
	}
	dir := t.TempDir() + "/store"
	rng := rand.New(rand.NewPCG(1, 2))
	var acked []journal.Head
	missing := 0
	for range rounds {
		cmd := child("write", dir)
		pipe, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		out := bufio.NewReader(pipe)
		more := readAcks(t, out, 1+rng.IntN(40), &acked)
		assert.True(t, more, "the child writes until it is killed")
		require.NoError(t, cmd.Process.Kill())
		for more { // what it managed to say while it died
			more = readAcks(t, out, 1, &acked)
		}
		require.Error(t, cmd.Wait(), "killed")
		gone, err := lostOf(dir, Options{}, acked)
		require.NoError(t, err)
		missing = len(gone)
		assert.Zero(t, missing, "acknowledged and lost")
	}
	assert.Greater(t, len(acked), rounds)
	crashtest.Result{Harness: "torture-store-kill", Trials: rounds, Seed: 1, Failures: missing,
		Acknowledged: len(acked)}.Report(t)
}

// readAcks reads n whole lines, and reports false at the end of the output.
func readAcks(t *testing.T, out *bufio.Reader, n int, acked *[]journal.Head) bool {
	t.Helper()
	for range n {
		line, err := out.ReadString('\n')
		if err != nil {
			return false
		}
		var seq uint64
		var hash string
		_, err = fmt.Sscan(line, &seq, &hash)
		assert.NoError(t, err, "the child said %q", line)
		d, err := sexpr.ParseDigest(hash)
		assert.NoError(t, err)
		*acked = append(*acked, journal.Head{Seq: seq, Hash: d})
	}
	return true
}

// onFS is a disk with another file system.
type onFS struct{ on guard.System }

func (d onFS) System() guard.System { return d.on }

// rotate makes the disk fail when Pebble changes to a new log, or ours grows.
func rotate(guarded bool) error {
	var full atomic.Bool
	mem := vfs.NewCrashableMem()
	fs := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		pebbles := (op.Kind == errorfs.OpCreate || op.Kind == errorfs.OpReuseForWrite) && strings.HasSuffix(op.Path, ".log")
		ours := op.Kind == errorfs.OpFileWriteAt && strings.HasSuffix(op.Path, ".seg")
		if full.Load() && (pebbles || ours) {
			return syscall.ENOSPC
		}
		return nil
	}))
	large := []byte(strings.Repeat("x", 700_000)) // more than the first memtable holds
	if guarded {
		s, err := Open("store", Options{Disk: onFS{guard.System{FS: fs}}})
		if err != nil {
			return err
		}
		full.Store(true)
		return s.Commit([]journal.Write{{Key: []byte("k"), Value: large}})
	}
	db, err := pebble.Open("store", &pebble.Options{FS: fs, MemTableSize: guard.MemTable, Logger: Quiet()})
	if err != nil {
		return err
	}
	full.Store(true)
	return func() (err error) {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("recovered: %v", p)
			}
		}()
		return db.Set([]byte("k"), large, pebble.Sync)
	}()
}

// TestFullDiskEndsPebbleAndNotUs shows why the guard parks goroutines: with an
// error at the change of logs Pebble ends its process, beyond any recover.
func TestFullDiskEndsPebbleAndNotUs(t *testing.T) {
	out, err := child("rotate-raw", "").CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(out), "fatal error: sync: unlock of unlocked mutex", "Pebble alone")

	out, err = child("rotate-guarded", "").CombinedOutput()
	require.Error(t, err, "exit code of an error that was returned")
	assert.Equal(t, "returned: store: no space left for the journal: no space left on device\n", string(out))
}
