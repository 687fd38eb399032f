package engine

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/sumdb/note"

	"github.com/opencortex-go/cortex/cortex/integrity"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/sexpr"
)

// checkpointOf opens a checkpoint with the public key in the record's folder.
func (b *bench) checkpointOf(text string) (journal.Head, error) {
	b.t.Helper()
	pub, err := os.ReadFile(filepath.Join(b.opt.Dir, integrity.CheckpointPub))
	require.NoError(b.t, err)
	v, err := note.NewVerifier(strings.TrimSpace(string(pub)))
	require.NoError(b.t, err)
	return journal.OpenCheckpoint(text, v)
}

func TestCheckpoint(t *testing.T) {
	b := newBench(t, testRules, "", func(o *Options) { o.Dir = t.TempDir() })
	ctx := context.Background()
	b.decideOn("look", `{}`)
	at := b.Journal().Head()
	text, err := b.Operations().Checkpoint(ctx)
	require.NoError(t, err)
	h, err := b.checkpointOf(text)
	require.NoError(t, err)
	assert.Equal(t, at, h)
	assert.Equal(t, 1, b.kinds()["checkpoint"])
	kept, err := os.ReadFile(filepath.Join(b.opt.Dir, integrity.CheckpointFile))
	require.NoError(t, err)
	assert.Equal(t, text, string(kept))
	info, err := os.Stat(filepath.Join(b.opt.Dir, integrity.CheckpointKey))
	require.NoError(t, err)
	assert.EqualValues(t, 0o600, info.Mode().Perm())

	// The format is that of others: three lines, an empty one, and an Ed25519
	// signature over the three, by the key that the verifier's text has.
	lines := strings.Split(text, "\n")
	assert.Equal(t, fmt.Sprint(at.Seq), lines[1])
	assert.Equal(t, base64.StdEncoding.EncodeToString(at.Hash[:]), lines[2])
	pub, _ := os.ReadFile(filepath.Join(b.opt.Dir, integrity.CheckpointPub))
	parts := strings.SplitN(strings.TrimSpace(string(pub)), "+", 3)
	raw, err := base64.StdEncoding.DecodeString(parts[2])
	require.NoError(t, err)
	sig, err := base64.StdEncoding.DecodeString(lines[4][strings.LastIndexByte(lines[4], ' ')+1:])
	require.NoError(t, err)
	assert.True(t, ed25519.Verify(raw[1:], []byte(strings.Join(lines[:3], "\n")+"\n"), sig[4:]))

	for i := range text { // any byte that is changed
		c := []byte(text)
		c[i] ^= 1
		if h, err := b.checkpointOf(string(c)); err == nil {
			assert.Equal(t, at, h, "byte %d", i)
		}
	}
	b.reopen()
	b.intact()
}

// TestT24_TruncationAndForksAreCaught restores older states of a record, and grows
// another future from one: a checkpoint seen outside tells each of them.
func TestT24_TruncationAndForksAreCaught(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "seen")
	b := newBench(t, testRules, "", func(o *Options) {
		o.Dir = t.TempDir()
		o.Checkpoints.Outside = outside
	})
	ctx := context.Background()
	b.decideOn("look", `{}`)
	_, err := b.Operations().Checkpoint(ctx)
	require.NoError(t, err)
	require.NoError(t, b.Engine.Close())
	older := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(older, "c"), os.DirFS(b.opt.Dir)))
	b.reopen()
	b.decideOn("note", `(:text "what is to be forgotten")`)
	newest, err := b.Operations().Checkpoint(ctx)
	require.NoError(t, err)
	seen, err := b.checkpointOf(newest)
	require.NoError(t, err)

	opt := b.opt
	opt.Dir = filepath.Join(older, "c")
	var back *integrity.RollbackError
	_, err = open(ctx, opt)
	require.ErrorAs(t, err, &back)
	require.ErrorIs(t, err, journal.ErrTruncated)
	assert.Equal(t, seen, back.Seen)
	assert.ErrorContains(t, err, "AcceptRollback")

	// Without the place outside nobody knows: that is what it is for.
	blind := opt
	blind.Checkpoints.Outside = ""
	e, err := open(ctx, blind)
	require.NoError(t, err)
	for e.Journal().Last() <= seen.Seq+3 {
		_, err = e.Decide(ctx, action(t, "look", `{}`), nil)
		require.NoError(t, err)
	}
	require.ErrorIs(t, e.Journal().Verify(ctx, seen), journal.ErrForked)
	require.NoError(t, e.Close())
	_, err = open(ctx, opt)
	require.ErrorAs(t, err, &back)
	require.ErrorIs(t, err, journal.ErrForked)

	opt.Checkpoints.AcceptRollback = true
	e, err = open(ctx, opt)
	require.NoError(t, err)
	n := 0
	require.NoError(t, e.Journal().Records(1, func(r Record) error {
		if r.Kind == "rollback" {
			n++
		}
		return nil
	}))
	assert.Equal(t, 1, n, "it is on record")
	_, err = e.Operations().Checkpoint(ctx)
	require.NoError(t, err)
	require.NoError(t, e.Close())
	opt.Checkpoints.AcceptRollback = false
	e, err = open(ctx, opt)
	require.NoError(t, err, "from then on it is the record that is known")
	require.NoError(t, e.Close())

	require.NoError(t, os.Remove(filepath.Join(opt.Dir, integrity.CheckpointKey)))
	_, err = open(ctx, opt)
	require.ErrorIs(t, err, journal.ErrForked, "a record that lost its key is no other record's")
}

