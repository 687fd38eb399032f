package noting

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/answering"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
	"github.com/opencortex-go/cortex/notes"
	notedesk "github.com/opencortex-go/cortex/notes/desk"
	"github.com/opencortex-go/cortex/notes/file"
)

type importCmd struct {
	opening.RecordFlag
	answering.SecretFlag
	Files  []string `arg:"" help:"Files, and folders with files that end with .org or .md."`
	Format string   `enum:",org,markdown" default:"" placeholder:"FORMAT" help:"org or markdown, for files whose names do not say it."`
	As     string   `placeholder:"NAME" help:"The name under which a single file is known, where it has moved since its last import."`
}

// Run imports each file, and exits 1 at the end if one could not be. What is imported then stays.
func (c *importCmd) Run(ctx context.Context, p *console.Console) error {
	files, err := c.files()
	if err != nil {
		return err
	}
	if c.As != "" && len(files) != 1 {
		return fmt.Errorf("--as names one file, and here are %d", len(files))
	}
	failed := false
	_, err = answering.At(ctx, p, c.RecordFlag, &c.SecretFlag, func(d *answering.Desk) (a notedesk.Answer, err error) {
		for _, name := range files {
			if a, err = c.one(ctx, d, name); err != nil {
				failed = true
				p.Warnf("%v\n", err)
				continue
			}
			if err := say(p, a); err != nil {
				return a, err
			}
		}
		return a, ctx.Err()
	})
	if err == nil && failed {
		err = console.Quit(1)
	}
	return err
}

// one imports a file under its whole path, so that the next import finds it from any folder.
func (c *importCmd) one(ctx context.Context, d *answering.Desk, name string) (notedesk.Answer, error) {
	text, err := read(name)
	if err != nil {
		return notedesk.Answer{}, err
	}
	known, err := filepath.Abs(name)
	if c.As != "" {
		known = c.As
	}
	if err != nil {
		return notedesk.Answer{}, err
	}
	format := c.Format
	if format == "" {
		format = file.Format(name)
	}
	if _, err := file.Read(format, name, text); err != nil { // before JSON mends what is not UTF-8
		return notedesk.Answer{}, err
	}
	return send(ctx, d, "import", notedesk.Import{File: filepath.ToSlash(known), Format: format, Text: text})
}

// read reads a file, and no more of it than can be imported.
func read(name string) (string, error) {
	info, err := os.Stat(name)
	if err == nil && info.Size() > notes.MaxFile {
		err = fmt.Errorf("%s: %d bytes: want at most %d", name, info.Size(), notes.MaxFile)
	}
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(name)
	return strings.TrimPrefix(string(text), "\uFEFF"), err
}

// files are those that are named, and those of folders that are named.
func (c *importCmd) files() (out []string, err error) {
	for _, name := range c.Files {
		info, err := os.Stat(name)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			out = append(out, name)
			continue
		}
		err = filepath.WalkDir(name, func(path string, e fs.DirEntry, err error) error {
			if err == nil && e.IsDir() && path != name && strings.HasPrefix(e.Name(), ".") {
				return filepath.SkipDir
			}
			if err == nil && e.Type().IsRegular() && file.Format(path) != "" {
				out = append(out, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if len(out) == 0 {
		return nil, errors.New("there is no file that ends with .org or .md")
	}
	return out, nil
}
