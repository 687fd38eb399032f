package facts

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// reader walks a parsed line in the order in which bash runs it, and notes the
// commands. It over-approximates: both branches of if run, every case matches.
type reader struct {
	env   env
	line  line
	lines int // lines read inside this one, against maxNested
	bytes int // their bytes
}

// scope is where a command stands. It is passed by value: what a subshell does
// to it ends with the subshell.
type scope struct {
	vars  *vars
	dirs  []string // folders it may run in; empty is unknown
	via   []string
	input word   // what it reads, if the line says
	moves bool   // the line changes folders, so that a loop may at any time
	posix bool   // read by a shell that may not be bash
	own   []word // words of the wrappers around it
}

// ends is the folders after a statement that succeeded, and after one that
// failed.
type ends struct{ ok, bad []string }

func same(dirs []string) ends { return ends{dirs, dirs} }

// any is the folders after it, however it went.
func (e ends) any() []string { return union(e.ok, e.bad) }

// maxDirs is how many folders are kept apart before all are unknown.
const maxDirs = 8

func union(a, b []string) []string {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	out := slices.Concat(a, b)
	slices.Sort(out)
	out = slices.Compact(out)
	if len(out) > maxDirs {
		return nil
	}
	return out
}

// unsure notes that the line may run more than is listed.
func (r *reader) unsure(why string) {
	if r.line.rest == "" {
		r.line.rest = why
	}
}

// script reads a line, the whole one or one inside it, in the same shell.
func (r *reader) script(text string, at scope) (ends, error) {
	r.lines++
	r.bytes += len(text)
	if r.lines > maxNested || r.bytes > maxNestedLen {
		return ends{}, errors.New("it holds too many lines inside lines")
	}
	f, err := parse(text)
	if err != nil {
		return ends{}, err
	}
	v := *at.vars
	v.assigned = map[string]bool{}
	for name, number := range at.vars.assigned {
		v.assigned[name] = number
	}
	v.scan(f)
	at.vars = &v
	if riskyNames(&v) {
		r.unsure("what the variables it sets make other commands do")
	}
	at.moves = at.moves || v.all || mentionsMove(f)
	dirs, err := r.stmts(f.Stmts, at)
	return dirs, err
}

// mentionsMove reports whether a line has a command that changes folders.
func mentionsMove(f *syntax.File) bool {
	found := false
	syntax.Walk(f, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			switch name := flatten(call.Args[0]); {
			case name == nil, *name == "cd", *name == "pushd", *name == "popd", *name == "":
				found = true
			}
		}
		return !found
	})
	return found
}

func (r *reader) stmts(list []*syntax.Stmt, at scope) (ends, error) {
	end := same(at.dirs)
	for _, s := range list {
		at.dirs = end.any()
		var err error
		if end, err = r.stmt(s, at); err != nil {
			return ends{}, err
		}
	}
	return end, nil
}

func (r *reader) stmt(s *syntax.Stmt, at scope) (ends, error) {
	redirs, err := r.redirects(s, &at)
	if err != nil {
		return ends{}, err
	}
	before := at.dirs
	end, err := r.command(s.Cmd, redirs, at)
	if s.Negated {
		end.ok, end.bad = end.bad, end.ok
	}
	if s.Background || s.Coprocess {
		end = same(before)
	}
	return end, err
}

