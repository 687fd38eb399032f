package lsp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/opencortex-go/cortex/sexpr/syntax"
	"github.com/opencortex-go/cortex/skills/rules"
)

// pause is how long texts must rest before they are checked: about a keystroke.
const pause = 80 * time.Millisecond

// checks loads rules again when a text has changed, and publishes what is wrong.
type checks struct {
	s     *Server
	due   chan struct{}
	mu    sync.Mutex
	good  map[string]*rules.Calculator // by URI: of the last load that succeeded
	shown map[string]bool              // URIs with something wrong, as the client has it; owned by run
}

func newChecks(s *Server) *checks {
	return &checks{s: s, due: make(chan struct{}, 1), good: map[string]*rules.Calculator{}, shown: map[string]bool{}}
}

// wake has the texts checked soon.
func (c *checks) wake() {
	select {
	case c.due <- struct{}{}:
	default: // it will be already
	}
}

// run checks texts until ctx is over.
func (c *checks) run(ctx context.Context, conn *jsonrpc2.Conn) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.due:
		}
		for rested := false; !rested; {
			select {
			case <-ctx.Done():
				return
			case <-c.due:
			case <-time.After(pause):
				rested = true
			}
		}
		for _, d := range c.all() {
			_ = conn.Notify(ctx, "textDocument/publishDiagnostics", d) // a client that left hears nothing
		}
	}
}

// all checks every open text, and returns what is to be published.
func (c *checks) all() []diagnostics {
	docs := c.s.files.all()
	found := map[string][]diagnostic{}
	var ruled *doc
	for _, d := range docs {
		if c.s.files.ruled(d.path) {
			ruled = d
		} else {
			found[d.uri] = c.alone(d, docs)
		}
	}
	if ruled != nil {
		c.together(ruled, docs, found)
	}
	was := c.shown
	c.shown = map[string]bool{}
	var out []diagnostics
	for _, d := range docs {
		version := d.version
		out = append(out, diagnostics{d.uri, &version, append([]diagnostic{}, found[d.uri]...)})
		delete(was, d.uri)
		if len(found[d.uri]) > 0 {
			c.shown[d.uri] = true
		}
		delete(found, d.uri)
	}
	for uri, list := range found { // files that are not open
		out = append(out, diagnostics{URI: uri, Diagnostics: list})
		c.shown[uri] = true
		delete(was, uri)
	}
	for uri := range was { // closed, or right by now
		out = append(out, diagnostics{URI: uri, Diagnostics: []diagnostic{}})
	}
	return out
}

// alone checks a text with what it includes.
func (c *checks) alone(d *doc, docs []*doc) []diagnostic {
	book, list := c.load(c.roots(d, docs))
	c.learn(book, d)
	var out []diagnostic
	elsewhere := map[string]bool{}
	for _, w := range list {
		if w.File == d.name() {
			out = append(out, w.on(d))
		} else if !elsewhere[w.File] {
			elsewhere[w.File] = true
			out = append(out, w.atInclude(d))
		}
	}
	return out
}

// name is the name of the text's file in its folder.
func (d *doc) name() string {
	if d.path == "" {
		return "untitled.lisp"
	}
	return filepath.Base(d.path)
}

// roots are what is loaded to check a text, with the open texts in the place of files.
func (c *checks) roots(d *doc, docs []*doc) []rules.Root {
	switch {
	case d.path == "":
		return []rules.Root{{FS: overlay{base: nothing{}, open: map[string]*doc{d.name(): d}}, Files: []string{d.name()}}}
	case !c.s.files.ruled(d.path):
		return []rules.Root{{FS: over(filepath.Dir(d.path), docs), Files: []string{d.name()}}}
	}
	var out []rules.Root
	for _, path := range c.s.files.rules {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			out = append(out, rules.Root{FS: over(path, docs)})
		} else {
			out = append(out, rules.Root{FS: over(filepath.Dir(path), docs), Files: []string{filepath.Base(path)}})
		}
	}
	return out
}

// together checks the rulebook of the command line, to which the text belongs.
func (c *checks) together(d *doc, docs []*doc, found map[string][]diagnostic) {
	roots := c.roots(d, docs)
	book, list := c.load(roots)
	for _, d := range docs {
		if c.s.files.ruled(d.path) {
			c.learn(book, d)
		}
	}
	for _, w := range list {
		for _, root := range roots {
			if at := c.s.files.file(root.FS.(overlay).path(w.File), c.s.empty); at != nil {
				found[at.uri] = append(found[at.uri], w.on(at))
				break
			}
		}
	}
}

// wrong is an error or a warning about a rule file.
type wrong struct {
	*rules.Error
	severity int
}

// load loads rules, and returns what is wrong with them. The rulebook is nil if they do
// not load.
func (c *checks) load(roots []rules.Root) (*rules.Rulebook, []wrong) {
	book, err := c.s.options.Loader.Load(roots...)
	var list rules.ErrorList
	severity := severityError
	switch {
	case errors.As(err, &list):
	case err != nil:
		list = rules.ErrorList{{File: ".", Msg: err.Error()}}
	case c.s.options.Lint != nil:
		list, severity = c.s.options.Lint(book), severityWarning
	}
	out := make([]wrong, len(list))
	for i, e := range list {
		out[i] = wrong{e, severity}
	}
	return book, out
}

// learn keeps what a rulebook knows, for questions about a text.
func (c *checks) learn(book *rules.Rulebook, d *doc) {
	if book == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.good) > 2*maxOpen {
		clear(c.good)
	}
	c.good[d.uri] = book.Calculator()
}

// language is what a text may name, as far as it is known.
func (c *checks) language(d *doc) *rules.Calculator {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.good[d.uri]; known != nil {
		return known
	}
	return c.s.empty
}

// on is the diagnostic of a text: it marks the form in question, in its first line.
func (w wrong) on(d *doc) diagnostic {
	from := d.text.at(w.Pos)
	to := from
	for _, n := range d.Root.At(from) {
		if n.Kind != syntax.Root && n.From == from {
			to = n.To
			break
		}
	}
	if n := strings.IndexByte(d.text.src[from:to], '\n'); n >= 0 {
		to = from + n
	}
	return diagnostic{d.text.span(from, to), w.severity, "cortex", w.Msg}
}

// atInclude is the diagnostic of a text for what is wrong in a file that it includes.
func (w wrong) atInclude(d *doc) diagnostic {
	at := span{}
	includes := d.Includes()
	for _, m := range includes {
		if len(includes) == 1 || filepath.ToSlash(filepath.Clean(m.Name.Name)) == w.File {
			at = d.text.span(m.From, m.To)
		}
	}
	return diagnostic{at, w.severity, "cortex", fmt.Sprintf("in an included file: %v", w.Error)}
}

// places sorts and clips locations for an answer.
func places(out []location) []location {
	slices.SortFunc(out, func(a, b location) int {
		if a.URI != b.URI {
			return strings.Compare(a.URI, b.URI)
		}
		if a.Range.Start.Line != b.Range.Start.Line {
			return a.Range.Start.Line - b.Range.Start.Line
		}
		return a.Range.Start.Character - b.Range.Start.Character
	})
	return slices.Compact(out)
}
