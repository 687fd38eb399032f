package prompt

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode"

	"github.com/reeflective/readline"
	"github.com/reeflective/readline/inputrc"
	"golang.org/x/term"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/lines"
)

// editing is the line editor for a terminal, with completion and history.
func editing(opt Options) (editor, error) {
	if err := keepKeys(int(os.Stdin.Fd())); err != nil {
		return nil, err
	}
	rl := readline.NewShell()
	for _, s := range []struct {
		name string
		on   bool
	}{
		// Without these three every letter outside ASCII is lost.
		{"convert-meta", false}, {"input-meta", true}, {"output-meta", true},
		{"enable-bracketed-paste", true}, // lines of a paste stay together
		// The answer of a terminal that is asked for its cursor swallows what is
		// typed at the same moment. What the editor does not know then: see room.
		{"cursor-position-probe", false},
		{"menu-complete-display-prefix", true}, // what names have in common first, and a list of them
		{"history-autosuggest", false}, {"autocomplete", false}, {"multiline-column", false},
	} {
		_ = rl.Config.Set(s.name, s.on) // it errs for no value that is given here
	}
	clearOnInterrupt(rl)
	e := &lineEditor{rl: rl}
	rl.Prompt.Primary(func() string {
		columns, rows, err := term.GetSize(int(os.Stdout.Fd()))
		if err != nil {
			columns, rows = 80, 24
		}
		return room(rowsOf(e.prompt+string(*rl.Line()), columns), rows) + e.prompt
	})
	rl.Prompt.Secondary(func() string { return "... " })
	rl.AcceptMultiline = func(line []rune) bool {
		text := string(line)
		return Words(text) || !(lines.Chunk{Text: text}).Open()
	}
	rl.Completer = func(line []rune, cursor int) readline.Completions {
		before, word := wordBefore(line, cursor)
		names := opt.Complete(before, word)
		if word == "" && len(names) > 0 { // the editor would take all back to a blank for the word
			word = before[len(before)-1:]
			for i := range names {
				names[i] = word + names[i]
			}
		}
		c := readline.CompleteValues(names...) // NoSpace would cut the last letter as soon as another is typed
		c.PREFIX = word
		return c
	}
	if err := remember(rl, opt.History); err != nil {
		opt.Console.Warnf("cortex: what is typed is not remembered: %v\n", err)
	}
	return e, nil
}

// clearOnInterrupt gives Ctrl-C a command of its own: the editor's ends the line
// only if nothing was typed behind the key yet, and takes what was.
func clearOnInterrupt(rl *readline.Shell) {
	const name, key = "clear-and-go-on", "\x03"
	rl.Keymap.Register(map[string]func(){name: func() {
		rl.Display.AcceptLine()
		rl.History.Accept(false, false, readline.ErrInterrupt)
	}})
	for _, keymap := range []string{"emacs", "vi-insert", "vi-command"} {
		if binds := rl.Config.Binds[keymap]; binds != nil {
			binds[key] = inputrc.Bind{Action: name}
		}
	}
}

// remember gives the editor the history of earlier sessions.
func remember(rl *readline.Shell, file string) error {
	path, err := historyPath(file)
	if err != nil {
		return err
	}
	h, err := openHistory(path)
	if err != nil {
		return err
	}
	rl.History.Delete()
	rl.History.Add("history", h)
	return nil
}

// room makes sure that so many rows are left below the prompt, and comes back up:
// on the last row of the screen, and without asking the terminal where it is, the
// editor would draw over what stands above. \v goes down one row and scrolls.
func room(need, rows int) string {
	need = min(need, rows-1)
	if need < 1 {
		return ""
	}
	return strings.Repeat("\v", need) + fmt.Sprintf("\x1b[%dA", need)
}

// rowsOf is how many rows a text takes at most.
func rowsOf(text string, columns int) (rows int) {
	for line := range strings.Lines(text + "\n") {
		width := 8 // of the prompt that later lines are indented by
		for _, r := range line {
			switch {
			case r == '\t':
				width += 8
			case r > unicode.MaxASCII:
				width += 2
			default:
				width++
			}
		}
		rows += 1 + width/max(1, columns)
	}
	return rows
}

// wordBefore is the name that is being typed, and what stands before it: the name
// goes back from the cursor to a blank, a parenthesis or a quotation mark.
func wordBefore(line []rune, cursor int) (before, word string) {
	text := string(line[:min(cursor, len(line))])
	i := strings.LastIndexAny(text, " \t\n()'\";") + 1
	return text[:i], text[i:]
}

// lineEditor edits lines on a real terminal.
type lineEditor struct {
	rl     *readline.Shell
	prompt string
}

func (e *lineEditor) read(prompt string) (string, error) {
	e.prompt = prompt
	e.rl.Line().Set() // the editor still has the last one, and would make room for it
	text, err := e.rl.Readline()
	if errors.Is(err, readline.ErrInterrupt) {
		return "", ErrCleared
	}
	return text, err
}

// plainEditor takes lines from a terminal that can neither move its cursor nor
// take back what it shows.
type plainEditor struct {
	p  *console.Console
	in lines.Chunks
}

func (e *plainEditor) read(prompt string) (string, error) {
	if _, err := fmt.Fprint(e.p.Out, prompt); err != nil {
		return "", err
	}
	c, err := e.in.Next()
	return c.Text, err
}
