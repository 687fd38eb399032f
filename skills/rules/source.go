package rules

import (
	"bytes"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/rules/internal/teach"
)

// source is one rule file.
type source struct {
	root     int    // which of the roots it is below
	path     string // slash path, relative to the root
	data     []byte // as it is on disk
	text     string
	forms    []sexpr.Value
	includes []*source
	linked   bool    // a link of the folder leads to it: what it says may not be for anyone who reads the errors
	onTop    bool    // its root is
	counts   bool    // what it defines makes a rulebook that is not empty
	same     *source // the file of an earlier root, byte for byte this one, that defines it all; or nil
}

// line returns the text of the line at p.
func (s *source) line(p sexpr.Pos) string {
	rest := s.text
	for n := p.Line; n > 1; n-- {
		_, after, ok := strings.Cut(rest, "\n")
		if !ok {
			return ""
		}
		rest = after
	}
	if p.Line == 0 || s.linked {
		return ""
	}
	first, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSuffix(first, "\r")
}

// reach adds to set the file and everything that it includes.
func (s *source) reach(set map[*source]bool) {
	if set[s] {
		return
	}
	set[s] = true
	if s.same != nil {
		s.same.reach(set)
	}
	for _, in := range s.includes {
		in.reach(set)
	}
}

// files reads the rule files of a load, each of them once.
type files struct {
	b       *builder
	reader  sexpr.Reader
	most    int // files
	all     []*source
	byPath  map[string]*source // of the current root
	loading []*source          // the chain of includes
	words   []wordFile         // in the order in which lexicon names them
	named   bool               // the caller names the files of the current root
	onTop   bool               // of the current root
	full    bool
}

// root reads the files of one root, and what they include.
func (f *files) root(n int, r Root) {
	f.byPath, f.onTop = map[string]*source{}, r.OnTop
	if r.FS == nil {
		f.broken(&source{root: n, path: "."}, sexpr.Pos{}, errNoFolder)
		return
	}
	names := r.Files
	if names == nil {
		var err error
		names, err = fs.Glob(r.FS, "*.lisp")
		if err == nil && len(names) == 0 { // Glob does not tell an empty folder from none
			_, err = fs.ReadDir(r.FS, ".")
		}
		if err != nil {
			f.broken(&source{root: n, path: "."}, sexpr.Pos{}, err)
			return
		}
	}
	names = slices.Clone(names)
	slices.Sort(names)
	f.named = r.Files != nil
	for _, name := range names {
		f.file(n, r.FS, path.Clean(name), nil, sexpr.Pos{})
	}
}

func (f *files) broken(src *source, p sexpr.Pos, err error) {
	f.b.faults.broken = true
	f.b.faults.add(src, p, err, "%s", err)
}

// file reads one file unless it was read before. from and at say who includes
// it, if anybody does.
func (f *files) file(root int, fsys fs.FS, name string, from *source, at sexpr.Pos) *source {
	if s := f.byPath[name]; s != nil {
		return s
	}
	if len(f.all) == f.most {
		if !f.full {
			f.full = true
			f.b.faults.broken = true
			f.b.faults.add(&source{path: name}, sexpr.Pos{}, nil, "more than %d files", f.most)
		}
		return nil
	}
	s := &source{root: root, path: name, onTop: f.onTop, counts: !f.onTop}
	s.linked = (from != nil || !f.named) && linked(fsys, name)
	f.byPath[name] = s
	data, err := f.bytes(fsys, name)
	if err != nil {
		if from == nil {
			from = s
		}
		f.broken(from, at, err)
		return nil
	}
	s.data, s.text = data, string(data)
	if s.same = f.earlier(root, data); s.same != nil && s.counts {
		s.same.counts = true
	}
	f.all = append(f.all, s)
	if s.forms, err = f.reader.ReadAll(name, s.text); err != nil {
		f.unreadable(s, err)
		return s
	}
	f.loading = append(f.loading, s)
	for _, form := range s.forms {
		switch {
		case form.Len() == 0:
		case form.Items()[0].IsSym("include"):
			f.include(fsys, s, form)
		case form.Items()[0].IsSym("lexicon") && s.same == nil:
			f.lexicon(fsys, s, form)
		}
	}
	f.loading = f.loading[:len(f.loading)-1]
	return s
}

// earlier finds a file of these bytes in the roots before this one.
func (f *files) earlier(root int, data []byte) *source {
	for _, s := range f.all {
		if s.root < root && s.same == nil && bytes.Equal(s.data, data) {
			return s
		}
	}
	return nil
}

// linked reports whether a file, or a folder on the way to it, is a symbolic link.
func linked(fsys fs.FS, name string) bool {
	for ; name != "."; name = path.Dir(name) {
		if info, err := fs.Lstat(fsys, name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

// bytes reads a file no larger than the reader takes, and one byte more so that
// the reader says what is wrong.
func (f *files) bytes(fsys fs.FS, name string) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	most := int64(f.reader.Limits.Bytes)
	if most == 0 {
		most = 1 << 20
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errNotAFile}
	}
	return fs.ReadFile(fsys, name)
}

func (f *files) unreadable(s *source, err error) {
	f.b.faults.broken = true
	e, ok := err.(*sexpr.Error) //nolint:errorlint // the reader returns it as it is
	if !ok {
		f.b.faults.add(s, sexpr.Pos{}, err, "%s", err)
		return
	}
	msg, at := e.Msg, e.Pos
	switch e.Found {
	case "the end of the text":
		if hint, pos := teach.Unclosed(s.text); hint != "" {
			msg, at = hint+"; "+msg, pos
		}
	case "the end of the text inside a string":
		hint, pos := teach.Unquoted(s.text)
		msg, at = hint+"; "+msg, pos
	case "')'":
		msg = "found a ) too many: " + teach.Extra(s.text)
	}
	f.b.faults.add(s, at, err, "%s", msg)
}

// inside is the path that a file names, relative to its own. It reports false, having
// said so, if that leaves the folder.
func (f *files) inside(s *source, v sexpr.Value) (name string, ok bool) {
	rel := v.Text()
	name = path.Join(path.Dir(s.path), rel)
	if path.IsAbs(rel) || strings.Contains(rel, `\`) || !fs.ValidPath(name) {
		f.b.faults.add(s, v.Pos(), nil, "%q leaves the folder of the rules, expected a path inside it, relative to this file",
			rel)
		return "", false
	}
	return name, true
}

// include reads the file that a definition names, relative to its own.
func (f *files) include(fsys fs.FS, s *source, form sexpr.Value) {
	items := form.Items()
	if len(items) != 2 || items[1].Kind() != sexpr.String {
		f.b.faults.add(s, form.Pos(), nil, `include takes the path of one file: (include "other.lisp")`)
		return
	}
	name, ok := f.inside(s, items[1])
	if !ok {
		return
	}
	at := items[1].Pos()
	if i := slices.IndexFunc(f.loading, func(x *source) bool { return x.path == name }); i >= 0 {
		var chain strings.Builder
		for _, x := range f.loading[i:] {
			chain.WriteString(x.path + " includes ")
		}
		f.b.faults.add(s, at, nil, "a cycle: %s%s", chain.String(), name)
		return
	}
	if in := f.file(s.root, fsys, name, s, at); in != nil {
		s.includes = append(s.includes, in)
	}
}
