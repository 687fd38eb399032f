package rules

import (
	"io/fs"
	"slices"
	"strings"
	"testing/fstest" // the standard library's file system in memory

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/provenance"
)

// wordFile is one file of words that a lexicon definition names.
type wordFile struct {
	*source      // nil stands for the English that is built in
	at      site // where it is named
}

// lexicon reads the files of words that a definition names, relative to its own file;
// :english is the one that is built in.
func (f *files) lexicon(fsys fs.FS, s *source, form sexpr.Value) {
	items := form.Items()[1:]
	wrong := func(v sexpr.Value) bool { return v.Kind() != sexpr.String && !v.IsKey("english") }
	if len(items) == 0 || slices.ContainsFunc(items, wrong) {
		f.b.faults.add(s, form.Pos(), nil,
			`lexicon takes the paths of files of words: (lexicon :english "words/german.words")`)
		return
	}
	for _, v := range items {
		at := site{s, v.Pos()}
		if v.IsKey("english") {
			f.words = append(f.words, wordFile{nil, at})
			continue
		}
		name, ok := f.inside(s, v)
		if !ok {
			continue
		}
		data, err := f.bytes(fsys, name)
		if err != nil {
			f.broken(s, v.Pos(), err)
			continue
		}
		f.words = append(f.words, wordFile{&source{root: s.root, path: name, data: data, text: string(data),
			linked: linked(fsys, name), onTop: s.onTop}, at})
	}
}

// readLexicon compiles the files of words, in the order in which they are named; nil
// stands for the English that is built in, alone. What is wrong with a file of words is
// said where it is named.
func (f *files) readLexicon() *provenance.Lexicon {
	if len(f.words) == 0 {
		return nil
	}
	fsys := fstest.MapFS{}
	var names []string
	for _, w := range f.words {
		name, data := "english", []byte(provenance.English())
		if w.source != nil {
			name, data = w.path, w.data
		}
		if fsys[name] != nil {
			f.b.faults.add(w.at.src, w.at.pos, nil, "the words of %s are named twice", name)
			return nil
		}
		names, fsys[name] = append(names, name), &fstest.MapFile{Data: data}
	}
	l, err := provenance.LoadLexicon(fsys, names...)
	if err == nil {
		return l
	}
	at, text := f.words[0].at, err.Error()
	for _, w := range f.words {
		if w.source != nil && strings.HasPrefix(text, w.path+":") {
			at = w.at
		}
	}
	f.b.faults.add(at.src, at.pos, err, "%s", text)
	return nil
}
