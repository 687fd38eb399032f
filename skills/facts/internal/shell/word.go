package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/opencortex-go/cortex/skills/facts/internal/glob"
)

// Word is one word of a command after the shell's expansions, as far as they can
// be told from the text.
type Word struct {
	Text    string   // if known; the text of a pattern as it was written, unquoted
	glob    string   // the same as a glob
	alts    []string // the globs that it may be instead, from braces
	Known   bool
	Pattern bool   // stands for names: it has an unquoted * ? [ or braces
	One     bool   // a pattern that becomes just one word
	Tilde   bool   // begins with a ~ that nothing resolves
	Many    bool   // not known, and may turn out as none or several words
	Why     string // what is unknown: "the value of $X"
}

// Known is a word that stands for its text alone.
func Known(text string) Word { return Word{Text: text, glob: glob.Escape(text), Known: true} }

func unknownWord(why string, many bool) Word { return Word{Why: why, Many: many} }

// Globs returns the paths that a known word may name, from any of dirs.
func (w Word) Globs(dirs []string) []string {
	if w.alts == nil {
		return slices.Clip(w.place(w.glob, dirs))
	}
	var out []string
	for _, g := range w.alts {
		out = append(out, w.place(g, dirs)...)
	}
	return out
}

func (w Word) place(g string, dirs []string) []string {
	if w.Tilde {
		return []string{glob.TildeGlob(g, "")}
	}
	return glob.From(g, strings.HasPrefix(g, "/"), dirs)
}

// Begins reports whether a pattern may become a word that begins with c.
func (w Word) Begins(c byte) bool {
	may := func(g string) bool {
		return g != "" && !strings.HasPrefix(g, digits) && (g[0] == c || strings.IndexByte("*?[", g[0]) >= 0)
	}
	return may(w.glob) || slices.ContainsFunc(w.alts, may)
}

// word resolves one word, and reads the commands in its substitutions.
func (r *reader) word(w *syntax.Word, at *scope) (Word, error) {
	if len(w.Parts) == 1 { // most words are plain text
		if l, ok := w.Parts[0].(*syntax.Lit); ok && !strings.ContainsAny(l.Value, "\\*?[]{}~") {
			return Word{Text: l.Value, glob: l.Value, Known: true}, nil
		}
	}
	var b build
	for i, p := range w.Parts {
		if err := r.part(&b, p, i == 0, at); err != nil {
			return Word{}, err
		}
	}
	return b.done()
}

// digits is the glob of a number that the shell keeps itself.
const digits = "[0-9]*"
