package plugins

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/opencortex-go/cortex/plugins/internal/sandbox"
	"github.com/opencortex-go/cortex/plugins/internal/wire"
	skillpb "github.com/opencortex-go/cortex/plugins/proto"
	"github.com/opencortex-go/cortex/sexpr"
)

// LockFile is the usual name of a lock file.
const LockFile = "skills.lock"

// Lock is skills.lock: which programs may judge, pinned by their bytes, and what
// each of them may do. It is what counts; what a plugin says of itself is a wish.
// Add and Agree are how it changes.
type Lock struct {
	Version int     `toml:"version"` // 1
	Skills  []Entry `toml:"skill"`   // sorted by name
}

// Entry pins one plugin. All of it is part of the policy's hash.
type Entry struct {
	Name     string   `toml:"name"`
	Path     string   `toml:"path"` // of the program; relative to the lock's folder
	Args     []string `toml:"args,omitempty"`
	SHA256   string   `toml:"sha256"`          // of the program, 64 hex digits
	Files    []File   `toml:"files,omitempty"` // what the program reads beside itself
	Protocol uint32   `toml:"protocol"`
	Release  string   `toml:"release,omitempty"`
	Priority int      `toml:"priority"`
	Judges   []string `toml:"judges,omitempty"` // tools; none means all
	Clauses  []string `toml:"clauses,omitempty"`
	Tools    []string `toml:"tools,omitempty"` // its own, as (deftool ...) forms
	Prompts  bool     `toml:"prompts,omitempty"`
	Augments bool     `toml:"augments,omitempty"`

	// Grants and Refuses are rights ("allow", "rewrite", "tools", "network") and
	// sights ("turns", "ctx", ...), as a person decided. Pending is what it asks
	// for and no person has decided; it is not loaded while there is any.
	Grants  []string `toml:"grants,omitempty"`
	Refuses []string `toml:"refuses,omitempty"`
	Pending []string `toml:"pending,omitempty"`

	Mandatory bool              `toml:"mandatory,omitempty"`
	Transport string            `toml:"transport,omitempty"` // "mtls" (also "") or "peer": see [Transport]
	Deadline  string            `toml:"deadline,omitempty"`  // of one call; "" is 100ms
	Memory    int               `toml:"memory,omitempty"`    // MiB; 0 is 512
	Env       map[string]string `toml:"env,omitempty"`       // all of its environment
	Read      []string          `toml:"read,omitempty"`      // further paths it may read
}

// File is a file that a plugin finds in its working folder, pinned like itself.
type File struct {
	Path   string `toml:"path"` // relative to the lock's folder; its last element names the copy
	SHA256 string `toml:"sha256"`
}

// The two ways in which a host makes sure who is at the other end. Without one of
// them in its lock a skill gets the first that this system has.
const (
	// TransportPeer has the kernel say which process listens on the socket, in a
	// folder that only this user can enter. It is for Linux, and for skills in any
	// language.
	TransportPeer = "peer"
	// TransportMTLS has certificates made for one start: go-plugin's AutoMTLS. A
	// skill must be able to make one, as those in Go are; the kernel is asked too,
	// where it can be.
	TransportMTLS = "mtls"
)

// transport is the one that is used.
func (e *Entry) transport() string {
	if e.Transport == "" && !sandbox.PeersKnown {
		return TransportMTLS
	}
	return cmp.Or(e.Transport, TransportPeer)
}

const (
	defaultDeadline = 100 * time.Millisecond
	maxDeadline     = 10 * time.Second
	defaultMemory   = 512 // MiB
)

