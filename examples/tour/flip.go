package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// checkFlipped changes one letter of what was recorded, somewhere in the files of
// the store, and sees that cortex notices.
func (t *tour) checkFlipped(context.Context) error {
	state := t.cortex.house.path("state")
	if err := flip(state, "no model has this text"); err == nil {
		return errExpected
	}
	if err := flip(state, "Tell me how many notes"); err != nil {
		return err
	}
	out, code, err := t.cortex.run("journal", "verify", "--dir", "state")
	if err != nil {
		return err
	}
	if code == 0 || !strings.Contains(out, "record ") {
		return fmt.Errorf("%w: a changed letter in the record should be found and its record named, exit code %d: %s",
			errExpected, code, out)
	}
	t.say("tamper", "one letter of the record changed on disk: found, and its record named")
	return nil
}

// flip changes one bit where text first stands in the files of a folder.
func flip(dir, text string) error {
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		return err
	}
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			continue // a folder
		}
		if i := bytes.Index(raw, []byte(text)); i >= 0 {
			raw[i] ^= 1
			return os.WriteFile(name, raw, 0o600)
		}
	}
	return errors.New("this text stands nowhere in the record")
}
