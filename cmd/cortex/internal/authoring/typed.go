package authoring

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/lines"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/prompt"
	"github.com/opencortex-go/cortex/reason/author"
	"github.com/opencortex-go/cortex/sexpr"
)

// converse takes what a person types at a terminal, until they leave.
func (t *Trial) converse(ctx context.Context) error {
	ed, err := prompt.Open(prompt.Options{Console: t.Console, History: "try-history", Complete: t.complete})
	if err != nil {
		return err
	}
	defer ed.Close()
	if !ed.Dumb { // what is computed is bounded, so that Ctrl-C has nothing to stop between lines
		pressed := make(chan os.Signal, 1)
		signal.Notify(pressed, os.Interrupt)
		defer signal.Stop(pressed)
	}
	t.Console.Printf("help says what can be typed, Tab completes, Ctrl-D leaves\n")
	for ctx.Err() == nil && t.Console.Unsaid == nil {
		text, err := ed.Read(t.prompt())
		switch {
		case errors.Is(err, prompt.ErrCleared):
			continue
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		text = strings.TrimSpace(text)
		switch word, name, _ := strings.Cut(text, " "); {
		case word == "quit" || word == "exit":
			return nil
		case word == "help" || word == "?":
			t.help(strings.TrimSpace(name))
		default:
			if err := t.typed(ctx, text); err != nil {
				t.Console.Printf("error: %v\n", err)
			}
		}
	}
	return ctx.Err()
}

// prompt names the tool of the action that forms are computed on.
func (t *Trial) prompt() string {
	if t.decided == nil {
		return "try> "
	}
	return "try " + t.on.Action().Tool() + "> "
}

// typed takes the forms that a person typed, up to the first that is wrong.
func (t *Trial) typed(ctx context.Context, text string) error {
	switch {
	case strings.HasPrefix(text, "{"):
		return t.propose(ctx, text)
	case prompt.Words(text):
		return errors.New("this is text and not a form; help says what can be typed")
	}
	forms, err := lines.Chunk{Text: text, First: 1}.Read()
	for i := 0; err == nil && i < len(forms); i++ {
		if forms[i].IsPlist() {
			err = t.propose(ctx, forms[i].String())
		} else {
			err = t.compute(ctx, forms[i])
		}
	}
	return err
}

// propose takes an action and says how and why it is decided.
func (t *Trial) propose(ctx context.Context, text string) error {
	if err := t.take(ctx, text); err != nil {
		return err
	}
	d := t.decided
	if f := d.Found(); f.Reason != "" {
		t.Console.Printf("  %s\n", f.Reason)
	}
	if d.Proposed != nil && d.Action.Digest() != d.Proposed.Digest() {
		t.Console.Printf("  rewritten: %s\n", d.Action.Args())
	}
	return nil
}

// compute prints what a form comes to, of which kind that is, and the same of its parts.
func (t *Trial) compute(ctx context.Context, form sexpr.Value) error {
	value, kind, err := author.Compute(ctx, t.Book, form, t.on)
	parts := author.Parts(ctx, t.Book, form, t.on)
	if err != nil && len(parts) < 2 {
		return err
	}
	if err != nil {
		t.Console.Printf("error: %v\n", err)
	} else {
		t.Console.Printf("%s ; %s\n", value, kind)
	}
	for _, p := range parts {
		if p.Form != form.String() {
			t.Console.Printf("  %s = %s\n", p.Form, p.Value+remark(p.Kind))
		}
	}
	return nil
}

// remark is a comment behind a value.
func remark(kind string) string {
	if kind == "" {
		return ""
	}
	return " ; " + kind
}
