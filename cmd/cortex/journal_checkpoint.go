package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
	"github.com/opencortex-go/cortex/cortex/integrity"
	"github.com/opencortex-go/cortex/cortex/journal"
)

// journalCheckpoint prints the newest checkpoint.
type journalCheckpoint struct {
	opening.RecordFlag
	Sign bool `help:"Make a new one first, in a folder that no daemon holds."`
}

// Run prints the text as it is signed.
func (c *journalCheckpoint) Run(p *program) error {
	text, err := c.text(p)
	if err != nil {
		return opening.Damaged(&p.Console, err)
	}
	if p.JSON {
		return p.Print(map[string]any{"checkpoint": text})
	}
	p.Printf("%s", text)
	return p.Unsaid
}

func (c *journalCheckpoint) text(p *program) (string, error) {
	e, d, err := opening.OpenRecord(p.ctx, c.RecordFlag, opening.EngineIn(p.ctx, &p.Console))
	switch {
	case err != nil:
		return "", err
	case d == nil && c.Sign:
		text, err := e.Operations().Checkpoint(p.ctx)
		return text, errors.Join(err, e.Close())
	case d == nil:
		text, err := e.Operations().LastCheckpoint()
		if text == "" && err == nil {
			err = errors.New("no checkpoint was made yet; --sign makes one")
		}
		return text, errors.Join(err, e.Close())
	case c.Sign:
		return "", errors.Join(errors.New("a daemon holds the record, and signs by itself: see [checkpoints] in its "+
			"configuration"), d.Close())
	}
	text, err := d.Checkpoint(p.ctx)
	return text, errors.Join(err, d.Close())
}

// checkpointFlag is a checkpoint that was kept elsewhere.
type checkpointFlag struct {
	Checkpoint []string `sep:"none" placeholder:"FILE" help:"A checkpoint that was kept elsewhere: its file, or its text. It must be part of the chain. May be repeated."`
	Key        string   `placeholder:"FILE" help:"The public key of checkpoints: its file, or its text; by default checkpoint.pub in the folder of the record, which proves less."`
}

// open checks the signatures and returns the heads.
func (f checkpointFlag) open(dir string) ([]journal.Head, error) {
	if len(f.Checkpoint) == 0 {
		return nil, nil
	}
	key := f.Key
	if key == "" {
		if dir == "" {
			return nil, errors.New("--checkpoint: name the public key with --key, or the folder of the record with --dir")
		}
		key = filepath.Join(dir, integrity.CheckpointPub)
	}
	text, err := fileOrText(key)
	if err != nil {
		return nil, fmt.Errorf("--key: %w", err)
	}
	by, err := note.NewVerifier(strings.TrimSpace(text))
	if err != nil {
		return nil, fmt.Errorf("--key: %w", err)
	}
	var heads []journal.Head
	for _, c := range f.Checkpoint {
		text, err := fileOrText(c)
		if err != nil {
			return nil, fmt.Errorf("--checkpoint: %w", err)
		}
		h, err := journal.OpenCheckpoint(text, by)
		if err != nil {
			return nil, fmt.Errorf("--checkpoint: %w", err)
		}
		heads = append(heads, h)
	}
	return heads, nil
}

// fileOrText returns what is in a file, or the text itself where there is no such
// file and it looks like what is wanted.
func fileOrText(s string) (string, error) {
	raw, err := os.ReadFile(s)
	if err == nil {
		return string(raw), nil
	}
	if strings.Contains(s, "\n") || errors.Is(err, fs.ErrNotExist) && strings.Count(s, "+") >= 2 {
		return s, nil
	}
	return "", err
}
