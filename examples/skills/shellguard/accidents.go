package main

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

var (
	// wrappers run the command that follows them.
	wrappers = []string{"sudo",
		"doas", "command", "builtin", "exec", "env", "nice", "ionice", "time", "nohup", "setsid", "stdbuf", "timeout"}
	// destroyers lose something when they are given the wrong name.
	destroyers = []string{"rm", "rmdir", "unlink", "shred", "truncate", "mv", "chmod", "chown"}
	// filters read the files that they are given.
	filters = []string{"awk",
		"base64", "cat", "column", "comm", "cut", "envsubst", "expand", "fmt", "fold", "grep", "head", "iconv",
		"join", "jq", "nl", "od", "paste", "rev", "sed", "shuf", "sort", "tac", "tail", "tr", "uniq", "xxd"}
	// detachers let a process go on by itself.
	detachers = []string{"nohup", "setsid", "disown", "daemonize", "at", "batch"}
)

// truncatesInput finds a file that a pipeline reads and also writes anew.
func truncatesInput(f *syntax.File) (what string, found bool) {
	each(f, func(s *syntax.Stmt) bool {
		var in, out []string
		pipeline(s, func(s *syntax.Stmt) {
			for _, r := range s.Redirs {
				name, ok := literal(r.Word)
				switch {
				case !ok || name == "/dev/null":
				case r.Op == syntax.RdrIn:
					in = append(in, name)
				case r.Op == syntax.RdrOut, r.Op == syntax.RdrClob, r.Op == syntax.RdrAll:
					out = append(out, name)
				}
			}
			name, args := command(s.Cmd)
			for _, w := range args {
				if text, ok := literal(w); ok && slices.Contains(filters, name) {
					in = append(in, text)
				} else if ok && name == "tee" && !strings.HasPrefix(text, "-") {
					out = append(out, text)
				}
			}
		})
		for _, name := range out {
			if !found && slices.Contains(in, name) {
				what, found = name, true
			}
		}
		return !found
	})
	return what, found
}

// uncheckedCd finds a cd with an unchecked failure, before something that
// destroys files by relative names.
func uncheckedCd(f *syntax.File) (what string, found bool) {
	lists(f, func(list []*syntax.Stmt) {
		var moved string
		for _, s := range list {
			if name, args := command(s.Cmd); name == "set" && len(args) > 0 {
				if flags, _ := literal(args[0]); strings.HasPrefix(flags, "-") && strings.Contains(flags, "e") {
					return // the first failure ends the line
				}
			}
			if moved != "" && !found {
				each(s, func(s *syntax.Stmt) bool {
					name, args := command(s.Cmd)
					if slices.Contains(destroyers, name) && slices.ContainsFunc(args, relative) {
						what, found = "cd "+moved+", then "+name, true
					}
					return !found
				})
			}
			if to, ok := changesFolder(s); ok {
				moved = to
			}
		}
	})
	return what, found
}

// changesFolder reports a cd, alone or before an &&, that may fail unseen.
func changesFolder(s *syntax.Stmt) (to string, ok bool) {
	if b, isAnd := s.Cmd.(*syntax.BinaryCmd); isAnd && b.Op == syntax.AndStmt {
		return changesFolder(b.X)
	}
	name, args := command(s.Cmd)
	if name != "cd" && name != "pushd" || len(args) == 0 {
		return "", false
	}
	return source(args[0]), true
}

// relative reports an operand that depends on the folder.
func relative(w *syntax.Word) bool {
	text := strings.TrimLeft(source(w), `"'`)
	return text != "" && !strings.ContainsRune("-/~$", rune(text[0]))
}

// emptyVariable finds a path to destroy that is the root folder if a variable is
// empty.
func emptyVariable(f *syntax.File) (what string, found bool) {
	set := map[string]bool{"HOME": true, "PWD": true, "OLDPWD": true, "TMPDIR": true}
	syntax.Walk(f, func(n syntax.Node) bool {
		if a, ok := n.(*syntax.Assign); ok && a.Name != nil && a.Value != nil {
			if text, ok := literal(a.Value); ok && text != "" {
				set[a.Name.Value] = true
			}
		}
		return true
	})
	each(f, func(s *syntax.Stmt) bool {
		name, args := command(s.Cmd)
		if !slices.Contains(destroyers, name) {
			return true
		}
		for _, w := range args {
			if v := leading(w); v != "" && !set[v] {
				what, found = source(w), true
			}
		}
		return !found
	})
	return what, found
}

// leading is the variable that a word begins with and that a slash follows, if it
// may be empty.
func leading(w *syntax.Word) string {
	var flat []syntax.WordPart
	for _, p := range w.Parts {
		if q, ok := p.(*syntax.DblQuoted); ok {
			flat = append(flat, q.Parts...)
		} else {
			flat = append(flat, p)
		}
	}
	if len(flat) < 2 {
		return ""
	}
	v, ok := flat[0].(*syntax.ParamExp)
	if !ok || v.Exp != nil || v.Length || v.Param == nil {
		return ""
	}
	if next, ok := flat[1].(*syntax.Lit); !ok || !strings.HasPrefix(next.Value, "/") {
		return ""
	}
	return v.Param.Value
}

// splitsNames finds names of files that go through xargs as words.
func splitsNames(f *syntax.File) (what string, found bool) {
	each(f, func(s *syntax.Stmt) bool {
		b, ok := s.Cmd.(*syntax.BinaryCmd)
		if !ok || b.Op != syntax.Pipe {
			return true
		}
		name, args := command(b.Y.Cmd)
		if name != "xargs" {
			return true
		}
		var destroys, whole bool
		for _, w := range args {
			text, _ := literal(w)
			destroys = destroys || slices.Contains(destroyers, text)
			whole = whole || text == "-0" || text == "--null" || strings.HasPrefix(text, "-d") ||
				strings.HasPrefix(text, "--delimiter") ||
				strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "--") && strings.Contains(text, "0") &&
					!strings.ContainsAny(text, "nPLsI")
		}
		pipeline(b.X, func(s *syntax.Stmt) {
			from, _ := command(s.Cmd)
			if destroys && !whole && (from == "find" || from == "ls") {
				what, found = from+" | xargs", true
			}
		})
		return !found
	})
	return what, found
}

// leftRunning finds a process that the line does not wait for.
func leftRunning(f *syntax.File) (what string, found bool) {
	waits := false
	each(f, func(s *syntax.Stmt) bool {
		name, _ := command(s.Cmd)
		waits = waits || name == "wait"
		return true
	})
	each(f, func(s *syntax.Stmt) bool {
		if s.Background && !waits {
			what, found = source(s), true
		}
		if c, ok := s.Cmd.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			if name, ok := literal(c.Args[0]); ok && slices.Contains(detachers, base(name)) {
				what, found = source(s), true
			}
		}
		return !found
	})
	return what, found
}