// command reads one command of any sort. Redirections of a compound command are
// noted as a command without a name.
func (r *reader) command(cmd syntax.Command, redirs []redirect, at scope) (ends, error) {
	if call, ok := cmd.(*syntax.CallExpr); ok {
		return r.call(call, redirs, at)
	}
	if decl, ok := cmd.(*syntax.DeclClause); ok {
		return same(at.dirs), r.declare(decl, redirs, at)
	}
	if len(redirs) > 0 {
		if err := r.note(command{name: known(""), redirects: redirs}, at); err != nil {
			return ends{}, err
		}
	}
	switch cmd := cmd.(type) {
	case nil:
		return same(at.dirs), nil
	case *syntax.BinaryCmd:
		return r.binary(cmd, at)
	case *syntax.Block:
		return r.stmts(cmd.Stmts, at)
	case *syntax.Subshell:
		_, err := r.stmts(cmd.Stmts, at)
		return same(at.dirs), err
	case *syntax.IfClause:
		return r.ifClause(cmd, at)
	case *syntax.WhileClause:
		return r.loop(at, cmd.Cond, cmd.Do)
	case *syntax.ForClause:
		if err := r.look(cmd.Loop, at); err != nil {
			return ends{}, err
		}
		return r.loop(at, cmd.Do)
	case *syntax.CaseClause:
		return r.caseClause(cmd, at)
	case *syntax.TimeClause:
		return r.timed(cmd, at)
	case *syntax.CoprocClause:
		_, err := r.stmt(cmd.Stmt, at)
		return same(at.dirs), err
	case *syntax.TestClause, *syntax.ArithmCmd, *syntax.LetClause:
		return same(at.dirs), r.look(cmd, at)
	case *syntax.FuncDecl:
		return ends{}, errors.New("it defines a function, after which a name may mean anything; write the commands out")
	}
	return ends{}, fmt.Errorf("%T is not supported", cmd)
}

func (r *reader) timed(cmd *syntax.TimeClause, at scope) (ends, error) {
	if cmd.Stmt == nil {
		return same(at.dirs), nil
	}
	return r.stmt(cmd.Stmt, at.through("time"))
}

// through returns the scope of what a wrapper runs.
func (at scope) through(wrapper string) scope {
	at.via = append(at.via[:len(at.via):len(at.via)], wrapper)
	return at
}

func (r *reader) binary(cmd *syntax.BinaryCmd, at scope) (ends, error) {
	// A chain leans to the left: it is taken apart here, so that a long one
	// does not become deep recursion.
	chain := []*syntax.BinaryCmd{cmd}
	for {
		x := chain[len(chain)-1].X
		next, ok := x.Cmd.(*syntax.BinaryCmd)
		if !ok || len(x.Redirs) > 0 || x.Negated || x.Background {
			break
		}
		chain = append(chain, next)
	}
	slices.Reverse(chain)
	end, err := r.stmt(chain[0].X, at)
	for _, c := range chain {
		if err != nil {
			return ends{}, err
		}
		right := at
		switch c.Op {
		case syntax.AndStmt:
			right.dirs = end.ok
		case syntax.OrStmt:
			right.dirs = end.bad
		default: // each part of a pipeline is a shell of its own
			_, err = r.stmt(c.Y, at)
			end = same(at.dirs)
			continue
		}
		var y ends
		y, err = r.stmt(c.Y, right)
		if c.Op == syntax.AndStmt {
			end = ends{ok: y.ok, bad: union(end.bad, y.bad)}
		} else {
			end = ends{ok: union(end.ok, y.ok), bad: y.bad}
		}
	}
	return end, err
}

func (r *reader) ifClause(cmd *syntax.IfClause, at scope) (ends, error) {
	after := []string(nil)
	first := true
	merge := func(e ends) {
		if first {
			after, first = e.any(), false
		} else {
			after = union(after, e.any())
		}
	}
	for c := cmd; c != nil; c = c.Else {
		cond, err := r.stmts(c.Cond, at)
		if err != nil {
			return ends{}, err
		}
		then := at
		if then.dirs = cond.ok; len(c.Cond) == 0 { // else
			then.dirs = at.dirs
		}
		end, err := r.stmts(c.Then, then)
		if err != nil {
			return ends{}, err
		}
		merge(end)
		at.dirs = cond.bad
		if c.Else == nil && len(c.Cond) > 0 {
			merge(cond)
		}
	}
	return same(after), nil
}

// loop reads the bodies of a loop. If the line changes folders at all, then
// nobody can tell where the second turn of a loop stands.
func (r *reader) loop(at scope, bodies ...[]*syntax.Stmt) (ends, error) {
	if at.moves {
		at.dirs = nil
	}
	for _, body := range bodies {
		if _, err := r.stmts(body, at); err != nil {
			return ends{}, err
		}
	}
	return same(at.dirs), nil
}

