// Package keyfile keeps the keys under which an engine encrypts secret arguments, in a file
// that only its owner may read. It is the only importer of filippo.io/age; programs whose
// tools have no secret arguments need not link it.
//
// The file is an identity file of age: one X25519 identity a line, the newest last. Each
// text gets an identity of its own, which is encrypted to the newest one of the file. All
// that is written is an age file, which the program age decrypts too. Destroying the
// encrypted identity of a text destroys the text, as far as the disk forgets it; once the
// file's identity is renewed, also a copy of it is worth nothing.
package keyfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"filippo.io/age"
)

// Keys are the keys of one file. Open and InMemory make them.
type Keys struct {
	path string // "" in memory

	mu  sync.RWMutex
	all []*age.X25519Identity // the newest last
}

// InMemory returns new keys that end with the process, for records that do.
func InMemory() (*Keys, error) {
	k := &Keys{}
	return k, k.add()
}

// Open reads the keys in a file. If there is none, the first secret makes it, with mode 0600.
// The file must be a regular one that its owner alone may read; else the error says how to mend
// that. One process uses a file at a time.
func Open(path string) (*Keys, error) {
	k := &Keys{path: path}
	text, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err != nil {
		return nil, err
	}
	for n, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		id, err := age.ParseX25519Identity(line)
		if err != nil { // its own text may repeat the line
			return nil, fmt.Errorf("%s:%d: this is not a key: expected one that begins with AGE-SECRET-KEY-1", path, n+1)
		}
		k.all = append(k.all, id)
	}
	if len(k.all) == 0 {
		return nil, fmt.Errorf("%s: there is no key in it; put back the file that the record was written with, or remove "+
			"it to begin with a new key", path)
	}
	return k, nil
}

func read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: keys are kept in a regular file", path)
	case unsafeMode(info.Mode()):
		return nil, fmt.Errorf("%s: others may read it (mode %o); run chmod 600 %s", path, info.Mode().Perm(), path)
	}
	return io.ReadAll(io.LimitReader(f, 1<<20))
}

// add makes a new key, and writes the file before the key is used.
func (k *Keys) add() error {
	id, err := age.GenerateX25519Identity()
	if err != nil {
		return err
	}
	all := append(k.all[:len(k.all):len(k.all)], id)
	if err := k.write(all); err != nil {
		return err
	}
	k.all = all
	return nil
}

// write replaces the file, durably.
func (k *Keys) write(all []*age.X25519Identity) error {
	if k.path == "" {
		return nil
	}
	var b strings.Builder
	b.WriteString("# Keys of a Cortex record. Without this file its secret arguments cannot be read.\n")
	for _, id := range all {
		b.WriteString(id.String() + "\n")
	}
	return replace(k.path, []byte(b.String()))
}

func replace(path string, text []byte) (err error) {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, ".keys-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(text); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncFolder(dir)
}

// Seal implements cortex.Keys.
func (k *Keys) Seal(text []byte) (sealed, key []byte, err error) {
	own, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, nil, err
	}
	newest, err := k.newest()
	if err != nil {
		return nil, nil, err
	}
	if key, err = encrypt([]byte(own.String()), newest); err != nil {
		return nil, nil, err
	}
	sealed, err = encrypt(text, own.Recipient())
	return sealed, key, err
}

// newest is what keys are encrypted to. The first call makes the file.
func (k *Keys) newest() (age.Recipient, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.all) == 0 {
		if err := k.add(); err != nil {
			return nil, err
		}
	}
	return k.all[len(k.all)-1].Recipient(), nil
}

// Open implements cortex.Keys.
func (k *Keys) Open(sealed, key []byte) ([]byte, error) {
	name, err := k.unwrap(key)
	if err != nil {
		return nil, err
	}
	own, err := age.ParseX25519Identity(string(name))
	if err != nil {
		return nil, errors.New("the key of a record is damaged")
	}
	return decrypt(sealed, own)
}

// unwrap decrypts the key of a text with whichever key of the file fits.
func (k *Keys) unwrap(key []byte) ([]byte, error) {
	k.mu.RLock()
	ids := make([]age.Identity, len(k.all))
	for i, id := range k.all {
		ids[len(ids)-1-i] = id
	}
	k.mu.RUnlock()
	if len(ids) == 0 {
		return nil, fmt.Errorf("%s: %w", k.path, fs.ErrNotExist)
	}
	text, err := decrypt(key, ids...)
	if err != nil {
		return nil, fmt.Errorf("no key of the key file fits: %w", err)
	}
	return text, nil
}

// Renew implements cortex.Keys.
func (k *Keys) Renew() (move func(key []byte) ([]byte, error), finish func() error, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.add(); err != nil {
		return nil, nil, err
	}
	newest := k.all[len(k.all)-1]
	move = func(key []byte) ([]byte, error) {
		name, err := k.unwrap(key)
		if err != nil {
			return nil, err
		}
		return encrypt(name, newest.Recipient())
	}
	finish = func() error {
		k.mu.Lock()
		defer k.mu.Unlock()
		only := []*age.X25519Identity{newest}
		if err := k.write(only); err != nil {
			return err
		}
		k.all = only
		return nil
	}
	return move, finish, nil
}

func encrypt(text []byte, to age.Recipient) ([]byte, error) {
	var out bytes.Buffer
	w, err := age.Encrypt(&out, to)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(text); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func decrypt(sealed []byte, with ...age.Identity) ([]byte, error) {
	r, err := age.Decrypt(bytes.NewReader(sealed), with...)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
