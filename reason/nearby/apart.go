package nearby

import (
	"path"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
)

// Own are the words of the rules for one place of the arguments.
type Own struct {
	Values []sexpr.Value // numbers and strings that may stand there whole
	Words  []string      // parts of a text: a flag, a folder
}

// Told returns the edit in words that quote no value of the arguments: where it is, and
// one of :drop t, :set with a value, :without with the word to leave out, or :folder with
// the folder to put the same name in. It is for the edits of a search with [Search.Of].
func (e Edit) Told() sexpr.Value {
	at := sexpr.ListOf(e.At...)
	switch {
	case e.Dropped:
		return sexpr.Plist("at", at, "drop", sexpr.T())
	case e.Without != "":
		return sexpr.Plist("at", at, "without", sexpr.Str(e.Without))
	case e.Folder != "":
		return sexpr.Plist("at", at, "folder", sexpr.Str(e.Folder))
	}
	return sexpr.Plist("at", at, "set", e.New)
}

// without is a text without each of the words of the rules that it holds: a flag, with
// its dashes or not.
func (s Search) without(p place) (out []change) {
	words := strings.Split(p.value.Text(), " ")
	if p.value.Kind() != sexpr.String || len(words) < 2 || len(words) > maxWords {
		return nil
	}
	for _, own := range s.own(p).Words {
		for _, w := range words {
			if own == "" || w != own && (w == "" || w[0] != '-' || strings.TrimLeft(w, "-") != own) {
				continue
			}
			rest := slices.DeleteFunc(slices.Clone(words), func(x string) bool { return x == w })
			out = append(out, change{to: sexpr.Str(strings.Join(rest, " ")), without: w})
		}
	}
	return out
}

// maxWords bounds the words of a text that are looked at.
const maxWords = 256

// elsewhere is a path with its last name in each of the folders of the rules.
func (s Search) elsewhere(p place) (out []change) {
	name := path.Base(p.value.Text())
	if p.value.Kind() != sexpr.String || strings.HasSuffix(p.value.Text(), "/") ||
		strings.ContainsAny(name, "/\\\n\x00") || name == "." || name == ".." || strings.HasPrefix(name, "~") {
		return nil
	}
	for _, w := range s.own(p).Words {
		if folder, ok := folderOf(w); ok {
			out = append(out, change{to: sexpr.Str(strings.TrimSuffix(folder, "/") + "/" + name), folder: folder})
		}
	}
	return out
}

// folderOf is the folder that a path or a pattern of paths begins with.
func folderOf(w string) (string, bool) {
	if !strings.HasPrefix(w, "/") && !strings.HasPrefix(w, "~/") {
		return "", false
	}
	if i := strings.IndexAny(w, "*?[{"); i >= 0 {
		w = w[:strings.LastIndexByte(w[:i], '/')+1]
	}
	w = strings.TrimRight(w, "/")
	return w, w != "" && w != "~"
}

// whole are the strings of the rules that may stand at a place.
func (s Search) whole(p place) (out []change) {
	if p.value.Kind() != sexpr.String {
		return nil
	}
	for _, v := range s.own(p).Values {
		if v.Kind() == sexpr.String && v.Text() != "" {
			out = append(out, change{to: v})
		}
	}
	return out
}
