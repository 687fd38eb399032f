// Package prompt asks a person at a terminal for forms, on as many lines as they take.
//
// The terminal belongs to it from [Open] to [Terminal.Close]: there are history,
// completion and line editing, and whatever ends the program, the terminal is left as it
// was found. One that can do nothing gives lines as they come.
package prompt

import (
	"errors"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/lines"
)

// Options say how a person is asked.
type Options struct {
	Console *console.Console // whose input is a terminal
	History string           // the file of what was typed before, in the user's state
	// Complete returns what a word may be the beginning of, behind the text before it.
	Complete func(before, word string) []string
}

// ErrCleared says that a line was given up with Ctrl-C.
var ErrCleared = errors.New("the line was cleared")

// editor reads what a person types: whole forms. It returns ErrCleared when the line was
// given up, and io.EOF when the person leaves.
type editor interface {
	read(prompt string) (string, error)
}

// Terminal is a person's terminal while they are asked.
type Terminal struct {
	// Dumb says that it can neither move its cursor nor take back what it shows. Ctrl-C
	// ends the program there.
	Dumb  bool
	ed    editor
	close []func()
}

// Open takes the terminal.
func Open(opt Options) (*Terminal, error) {
	in := opt.Console.In.(*os.File)
	before, err := term.GetState(int(in.Fd()))
	if err != nil {
		return nil, err
	}
	restore := func() { _ = term.Restore(int(in.Fd()), before) } // the terminal is closing
	t := &Terminal{Dumb: os.Getenv("TERM") == "" || os.Getenv("TERM") == "dumb"}
	t.close = []func(){onEnd(restore), restore}
	if t.Dumb {
		t.ed = &plainEditor{p: opt.Console, in: lines.NewChunks(in)}
	} else if t.ed, err = editing(opt); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// Read asks for forms. It returns [ErrCleared] when the line was given up, and io.EOF
// when the person leaves.
func (t *Terminal) Read(prompt string) (string, error) { return t.ed.read(prompt) }

// Close gives the terminal back as it was found.
func (t *Terminal) Close() {
	for _, f := range t.close {
		f()
	}
}

// onEnd has f called when the process is told to end, which it then does. The
// terminal would stay raw otherwise.
func onEnd(f func()) (stop func()) {
	told := make(chan os.Signal, 1)
	over := make(chan struct{})
	signal.Notify(told, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		select {
		case <-told:
			f()
			os.Exit(1)
		case <-over:
		}
	}()
	return func() { signal.Stop(told); close(over) }
}

// Words reports whether a line is plain text and no form: it begins with a letter
// and goes on behind the first word.
func Words(line string) bool {
	line = strings.TrimSpace(line)
	r, _ := utf8.DecodeRuneInString(line)
	word, rest, _ := strings.Cut(line, " ")
	return unicode.IsLetter(r) && strings.TrimSpace(rest) != "" && !strings.ContainsAny(word, "()\"|;\n")
}
