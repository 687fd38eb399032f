package rules

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/facts/origin"
)

// Root is a folder of rule files. Includes do not leave it; a caller who does not
// trust the links in it gives the FS of an [os.Root].
type Root struct {
	FS fs.FS
	// Files are the files to load, as slash paths; nil means every *.lisp that
	// lies in the folder itself.
	Files []string
	// OnTop says that these rules only add to those of other roots: where the others
	// define nothing, the rulebook is empty.
	OnTop bool
}

// Limits bound a load. Zero fields mean the defaults.
type Limits struct {
	Reader sexpr.Limits // of each file
	Files  int          // in all; 0: 1000
	// Cost is what a condition may take at worst, in steps; 0: 50 000.
	Cost int
}

func (l Limits) orDefaults() Limits {
	if l.Files == 0 {
		l.Files = 1000
	}
	if l.Cost == 0 {
		l.Cost = 50_000
	}
	return l
}

// Judge decides on the proposal of an example.
type Judge func(ctx context.Context, e *Example) (Found, error)

// Loader loads rule files. The zero Loader is ready to use; its fields must not
// change while it loads.
type Loader struct {
	// Functions may be called by conditions, beyond those of [facts.Core].
	Functions []facts.Function
	// Tools are declared beside those of the files: the typed tools that act
	// runs. A deftool of the same name takes the place of one.
	Tools  []*skills.Tool
	Limits Limits
	// Recorded says that the files were in force once, and are loaded to judge as
	// they did: names that nothing declares, and what else a load refuses only by
	// now, are taken as they were.
	Recorded bool
	// Judge runs the examples; nil means that they are only checked.
	Judge Judge
}

var (
	errNotAFile = errors.New("not a regular file, or too large")
	errNoFolder = errors.New("no folder is given")
)

// Load loads every *.lisp in each of the folders with the zero [Loader].
func Load(roots ...fs.FS) (*Rulebook, error) {
	rs := make([]Root, len(roots))
	for i, r := range roots {
		rs[i] = Root{FS: r}
	}
	return Loader{}.Load(rs...)
}

// Load reads, checks and compiles the rules of all roots, in this order, and
// runs their examples. A file that an earlier root holds, byte for byte, defines
// nothing again. Rules without a definition are a valid, empty Rulebook.
// The error is an [ErrorList] of everything that is wrong; then there is no
// Rulebook.
func (l Loader) Load(roots ...Root) (*Rulebook, error) {
	limits := l.Limits.orDefaults()
	words := new(origin.Words)
	functions := slices.Concat(facts.Core(), origin.Functions(words), l.Functions)
	b := newBuilder(functions, limits.Cost)
	b.Recorded = l.Recorded
	f := files{b: b, reader: sexpr.Reader{Limits: limits.Reader, Code: true}, most: limits.Files}
	for i, r := range roots {
		f.root(i, r)
	}
	d := definitions{b: b}
	d.declare(l.Tools)
	for _, s := range f.all {
		d.read(s)
	}
	words.Know(f.readLexicon(), slices.SortedFunc(maps.Values(b.Tools), byName))
	book := d.book()
	book.words = words
	book.asks = slices.ContainsFunc(origin.Functions(words), func(f facts.Function) bool { return b.Uses(f.Name) })
	if err := b.faults.err(rank(f.all)); err != nil {
		return nil, err
	}
	book.files = f.list()
	b.faults.warnings.sort(rank(f.all))
	book.warnings = b.faults.warnings
	book.calc = &Calculator{known: b.Language}
	book.hash = hashOf(book.files, functions, l.Tools, limits)
	book.examples = d.gather(book)
	d.run(book.examples, l.Judge)
	if err := b.faults.err(rank(f.all)); err != nil {
		return nil, err
	}
	return book, nil
}

// rank orders files as they were loaded.
func rank(all []*source) map[*source]int {
	out := make(map[*source]int, len(all))
	for i, s := range all {
		out[s] = i
	}
	return out
}

// list is what was loaded, by root and path.
func (f *files) list() []File {
	out := make([]File, len(f.all))
	for i, s := range f.all {
		out[i] = File{Root: s.root, Path: s.path, Data: s.data, OnTop: s.onTop}
	}
	for _, w := range f.words {
		if w.source != nil {
			out = append(out, File{Root: w.root, Path: w.path, Data: w.data, Words: true, OnTop: w.onTop})
		}
	}
	slices.SortFunc(out, func(a, b File) int {
		return cmp.Or(cmp.Compare(a.Root, b.Root), cmp.Compare(a.Path, b.Path))
	})
	return out
}
