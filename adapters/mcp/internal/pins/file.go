package pins

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
)

// write has change alter the pins as the file has them now, and writes them if it reports that it did. No other process
// writes the file meanwhile. Where that fails, the pins are as before.
func (p *Pins) write(change func() bool) (err error) {
	if p.path == "" {
		change()
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(p.path), 0o700); err != nil {
		return err
	}
	release, err := lock(p.path + ".lock")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	if err := p.refresh(); err != nil {
		return err
	}
	before := maps.Clone(p.by)
	if !change() {
		return nil
	}
	if err := p.save(); err != nil {
		p.by = before
		return err
	}
	p.read, err = os.Stat(p.path)
	return err
}

// save writes the file whole, in place of the old one.
func (p *Pins) save() error {
	var data bytes.Buffer
	e := json.NewEncoder(&data)
	e.SetEscapeHTML(false) // a definition stays as it is
	e.SetIndent("", "  ")
	if err := e.Encode(p.by); err != nil {
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
