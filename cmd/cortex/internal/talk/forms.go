package talk

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/lines"
	"github.com/opencortex-go/cortex/gateways/card"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
)

// Forms evaluates the forms of the command line, one after the other. It
// reports whether one had no result; an error means that no more can be done.
func (l *Link) Forms(texts []string) (bad bool, err error) {
	for _, text := range texts {
		ok, err := l.chunk(lines.Chunk{Text: text, First: 1})
		if err != nil {
			return bad, err
		}
		bad = bad || !ok
	}
	return bad, nil
}

// Stream evaluates what comes on standard input. A form may stand on several
// lines; a line may hold several forms. What cannot be read is left out up to the
// end of its line, and reading goes on.
func (l *Link) Stream() (bad bool, err error) {
	in := lines.NewChunks(l.p.In)
	for {
		c, err := in.Next()
		switch {
		case errors.Is(err, io.EOF):
			return bad, nil
		case errors.Is(err, lines.ErrTooLong):
			l.failed(sexpr.Pos{Line: int32(in.Count()), Col: 1}, err)
			bad = true
			continue
		case err != nil:
			return bad, err
		}
		ok, err := l.chunk(c)
		if err != nil {
			return bad, err
		}
		bad = bad || !ok
	}
}

// Decided reports whether an action was denied, and whether one waits for approval.
func (l *Link) Decided() (denied, asked bool) { return l.denied, l.asked }

// note takes down what was decided: what (decide ...) gives, or what came of a
// message in the end.
func (l *Link) note(v sexpr.Value) {
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
func (l *Link) chunk(c lines.Chunk) (ok bool, err error) {
	forms, err := c.Read()
	if err != nil {
		l.failed(place(c, err, sexpr.Pos{Line: 1, Col: 1}))
		return false, nil
	}
	ok = true
	for _, f := range forms {
		r, err := l.eval(l.ctx, f)
		switch {
		case errors.Is(err, ErrAway):
			return false, err
		case err != nil:
			l.failed(place(c, err, f.Pos()))
			ok = false
			continue
		}
		l.note(r.Value)
		if err := l.result(r); err != nil {
			return false, err
		}
		if console.IsTerminal(l.p.Out) && !l.p.JSON {
			if err := l.follow(l.ctx, f, r, l.eval); err != nil {
				l.failed(place(c, err, f.Pos()))
				ok = false
			}
		}
	}
	return ok, l.p.Unsaid
}

// result prints what a form came to: its value on one line; on a terminal, and
// where there is no value, what is meant for people.
func (l *Link) result(r repl.Result) error {
	if l.p.JSON {
		return l.p.Print(ResultJSON(r))
	}
	if console.IsTerminal(l.p.Out) {
		l.show(r)
		return nil
	}
	if r.Quiet && r.Value.IsNil() {
		l.p.Printf("%s\n", strings.TrimSuffix(r.Out, "\n"))
		return nil
	}
	text, err := sexpr.Print(r.Value)
	l.p.Raw(text + "\n") // for programs, as it is
	return err
}

// ResultJSON is a result for programs. Names that JSON has no word for are
// strings there; a value that it cannot say at all stands under "form" as text.
func ResultJSON(r repl.Result) map[string]any {
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
func (l *Link) failed(at sexpr.Pos, err error) {
	code := repl.CodeFailed
	var of *repl.Error
	if errors.As(err, &of) {
		code, err = of.Code, of.Err
	}
	if l.p.JSON {
		l.p.Unsaid = errors.Join(l.p.Unsaid, l.p.Print(map[string]any{
			"error": map[string]any{"code": code, "line": at.Line, "column": at.Col, "text": err.Error()},
		}))
		return
	}
	text := err.Error()
	if console.IsTerminal(l.p.Out) {
		text = card.Plain(text)
	} else {
		text = strings.ReplaceAll(text, "\n", " ") // one line a form
	}
	l.p.Printf("%s %s: %s\n", console.Paint(l.p.Out, console.Red, "error"), at, text)
}

// ErrAway is the cause of every error that means that no daemon answers.
var ErrAway = errors.New("the daemon does not answer")

func away(err error) error { return fmt.Errorf("%w: %w", ErrAway, err) }