func (r *reader) caseClause(cmd *syntax.CaseClause, at scope) (ends, error) {
	if err := r.look(cmd.Word, at); err != nil {
		return ends{}, err
	}
	after := at.dirs
	for _, item := range cmd.Items {
		for _, p := range item.Patterns {
			if err := r.look(p, at); err != nil {
				return ends{}, err
			}
		}
		arm := at
		arm.dirs = after // ;& falls through from the arm before
		end, err := r.stmts(item.Stmts, arm)
		if err != nil {
			return ends{}, err
		}
		after = union(after, end.any())
	}
	return same(after), nil
}

// redirects reads a statement's redirections, and notes in at what the
// statement's command will read.
func (r *reader) redirects(s *syntax.Stmt, at *scope) ([]redirect, error) {
	var out []redirect
	for _, rd := range s.Redirs {
		body := rd.Word
		if l := litText(body); (rd.Op == syntax.DplIn || rd.Op == syntax.DplOut) && l != "-" && strings.HasPrefix(l, "-") {
			return nil, errors.New("bash takes what follows >&- for a word of its own; write a space behind it")
		}
		switch rd.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			body = rd.Hdoc
		case syntax.WordHdoc:
		default:
			if rd.N == nil || rd.N.Value == "0" {
				at.input = word{}
			}
		}
		if body == nil {
			continue
		}
		if err := r.look(body, *at); err != nil {
			return nil, err
		}
		target, err := r.target(rd, body, *at)
		if err != nil {
			return nil, err
		}
		if rd.Op == syntax.Hdoc || rd.Op == syntax.DashHdoc || rd.Op == syntax.WordHdoc {
			if rd.N == nil || rd.N.Value == "0" {
				at.input = target
			}
		}
		if duplicates(rd.Op, target) {
			continue
		}
		if out = append(out, redirect{rd.Op.String(), target}); len(out) > maxRedirects {
			return nil, fmt.Errorf("a command has more than %d redirections", maxRedirects)
		}
	}
	return out, nil
}

// target resolves what a redirection names: one word, or the body of a
// here-document, in which only $ ` and \ mean anything.
func (r *reader) target(rd *syntax.Redirect, body *syntax.Word, at scope) (word, error) {
	res := r.resolver(at)
	switch rd.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		if quotedDelimiter(rd.Word) {
			return known(litText(body)), nil
		}
		return res.word(&syntax.Word{Parts: []syntax.WordPart{&syntax.DblQuoted{Parts: hereParts(body)}}}), nil
	case syntax.WordHdoc:
		return res.word(body), nil
	}
	all, err := braces(body)
	if err != nil {
		return word{}, err
	}
	if len(all) > 1 {
		return unknownWord("where an ambiguous redirection leads", false), nil
	}
	return res.word(all[0]), nil
}

// hereParts are the parts of a here-document's body. Unlike in double quotes, a
// backslash before " stays.
func hereParts(body *syntax.Word) []syntax.WordPart {
	out := slices.Clone(body.Parts)
	for i, p := range out {
		if l, ok := p.(*syntax.Lit); ok {
			c := *l
			c.Value = keepQuoteEscape(l.Value)
			out[i] = &c
		}
	}
	return out
}

func keepQuoteEscape(s string) string {
	var b []byte
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			if s[i+1] == '"' {
				b = append(b, '\\')
			} else {
				b = append(b, s[i])
				i++
			}
		}
		b = append(b, s[i])
	}
	return string(b)
}

func quotedDelimiter(w *syntax.Word) bool {
	for _, p := range w.Parts {
		if l, ok := p.(*syntax.Lit); !ok || slices.Contains([]byte(l.Value), '\\') {
			return true
		}
	}
	return false
}

// duplicates reports whether a redirection only joins or closes descriptors.
func duplicates(op syntax.RedirOperator, target word) bool {
	if op != syntax.DplIn && op != syntax.DplOut || !target.known || target.pattern {
		return false
	}
	for i, c := range target.text {
		if (c < '0' || c > '9') && (c != '-' || i != len(target.text)-1) {
			return false
		}
	}
	return target.text != ""
}

func (r *reader) resolver(at scope) *resolver {
	return &resolver{env: r.env, vars: at.vars, dirs: at.dirs, posix: at.posix}
}