// The check in the background finds damage that opening does not look at.
func TestScrub(t *testing.T) {
	b := newBench(t, testRules, "", func(o *Options) { o.Dir = t.TempDir() })
	for range 400 {
		b.decideOn("look", `{}`)
	}
	last := b.Journal().Last()
	for at := uint64(1); at < last; {
		next, err := b.integrity.ScrubSome(at, last)
		require.NoError(t, err)
		require.Greater(t, next, at)
		at = next
	}
	require.Eventually(t, func() bool { s := b.integrity.Scrubbed.Load(); return s != nil && s.Done }, 10e9, 1e6)
	s, err := b.Status(context.Background())
	require.NoError(t, err)
	assert.NoError(t, s.Scrub.Err)
	opt := b.opt
	require.NoError(t, b.Close())

	// Somebody deletes an old record.
	kept, err := store.Open(opt.Dir, store.Options{})
	require.NoError(t, err)
	lo, _ := journal.KeysTo(1)
	lo[len(lo)-1] = 7
	require.NoError(t, kept.Commit([]journal.Write{{Key: lo}}))
	require.NoError(t, kept.Close())
	e, err := open(t.Context(), opt)
	require.NoError(t, err)
	require.Eventually(t, func() bool { s := e.integrity.Scrubbed.Load(); return s != nil && s.Err != nil }, 10e9, 1e6)
	s, err = e.Status(t.Context())
	require.NoError(t, err)
	var bad *journal.Damage
	require.ErrorAs(t, s.Scrub.Err, &bad)
	assert.Equal(t, uint64(7), bad.Seq)
	assert.False(t, s.Scrub.Done)
	require.NoError(t, e.Close())
}

// What is recorded between the head that a checkpoint signs and the checkpoint's own
// record is not taken for signed: the next checkpoint is due for it.
func TestCheckpointLeavesNothingUnsigned(t *testing.T) {
	b := newBench(t, testRules, "", func(o *Options) { o.Dir = t.TempDir() })
	ctx := context.Background()
	b.decideOn("look", `{}`)
	_, err := b.Operations().Checkpoint(ctx)
	require.NoError(t, err)
	assert.Equal(t, b.j.Last(), b.integrity.Signed.Load(), "nothing is due")

	between := func() bool { // whether a note came between the head that was signed and the checkpoint
		inside, goOn, done := make(chan struct{}), make(chan struct{}), make(chan error, 2)
		var note uint64
		go func() {
			done <- b.j.Update(ctx, func(tx *journal.Tx) error {
				close(inside)
				<-goOn
				r, err := tx.Append("note", "", sexpr.Value{})
				note = r.Seq
				return err
			})
		}()
		<-inside
		go func() {
			_, err := b.Operations().Checkpoint(ctx)
			done <- err
		}()
		// The engine's own housekeeping may wait there, too.
		for b.j.Waiting() == 0 {
			runtime.Gosched()
		}
		close(goOn)
		require.NoError(t, <-done)
		require.NoError(t, <-done)
		return b.integrity.Signed.Load() <= note
	}
	for range 100 {
		if between() {
			assert.Less(t, b.integrity.Signed.Load(), b.j.Last())
			return
		}
	}
	t.Fatal("no checkpoint left the note before it unsigned")
}

