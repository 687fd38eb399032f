package authoring

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/reason/author"
	"github.com/opencortex-go/cortex/skills/provenance"
)

// Tools are the commands about tools.
type Tools struct {
	Declare Declare `cmd:"" help:"Draft deftools from JSON schemas of tools, MCP tool lists and OpenAPI, for review."`
}

// Declare drafts deftools.
type Declare struct {
	Lexicon string `placeholder:"FILE" help:"Words to read names and descriptions by, not the built-in English."`

	Files []string `arg:"" help:"JSON documents, of OpenAPI YAML too; - is standard input."`
}

// Run prints the drafts of all files, or nothing if one of them cannot be read.
func (c *Declare) Run(p *console.Console) error {
	lex, err := words(c.Lexicon)
	if err != nil {
		return err
	}
	var all []string
	for _, file := range c.Files {
		data, err := document(p, file)
		if err != nil {
			return err
		}
		text, err := author.Declare(lex, file, data)
		if err != nil {
			return err
		}
		all = append(all, text)
	}
	for i, text := range all {
		if p.JSON {
			if err := p.Print(map[string]any{"file": c.Files[i], "text": text}); err != nil {
				return err
			}
			continue
		}
		p.Raw(text)
	}
	return nil
}

// words reads a file of words; without one they are those that are built in.
func words(file string) (*provenance.Lexicon, error) {
	if file == "" {
		return provenance.DefaultLexicon(), nil
	}
	return provenance.LoadLexicon(os.DirFS(filepath.Dir(file)), filepath.Base(file))
}

// document reads a file, or standard input for -, and one byte more than may be read.
func document(p *console.Console, file string) ([]byte, error) {
	in := p.In
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close() //nolint:errcheck // it was only read
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, author.MaxDocument+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return data, nil
}
