package provenance

import (
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/provenance/internal/lexicon"
	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
)

// Version names how results are taken apart, where zones begin and what matches. It
// changes when an answer can change, and belongs into the version of the function set.
const Version = 8

// Lexicon holds the words and patterns of one or more languages. It does not change.
type Lexicon struct {
	words  *lexicon.Lexicon
	digest sexpr.Digest

	buffers sync.Pool // of *[]words.Word
}

// atoms returns the atoms of a text in a buffer, which goes back to the pool when they are
// not needed any more.
func (l *Lexicon) atoms(text string) (buffer *[]words.Word, atoms []words.Word) {
	buffer, ok := l.buffers.Get().(*[]words.Word)
	if !ok {
		buffer = new([]words.Word)
	}
	*buffer = words.AppendAtoms(slices.Grow((*buffer)[:0], len(text)/6+1), text)
	return buffer, *buffer
}

// DefaultLexicon returns the lexicon that is built in: English.
func DefaultLexicon() *Lexicon {
	l, err := compile(lexicon.File{Name: "english.lisp", Text: lexicon.English()})
	if err != nil {
		panic(err) // the file is part of the program, and a test loads it
	}
	return l
}

// English is the text of the lexicon that is built in, in the notation.
func English() string { return lexicon.English() }

// LoadLexicon reads a lexicon from files in the notation, one language each, in this
// order. The built-in English is not among them. A mistake is an error with its file,
// line and column.
func LoadLexicon(fsys fs.FS, names ...string) (*Lexicon, error) {
	var files []lexicon.File
	for _, name := range names {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("reading a lexicon: %w", err)
		}
		files = append(files, lexicon.File{Name: name, Text: string(text)})
	}
	return compile(files...)
}

func compile(files ...lexicon.File) (*Lexicon, error) {
	l, err := lexicon.Load(files...)
	if err != nil {
		return nil, err
	}
	all := ""
	for _, f := range files {
		all += sexpr.DigestText("cortex/lexicon/1", f.Text).String()
	}
	return &Lexicon{words: l, digest: sexpr.DigestText("cortex/lexicon/1", all)}, nil
}

// Digest returns the digest of all words and patterns.
func (l *Lexicon) Digest() sexpr.Digest { return l.digest }
