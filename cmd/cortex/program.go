package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/alecthomas/kong"
	"golang.org/x/term"

	"github.com/opencortex-go/cortex/gateways/card"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// The exit codes of every command.
const (
	exitDone        = 0
	exitError       = 1
	exitDenied      = 2
	exitPending     = 3
	exitNoDaemon    = 4
	exitDifferences = 5
)

// cli is the command line. What follows -- is left alone; flags may come before
// or after arguments.
type cli struct {
	JSON bool `name:"json" help:"Print JSON, for programs."`

	Serve     serveCmd     `cmd:"" help:"Run the daemon: sockets for clients, models and approvals; reload on change."`
	Repl      replCmd      `cmd:"" help:"Talk to the daemon: forms as arguments, on standard input, or typed."`
	Decide    decideCmd    `cmd:"" help:"Judge a stream of requests. No daemon, no store."`
	Rules     rulesCmd     `cmd:"" help:"Tools for authors of rules."`
	Plugins   pluginsCmd   `cmd:"" help:"Skills that run as processes of their own: pin them, agree to what they ask for."`
	Sexpr     sexprCmd     `cmd:"" help:"Read the notation: one form a line in, one result a line out."`
	Approvals approvalsCmd `cmd:"" help:"What waits for people, and their answers."`
	Journal   journalCmd   `cmd:"" help:"The record: list, show, verify."`
	Fsck      fsckCmd      `cmd:"" help:"Find damage in the files of the record, and mend it."`
	Replay    replayCmd    `cmd:"" help:"Derive recorded decisions again and list differences."`
	Doctor    doctorCmd    `cmd:"" help:"Look at an installation: what is wrong, and how to mend it."`
	Version   versionCmd   `cmd:"" help:"Print version, toolchain and platform."`
}

// program is what a command works with.
type program struct {
	ctx    context.Context
	in     io.Reader
	out    io.Writer
	err    io.Writer
	json   bool
	unsaid error // what kept printf or warnf from writing; the exit code tells
}

// quit ends a command with an exit code, having said all there is to say.
type quit int

func (q quit) Error() string { return fmt.Sprintf("exit code %d", int(q)) }

// run is the whole program: it parses args, runs the command and returns the
// exit code.
func run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) int {
	var c cli
	left := false // --help has been printed; kong would like to end the process here
	k, err := kong.New(&c,
		kong.Name("cortex"),
		kong.Description("A rules engine between a language model and the world: the model suggests, the rules decide."),
		kong.Writers(out, errs),
		kong.Exit(func(int) { left = true }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	p := &program{ctx: ctx, in: in, out: out, err: errs}
	if err != nil {
		return p.exit(err)
	}
	cmd, err := k.Parse(args)
	if left {
		return exitDone
	}
	if err != nil { // kong would exit with 80; a wrong command line is an error like any other
		return p.exit(fmt.Errorf("%w; cortex --help lists what there is", err))
	}
	p.json = c.JSON
	return p.exit(cmd.Run(p))
}

// exit turns what a command returned into an exit code, and says what is wrong.
func (p *program) exit(err error) int {
	var q quit
	var gone *noDaemon
	switch {
	case p.unsaid != nil:
		return exitError
	case err == nil:
		return exitDone
	case errors.As(err, &q):
		return int(q)
	}
	p.warnf("cortex: %v\n", err)
	if errors.As(err, &gone) {
		return exitNoDaemon
	}
	return exitError
}

// printf writes for people, to standard output. What is printed drives no terminal,
// no matter who wrote it: see [card.Plain].
func (p *program) printf(format string, args ...any) {
	_, err := fmt.Fprintf(p.out, format, shownAll(args)...)
	p.unsaid = errors.Join(p.unsaid, err)
}

// warnf writes to standard error, likewise.
func (p *program) warnf(format string, args ...any) {
	_, err := fmt.Fprintf(p.err, format, shownAll(args)...)
	p.unsaid = errors.Join(p.unsaid, err)
}

// raw writes for programs, to standard output, as it is.
func (p *program) raw(text string) {
	_, err := io.WriteString(p.out, text)
	p.unsaid = errors.Join(p.unsaid, err)
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
		case painted, int, uint64, float64, bool:
			out[i] = a
		default:
			out[i] = forPeople{a}
		}
	}
	return out
}

// painted is text with a colour of ours.
type painted string

// print writes v as one line of JSON.
func (p *program) print(v any) error {
	e := json.NewEncoder(p.out)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// wantsColour reports whether w is a terminal whose user has not asked for plain
// text.
func wantsColour(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))
}

// paint marks text that goes to w, if w is a terminal. The text says everything
// without it.
func paint(w io.Writer, colour, text string) painted {
	text = card.Plain(text)
	if !wantsColour(w) {
		return painted(text)
	}
	return painted("\x1b[" + colour + "m" + text + "\x1b[0m")
}

const (
	red   = "31"
	green = "32"
)

// argsJSON are an action's arguments, which always have JSON.
func argsJSON(a *skills.Action) json.RawMessage {
	raw, _ := sexpr.ToJSON(a.Args())
	return raw
}
