package lsp

import (
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// overlay is a folder with the open texts in the place of their files.
type overlay struct {
	dir  string
	base fs.FS
	open map[string]*doc // by slash path below the folder
}

// over returns the folder as it is with these texts open. A text without a file stands
// in it as its name.
func over(dir string, docs []*doc) overlay {
	o := overlay{dir: dir, base: os.DirFS(dir), open: map[string]*doc{}}
	for _, d := range docs {
		if rel, err := filepath.Rel(dir, d.path); err == nil && d.path != "" {
			o.open[filepath.ToSlash(rel)] = d
		}
	}
	return o
}

// path returns where a file of the folder lies.
func (o overlay) path(name string) string { return filepath.Join(o.dir, filepath.FromSlash(name)) }

// Open opens a file.
func (o overlay) Open(name string) (fs.File, error) {
	if d := o.open[name]; d != nil {
		return &memory{doc: d, name: path.Base(name), Reader: strings.NewReader(d.text.src)}, nil
	}
	return o.base.Open(name)
}

// Lstat tells a link from a file; an open text is none.
func (o overlay) Lstat(name string) (fs.FileInfo, error) {
	if d := o.open[name]; d != nil {
		return &memory{doc: d, name: path.Base(name)}, nil
	}
	return fs.Lstat(o.base, name)
}

// ReadLink reads a link.
func (o overlay) ReadLink(name string) (string, error) { return fs.ReadLink(o.base, name) }

// memory is an open text as a file.
type memory struct {
	*doc
	name string
	io.Reader
}

func (m *memory) Stat() (fs.FileInfo, error) { return m, nil }
func (m *memory) Close() error               { return nil }
func (m *memory) Name() string               { return m.name }
func (m *memory) Size() int64                { return int64(len(m.text.src)) }
func (m *memory) Mode() fs.FileMode          { return 0o600 }
func (m *memory) ModTime() time.Time         { return time.Time{} }
func (m *memory) IsDir() bool                { return false }
func (m *memory) Sys() any                   { return nil }

// nothing is a folder without files.
type nothing struct{}

func (nothing) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}