// ReadLock reads a lock file. A missing one is an empty lock. An unknown key, a
// name used twice and an entry that cannot hold are errors.
func ReadLock(path string) (*Lock, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return &Lock{Version: 1}, nil
	}
	if err != nil {
		return nil, err
	}
	l, err := ParseLock(string(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return l, nil
}

// ParseLock reads the text of a lock file.
func ParseLock(text string) (*Lock, error) {
	l := new(Lock)
	d := toml.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(l); err != nil {
		var unknown *toml.StrictMissingError
		if errors.As(err, &unknown) {
			return nil, fmt.Errorf("unknown keys:\n%s", unknown.String())
		}
		var at *toml.DecodeError
		if errors.As(err, &at) {
			row, column := at.Position()
			return nil, fmt.Errorf("line %d, column %d: %w", row, column, err)
		}
		return nil, err
	}
	if l.Version != 1 {
		return nil, fmt.Errorf("version %d, and this program reads version 1", l.Version)
	}
	return l, l.check()
}

// Text is the lock as it is recorded and hashed: sorted, without comments.
func (l *Lock) Text() string {
	c := *l
	c.Skills = slices.Clone(l.Skills)
	slices.SortFunc(c.Skills, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	var b bytes.Buffer
	if err := toml.NewEncoder(&b).Encode(c); err != nil {
		panic(err) // there is nothing in a Lock that has no spelling
	}
	return b.String()
}

// Write replaces a lock file at once, or not at all.
func (l *Lock) Write(path string) error {
	if err := l.check(); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".skills-*.lock")
	if err != nil {
		return err
	}
	_, err = f.WriteString("# Which programs may judge, and what each of them may do. Written by\n" +
		"# `cortex plugins lock` and `cortex plugins agree`; priority, deadline, memory,\n" +
		"# env, read and mandatory are yours to edit.\n" + l.Text())
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// text is the whole entry: two with the same text run the same.
func (e *Entry) text() string { return (&Lock{Version: 1, Skills: []Entry{*e}}).Text() }

// Programs returns the paths of the programs and files that a lock file pins, so
// that they can be kept from every action. A lock that cannot be read has none
// here: anyone who loads it is told why.
func Programs(lock string) []string {
	l, err := ReadLock(lock)
	if err != nil {
		return nil
	}
	var out []string
	for i := range l.Skills {
		out = append(out, resolve(filepath.Dir(lock), l.Skills[i].Path))
		for _, f := range l.Skills[i].Files {
			out = append(out, resolve(filepath.Dir(lock), f.Path))
		}
	}
	return out
}

// resolve is a path of a lock file in base.
func resolve(base, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(base, path)
}

// Entry finds a plugin by name.
func (l *Lock) Entry(name string) (*Entry, bool) {
	for i := range l.Skills {
		if l.Skills[i].Name == name {
			return &l.Skills[i], true
		}
	}
	return nil, false
}

func (l *Lock) check() error {
	var errs []error
	seen := map[string]bool{}
	if len(l.Skills) > wire.MaxEntries {
		errs = append(errs, fmt.Errorf("%d plugins, at most %d", len(l.Skills), wire.MaxEntries))
	}
	for i := range l.Skills {
		e := &l.Skills[i]
		if seen[e.Name] {
			errs = append(errs, fmt.Errorf("skill %q stands there twice", e.Name))
		}
		seen[e.Name] = true
		if err := e.check(); err != nil {
			errs = append(errs, fmt.Errorf("skill %q: %w", e.Name, err))
		}
	}
	return errors.Join(errs...)
}

func (e *Entry) check() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !wire.NameForm.MatchString(e.Name) {
		bad("the name is not like shell-guard: small letters, digits and dashes, at most 63")
	}
	if e.Path == "" {
		bad("no path of a program")
	}
	if _, err := e.sum(); err != nil {
		bad("%w", err)
	}
	if e.Protocol != skillpb.Protocol {
		bad("it speaks protocol %d of %s, and this host speaks %d", e.Protocol, skillpb.Service, skillpb.Protocol)
	}
	if e.Transport != "" && e.Transport != TransportMTLS && e.Transport != TransportPeer {
		bad("transport %q, expected %q or %q", e.Transport, TransportMTLS, TransportPeer)
	}
	if d, err := e.deadline(); err != nil || d <= 0 || d > maxDeadline {
		bad("deadline %q, expected a time from 1ms to %s", e.Deadline, maxDeadline)
	}
	if e.Memory < 0 {
		bad("memory %d MiB", e.Memory)
	}
	for _, w := range slices.Concat(e.Grants, e.Refuses, e.Pending) {
		if _, right := wire.Rights[w]; !right {
			if _, sight := wire.Sights[w]; !sight {
				bad("%q is neither a right nor a part of the facts", w)
			}
		}
	}
	for _, c := range e.Clauses {
		if !wire.NameForm.MatchString(c) {
			bad("clause %q: names are like no-root", c)
		}
	}
	for _, f := range e.Files {
		if _, err := parseSum(f.SHA256); err != nil {
			bad("file %s: %w", f.Path, err)
		}
	}
	return errors.Join(errs...)
}

// ready reports why the entry may not be loaded, if anybody has yet to decide.
func (e *Entry) ready() error {
	if len(e.Pending) == 0 {
		return nil
	}
	return fmt.Errorf("it asks for %s, and no person has agreed to that; see `cortex plugins agree %s`",
		strings.Join(e.Pending, ", "), e.Name)
}

func (e *Entry) sum() (sexpr.Digest, error) { return parseSum(e.SHA256) }

func parseSum(s string) (d sexpr.Digest, err error) {
	raw, err := hex.DecodeString(s)
	if err != nil || len(raw) != len(d) {
		return d, fmt.Errorf("sha256 is %q, expected 64 hex digits", s)
	}
	return sexpr.Digest(raw), nil
}

func hexSum(d sexpr.Digest) string { return hex.EncodeToString(d[:]) }

func (e *Entry) deadline() (time.Duration, error) {
	if e.Deadline == "" {
		return defaultDeadline, nil
	}
	return time.ParseDuration(e.Deadline)
}

func (e *Entry) grants(word string) bool { return slices.Contains(e.Grants, word) }
