package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/lines"
	"github.com/opencortex-go/cortex/gateways/card"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/gateways/repl/socket"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
)

// replCmd talks to a daemon: forms from the command line, from standard input, or
// typed. Its exit code says whether every form had a result (0, or 1 if one had
// none); with --exit-code, then, also what was decided. 4 means that no daemon
// answers.
type replCmd struct {
	Socket   string `name:"socket" placeholder:"PATH" help:"The daemon's socket; by default $$CORTEX_SOCKET, else cortex/cortex.sock in your runtime folder."`
	ExitCode bool   `name:"exit-code" help:"Have the exit code say what was decided: 2 if an action was denied, 3 if one waits for approval."`
	Session  string `name:"session" default:"main" placeholder:"NAME" help:"The conversation to speak in."`
	secretFlag
	Forms []string `arg:"" optional:"" name:"form" help:"Forms to evaluate, such as '(+ 1 2)' or '(status)'; without any they are read from standard input."`
}

// Run evaluates what it is given. On a terminal it is a conversation.
func (c *replCmd) Run(p *program) error {
	if c.Socket == "" {
		c.Socket = socket.Default()
	}
	l := &link{p: p, socket: c.Socket, session: c.Session, secret: c.secretFlag, decided: map[string]string{},
		tells: c.ExitCode}
	if err := l.connect(); err != nil {
		return err
	}
	defer l.close()
	switch {
	case len(c.Forms) > 0:
		return l.arguments(c.Forms)
	case isTerminal(p.in) && isTerminal(p.out) && !p.json:
		return l.converse()
	}
	return l.stream()
}

func isTerminal(x any) bool {
	f, ok := x.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// arguments evaluates the forms of the command line, one after the other.
func (l *link) arguments(texts []string) error {
	bad := false
	for _, text := range texts {
		ok, err := l.chunk(chunk{text: text, first: 1})
		if err != nil {
			return err
		}
		bad = bad || !ok
	}
	return l.exit(bad)
}

// stream evaluates what comes on standard input. A form may stand on several
// lines; a line may hold several forms. What cannot be read is left out up to the
// end of its line, and reading goes on.
func (l *link) stream() error {
	in := &chunks{lines: lines.New(l.p.in)}
	bad := false
	for {
		c, err := in.next()
		switch {
		case errors.Is(err, io.EOF):
			return l.exit(bad)
		case errors.Is(err, lines.ErrTooLong):
			l.failed(sexpr.Pos{Line: int32(in.lines.Count()), Col: 1}, err)
			bad = true
			continue
		case err != nil:
			return err
		}
		ok, err := l.chunk(c)
		if err != nil {
			return err
		}
		bad = bad || !ok
	}
}

// exit is how the program ends: whether a form had no result, and, where that is
// asked for, what was decided.
func (l *link) exit(bad bool) error {
	switch {
	case bad:
		return quit(exitError)
	case l.tells && l.denied:
		return quit(exitDenied)
	case l.tells && l.asked:
		return quit(exitPending)
	}
	return nil
}

// note takes down what was decided: what (decide ...) gives, or what came of a
// message in the end.
func (l *link) note(v sexpr.Value) {
	if list, _ := v.Get("decisions"); list.Len() > 0 {
		v = list.Items()[list.Len()-1]
	}
	decision, _ := v.Get("decision")
	if v.GetTrue("would") {
		return // nothing was held
	}
	l.denied = l.denied || decision.IsKey(reason.Deny.String())
	l.asked = l.asked || decision.IsKey(reason.Ask.String())
}

// chunk evaluates the forms of one piece of input and prints a line for each. It
// reports whether all had a result; an error means that no more can be done.
func (l *link) chunk(c chunk) (ok bool, err error) {
	forms, err := c.read()
	if err != nil {
		l.failed(c.place(err, sexpr.Pos{Line: 1, Col: 1}))
		return false, nil
	}
	ok = true
	for _, f := range forms {
		r, err := l.eval(l.p.ctx, f)
		switch {
		case errors.Is(err, errAway):
			return false, errors.Join(err, &noDaemon{l.socket})
		case err != nil:
			l.failed(c.place(err, f.Pos()))
			ok = false
			continue
		}
		l.note(r.Value)
		if err := l.result(r); err != nil {
			return false, err
		}
		if isTerminal(l.p.out) && !l.p.json {
			if err := l.follow(l.p.ctx, f, r, l.eval); err != nil {
				l.failed(c.place(err, f.Pos()))
				ok = false
			}
		}
	}
	return ok, l.p.unsaid
}

// result prints what a form came to: its value on one line; on a terminal, and
// where there is no value, what is meant for people.
func (l *link) result(r repl.Result) error {
	if l.p.json {
		return l.p.print(resultJSON(r))
	}
	if isTerminal(l.p.out) {
		l.show(r)
		return nil
	}
	if r.Quiet && r.Value.IsNil() {
		l.p.printf("%s\n", strings.TrimSuffix(r.Out, "\n"))
		return nil
	}
	text, err := sexpr.Print(r.Value)
	l.p.raw(text + "\n") // for programs, as it is
	return err
}

// resultJSON is a result for programs. Names that JSON has no word for are
// strings there; a value that it cannot say at all stands under "form" as text.
func resultJSON(r repl.Result) map[string]any {
	out := map[string]any{}
	if r.Out != "" {
		out["text"] = r.Out
	}
	if raw, err := sexpr.ToJSON(named(r.Value)); err == nil {
		out["value"] = json.RawMessage(raw)
	} else {
		out["form"] = r.Value.String()
	}
	return out
}

// named is v with its keywords and symbols as strings, where they are values.
func named(v sexpr.Value) sexpr.Value {
	switch {
	case v.Kind() == sexpr.Keyword, v.Kind() == sexpr.Symbol && !v.IsSym("t") && !v.IsSym("false") && !v.IsSym("null") &&
		!v.IsObject():
		return sexpr.Str(v.Text())
	case v.Len() == 0:
		return v
	}
	items := slices.Clone(v.Items())
	for i := range items {
		if !v.IsPlist() || i%2 == 1 {
			items[i] = named(items[i])
		}
	}
	return sexpr.ListOf(items...)
}

// failed prints why a form has no result, on the line of the result.
func (l *link) failed(at sexpr.Pos, err error) {
	code := repl.CodeFailed
	var of *repl.Error
	if errors.As(err, &of) {
		code, err = of.Code, of.Err
	}
	if l.p.json {
		l.p.unsaid = errors.Join(l.p.unsaid, l.p.print(map[string]any{
			"error": map[string]any{"code": code, "line": at.Line, "column": at.Col, "text": err.Error()},
		}))
		return
	}
	text := err.Error()
	if isTerminal(l.p.out) {
		text = card.Plain(text)
	} else {
		text = strings.ReplaceAll(text, "\n", " ") // one line a form
	}
	l.p.printf("%s %s: %s\n", paint(l.p.out, red, "error"), at, text)
}

// errAway is the cause of every error that means that no daemon answers.
var errAway = errors.New("the daemon does not answer")

func away(err error) error { return fmt.Errorf("%w: %w", errAway, err) }
