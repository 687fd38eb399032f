package facts

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// What a command prints is unknown, except where every line is the path of a file
// below folders that the command names: then xargs, and -exec of find, run their
// command on words that are known to lie there. A name with a blank in it is still
// split by xargs without -0; docs/threat-model.md says so.

// belowRoots is a word that stands for paths in or under roots.
func belowRoots(roots []word) word {
	w := word{known: true, pattern: true}
	for _, root := range roots {
		for _, g := range root.spellings() {
			w.alts = append(w.alts, strings.TrimSuffix(g, "/")+"/**")
		}
	}
	w.glob, w.text = w.alts[0], strings.TrimSuffix(roots[0].text, "/")+"/**"
	return w
}

// spellings are the globs of a word, as it was written.
func (w word) spellings() []string {
	if w.alts != nil {
		return w.alts
	}
	return []string{w.glob}
}

// prints returns what a command prints, if that is the paths of files, and an
// unknown word otherwise. in is what it reads.
func prints(cmd *command, in word) word {
	switch {
	case len(cmd.via) > 0 || !cmd.name.known || cmd.more != "" || !told(cmd.args):
	case cmd.name.text == "find":
		if roots, printing := findRoots(cmd.args); printing {
			return belowRoots(roots)
		}
	case cmd.name.text == "grep":
		return grepPrints(cmd.args, in)
	case cmd.name.text == "sort" && sieves(cmd.args, "-urnfVz", 0),
		cmd.name.text == "uniq" && len(cmd.args) == 0,
		cmd.name.text == "head" && heads(cmd.args), cmd.name.text == "tail" && heads(cmd.args):
		return in
	}
	return word{}
}

// told reports whether all words are known.
func told(ws []word) bool {
	return !slices.ContainsFunc(ws, func(w word) bool { return !w.known || w.tilde })
}

// findRoots returns where find looks, or nothing where that cannot be told; all
// words are known. printing reports whether it prints the paths that it finds and
// nothing else.
func findRoots(args []word) (roots []word, printing bool) {
	for len(args) > 0 && (args[0].text == "-H" || args[0].text == "-L" || args[0].text == "-P") {
		args = args[1:]
	}
	n := slices.IndexFunc(args, func(w word) bool { return w.text == "" || strings.IndexByte("-(!", w.text[0]) >= 0 })
	if n < 0 {
		n = len(args)
	}
	roots = args[:n]
	if n == 0 {
		roots = []word{known(".")}
	}
	for _, w := range args[n:] {
		if w.pattern || w.text == "-files0-from" || strings.HasPrefix(w.text, "-D") || strings.HasPrefix(w.text, "-O") {
			return nil, false
		}
	}
	return roots, !slices.ContainsFunc(args[n:], func(w word) bool { return findPrints[w.text] || findExec[w.text] })
}

var findPrints = words("-printf -fprintf -fprint -fprint0 -ls -fls")

// grepPrints is grep -l, which prints names of its operands or of files below
// them, and grep as a sieve.
func grepPrints(args []word, in word) word {
	flags, operands := []word(nil), []word(nil)
	for _, w := range args {
		if !w.pattern && len(w.text) > 1 && w.text[0] == '-' {
			flags = append(flags, w)
		} else {
			operands = append(operands, w)
		}
	}
	letters := func(set string) bool {
		return !slices.ContainsFunc(flags, func(w word) bool {
			return strings.Trim(w.text[1:], set) != "" || strings.HasPrefix(w.text, "--")
		})
	}
	names := slices.ContainsFunc(flags, func(w word) bool { return strings.ContainsAny(w.text[1:], "lL") })
	switch {
	case names && letters("rRlLiEFwsnIZv") && len(operands) > 1 && !operands[0].pattern:
		return belowRoots(operands[1:])
	case !names && letters("viEFwxs") && len(operands) == 1 && !operands[0].pattern:
		return in
	}
	return word{}
}

// sieves reports whether args are flags with these letters and so many operands.
func sieves(args []word, letters string, operands int) bool {
	n := 0
	for _, w := range args {
		switch {
		case w.pattern:
			return false
		case len(w.text) < 2 || w.text[0] != '-':
			n++
		case strings.Trim(w.text, letters) != "":
			return false
		}
	}
	return n == operands
}

// heads reports whether head or tail takes lines from its input alone.
func heads(args []word) bool {
	if len(args) == 2 && args[0].text == "-n" {
		args = args[1:]
	} else if len(args) > 1 {
		return false
	}
	return len(args) == 0 || !args[0].pattern && strings.Trim(args[0].text, "-+n0123456789") == ""
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
