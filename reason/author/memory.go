package author

import (
	"bytes"
	"io"
	"io/fs"
	"time"
)

// memory is a folder of files that are held in memory, by slash path.
type memory map[string][]byte

// Open opens a file.
func (m memory) Open(name string) (fs.File, error) {
	data, ok := m[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &opened{bytes.NewReader(data), entry{name, int64(len(data))}}, nil
}

// opened is an open file.
type opened struct {
	io.Reader
	entry entry
}

// Stat describes the file.
func (o *opened) Stat() (fs.FileInfo, error) { return o.entry, nil }

// Close does nothing.
func (o *opened) Close() error { return nil }

// entry describes a file.
type entry struct {
	name string
	size int64
}

// Name is the path.
func (e entry) Name() string { return e.name }

// Size is in bytes.
func (e entry) Size() int64 { return e.size }

// Mode is that of a plain file.
func (e entry) Mode() fs.FileMode { return 0o400 }

// ModTime is not known.
func (e entry) ModTime() time.Time { return time.Time{} }

// IsDir is false.
func (e entry) IsDir() bool { return false }

// Sys is nil.
func (e entry) Sys() any { return nil }
