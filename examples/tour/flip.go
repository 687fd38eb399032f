package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store"
)

// checkFlipped changes one letter of what was recorded, somewhere in the files of
// the store, and sees that this is noticed.
func (t *tour) checkFlipped(ctx context.Context) error {
	if err := flip(t.state, "no model has this text"); err == nil {
		return errExpected
	}
	if err := flip(t.state, "water the plants"); err != nil {
		return err
	}
	if found := t.damage(ctx); found == nil || !strings.Contains(found.Error(), "record ") {
		return fmt.Errorf("a changed letter in the record should be found and its record named, found: %w", found)
	}
	t.say("tamper", "one letter of the record changed on disk: found, and its record named")
	return nil
}

// damage is what opening and verifying the record says.
func (t *tour) damage(ctx context.Context) error {
	st, err := store.Open(t.state, store.Options{})
	if err != nil {
		return err
	}
	j, err := journal.Open(st, journal.Options{})
	if err != nil {
		return errors.Join(err, st.Close())
	}
	return errors.Join(j.Verify(ctx), j.Close())
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
