package main

import (
	"errors"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/answering"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/talk"
	"github.com/opencortex-go/cortex/internal/socket"
)

// replCmd talks to a daemon: forms from the command line, from standard input, or
// typed. Its exit code says whether every form had a result (0, or 1 if one had
// none); with --exit-code, then, also what was decided. 4 means that no daemon
// answers.
type replCmd struct {
	Socket   string `name:"socket" placeholder:"PATH" help:"The daemon's socket; by default $$CORTEX_SOCKET, else cortex/cortex.sock in your runtime folder."`
	ExitCode bool   `name:"exit-code" help:"Have the exit code say what was decided: 2 if an action was denied, 3 if one waits for approval."`
	Session  string `name:"session" default:"main" placeholder:"NAME" help:"The conversation to speak in."`
	answering.SecretFlag
	Forms []string `arg:"" optional:"" name:"form" help:"Forms to evaluate, such as '(+ 1 2)' or '(status)'; without any they are read from standard input."`
}

// Run evaluates what it is given. On a terminal it is a conversation.
func (c *replCmd) Run(p *program) error {
	if c.Socket == "" {
		c.Socket = socket.Default()
	}
	l, err := talk.Open(p.ctx, talk.Options{
		Console: &p.Console, Socket: c.Socket, Session: c.Session, Dial: opening.Dial,
		Secret: func(record string) (string, error) { return c.ReadFor(&p.Console, record) },
	})
	if err != nil {
		return err
	}
	defer l.Close()
	var bad bool
	switch {
	case len(c.Forms) > 0:
		bad, err = l.Forms(c.Forms)
	case console.IsTerminal(p.In) && console.IsTerminal(p.Out) && !p.JSON:
		return l.Converse()
	default:
		bad, err = l.Stream()
	}
	switch denied, asked := l.Decided(); {
	case errors.Is(err, talk.ErrAway):
		return errors.Join(err, &opening.NoDaemon{Socket: c.Socket})
	case err != nil:
		return err
	case bad:
		return quit(exitError)
	case c.ExitCode && denied:
		return quit(exitDenied)
	case c.ExitCode && asked:
		return quit(exitPending)
	}
	return nil
}
