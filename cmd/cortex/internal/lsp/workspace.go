package lsp

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/lsp/index"
)

// The bounds of a workspace: texts that are longer have no answers, and files beyond these
// are not looked at.
const (
	maxText  = 1 << 20
	maxOpen  = 200
	maxFiles = 1000
)

// doc is an open text as it was at one moment. It is immutable.
type doc struct {
	uri     string
	path    string // "" without a file
	version int
	text    text
	*index.File
}

// workspace knows the open texts, and the files around them.
type workspace struct {
	rules []string // absolute
	mu    sync.Mutex
	open  map[string]*doc // by URI
	read  map[string]onDisk
}

// onDisk is a file that was read, and how to tell whether it still is what it was.
type onDisk struct {
	size int64
	at   time.Time
	doc  *doc
}

func newWorkspace(rules []string) *workspace {
	w := &workspace{open: map[string]*doc{}, read: map[string]onDisk{}}
	for _, path := range rules {
		if abs, err := filepath.Abs(path); err == nil {
			w.rules = append(w.rules, abs)
		}
	}
	return w
}

// pathOf returns the path of a file's URI, or "".
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return ""
	}
	return filepath.Clean(filepath.FromSlash(u.Path))
}

// uriOf returns the URI of a file.
func uriOf(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// set opens a text, or takes its next version.
func (w *workspace) set(d document, lang index.Language) error {
	if len(d.Text) > maxText {
		w.shut(d.URI)
		return fmt.Errorf("%s is longer than %d bytes", d.URI, maxText)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, known := w.open[d.URI]; !known && len(w.open) == maxOpen {
		return fmt.Errorf("more than %d texts are open", maxOpen)
	}
	w.open[d.URI] = &doc{uri: d.URI, path: pathOf(d.URI), version: d.Version, text: newText(d.Text),
		File: index.Read(d.Text, lang)}
	return nil
}

// shut closes a text.
func (w *workspace) shut(uri string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.open, uri)
}

// opened returns an open text.
func (w *workspace) opened(uri string) (*doc, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	d, ok := w.open[uri]
	return d, ok
}

// all returns the open texts, by URI.
func (w *workspace) all() []*doc {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := make([]*doc, 0, len(w.open))
	for _, d := range w.open {
		out = append(out, d)
	}
	slices.SortFunc(out, func(a, b *doc) int { return strings.Compare(a.uri, b.uri) })
	return out
}

// openAt returns the open text of a file, or nil.
func (w *workspace) openAt(path string) *doc {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, d := range w.open {
		if d.path == path {
			return d
		}
	}
	return nil
}

// file returns the text of a file: as it is open, or else as it is on disk. It returns nil
// for what cannot be read.
func (w *workspace) file(path string, lang index.Language) *doc {
	if d := w.openAt(path); d != nil {
		return d
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxText {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if was, ok := w.read[path]; ok && was.size == info.Size() && was.at.Equal(info.ModTime()) {
		return was.doc
	}
	src, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	if len(w.read) >= maxFiles {
		clear(w.read)
	}
	d := &doc{uri: uriOf(path), path: path, text: newText(string(src)), File: index.Read(string(src), lang)}
	w.read[path] = onDisk{info.Size(), info.ModTime(), d}
	return d
}

// ruled reports whether a file belongs to the rulebook of the command line.
func (w *workspace) ruled(path string) bool {
	return path != "" && slices.ContainsFunc(w.rules, func(root string) bool {
		return path == root || strings.HasPrefix(path, root+string(filepath.Separator))
	})
}
