package main

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// each visits the statements in and below a node until f returns false.
func each(n syntax.Node, f func(*syntax.Stmt) bool) {
	more := true
	syntax.Walk(n, func(n syntax.Node) bool {
		if s, ok := n.(*syntax.Stmt); ok && more {
			more = f(s)
		}
		return more
	})
}

// lists visits the lists of statements that follow each other.
func lists(n syntax.Node, f func([]*syntax.Stmt)) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.File:
			f(n.Stmts)
		case *syntax.Block:
			f(n.Stmts)
		case *syntax.Subshell:
			f(n.Stmts)
		case *syntax.CmdSubst:
			f(n.Stmts)
		case *syntax.IfClause:
			f(n.Then)
		case *syntax.WhileClause:
			f(n.Do)
		case *syntax.ForClause:
			f(n.Do)
		}
		return true
	})
}

// pipeline visits the statements of a pipeline, or the one that is none.
func pipeline(s *syntax.Stmt, f func(*syntax.Stmt)) {
	f(s)
	if b, ok := s.Cmd.(*syntax.BinaryCmd); ok && (b.Op == syntax.Pipe || b.Op == syntax.PipeAll) {
		pipeline(b.X, f)
		pipeline(b.Y, f)
	}
}

// command is the name of a simple command and what it is given, past wrappers
// such as sudo. It is "" for what is none, or is not known before it runs.
func command(c syntax.Command) (name string, args []*syntax.Word) {
	call, ok := c.(*syntax.CallExpr)
	if !ok {
		return "", nil
	}
	args = call.Args
	wrapped := false
	for len(args) > 0 {
		text, ok := literal(args[0])
		if !ok {
			return "", nil
		}
		args = args[1:]
		switch {
		case wrapped && (strings.HasPrefix(text, "-") || strings.Contains(text, "=") || number(text)):
		case slices.Contains(wrappers, base(text)):
			wrapped = true
		default:
			return base(text), args
		}
	}
	return "", nil
}

// number reports an operand of nice or timeout: 5, 2.5s.
func number(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// literal is a word's text, if that does not depend on anything.
func literal(w *syntax.Word) (string, bool) {
	if w == nil {
		return "", false
	}
	var b strings.Builder
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(p.Value, `\`, ""))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				l, ok := q.(*syntax.Lit)
				if !ok {
					return "", false
				}
				b.WriteString(l.Value)
			}
		default:
			return "", false
		}
	}
	return b.String(), true
}

// source is the text of a node, for people.
func source(n syntax.Node) string {
	var b strings.Builder
	if err := syntax.NewPrinter(syntax.SingleLine(true)).Print(&b, n); err != nil {
		return ""
	}
	return b.String()
}
