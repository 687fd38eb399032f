package shell

import (
	"errors"
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// reader walks a plain line in the order in which a shell runs it, and notes the
// commands. It over-approximates: both branches of an if run.
type reader struct {
	env     Env
	line    Line
	lines   int    // lines read inside this one, against maxNested
	bytes   int    // their bytes
	exports bool   // commands may see what the line assigns elsewhere
	set     []Word // that, as NAME=value
	out     Word   // what the last command prints, if that is the paths of files
	words   int    // words that are still to come, about
	free    []Word // room for them
}

// unsure notes that the line may run more than is listed.
func (r *reader) unsure(why string) {
	if r.line.Rest == "" {
		r.line.Rest = why
	}
}

// script reads a line, the whole one or one inside it, in the same shell.
func (r *reader) script(text string, at scope) (ends, error) {
	r.lines++
	r.bytes += len(text)
	if r.lines > maxNested || r.bytes > maxNestedLen {
		return ends{}, errors.New("it holds too many lines inside lines")
	}
	f, p, err := parse(text)
	if err != nil {
		return ends{}, err
	}
	r.exports = r.exports || p.exports
	for _, name := range p.names {
		if _, inherited := r.env.Vars[name]; inherited {
			r.exports = true
		}
		if programVariable(name) {
			r.unsure("what " + name + " makes a program do")
		}
	}
	at.vars = at.vars.and(p.assigned)
	r.line.Commands = slices.Grow(r.line.Commands, min(p.commands, MaxCommands))
	r.words += min(p.words, maxWords)
	at.moves = at.moves || p.moves
	return r.stmts(f.Stmts, at)
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
	redirs, err := r.redirects(s, at)
	if err != nil {
		return ends{}, err
	}
	before := at.dirs
	end, err := r.command(s.Cmd, redirs, at)
	if s.Negated {
		end.ok, end.bad = end.bad, end.ok
	}
	if list, ok := s.Cmd.(*syntax.BinaryCmd); s.Background && ok && list.Op != syntax.Pipe && at.moves {
		return ends{}, err // zsh runs all but the last part of cd a && x & itself
	}
	if s.Background {
		end = same(before)
	}
	return end, err
}

// command reads one command of any sort. Redirections of a compound command are
// noted as a command without a name.
func (r *reader) command(cmd syntax.Command, redirs []Redirect, at scope) (ends, error) {
	switch cmd := cmd.(type) {
	case *syntax.CallExpr:
		return r.call(cmd, redirs, at)
	case *syntax.DeclClause:
		return same(at.dirs), r.declare(cmd, redirs, at)
	}
	if len(redirs) > 0 {
		if err := r.note(Command{Name: Known(""), Redirects: redirs}, at); err != nil {
			return ends{}, err
		}
	}
	switch cmd := cmd.(type) {
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
		loop, ok := cmd.Loop.(*syntax.WordIter)
		if !ok {
			break
		}
		return r.forIn(loop, cmd.Do, at)
	}
	return ends{}, errors.New("it has a command that is not on the list of the plain language")
}

func (r *reader) binary(c *syntax.BinaryCmd, at scope) (ends, error) {
	x, err := r.stmt(c.X, at)
	if err != nil {
		return ends{}, err
	}
	right := at
	switch c.Op {
	case syntax.AndStmt:
		right.dirs = x.ok
	case syntax.OrStmt:
		right.dirs = x.bad
	default:
		if right.unfed(); feeds(c.X) {
			right.change().feed = r.out
		}
	}
	y, err := r.stmt(c.Y, right)
	switch {
	case err != nil:
		return ends{}, err
	case c.Op == syntax.AndStmt:
		return ends{ok: y.ok, bad: union(x.bad, y.bad)}, nil
	case c.Op == syntax.OrStmt:
		return ends{ok: union(x.ok, y.ok), bad: y.bad}, nil
	}
	// Each part of a pipeline is a shell of its own, except that zsh runs the
	// last one itself.
	return same(union(at.dirs, y.any())), nil
}

func (r *reader) ifClause(c *syntax.IfClause, at scope) (ends, error) {
	var after []string
	for first := true; c != nil; c = c.Else {
		cond, err := r.stmts(c.Cond, at)
		if err != nil {
			return ends{}, err
		}
		then := at
		then.dirs = cond.ok
		end, err := r.stmts(c.Then, then)
		if err != nil {
			return ends{}, err
		}
		branch := end.any()
		if c.Else == nil && len(c.Cond) > 0 { // no branch was taken
			branch = union(branch, cond.bad)
		}
		if first {
			after, first = branch, false
		} else {
			after = union(after, branch)
		}
		at.dirs = cond.bad
	}
	return same(after), nil
}

// loop reads the bodies of a loop. If the line changes folders at all, then it
// cannot be told where the second turn of a loop stands.
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

// forIn reads a loop over words. In its body the variable stands for one of them,
// if nothing else on the line sets it.
func (r *reader) forIn(iter *syntax.WordIter, body []*syntax.Stmt, at scope) (ends, error) {
	l := loop{name: iter.Name.Value}
	for _, item := range iter.Items {
		w, err := r.word(item, &at)
		if err != nil {
			return ends{}, err
		}
		l.items = append(l.items, w)
		if w.Pattern || w.Many { // the shell itself looks for files
			at.change().Lists = append(at.Lists[:len(at.Lists):len(at.Lists)], Redirect{Target: w, dirs: at.dirs})
		}
	}
	if len(l.items) <= maxItems && !at.vars.unsettled(l.name) && told(l.items) {
		at.change().loops = append(at.loops[:len(at.loops):len(at.loops)], l)
	}
	before := len(r.line.Commands)
	end, err := r.loop(at, body)
	if err == nil && len(r.line.Commands) == before && len(at.Lists) > 0 { // it runs nothing, and looks all the same
		err = r.note(Command{Name: Known("")}, at)
	}
	return end, err
}

// maxItems is how many words of a loop are kept apart before its variable is
// unknown.
const maxItems = 64

// redirects reads a statement's redirections.
func (r *reader) redirects(s *syntax.Stmt, at scope) ([]Redirect, error) {
	if len(s.Redirs) > MaxRedirects {
		return nil, errors.New("a command has more than 16 redirections")
	}
	var out []Redirect
	for _, rd := range s.Redirs {
		switch rd.Op {
		case syntax.DplIn, syntax.DplOut:
			continue
		case syntax.Hdoc:
			text, err := r.here(rd, at)
			if err != nil {
				return nil, err
			}
			out = append(out, Redirect{rd.Op.String(), text, at.dirs})
		default:
			target, err := r.word(rd.Word, &at)
			if err != nil {
				return nil, err
			}
			out = append(out, Redirect{rd.Op.String(), target, at.dirs})
		}
	}
	return out, nil
}

// here reads the text of a here-document.
func (r *reader) here(rd *syntax.Redirect, at scope) (Word, error) {
	if _, ok := rd.Word.Parts[0].(*syntax.Lit); !ok {
		return Known(rd.Hdoc.Lit()), nil
	}
	return r.word(&syntax.Word{Parts: []syntax.WordPart{&syntax.DblQuoted{Parts: rd.Hdoc.Parts}}}, &at)
}
