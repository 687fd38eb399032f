package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/opencortex-go/cortex/adapters/api/client"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/judging"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
	"github.com/opencortex-go/cortex/internal/socket"
	"github.com/opencortex-go/cortex/reason"
)

// decideCmd judges requests, one a line, and answers one line each, in order: see
// [judging.Stream]. Answers are JSON, with or without --json. With --socket a daemon judges
// them: see [judging.Ask].
type decideCmd struct {
	rulesFlag
	Plugins string       `name:"plugins" placeholder:"FILE" help:"The lock file of skills that run as processes of their own, and judge too."`
	Socket  optionalPath `name:"socket" placeholder:"=PATH" help:"Have the daemon judge, by its rules and what it knows of each session; PATH is its plain socket."`
	File    string       `arg:"" optional:"" default:"-" help:"Requests, one a line, as JSON or plists; - is standard input."`
	One     bool         `help:"Judge exactly one request, and report the decision as the exit code: 0 allowed, 2 denied, 3 asked."`
	Stream  bool         `help:"Keep sessions by their id from line to line, so that calls need only carry what is new."`
	Trace   bool         `help:"Add to each answer what every gate said."`
	Stats   bool         `help:"Print counts, p50, p99 and decisions a second at the end, on standard error."`
}

// Run exits 0 when every line was judged, and 1 when one could not be, or when the rules do
// not load; then there are no answers. With --one it exits as the one decision came out.
func (c *decideCmd) Run(p *program) error {
	stats, err := c.answer(p)
	if err != nil {
		return err
	}
	if c.Stats {
		p.Warnf("%s", stats)
	}
	switch n := stats.Decisions(); {
	case stats.Bad > 0:
		return quit(exitError)
	case c.One && n != 1:
		return fmt.Errorf("--one judges exactly one request, found %d", n)
	case c.One && stats.Kinds[reason.Deny] > 0:
		return quit(exitDenied)
	case c.One && stats.Kinds[reason.Ask] > 0:
		return quit(exitPending)
	}
	return nil
}

// answer answers all lines.
func (c *decideCmd) answer(p *program) (*judging.Stats, error) {
	if c.Socket.on {
		return c.ask(p)
	}
	book, err := c.load()
	if err != nil {
		p.JSON = false // standard output is for answers, and there are none
		return nil, p.rulesError(err)
	}
	in, err := p.open(c.File)
	if err != nil {
		return nil, err
	}
	opt := judging.Options{Policy: book, Lock: c.Plugins, Trace: c.Trace, Keep: c.Stream}
	stats, err := judging.Stream(p.ctx, in, p.Out, opt)
	return stats, errors.Join(err, in.Close())
}

// ask has the daemon answer.
func (c *decideCmd) ask(p *program) (*judging.Stats, error) {
	if len(c.Rules) > 0 || c.Plugins != "" || c.Stream || c.Trace {
		return nil, errors.New("--socket has the daemon judge, by its own rules and sessions: --rules, --plugins, " +
			"--stream and --trace do not go with it; `cortex explain RECORD` shows the trace of an answer")
	}
	in, err := p.open(c.File)
	if err != nil {
		return nil, err
	}
	path := c.Socket.path
	if path == "" {
		path = socket.Default()
	}
	daemon := client.New(socket.API(path))
	defer daemon.Close()
	stats, err := judging.Ask(p.ctx, in, p.Out, daemon)
	if errors.Is(err, client.ErrAbsent) {
		err = &opening.NoDaemon{Socket: path}
	}
	return stats, errors.Join(err, in.Close())
}

// open opens a file to read, or standard input for "-".
func (p *program) open(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(p.In), nil
	}
	return os.Open(name)
}
