package main

import (
	"github.com/opencortex-go/cortex/cmd/cortex/internal/authoring"
)

// rulesTry evaluates forms on an action, without a daemon.
type rulesTry struct {
	rulesFlag
	Action string `help:"The action that forms are evaluated on, or a whole request; typing another one changes it." placeholder:"ACTION"`
}

// Run reads a form a line, until the input ends. It exits 1 when one could not be computed.
func (c *rulesTry) Run(p *program) error {
	book, err := c.load()
	if err != nil {
		return p.rulesError(err)
	}
	t := &authoring.Trial{Console: &p.Console, Book: book, Request: p.request}
	ok, err := t.Run(p.ctx, c.Action)
	if err == nil && !ok {
		return quit(exitError)
	}
	return err
}