// A record that had to go on without its end, as a repair leaves it that accepted a
// loss, is behind the checkpoint in its own folder: that is said, and can be accepted.
func TestARecordBehindItsOwnCheckpoint(t *testing.T) {
	b := newBench(t, testRules, "", func(o *Options) { o.Dir = t.TempDir() })
	ctx := context.Background()
	_, err := b.Operations().Checkpoint(ctx) // makes the key
	require.NoError(t, err)
	require.NoError(t, b.Close())
	opt := b.opt
	opt.Dir = filepath.Join(t.TempDir(), "shorter")
	require.NoError(t, os.CopyFS(opt.Dir, os.DirFS(b.opt.Dir)))
	b.Engine = nil
	b.reopen()
	for range 10 {
		b.decideOn("look", `{}`)
	}
	text, err := b.Operations().Checkpoint(ctx)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(opt.Dir, integrity.CheckpointFile), []byte(text), 0o600))

	var back *integrity.RollbackError
	_, err = open(ctx, opt)
	require.ErrorAs(t, err, &back)
	require.ErrorIs(t, err, journal.ErrTruncated)
	assert.Equal(t, filepath.Join(opt.Dir, integrity.CheckpointFile), back.File)
	opt.Checkpoints.AcceptRollback = true
	e, err := open(ctx, opt)
	require.NoError(t, err)
	_, err = e.Operations().Checkpoint(ctx)
	require.NoError(t, err)
	require.NoError(t, e.Close())
	opt.Checkpoints.AcceptRollback = false
	e, err = open(ctx, opt)
	require.NoError(t, err, "from then on it is the record that is known")
	require.NoError(t, e.Close())
}

// To accept a rollback is no more than that: whatever else keeps the record from being
// compared with the checkpoint outside still keeps it from being opened.
func TestI4_AcceptRollbackAcceptsRollbacksAlone(t *testing.T) {
	folder := t.TempDir()
	b := newBench(t, testRules, "", func(o *Options) {
		o.Dir, o.Checkpoints.Outside = filepath.Join(folder, "c"), filepath.Join(folder, "seen")
	})
	b.decideOn("look", `{}`)
	text, err := b.Operations().Checkpoint(t.Context())
	require.NoError(t, err)
	require.NoError(t, b.Engine.Close())
	_, pub, err := note.GenerateKey(rand.Reader, "other")
	require.NoError(t, err)
	other, err := note.NewVerifier(pub)
	require.NoError(t, err)
	stranger := fmt.Sprintf("other\n1\n%s\n\n— other %s\n", base64.StdEncoding.EncodeToString(make([]byte, 32)),
		base64.StdEncoding.EncodeToString(append(binary.BigEndian.AppendUint32(nil, other.KeyHash()), make([]byte, 64)...)))
	opt := b.opt
	opt.Checkpoints.AcceptRollback = true
	put := func(text string) {
		require.NoError(t, os.RemoveAll(opt.Checkpoints.Outside))
		require.NoError(t, os.WriteFile(opt.Checkpoints.Outside, []byte(text), 0o600))
	}
	ended, end := context.WithCancel(t.Context())
	end()
	for name, tt := range map[string]struct {
		outside func()
		ctx     context.Context
		opens   bool
		keyless bool
	}{
		"as it was":        {outside: func() { put(text) }, opens: true},
		"missing":          {outside: func() { require.NoError(t, os.RemoveAll(opt.Checkpoints.Outside)) }, opens: true},
		"another record's": {outside: func() { put(stranger) }, opens: true},
		"changed":          {outside: func() { put(strings.Replace(text, "\n", "\n9", 1)) }},
		"empty":            {outside: func() { put("") }},
		"cut off":          {outside: func() { put(text[:len(text)/2]) }},
		"a folder": {outside: func() {
			put("")
			require.NoError(t, os.Remove(opt.Checkpoints.Outside))
			require.NoError(t, os.Mkdir(opt.Checkpoints.Outside, 0o700))
		}},
		"nobody waits": {outside: func() { put(text) }, ctx: ended},
		"a folder, and no key": {outside: func() {
			put("")
			require.NoError(t, os.Remove(opt.Checkpoints.Outside))
			require.NoError(t, os.Mkdir(opt.Checkpoints.Outside, 0o700))
		}, keyless: true},
		"some file, and no key": {outside: func() { put(text) }, keyless: true, opens: true},
	} {
		t.Run(name, func(t *testing.T) {
			opt := opt
			opt.Dir = filepath.Join(t.TempDir(), "copy")
			require.NoError(t, os.CopyFS(opt.Dir, os.DirFS(filepath.Join(folder, "c"))))
			if tt.keyless {
				require.NoError(t, os.Remove(filepath.Join(opt.Dir, integrity.CheckpointKey)))
			}
			require.NoError(t, os.RemoveAll(filepath.Join(opt.Dir, integrity.CheckpointFile))) // what is outside counts alone
			tt.outside()
			ctx := tt.ctx
			if ctx == nil {
				ctx = t.Context()
			}
			e, err := open(ctx, opt)
			if tt.opens {
				require.NoError(t, err)
				require.NoError(t, e.Close())
				return
			}
			require.Error(t, err)
			require.False(t, errors.As(err, new(*integrity.RollbackError)), "it would be said to be acceptable")
		})
	}
}

