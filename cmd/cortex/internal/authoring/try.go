package authoring

import (
	"bufio"
	"context"
	"errors"
	"strings"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/reason/author"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules"
)

// Trial evaluates forms on an action, by the rules of a book.
type Trial struct {
	Console *console.Console
	Book    *rules.Rulebook
	Request func(book *rules.Rulebook, text string) (reason.Request, error) // reads an action or a whole request

	on      *skills.Case
	decided *reason.Decision // on the action; nil while there is none
	bad     bool
}

// Run reads a form or an action a line, until the input ends; from a person at a terminal,
// until they leave. It reports whether all of them could be computed. A first action may
// be "".
func (t *Trial) Run(ctx context.Context, first string) (ok bool, err error) {
	t.on = skills.NewCase(nil, nil, new(skills.Facts))
	if first != "" {
		if err := t.take(ctx, first); err != nil {
			return false, err
		}
	}
	if console.IsTerminal(t.Console.In) && console.IsTerminal(t.Console.Out) && !t.Console.JSON {
		return true, t.converse(ctx)
	}
	in := bufio.NewScanner(t.Console.In)
	in.Buffer(nil, 1<<20)
	for ctx.Err() == nil && in.Scan() {
		if line := strings.TrimSpace(in.Text()); line != "" {
			if err := t.line(ctx, line); err != nil {
				t.bad = true
				t.Console.Warnf("%v\n", err)
			}
		}
	}
	return !t.bad, in.Err()
}

// line takes an action, or computes a form.
func (t *Trial) line(ctx context.Context, text string) error {
	v, err := sexpr.Reader{Code: true}.Read("form", text)
	if err == nil && v.IsPlist() || strings.HasPrefix(text, "{") {
		return t.take(ctx, text)
	}
	if err != nil {
		return err
	}
	s, _, err := author.Compute(ctx, t.Book, v, t.on)
	if err != nil {
		return err
	}
	t.Console.Printf("%s\n", s)
	return nil
}

// take makes an action the one that forms are evaluated on, and says how it is decided.
func (t *Trial) take(ctx context.Context, text string) error {
	req, err := t.Request(t.Book, text)
	if err != nil {
		return err
	}
	d := reason.Decide(ctx, req)
	if d.Action == nil {
		return errors.New(d.Reasons[0].Text)
	}
	tool, _ := t.Book.Tool(d.Action.Tool())
	t.on = skills.NewCase(d.Action, tool, req.Facts)
	t.Console.Printf("%s %s\n", d.Kind, d.Key)
	t.decided = d
	return nil
}
