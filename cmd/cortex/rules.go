package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/skills/facts/secrets"
	"github.com/opencortex-go/cortex/skills/rules"
)

// rulesFlag names rule files and folders. Each is a root of its own: a file with
// nothing but itself and what it includes, a folder with every *.lisp in it.
type rulesFlag struct {
	Rules []string `name:"rules" sep:"none" placeholder:"PATH" help:"A rule file, or a folder of them; may be repeated."`
}

// load compiles the rules, examples and all. Without any it returns the empty
// rulebook, which denies everything.
func (f rulesFlag) load() (*rules.Rulebook, error) {
	roots := make([]rules.Root, len(f.Rules))
	for i, path := range f.Rules {
		root, err := rootOf(path)
		if err != nil {
			return nil, err
		}
		roots[i] = root
	}
	return reason.Loader(rules.Loader{Functions: secrets.Functions()}).Load(roots...)
}

func rootOf(path string) (rules.Root, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return rules.Root{}, fmt.Errorf("--rules %s: there is no such file or folder", path)
	case err != nil:
		return rules.Root{}, fmt.Errorf("--rules: %w", err)
	case info.IsDir():
		return rules.Root{FS: os.DirFS(path)}, nil
	}
	return rules.Root{FS: os.DirFS(filepath.Dir(path)), Files: []string{filepath.Base(path)}}, nil
}

// rulesCmd holds the tools for authors.
type rulesCmd struct {
	Check rulesCheck `cmd:"" help:"Load rules, run their examples, and show everything that is wrong."`
}

// rulesCheck loads rules as every other command does.
type rulesCheck struct {
	rulesFlag
	Paths []string `arg:"" optional:"" help:"Rule files and folders, as with --rules."`
}

// Run exits 1 when the rules do not load.
func (c *rulesCheck) Run(p *program) error {
	c.Rules = append(c.Rules, c.Paths...)
	if len(c.Rules) == 0 {
		return errors.New("no rules named: give a file or a folder")
	}
	book, err := c.load()
	if err != nil {
		return p.rulesError(err)
	}
	n := 0
	for _, s := range book.Skills("") {
		n += len(s.Gates)
	}
	if p.JSON {
		return p.Print(map[string]any{
			"ok": true, "skills": len(book.Skills("")), "clauses": n, "tools": len(book.Tools()), "policy": book.Hash().String(),
		})
	}
	p.Printf("%s: %d skills with %d clauses, %d tools\npolicy %s\n",
		console.Paint(p.Out, console.Green, "ok"), len(book.Skills("")), n, len(book.Tools()), book.Hash())
	return nil
}

// rulesError shows why rules do not load: every error with its place, the line,
// and a caret. What is not an error list comes back.
func (p *program) rulesError(err error) error {
	var list rules.ErrorList
	if !errors.As(err, &list) {
		return err
	}
	if p.JSON {
		type fault struct {
			File    string `json:"file"`
			Line    int32  `json:"line,omitempty"`
			Col     int32  `json:"col,omitempty"`
			Message string `json:"message"`
		}
		faults := make([]fault, len(list))
		for i, e := range list {
			faults[i] = fault{e.File, e.Pos.Line, e.Pos.Col, e.Msg}
		}
		return errors.Join(p.Print(map[string]any{"ok": false, "errors": faults}), quit(exitError))
	}
	for _, e := range list {
		p.Warnf("%v\n", e)
		if caret := e.Caret(); caret != "" {
			line, mark, _ := strings.Cut(caret, "\n")
			p.Warnf("%s\n%s\n", line, console.Paint(p.Err, console.Red, mark))
		}
	}
	word := "errors"
	if len(list) == 1 {
		word = "error"
	}
	p.Warnf("%d %s: nothing is loaded\n", len(list), word)
	return quit(exitError)
}
