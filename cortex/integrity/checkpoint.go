package integrity

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/sexpr"
)

// Checkpoints says when the head of the record is signed. A signed head that was
// seen outside shows that a record was cut off or written anew, which the chain
// alone cannot. The zero value signs only when asked to.
type Checkpoints struct {
	Every uint64        // sign after so many records; 0 is no reason
	After time.Duration // sign after so long, if there are new records; 0 is no reason
	// Key is the file of the private key; "" means checkpoint.key in the record's
	// folder. It is made, for its owner alone, if there is none.
	Key string
	// Outside is a file in another place that gets each checkpoint too. A record
	// that does not reach as far as the one in it, or is another one, does not open:
	// it was restored from a copy, or cut.
	Outside string
	// AcceptRollback opens it all the same, and records that; so it does where the
	// checkpoint in the record's own folder is ahead, as after a repair that accepted
	// a loss. A checkpoint outside that cannot be read is nothing to accept.
	AcceptRollback bool
}

// The files of checkpoints, in the folder of the record.
const (
	CheckpointFile = "checkpoint"     // the newest one
	CheckpointKey  = "checkpoint.key" // the private key
	CheckpointPub  = "checkpoint.pub" // the public one, which [note.NewVerifier] reads
)

// Keeper shows that a record is the one that it was: it signs checkpoints and
// compares them, and checks the record in the background.
type Keeper struct {
	Opt     Checkpoints
	Dir     string // of the record; "" for one in memory
	Inspect bool   // nothing is written
	Logger  *slog.Logger
	Ctx     context.Context // of the engine
	J       *journal.Journal
	Store   journal.Store // under it
	Now     func() time.Time

	signing  sync.Mutex            // held by anyone who makes a checkpoint
	Signed   atomic.Uint64         // the record of the newest checkpoint of this run
	Scrubbed atomic.Pointer[Scrub] // how far the check in the background has come
}

// RollbackError says that a record is not the one that a checkpoint outside knows,
// or an older state of it.
type RollbackError struct {
	File string // of the checkpoint
	Seen journal.Head
	Err  error // journal.ErrTruncated or journal.ErrForked, and where
}

// Error says what was seen and how to go on.
func (e *RollbackError) Error() string {
	return fmt.Sprintf("the checkpoint in %s was made at record %d: %v; if the record was restored on purpose, open it "+
		"with AcceptRollback", e.File, e.Seen.Seq, e.Err)
}

// Unwrap returns what is wrong.
func (e *RollbackError) Unwrap() error { return e.Err }

// seal signs heads for one record.
type seal struct {
	signer   note.Signer
	verifier note.Verifier
}

