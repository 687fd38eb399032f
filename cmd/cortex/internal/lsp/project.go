package lsp

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/lsp/index"
)

// around returns a text and those that it shares names with: the files of the rulebook
// that it belongs to, or else those of its folder that includes join to it, and what all
// of them include. The text itself comes first.
func (w *workspace) around(d *doc, lang index.Language) []*doc {
	if d.path == "" {
		return []*doc{d}
	}
	g := graph{docs: map[string]*doc{}, next: map[string][]string{}}
	todo := []string{d.path}
	if w.ruled(d.path) {
		for _, root := range w.rules {
			todo = append(todo, ruleFiles(root)...)
		}
	} else {
		todo = append(todo, ruleFiles(filepath.Dir(d.path))...)
	}
	for ; len(todo) > 0 && len(g.docs) < maxFiles; todo = todo[1:] {
		path := todo[0]
		if g.docs[path] != nil {
			continue
		}
		at := d
		if path != d.path {
			at = w.file(path, lang)
		}
		if at != nil {
			todo = append(todo, g.add(at)...)
		}
	}
	if w.ruled(d.path) {
		return g.rest(d)
	}
	return g.joined(d)
}

// ruleFiles returns the rule files of a folder, or the file itself.
func ruleFiles(path string) []string {
	entries, err := os.ReadDir(path)
	if err != nil {
		return []string{path}
	}
	var out []string
	for _, e := range entries {
		if e.Type()&fs.ModeDir == 0 && filepath.Ext(e.Name()) == ".lisp" {
			out = append(out, filepath.Join(path, e.Name()))
		}
	}
	return out
}

// graph is which files include each other.
type graph struct {
	docs map[string]*doc
	next map[string][]string // both ways
}

// add adds a file, and returns the paths of what it includes.
func (g *graph) add(d *doc) []string {
	g.docs[d.path] = d
	var out []string
	for _, m := range d.Includes() {
		in := filepath.Join(filepath.Dir(d.path), filepath.FromSlash(m.Name.Name))
		g.next[d.path] = append(g.next[d.path], in)
		g.next[in] = append(g.next[in], d.path)
		out = append(out, in)
	}
	return out
}

// joined returns the files that includes join to one, itself first.
func (g *graph) joined(from *doc) []*doc {
	out, seen := []*doc{from}, map[string]bool{from.path: true}
	for i := 0; i < len(out); i++ {
		for _, path := range g.next[out[i].path] {
			if d := g.docs[path]; d != nil && !seen[path] {
				seen[path] = true
				out = append(out, d)
			}
		}
	}
	return out
}

// rest returns all files, one of them first.
func (g *graph) rest(first *doc) []*doc {
	out := []*doc{first}
	for _, d := range g.docs {
		if d != first {
			out = append(out, d)
		}
	}
	slices.SortFunc(out[1:], func(a, b *doc) int { return strings.Compare(a.path, b.path) })
	return out
}
