package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/alecthomas/kong"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/answering"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/authoring"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/capable"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/checkup"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/noting"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/planning"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/proxying"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/tracing"
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

	Serve      serveCmd            `cmd:"" help:"Run the daemon: sockets for clients, models and approvals; reload on change."`
	Repl       replCmd             `cmd:"" help:"Talk to the daemon: forms as arguments, on standard input, or typed."`
	Hook       hookCmd             `cmd:"" help:"Stand in front of the tools of a coding agent: Claude Code, Codex, Gemini CLI, Cursor, Copilot."`
	Decide     decideCmd           `cmd:"" help:"Judge a stream of requests: here, without daemon and store, or with --socket in the daemon."`
	Rules      rulesCmd            `cmd:"" help:"Tools for authors of rules."`
	Lsp        lspCmd              `cmd:"" help:"Serve editors: a language server for rule files, on standard input and output."`
	Tools      authoring.Tools     `cmd:"" help:"Declarations of tools, drafted from what servers say of them."`
	Plugins    pluginsCmd          `cmd:"" help:"Skills that run as processes of their own: pin them, agree to what they ask for."`
	Run        planning.Run        `cmd:"" help:"Runs of workflows: look, start, release, export."`
	Plans      planning.Plans      `cmd:"" help:"Tools for authors of workflows."`
	Notes      noting.Notes        `cmd:"" help:"A memory in notes: import files, look, go back."`
	Capability capable.Capability  `cmd:"" help:"Tested plans that models call as tools: register, test, try, put in force."`
	Sexpr      sexprCmd            `cmd:"" help:"Read the notation: one form a line in, one result a line out."`
	Approvals  answering.Approvals `cmd:"" help:"What waits for people, and their answers."`
	Journal    journalCmd          `cmd:"" help:"The record: list, show, verify."`
	Fsck       fsckCmd             `cmd:"" help:"Find damage in the files of the record, and mend it."`
	Explain    explainCmd          `cmd:"" help:"Why a recorded decision came out as it did, and where its values came from."`
	Replay     replayCmd           `cmd:"" help:"Derive recorded decisions again and list differences."`
	Trace      traceCmd            `cmd:"" help:"All that one signal led to: shown as a tree, replayed."`
	Learn      tracing.Learn       `cmd:"" help:"Find sequences of calls that succeeded again and again, and write them as capabilities for people to look at."`
	Doctor     checkup.Doctor      `cmd:"" help:"Look at an installation: what is wrong, and how to mend it."`
	Mcp        proxying.Command    `cmd:"" help:"Stand between an MCP client and its servers, and judge each call of a tool; alone, offer workflows to an agent."`
	Paths      pathsCmd            `cmd:"" help:"Where sockets, settings and secrets are, by the XDG variables."`
	Completion completionCmd       `cmd:"" help:"Print a script that completes commands and flags in a shell."`
	Version    versionCmd          `cmd:"" help:"Print version, toolchain and platform."`
}

// hookLine is the part of [cli] that hooks need. An agent waits for each start of one, and the
// whole command line takes 2 ms to set up.
type hookLine struct {
	JSON bool    `name:"json" help:"Print JSON, for programs."`
	Hook hookCmd `cmd:"" help:"Stand in front of the tools of a coding agent: Claude Code, Codex, Gemini CLI, Cursor, Copilot."`
}

const description = "A rules engine between a language model and the world: the model suggests, the rules decide."

// program is what a command works with.
type program struct {
	ctx context.Context
	console.Console
}

// quit ends a command with an exit code, having said all there is to say.
type quit = console.Quit

// run is the whole program: it parses args, runs the command and returns the
// exit code.
func run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) int {
	var all cli
	var hook hookLine
	var line any = &all
	if len(args) > 0 && args[0] == "hook" {
		line = &hook
	}
	left := false // --help has been printed; kong would like to end the process here
	k, err := kong.New(line,
		kong.Name("cortex"),
		kong.Description(description),
		kong.Writers(out, errs),
		kong.Exit(func(int) { left = true }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	p := &program{ctx: ctx, Console: console.Console{In: in, Out: out, Err: errs}}
	if err != nil {
		return p.exit(err)
	}
	cmd, err := k.Parse(args)
	if left {
		return exitDone
	}
	if err != nil { // kong would exit with 80; a wrong command line is an error like any other
		code := p.exit(fmt.Errorf("%w; cortex --help lists what there is", err))
		if len(args) > 0 && args[0] == "hook" {
			return exitDenied // to an agent, 2 is a denial, and 1 may be none
		}
		return code
	}
	p.JSON = all.JSON || hook.JSON
	cmd.BindTo(ctx, (*context.Context)(nil))
	return p.exit(cmd.Run(p, &p.Console))
}

// exit turns what a command returned into an exit code, and says what is wrong.
func (p *program) exit(err error) int {
	var q quit
	var gone *opening.NoDaemon
	switch {
	case p.Unsaid != nil:
		return exitError
	case err == nil:
		return exitDone
	case errors.As(err, &q):
		return int(q)
	}
	p.Warnf("cortex: %v\n", err)
	if errors.As(err, &gone) {
		return exitNoDaemon
	}
	return exitError
}