// newSeal reads the key in file, and makes it if there is none and write is set.
func newSeal(file, public string, write bool) (*seal, error) {
	raw, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) && write {
		return makeSeal(file, public)
	}
	if err != nil {
		return nil, err
	}
	signer, err := note.NewSigner(strings.TrimSpace(string(raw)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	pub, err := os.ReadFile(public)
	if err != nil {
		return nil, err
	}
	verifier, err := note.NewVerifier(strings.TrimSpace(string(pub)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", public, err)
	}
	if verifier.Name() != signer.Name() || verifier.KeyHash() != signer.KeyHash() {
		return nil, fmt.Errorf("%s does not belong to %s", public, file)
	}
	return &seal{signer, verifier}, nil
}

// makeSeal makes a key whose name no other record has.
func makeSeal(file, public string) (*seal, error) {
	name := "cortex-record-" + strings.ToLower(rand.Text()[:16])
	private, pub, err := note.GenerateKey(rand.Reader, name)
	if err != nil {
		return nil, err
	}
	// The public key first: what can sign can be checked, whenever this stops.
	if err := replaceFile(public, pub+"\n", 0o644); err != nil {
		return nil, err
	}
	if err := replaceFile(file, private+"\n", 0o600); err != nil {
		return nil, err
	}
	return newSeal(file, public, false)
}

// replaceFile puts text in place of a file, whole and durable, or leaves the file.
func replaceFile(path, text string, mode fs.FileMode) (err error) {
	part := Unfinished(path)
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { // after the rename there is nothing to remove
		_ = os.Remove(f.Name())
	}()
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// unfinishedPrefix begins the names of files that are being written, and then take the
// place of others.
const unfinishedPrefix = ".checkpoint-"

// Unfinished is the name under which a file is written. It is the file's own, because
// others may keep theirs in the same folder.
func Unfinished(path string) string {
	return filepath.Join(filepath.Dir(path), unfinishedPrefix+filepath.Base(path))
}

// ClearUnfinished removes the files that an end of the process has left unfinished. They
// do no harm where they cannot be removed.
func (i *Keeper) ClearUnfinished() {
	opt := i.Opt
	var left []string
	for _, path := range []string{opt.Key, opt.Outside} {
		if path != "" {
			left = append(left, Unfinished(path))
		}
	}
	names, err := os.ReadDir(i.Dir)
	for _, name := range names {
		if strings.HasPrefix(name.Name(), unfinishedPrefix) {
			left = append(left, filepath.Join(i.Dir, name.Name()))
		}
	}
	for _, path := range left {
		if lost := os.Remove(path); lost != nil && !errors.Is(lost, fs.ErrNotExist) {
			err = errors.Join(err, lost)
		}
	}
	if err != nil {
		i.Logger.Warn("unfinished checkpoints could not be removed", "error", err)
	}
}

// OnDisk reports whether this record is a folder of the operating system.
func (i *Keeper) OnDisk() bool { return i.Dir != "" }

func (i *Keeper) loadSeal(write bool) (*seal, error) {
	file := i.Opt.Key
	if file == "" {
		file = filepath.Join(i.Dir, CheckpointKey)
	}
	s, err := newSeal(file, filepath.Join(i.Dir, CheckpointPub), write)
	if err != nil {
		return nil, fmt.Errorf("cortex: key of checkpoints: %w", err)
	}
	return s, nil
}

// Checkpoint signs the head of the record, records that, keeps the text in the
// record's folder and outside, where a place is set, and returns it. A record in
// memory has none.
func (i *Keeper) Checkpoint(ctx context.Context) (string, error) {
	if !i.OnDisk() {
		return "", errors.New("cortex: a record in memory has no checkpoints")
	}
	i.signing.Lock()
	defer i.signing.Unlock()
	s, err := i.loadSeal(true)
	if err != nil {
		return "", err
	}
	h := i.J.Head()
	text, err := journal.SignHead(h, s.signer)
	if err != nil {
		return "", err
	}
	err = i.J.Update(ctx, func(tx *journal.Tx) error {
		_, err := tx.Append(record.KindCheckpoint,
			"", sexpr.Plist("hash", sexpr.Str(h.Hash.String()), "seq", sexpr.Int64(int64(h.Seq)), "text", sexpr.Str(text)))
		return err
	})
	if err != nil {
		return "", err
	}
	i.Signed.Store(h.Seq + 1) // its own record, if nothing else came in between; what did is not signed yet
	err = replaceFile(filepath.Join(i.Dir, CheckpointFile), text, 0o644)
	if outside := i.Opt.Outside; outside != "" && err == nil {
		err = replaceFile(outside, text, 0o644)
	}
	return text, err
}

// LastCheckpoint returns the newest checkpoint; "" if none was made yet.
func (i *Keeper) LastCheckpoint() (string, error) {
	if !i.OnDisk() {
		return "", nil
	}
	text, err := os.ReadFile(filepath.Join(i.Dir, CheckpointFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(text), err
}

// Sign makes checkpoints until the engine closes.
func (i *Keeper) Sign() {
	opt := i.Opt
	t := time.NewTicker(max(time.Second, opt.After/4))
	defer t.Stop()
	last := i.Now()
	for {
		select {
		case <-t.C:
			fresh, since := i.J.Last()-i.Signed.Load(), i.Now().Sub(last)
			if fresh == 0 || !(opt.Every > 0 && fresh >= opt.Every || opt.After > 0 && (since >= opt.After || since < 0)) {
				continue
			}
			if _, err := i.Checkpoint(i.Ctx); err != nil && i.Ctx.Err() == nil {
				i.Logger.Error("no checkpoint could be made", "error", err)
			}
			last = i.Now()
		case <-i.Ctx.Done():
			return
		}
	}
}

// Known checks the record against the newest checkpoints that are known: the one
// in its folder says from where on the chain is checked on opening, the one
// outside whether this is the record that it was.
func (i *Keeper) Known(ctx context.Context) error {
	if !i.OnDisk() {
		return nil
	}
	s, err := i.loadSeal(false)
	switch {
	case errors.Is(err, fs.ErrNotExist) && i.Opt.Outside == "":
		return nil // none was ever made
	case errors.Is(err, fs.ErrNotExist):
		return i.unknownOutside()
	case err != nil:
		return err
	}
	if h, err := s.read(filepath.Join(i.Dir, CheckpointFile)); err == nil {
		err = i.J.VerifyFrom(ctx, h.Seq, h)
		if isRollback(err) {
			err = i.rolledBack(filepath.Join(i.Dir, CheckpointFile), h, err)
		}
		if err != nil && !errors.Is(err, journal.ErrRemoved) {
			return fmt.Errorf("since the checkpoint at record %d: %w", h.Seq, err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		i.Logger.Warn("the newest checkpoint cannot be read; all is checked in the background", "error", err)
	}
	if i.Opt.Outside == "" {
		return nil
	}
	return i.knownOutside(ctx, s)
}

// knownOutside checks the record against the checkpoint outside. Where that cannot be
// read, nobody knows whether the record was rolled back, and nobody can accept it.
func (i *Keeper) knownOutside(ctx context.Context, s *seal) error {
	file := i.Opt.Outside
	h, err := s.read(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.As(err, new(*note.UnverifiedNoteError)):
		return i.rolledBack(file, h, fmt.Errorf("%w: another key signed it: %w", journal.ErrForked, err))
	case err != nil:
		return unseen(file, err)
	}
	err = i.J.VerifyFrom(ctx, h.Seq, h)
	if err != nil && !isRollback(err) && !errors.Is(err, journal.ErrRemoved) {
		return fmt.Errorf("since the checkpoint outside at record %d: %w", h.Seq, err)
	}
	return i.rolledBack(file, h, err)
}

// isRollback reports whether a record is not the one that was seen, or an older one.
// Everything else that keeps it from being compared is another matter.
func isRollback(err error) bool {
	return errors.Is(err, journal.ErrTruncated) || errors.Is(err, journal.ErrForked)
}

func unseen(file string, err error) error {
	return fmt.Errorf("cortex: the checkpoint in %s cannot be read, so it is not known whether the record was rolled "+
		"back: %w", file, err)
}

// unknownOutside is what a record without a key has to say to a checkpoint that is
// known outside: it cannot be the one that was signed.
func (i *Keeper) unknownOutside() error {
	file := i.Opt.Outside
	_, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return unseen(file, err)
	}
	return i.rolledBack(file, journal.Head{}, fmt.Errorf("%w: this record has never signed anything", journal.ErrForked))
}

// rolledBack refuses a record that is not the one that a checkpoint in file has seen,
// unless the operator accepts it, which is recorded.
func (i *Keeper) rolledBack(file string, seen journal.Head, err error) error {
	if err == nil || errors.Is(err, journal.ErrRemoved) {
		return nil
	}
	back := &RollbackError{File: file, Seen: seen, Err: err}
	if !i.Opt.AcceptRollback || i.Inspect {
		return back
	}
	i.Logger.Warn("a record that was rolled back is accepted", "seen", seen.String(), "head", i.J.Head().String())
	return i.J.Update(i.Ctx, func(tx *journal.Tx) error {
		_, err := tx.Append(record.KindRollback,
			"", sexpr.Plist("seen", sexpr.Str(seen.String()), "why", sexpr.Str(back.Err.Error())))
		return err
	})
}

func (s *seal) read(file string) (journal.Head, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return journal.Head{}, err
	}
	return journal.OpenCheckpoint(string(text), s.verifier)
}
