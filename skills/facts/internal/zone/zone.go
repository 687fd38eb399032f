// Package zone tells what the clocks of a place show, from the time zone database
// that it embeds.
//
// Package time looks at TZ, at ZONEINFO and at the host's files before it looks at a
// database of its own, which changes with the toolchain. A decision must be the same
// everywhere and for ever, so this package hands package time the data itself, and
// [Version] names them.
//
// zoneinfo.zip is the file lib/time/zoneinfo.zip of a Go release. To update it, copy
// that file here, and change [Version] and the digest in the test: rules then have
// another policy hash.
package zone

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
)

// Version is the release of the IANA time zone database that is embedded.
const Version = "2025c"

//go:embed zoneinfo.zip
var data []byte

// Database has every zone of the database. It is immutable but for zones that it
// reads when they are first asked for, and safe for concurrent use.
type Database struct {
	zones map[string]func() (*time.Location, error)
	names []string
}

// Open reads the directory of the embedded database.
func Open() (*Database, error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("the time zone database: %w", err)
	}
	d := &Database{zones: make(map[string]func() (*time.Location, error), len(archive.File))}
	for _, f := range archive.File {
		if f.FileInfo().IsDir() {
			continue
		}
		d.zones[f.Name] = sync.OnceValues(func() (*time.Location, error) { return load(f) })
		d.names = append(d.names, f.Name)
	}
	slices.Sort(d.names)
	return d, nil
}

func load(f *zip.File) (*time.Location, error) {
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("the time zone %s: %w", f.Name, err)
	}
	content, err := io.ReadAll(r)
	if err = errors.Join(err, r.Close()); err != nil {
		return nil, fmt.Errorf("the time zone %s: %w", f.Name, err)
	}
	return time.LoadLocationFromTZData(f.Name, content)
}

// Names returns the names of all zones, sorted.
func (d *Database) Names() []string { return slices.Clone(d.names) }

// Location returns a zone by its name, such as "Europe/Berlin" or "UTC", spelled as
// the database does. ok is false if it has no such zone.
func (d *Database) Location(name string) (l *time.Location, ok bool, err error) {
	z, ok := d.zones[name]
	if !ok {
		return nil, false, nil
	}
	l, err = z()
	return l, err == nil, err
}

// The moments that [At] takes, in Unix seconds: with a day to spare on both sides,
// they lie in the years 1 to 9999 everywhere.
const (
	Earliest = -62135510400
	Latest   = 253402214400
)

// At is a moment in Unix seconds as the clocks of a zone show it. ok is false if it
// does not lie between [Earliest] and [Latest].
func At(unix int64, l *time.Location) (t time.Time, ok bool) {
	if unix < Earliest || unix > Latest {
		return time.Time{}, false
	}
	return time.Unix(unix, 0).In(l), true
}
