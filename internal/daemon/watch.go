package daemon

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/opencortex-go/cortex/runs/library"
	"github.com/opencortex-go/cortex/skills/rules"
)

// How long the files must have been quiet before they are read again, and how
// long is waited at most while they are not.
const (
	quiet = 100 * time.Millisecond
	most  = 2 * time.Second
)

// watch reloads when rule files, workflows or the configuration change, until ctx ends. It
// watches folders, not files, because editors and deployments replace files and
// folders. An event is only a hint to check again.
func (d *daemon) watch(ctx context.Context) {
	for ctx.Err() == nil {
		w, err := d.lookout()
		if err != nil {
			d.log.Warn("files are not watched; SIGHUP reloads them", "error", err)
			return
		}
		// Check only now, so that no change in between goes unnoticed.
		if now := d.fingerprint(); now != d.seen {
			d.seen = now
			_ = d.reload(ctx, "files have changed") // said in the log, to systemd and in (status)
		}
		heard := signals(w)
		settled := settle(ctx, heard)
		_ = w.Close() // make a new one, because folders may have been replaced
		for range heard {
		} // until the receiver has ended
		if !settled {
			return
		}
	}
}

// lookout watches every folder of rule files and of workflows, its parent, in which it may be
// replaced, and the configuration's folder.
func (d *daemon) lookout() (*fsnotify.Watcher, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	if d.cfg.source != nil {
		err = w.Add(filepath.Dir(d.cfg.source.file))
	}
	if d.cfg.Plugins != "" {
		err = errors.Join(err, w.Add(filepath.Dir(d.cfg.Plugins)))
	}
	for _, name := range slices.Concat(d.cfg.Rules, d.cfg.Workflows) {
		err = errors.Join(err, w.Add(filepath.Dir(name)))
		err = errors.Join(err, filepath.WalkDir(name, func(path string, e fs.DirEntry, err error) error {
			if err != nil || !e.IsDir() {
				return nil //nolint:nilerror // an unreadable folder is checked when it changes
			}
			return w.Add(path)
		}))
		if to, linked := os.Readlink(name); linked == nil {
			err = errors.Join(err, w.Add(filepath.Join(filepath.Dir(name), to)))
		}
	}
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// signals turns a watcher's events into signals that something may have changed;
// the channel is closed with the watcher.
func signals(w *fsnotify.Watcher) <-chan struct{} {
	out := make(chan struct{}, 1)
	go func() {
		defer close(out)
		for {
			select {
			case _, ok := <-w.Events:
				if !ok {
					return
				}
			case _, ok := <-w.Errors: // for example too many events at once: check
				if !ok {
					return
				}
			}
			select {
			case out <- struct{}{}:
			default: // one is waiting
			}
		}
	}()
	return out
}

// settle waits for a signal, and then until there has been none for a moment. It
// returns false if ctx ends.
func settle(ctx context.Context, signals <-chan struct{}) bool {
	select {
	case <-signals:
	case <-ctx.Done():
		return false
	}
	end := time.NewTimer(most)
	defer end.Stop()
	for {
		calm := time.NewTimer(quiet)
		select {
		case <-signals:
			calm.Stop()
		case <-calm.C:
			return true
		case <-end.C:
			calm.Stop()
			return true
		case <-ctx.Done():
			calm.Stop()
			return false
		}
	}
}

// fingerprint is a hash of the rule files, the workflows and the configuration as they are now.
// An unreadable file changes it, too.
func (d *daemon) fingerprint() [sha256.Size]byte {
	h := sha256.New()
	note := func(name string, data []byte, err error) {
		text := ""
		if err != nil {
			text = err.Error()
		}
		sum := sha256.Sum256(data)
		for _, s := range []string{name, text, string(sum[:])} {
			_, _ = h.Write(append([]byte(s), 0)) // a hash takes everything
		}
	}
	all := func(in fs.FS, counts func(string) bool) {
		err := fs.WalkDir(in, ".", func(name string, e fs.DirEntry, err error) error {
			if err != nil {
				note(name, nil, err)
				return nil
			}
			if !e.Type().IsDir() && e.Type()&fs.ModeNamedPipe == 0 && counts(name) {
				data, err := fs.ReadFile(in, name)
				note(name, data, err)
			}
			return nil
		})
		note(".", nil, err)
	}
	for _, r := range d.roots {
		all(r.FS, func(name string) bool { return counts(r, name) })
	}
	for _, name := range d.cfg.Workflows {
		all(d.cfg.folder(name), library.Counts)
	}
	if d.cfg.Plugins != "" { // it pins the programs
		data, err := os.ReadFile(d.cfg.Plugins)
		note(d.cfg.Plugins, data, err)
	}
	if d.cfg.source != nil {
		data, err := os.ReadFile(d.cfg.source.file)
		note(d.cfg.source.file, data, err)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// counts reports whether a file may be part of the rules: a rule file, by its
// name, whether or not anything includes it now, or one that was named.
func counts(r rules.Root, name string) bool {
	return filepath.Ext(name) == ".lisp" || len(r.Files) > 0 && name == r.Files[0]
}
