package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/opencortex-go/cortex/skills/facts/internal/words"
)

// What a command prints is unknown, except where every line is the path of a file
// below folders that the command names: then xargs, and -exec of find, run their
// command on words that are known to lie there. A name with a blank in it is still
// split by xargs without -0; docs/threat-model.md says so.

// belowRoots is a word that stands for paths in or under roots.
func belowRoots(roots []Word) Word {
	w := Word{Known: true, Pattern: true}
	for _, root := range roots {
		for _, g := range root.Spellings() {
			w.alts = append(w.alts, strings.TrimSuffix(g, "/")+"/**")
		}
	}
	w.glob, w.Text = w.alts[0], strings.TrimSuffix(roots[0].Text, "/")+"/**"
	return w
}

// Spellings are the globs of a word, as it was written.
func (w Word) Spellings() []string {
	if w.alts != nil {
		return w.alts
	}
	return []string{w.glob}
}

// prints returns what a command prints, if that is the paths of files, and an
// unknown word otherwise. in is what it reads.
func prints(cmd *Command, in Word) Word {
	switch {
	case len(cmd.Via) > 0 || !cmd.Name.Known || cmd.More != "" || !told(cmd.Args):
	case cmd.Name.Text == "find":
		if roots, printing := findRoots(cmd.Args); printing {
			return belowRoots(roots)
		}
	case cmd.Name.Text == "grep":
		return grepPrints(cmd.Args, in)
	case cmd.Name.Text == "sort" && sieves(cmd.Args, "-urnfVz", 0),
		cmd.Name.Text == "uniq" && len(cmd.Args) == 0,
		cmd.Name.Text == "head" && heads(cmd.Args), cmd.Name.Text == "tail" && heads(cmd.Args):
		return in
	}
	return Word{}
}

// told reports whether all words are known.
func told(ws []Word) bool {
	return !slices.ContainsFunc(ws, func(w Word) bool { return !w.Known || w.Tilde })
}

// findRoots returns where find looks, or nothing where that cannot be told; all
// words are known. printing reports whether it prints the paths that it finds and
// nothing else.
func findRoots(args []Word) (roots []Word, printing bool) {
	for len(args) > 0 && (args[0].Text == "-H" || args[0].Text == "-L" || args[0].Text == "-P") {
		args = args[1:]
	}
	n := slices.IndexFunc(args, func(w Word) bool { return w.Text == "" || strings.IndexByte("-(!", w.Text[0]) >= 0 })
	if n < 0 {
		n = len(args)
	}
	roots = args[:n]
	if n == 0 {
		roots = []Word{Known(".")}
	}
	for _, w := range args[n:] {
		if w.Pattern || w.Text == "-files0-from" || strings.HasPrefix(w.Text, "-D") || strings.HasPrefix(w.Text, "-O") {
			return nil, false
		}
	}
	return roots, !slices.ContainsFunc(args[n:], func(w Word) bool { return findPrints[w.Text] || findExec[w.Text] })
}

var findPrints = words.Of("-printf -fprintf -fprint -fprint0 -ls -fls")

// grepPrints is grep -l, which prints names of its operands or of files below
// them, and grep as a sieve.
func grepPrints(args []Word, in Word) Word {
	flags, operands := []Word(nil), []Word(nil)
	for _, w := range args {
		if !w.Pattern && len(w.Text) > 1 && w.Text[0] == '-' {
			flags = append(flags, w)
		} else {
			operands = append(operands, w)
		}
	}
	letters := func(set string) bool {
		return !slices.ContainsFunc(flags, func(w Word) bool {
			return strings.Trim(w.Text[1:], set) != "" || strings.HasPrefix(w.Text, "--")
		})
	}
	names := slices.ContainsFunc(flags, func(w Word) bool { return strings.ContainsAny(w.Text[1:], "lL") })
	switch {
	case names && letters("rRlLiEFwsnIZv") && len(operands) > 1 && !operands[0].Pattern:
		return belowRoots(operands[1:])
	case !names && letters("viEFwxs") && len(operands) == 1 && !operands[0].Pattern:
		return in
	}
	return Word{}
}

// sieves reports whether args are flags with these letters and so many operands.
func sieves(args []Word, letters string, operands int) bool {
	n := 0
	for _, w := range args {
		switch {
		case w.Pattern:
			return false
		case len(w.Text) < 2 || w.Text[0] != '-':
			n++
		case strings.Trim(w.Text, letters) != "":
			return false
		}
	}
	return n == operands
}

// heads reports whether head or tail takes lines from its input alone.
func heads(args []Word) bool {
	if len(args) == 2 && args[0].Text == "-n" {
		args = args[1:]
	} else if len(args) > 1 {
		return false
	}
	return len(args) == 0 || !args[0].Pattern && strings.Trim(args[0].Text, "-+n0123456789") == ""
}

// feeds reports whether what a statement prints is what its last command prints:
// errors are not among it, and no other command is.
func feeds(s *syntax.Stmt) bool {
	if s.Negated || s.Background || slices.ContainsFunc(s.Redirs, func(r *syntax.Redirect) bool {
		return !(r.Op == syntax.RdrOut && r.N != nil && r.N.Value == "2" && r.Word.Lit() == "/dev/null")
	}) {
		return false
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		return true
	case *syntax.BinaryCmd:
		return c.Op == syntax.Pipe
	}
	return false
}
