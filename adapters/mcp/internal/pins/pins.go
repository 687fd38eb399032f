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
	"path/filepath"
	"sync"

	"github.com/opencortex-go/cortex/adapters/mcp/internal/wire"
)

// Pins keeps the definition of each tool as it was when it was first seen or last agreed
// to, on disk, and what the server says now. A server whose tool means something else than
// on the day it was looked at has people asked again.
type Pins struct {
	path string

	mu  sync.Mutex
	by  map[string]pin  // what is agreed to
	now map[string]said // what the server said last that differs, until people have agreed to it
}

// pin is one definition.
type pin struct {
	Digest     string          `json:"digest"`
	Definition json.RawMessage `json:"definition"`
}

// said is a definition that differs. A model has read it, also if the server says the pinned one again.
type said struct {
	definition string
	back       bool // the server says the pinned one again
}

func newPin(definition json.RawMessage) pin {
	return pin{Digest: digest(definition), Definition: definition}
}

// Change is a definition that differs from the pinned one.
type Change struct {
	Before, After string
	Digest        string
}

// Open reads the file, if there is one. "" keeps pins in memory.
func Open(path string) (*Pins, error) {
	p := &Pins{path: path, by: map[string]pin{}, now: map[string]said{}}
	if path == "" {
		return p, nil
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &p.by)
	}
	if err != nil {
		return nil, fmt.Errorf("the definitions of tools in %s cannot be read: %w; without them a change goes unnoticed, "+
			"so mend the file, or remove it to agree to all definitions anew", path, err)
	}
	for name, pin := range p.by {
		if pin.Digest != digest(pin.Definition) {
			return nil, fmt.Errorf("%s: the definition of %s is not the one that was pinned; remove the file to agree to "+
				"all definitions anew", path, name)
		}
		// Older files have definitions as the server spelled them.
		if d, err := wire.Normal(pin.Definition); err == nil {
			p.by[name] = newPin(d)
		}
	}
	return p, nil
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
	now := newPin(definition)
	p.mu.Lock()
	defer p.mu.Unlock()
	old, known := p.by[name]
	switch {
	case !known:
		p.by[name] = now
		return name, p.save()
	case old.Digest != now.Digest:
		p.now[name] = said{definition: string(definition)}
	case p.now[name].definition != "":
		p.now[name] = said{p.now[name].definition, true}
	}
	return name, nil
}

// Changed returns what changed in the definition of a tool since it was pinned, or nil.
func (p *Pins) Changed(name string) *Change {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, differs := p.now[name]
	if !differs {
		return nil
	}
	return &Change{Before: string(p.by[name].Definition), After: now.definition,
		Digest: digest(json.RawMessage(now.definition))}
}

// Accept pins what changed. Where the server has gone back to the pinned one, that stays.
func (p *Pins) Accept(name string, c *Change) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now[name]
	if now == (said{c.After, true}) {
		delete(p.now, name)
		return nil
	}
	old := p.by[name]
	p.by[name] = pin{Digest: c.Digest, Definition: json.RawMessage(c.After)}
	if err := p.save(); err != nil {
		p.by[name] = old
		return err
	}
	if now.definition == c.After {
		delete(p.now, name)
	}
	return nil
}

// Definition returns what the server says of a tool now, or nil.
func (p *Pins) Definition(name string) json.RawMessage {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now, differs := p.now[name]; differs && !now.back {
		return json.RawMessage(now.definition)
	}
	return p.by[name].Definition
}

// Typed reports whether a tool has a schema of its results.
func (p *Pins) Typed(name string) bool {
	all, err := wire.Members(p.Definition(name))
	return err == nil && all.Get("outputSchema") != nil
}

// save writes the file whole, in place of the old one.
func (p *Pins) save() error {
	if p.path == "" {
		return nil
	}
	var data bytes.Buffer
	e := json.NewEncoder(&data)
	e.SetEscapeHTML(false) // a definition stays as it is
	e.SetIndent("", "  ")
	if err := e.Encode(p.by); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(p.path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(p.path), ".pins-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // where it was not renamed
	_, err = f.Write(data.Bytes())
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), p.path)
}
