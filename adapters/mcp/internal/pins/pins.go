// Package pins keeps the definitions of the tools of servers as people know them, and tells when a server
// says something else.
package pins

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"github.com/opencortex-go/cortex/adapters/mcp/internal/wire"
)

// Pins keeps the definition of each tool as it was when it was first seen or last agreed
// to, and what the server has said since that differs. A server whose tool means something
// else than on the day it was looked at has people asked again. Proxies of one name share
// the file. It is safe for concurrent use.
type Pins struct {
	path string

	mu     sync.Mutex
	by     map[string]pin             // as the file has it
	read   fs.FileInfo                // of the file when it was read; nil before there is one
	serves map[string]json.RawMessage // what this server said last
}

// pin is the definition that is agreed to.
type pin struct {
	Digest     string          `json:"digest"`
	Definition json.RawMessage `json:"definition"`
	// Said holds the last definition that differed, until people agree to it. It stays when the server goes back to the
	// pinned one, because a model has read it. Chain is a digest of all that differed since people last agreed.
	Said  json.RawMessage `json:"said,omitempty"`
	Chain string          `json:"chain,omitempty"`
}

func newPin(definition json.RawMessage) pin {
	return pin{Digest: digest(definition), Definition: definition}
}

// Change is a definition that differs from the pinned one. Its digest is of all that differed, in order.
type Change struct {
	Before, After string
	Digest        string
}

// Open reads the file, if there is one. "" keeps pins in memory.
func Open(path string) (*Pins, error) {
	p := &Pins{path: path, by: map[string]pin{}, serves: map[string]json.RawMessage{}}
	return p, p.refresh()
}

// refresh reads the file if another process has written it.
func (p *Pins) refresh() error {
	if p.path == "" {
		return nil
	}
	info, err := os.Stat(p.path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && p.read == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist): // a person removed it, to pin all definitions anew
		p.by, p.read = map[string]pin{}, nil
		return nil
	case err == nil && p.read != nil && os.SameFile(info, p.read) && info.ModTime().Equal(p.read.ModTime()) &&
		info.Size() == p.read.Size():
		return nil
	}
	by := map[string]pin(nil)
	data, err := os.ReadFile(p.path)
	if err == nil {
		err = json.Unmarshal(data, &by)
	}
	if err == nil && len(by) == 0 {
		err = errors.New("found no definition, expected an object with one at least")
	}
	if err != nil {
		return fmt.Errorf("the definitions of tools in %s cannot be read: %w; without them a change goes unnoticed, "+
			"so repair the file, or remove it to pin all definitions anew", p.path, err)
	}
	for name, pin := range by {
		if pin.Digest == "" || pin.Digest != digest(pin.Definition) {
			return fmt.Errorf("%s: the definition of %s is not the one that was pinned; remove the file to pin "+
				"all definitions anew", p.path, name)
		}
		// Older files have definitions as the server spelled them.
		if d, err := wire.Normal(pin.Definition); err == nil {
			pin.Definition, pin.Digest = d, digest(d)
			by[name] = pin
		}
	}
	p.by, p.read = by, info
	return nil
}

// digest is of a definition without the white space between its parts.
func digest(definition json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, definition) != nil {
		return ""
	}
	sum := sha256.Sum256(b.Bytes())
	return "sha256:" + hex.EncodeToString(sum[:])
}

// See compares a definition that the server sent with the pinned one, pins it if there is
// none, and returns the tool's name.
func (p *Pins) See(definition json.RawMessage) (string, error) {
	all, err := wire.Members(definition)
	if err != nil {
		return "", err
	}
	name := all.Text("name")
	if name == "" {
		return "", errors.New("it has no name")
	}
	definition, err = all.JSON()
	if err != nil {
		return "", err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.serves[name] = definition
	if err := p.refresh(); err != nil {
		return name, err
	}
	if _, news := p.seen(name); !news {
		return name, nil
	}
	return name, p.write(func() bool {
		pin, news := p.seen(name)
		p.by[name] = pin
		return news
	})
}

// seen is the pin of a tool after the server has said what it serves now, and whether that is another one than before.
func (p *Pins) seen(name string) (pin, bool) {
	now := p.serves[name]
	old, known := p.by[name]
	if !known {
		return newPin(now), true
	}
	differs := digest(now)
	if differs == old.Digest || differs == digest(old.Said) {
		return old, false
	}
	old.Said, old.Chain = now, chain(old.Chain, differs)
	return old, true
}

// chain is the digest of the digests of what a server said, in order.
func chain(before, next string) string {
	if before == "" {
		return next
	}
	sum := sha256.Sum256([]byte(before + next))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Changed returns what changed in the definition of a tool since it was pinned, or nil. An error means that it is not
// known.
func (p *Pins) Changed(name string) (*Change, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.refresh(); err != nil {
		return nil, err
	}
	pin := p.by[name]
	if p.serves[name] != nil { // also where it could not be written
		pin, _ = p.seen(name)
	}
	if pin.Said == nil {
		return nil, nil
	}
	return &Change{Before: string(pin.Definition), After: string(pin.Said), Digest: pin.Chain}, nil
}

// Accept pins what changed, and nothing if more has changed by then. Where the server has gone back to the pinned one,
// that stays.
func (p *Pins) Accept(name string, c *Change) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.write(func() bool {
		old := p.by[name]
		if old.Chain != c.Digest {
			return false
		}
		agreed := old.Said
		if digest(p.serves[name]) == old.Digest {
			agreed = old.Definition
		}
		p.by[name] = newPin(agreed)
		return true
	})
}

// Definition returns what the server says of a tool now, or nil.
func (p *Pins) Definition(name string) json.RawMessage {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := p.serves[name]; now != nil {
		return now
	}
	return p.by[name].Definition
}

// Typed reports whether a tool has a schema of its results.
func (p *Pins) Typed(name string) bool {
	all, err := wire.Members(p.Definition(name))
	return err == nil && all.Get("outputSchema") != nil
}
