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
)

// Checkpoints says when the engine signs the head of the record. A signed head outside the
// record reveals that a record was cut off or written anew; the chain alone cannot. With
// the zero value the engine signs only on request.
type Checkpoints struct {
	Every uint64        // sign after so many records; 0 for never
	After time.Duration // sign after so long, if there are new records; 0 for never
	// Key is the file of the private key; "" means checkpoint.key in the record's folder.
	// If the file does not exist, the engine makes it, readable only by its owner.
	Key string
	// Outside is a file in another place that also gets each checkpoint. If the record
	// does not reach as far as the checkpoint in it, or is another record, the engine does
	// not open it: it was restored from a copy, or cut.
	Outside string
	// AcceptRollback opens such a record all the same, and the engine records that. It
	// also opens a record that its own folder's checkpoint is ahead of, as after a repair
	// that accepted a loss. It does not open a record whose checkpoint outside cannot be
	// read.
	AcceptRollback bool
}

// The files of checkpoints, in the folder of the record.
const (
	CheckpointFile = "checkpoint"     // the newest one
	CheckpointKey  = "checkpoint.key" // the private key
	CheckpointPub  = "checkpoint.pub" // the public one, which [note.NewVerifier] reads
)

// Keeper signs checkpoints, compares the record with them, and checks the record in the
// background.
type Keeper struct {
	Opt     Checkpoints
	Dir     string // folder of the record; "" for a record in memory
	Inspect bool   // write nothing
	Logger  *slog.Logger
	Ctx     context.Context // of the engine
	J       *journal.Journal
	Store   journal.Store // under it
	Now     func() time.Time

	signing  sync.Mutex            // held while making a checkpoint
	Signed   atomic.Uint64         // the record of the newest checkpoint of this run
	Scrubbed atomic.Pointer[Scrub] // progress of the background check
}

// RollbackError says that a record differs from the one that a checkpoint saw, or is an
// older state of it.
type RollbackError struct {
	File string // of the checkpoint
	Seen journal.Head
	Err  error // journal.ErrTruncated or journal.ErrForked, with the place
}

// Error says what the checkpoint saw and how to go on.
func (e *RollbackError) Error() string {
	return fmt.Sprintf("the checkpoint in %s was made at record %d: %v; if the record was restored on purpose, open it "+
		"with AcceptRollback", e.File, e.Seen.Seq, e.Err)
}

// Unwrap returns Err.
func (e *RollbackError) Unwrap() error { return e.Err }

// seal signs the heads of one record.
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

// makeSeal makes a key with a name that no other record has.
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

// replaceFile replaces a file with text, completely and durably, or leaves it unchanged.
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

// unfinishedPrefix begins the names of files that are being written, before they replace
// others.
const unfinishedPrefix = ".checkpoint-"

// Unfinished returns the name under which a file is written. It contains the file's own
// name, because other programs may write files in the same folder.
func Unfinished(path string) string {
	return filepath.Join(filepath.Dir(path), unfinishedPrefix+filepath.Base(path))
}

// ClearUnfinished removes the files that a process left unfinished when it ended. Files
// that it cannot remove do no harm.
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

// Checkpoint signs the head of the record, records that, and returns the text of the
// checkpoint. It keeps the text in the record's folder and, if a place outside is set,
// there too. A record in memory has no checkpoints.
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
		_, err := record.Append(tx, "", record.CheckpointOf(h, text))
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

// LastCheckpoint returns the newest checkpoint, or "" before the first one.
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

// Known checks the record against the newest known checkpoints. The one in its folder says
// from where on opening checks the chain; the one outside shows whether this is still the
// same record.
func (i *Keeper) Known(ctx context.Context) error {
	if !i.OnDisk() {
		return nil
	}
	s, err := i.loadSeal(false)
	switch {
	case errors.Is(err, fs.ErrNotExist) && i.Opt.Outside == "":
		return nil // no checkpoint was ever made
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

// knownOutside checks the record against the checkpoint outside. If that cannot be read, a
// rollback can be neither excluded nor accepted, and the record does not open.
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

// isRollback reports whether err says that the record differs from the one that was seen,
// or is an older state. Other errors only say that the comparison failed.
func isRollback(err error) bool {
	return errors.Is(err, journal.ErrTruncated) || errors.Is(err, journal.ErrForked)
}

func unseen(file string, err error) error {
	return fmt.Errorf("cortex: the checkpoint in %s cannot be read, so it is not known whether the record was rolled "+
		"back: %w", file, err)
}

// unknownOutside checks a record without a key against a checkpoint outside: such a record
// cannot be the one that was signed.
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

// rolledBack refuses a record that contradicts the checkpoint in file, unless the operator
// accepts it. It records the acceptance.
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
		_, err := record.Append(tx, "", record.Rollback{Seen: seen.String(), Why: back.Err.Error()})
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
