package talk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/lines"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/prompt"
	"github.com/opencortex-go/cortex/gateways/card"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/sexpr"
)

// Converse is the conversation on a terminal.
func (l *Link) Converse() error {
	ed, err := prompt.Open(prompt.Options{Console: l.p, History: "repl-history", Complete: l.complete})
	if err != nil {
		return err
	}
	defer ed.Close()
	l.pressed = make(chan os.Signal, 2)
	if l.dumb = ed.Dumb; !l.dumb {
		signal.Notify(l.pressed, os.Interrupt) // while a line is typed Ctrl-C is a key like any other
		defer signal.Stop(l.pressed)
	}
	h := l.plain.Handshake()
	l.p.Printf("%s", greeting(card.Plain(h.Version)))
	return l.loop(ed)
}

// greeting is what a conversation begins with. The version has a line to itself: one that the toolchain makes of
// a commit is half a terminal wide.
func greeting(version string) string {
	return "cortex " + version + "\n(help) lists the forms, Tab completes, Ctrl-D leaves\n"
}

// loop reads and evaluates until the person leaves.
func (l *Link) loop(ed *prompt.Terminal) error {
	for {
		state := l.look()
		l.notices()
		l.outcomes()
		text, err := ed.Read(promptFor(state))
		switch {
		case errors.Is(err, prompt.ErrCleared):
			continue
		case errors.Is(err, io.EOF):
			return l.p.Unsaid
		case err != nil:
			return err
		}
		if leaves := l.typed(text); leaves || l.p.Unsaid != nil {
			return l.p.Unsaid
		}
	}
}

// promptFor says how the daemon stands, in words.
func promptFor(s state) string {
	if s == "" {
		return "cortex> "
	}
	return "cortex " + string(s) + "> "
}

// typed evaluates what was typed, up to the first error, and reports whether it
// was a word to leave.
func (l *Link) typed(text string) (leaves bool) {
	switch strings.TrimSpace(text) {
	case "quit", "exit", "(quit)", "(exit)":
		return true
	case "help", "?":
		text = "(help)"
	}
	if prompt.Words(text) {
		l.failed(sexpr.Pos{Line: 1, Col: 1}, errors.New("this is text and not a form"))
		l.hint(text)
		return false
	}
	if l.dumb {
		signal.Notify(l.pressed, os.Interrupt)
		defer signal.Stop(l.pressed)
	}
	defer l.unpress()
	c := lines.Chunk{Text: text, First: 1}
	forms, err := c.Read()
	if err != nil {
		l.failed(place(c, err, sexpr.Pos{Line: 1, Col: 1}))
		return false
	}
	l.look() // it may have restarted while this was typed
	for _, f := range forms {
		r, err := l.watched(f)
		if err != nil {
			l.failed(place(c, err, f.Pos()))
			if f.Kind() == sexpr.Symbol {
				l.hint(text)
			}
			return false
		}
		l.show(r)
		if err := l.follow(l.ctx, f, r, func(_ context.Context, form sexpr.Value) (repl.Result, error) {
			return l.watched(form)
		}); err != nil {
			l.failed(place(c, err, f.Pos()))
			return false
		}
	}
	return false
}

// hint says how to say to the model what is not a form.
func (l *Link) hint(text string) {
	l.p.Printf("to say it to the model: (say %s)\n", sexpr.Str(strings.TrimSpace(text)))
}

// unpress forgets a Ctrl-C that came when all was over.
func (l *Link) unpress() {
	for {
		select {
		case <-l.pressed:
		default:
			return
		}
	}
}

// watched evaluates a form that Ctrl-C interrupts. A second one waits no longer.
func (l *Link) watched(form sexpr.Value) (repl.Result, error) {
	ctx, cancel := context.WithCancelCause(l.ctx)
	defer cancel(nil)
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		l.stopAsTold(over, cancel)
	}()
	r, err := l.eval(ctx, form)
	close(over)
	<-done
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return r, err
}

// stopAsTold interrupts what is evaluated when Ctrl-C is pressed, until it is over.
// The key may come before there is anything to stop: then it is tried again.
func (l *Link) stopAsTold(over <-chan struct{}, cancel context.CancelCauseFunc) {
	var again <-chan time.Time
	for pressed := false; ; {
		select {
		case <-over:
			return
		case <-l.pressed:
			if pressed {
				cancel(errors.New("no longer waited for; the daemon may still be at it"))
				return
			}
			pressed = true
		case <-again:
		}
		stopped, err := l.interrupt()
		if err != nil {
			cancel(fmt.Errorf("it could not be interrupted: %w", err))
			return
		}
		if again = nil; stopped == 0 {
			again = time.After(50 * time.Millisecond)
		}
	}
}

// show prints a result for people.
func (l *Link) show(r repl.Result) {
	if r.Out != "" {
		l.p.Printf("%s\n", card.Plain(strings.TrimSuffix(r.Out, "\n")))
	}
	if !r.Quiet {
		l.p.Printf("%s\n", card.Plain(pretty(r.Value, width(l.p.Out))))
	}
}

// width is how many columns a result may take.
func width(out io.Writer) int {
	if f, ok := out.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return min(n, 80)
		}
	}
	return 80
}
