package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/skills/rules"
	"github.com/opencortex-go/cortex/skills/rules/layout"
)

// rulesFmt lays rule files out in one style, as gofmt does for Go.
type rulesFmt struct {
	Write bool     `short:"w" help:"Write the result to the file, and print nothing."`
	List  bool     `short:"l" help:"Print the names of files that are laid out otherwise; exit with 5 if there are any."`
	Diff  bool     `short:"d" help:"Print what would change, as a diff; exit with 5 if anything would."`
	Paths []string `arg:"" optional:"" help:"Rule files, and folders with rule files at any depth; without any, or for -, standard input."`
}

// Run formats every file, also behind one that cannot be read; then the exit code is 1.
func (c *rulesFmt) Run(p *program) error {
	paths := c.Paths
	if len(paths) == 0 {
		paths = []string{"-"}
	}
	differ, failed := false, false
	for _, path := range paths {
		files, err := ruleFiles(path)
		for _, file := range files {
			changed, wrong := c.file(p, file)
			differ = differ || changed
			err = errors.Join(err, wrong)
		}
		if err != nil {
			failed = true
			p.Warnf("cortex: %v\n", err)
		}
	}
	switch {
	case failed:
		return quit(exitError)
	case differ && (c.List || c.Diff):
		return quit(exitDifferences)
	}
	return nil
}

// ruleFiles returns the file of that name, or every *.lisp at any depth of a folder,
// hidden ones aside.
func ruleFiles(path string) ([]string, error) {
	if path == "-" {
		return []string{path}, nil
	}
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return []string{path}, err
	}
	var out []string
	err = filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(d.Name(), ".") && at != path
		switch {
		case err != nil:
			return err
		case d.IsDir() && hidden:
			return filepath.SkipDir
		case d.Type().IsRegular() && !hidden && filepath.Ext(at) == ".lisp":
			out = append(out, at)
		}
		return nil
	})
	return out, err
}

// file formats one file, and says whether that changes it.
func (c *rulesFmt) file(p *program, path string) (changed bool, err error) {
	src, name, err := p.Source(path, console.MaxFile)
	if err != nil {
		return false, err
	}
	out, err := layout.Format(name, src)
	if err != nil {
		return false, err
	}
	changed = out != src
	if p.JSON {
		err = p.Print(map[string]any{"file": name, "formatted": !changed, "text": out})
	} else if changed && c.List {
		p.Printf("%s\n", name)
	}
	if !p.JSON && c.Diff {
		p.Raw(string(diff.Diff(name+".orig", []byte(src), name, []byte(out))))
	}
	switch {
	case err != nil:
		return changed, err
	case c.Write && path == "-":
		return changed, errors.New("-w writes files, and standard input is none")
	case c.Write && changed:
		return true, replace(path, out)
	case !c.Write && !c.List && !c.Diff && !p.JSON:
		p.Raw(out)
	}
	return changed, nil
}

// replace gives a file another text, whole or not at all.
func replace(path, text string) error {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Chmod(info.Mode().Perm()), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // it may be gone already
	}
	return err
}

// layoutHints names the files of a rulebook that are laid out otherwise than in the one
// style, as they were named.
func (f rulesFlag) layoutHints(book *rules.Rulebook) []string {
	var out []string
	for _, file := range book.Files() {
		text := string(file.Data)
		if formatted, err := layout.Format(file.Path, text); err != nil || formatted == text {
			continue
		}
		root := f.Rules[file.Root]
		if info, err := os.Stat(root); err != nil || !info.IsDir() {
			root = filepath.Dir(root)
		}
		out = append(out, filepath.Join(root, filepath.FromSlash(file.Path)))
	}
	return out
}

// hintAt says which files cortex rules fmt would lay out otherwise.
func (p *program) hintAt(files []string) {
	for _, file := range files {
		p.Warnf("hint: %s is laid out otherwise than the one style: %s\n", file,
			fmt.Sprintf("cortex rules fmt -d %s shows how, -w writes it", file))
	}
}