// What an end of the process has left of a file that was being written is gone after the
// next start, is never read, and what others write beside it stays.
func TestUnfinishedFilesOfCheckpointsAreRemoved(t *testing.T) {
	outside := t.TempDir()
	b := newBench(t, testRules, "", func(o *Options) {
		o.Dir = t.TempDir()
		o.Checkpoints.Outside, o.Checkpoints.Key = filepath.Join(outside, "seen"), filepath.Join(outside, "key")
	})
	text, err := b.Operations().Checkpoint(t.Context())
	require.NoError(t, err)
	left := []string{
		integrity.Unfinished(b.opt.Checkpoints.Key), integrity.Unfinished(b.opt.Checkpoints.Outside),
		integrity.Unfinished(filepath.Join(b.opt.Dir, integrity.CheckpointFile)),
		filepath.Join(b.opt.Dir, ".checkpoint-2750891"),
	}
	others := filepath.Join(outside, ".checkpoint-another")
	for _, path := range append(left, others) {
		require.NoError(t, os.WriteFile(path, []byte("half a che"), 0o600))
	}
	b.reopen()
	for _, path := range left {
		assert.NoFileExists(t, path)
	}
	assert.FileExists(t, others)
	last, err := b.Operations().LastCheckpoint()
	require.NoError(t, err)
	assert.Equal(t, text, last)

	require.NoError(t, os.WriteFile(left[0], nil, 0o600)) // of a process that ends while this one runs
	_, err = b.Operations().Checkpoint(t.Context())
	require.NoError(t, err)
	for _, dir := range []string{outside, b.opt.Dir} {
		names, err := filepath.Glob(filepath.Join(dir, ".checkpoint-*"))
		require.NoError(t, err)
		assert.Subset(t, []string{others, left[0]}, names, "nothing is left of one that was written")
	}
}

// While an engine runs, its log is cut behind it, or a record in the tables is another
// one: the check in the background reads both places, and tells; it notes when it last did.
func TestI4_ScrubComparesBothPlaces(t *testing.T) {
	b := newBench(t, testRules, "", func(o *Options) { o.Dir = t.TempDir() })
	b.decideOn("look", `{}`)
	require.Eventually(t, func() bool {
		s := b.integrity.Scrubbed.Load()
		return s != nil && !s.Compared.IsZero()
	}, 10e9, 1e6)
	s, err := b.Status(t.Context())
	require.NoError(t, err)
	require.NoError(t, s.Scrub.Err)
	assert.Equal(t, start, s.Scrub.Compared.UTC())
	require.NoError(t, b.integrity.Compare(), "all of it again")

	seg := filepath.Join(b.opt.Dir, "log", "00000001.seg")
	raw, err := os.ReadFile(seg)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(seg, 9000))
	var bad *store.Damage
	require.ErrorAs(t, b.integrity.Compare(), &bad)
	s, err = b.Status(t.Context())
	require.NoError(t, err)
	assert.ErrorAs(t, s.Scrub.Err, &bad)
	require.NoError(t, os.WriteFile(seg, raw, 0o600))
	require.NoError(t, b.integrity.Compare())

}
