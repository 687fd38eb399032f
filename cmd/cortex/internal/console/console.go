// Package console is where a command reads and writes: text for people, which drives
// no terminal whatever it holds, and lines for programs.
package console

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/opencortex-go/cortex/gateways/card"
)

// Console is standard input, output and error, and in which form results are wanted.
type Console struct {
	In     io.Reader
	Out    io.Writer
	Err    io.Writer
	JSON   bool  // results are for programs
	Unsaid error // what kept Printf or Warnf from writing; the exit code tells
}

// IsTerminal reports whether a reader or a writer is a terminal.
func IsTerminal(x any) bool {
	f, ok := x.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Printf writes for people, to standard output. What is printed drives no terminal,
// no matter who wrote it: see [card.Plain].
func (c *Console) Printf(format string, args ...any) {
	_, err := fmt.Fprintf(c.Out, format, shownAll(args)...)
	c.Unsaid = errors.Join(c.Unsaid, err)
}

// Warnf writes to standard error, likewise.
func (c *Console) Warnf(format string, args ...any) {
	_, err := fmt.Fprintf(c.Err, format, shownAll(args)...)
	c.Unsaid = errors.Join(c.Unsaid, err)
}

// Raw writes for programs, to standard output, as it is.
func (c *Console) Raw(text string) {
	_, err := io.WriteString(c.Out, text)
	c.Unsaid = errors.Join(c.Unsaid, err)
}

// forPeople is something that is printed as a person may see it.
type forPeople struct{ what any }

// Format prints it as any verb would, and then as [card.Plain].
func (s forPeople) Format(f fmt.State, verb rune) {
	_, _ = io.WriteString(f, card.Plain(fmt.Sprintf(fmt.FormatString(f, verb), s.what)))
}

func shownAll(args []any) []any {
	out := make([]any, len(args))
	for i, a := range args {
		switch a.(type) {
		case Painted, int, uint64, float64, bool:
			out[i] = a
		default:
			out[i] = forPeople{a}
		}
	}
	return out
}

// Painted is text with a colour of ours.
type Painted string

// Print writes v as one line of JSON.
func (c *Console) Print(v any) error {
	e := json.NewEncoder(c.Out)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// wantsColour reports whether w is a terminal whose user has not asked for plain
// text.
func wantsColour(w io.Writer) bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && IsTerminal(w)
}

// Paint marks text that goes to w, if w is a terminal. The text says everything
// without it.
func Paint(w io.Writer, colour, text string) Painted {
	text = card.Plain(text)
	if !wantsColour(w) {
		return Painted(text)
	}
	return Painted("\x1b[" + colour + "m" + text + "\x1b[0m")
}

// Colours of [Paint].
const (
	Red   = "31"
	Green = "32"
)
