package facts

import (
	"fmt"

	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts/internal/shell"
)

// environment is what facts.env says about a case, read once.
func environment(c *skills.Case) shell.Env {
	const key = "env"
	if e, ok := c.Shared(key).(shell.Env); ok {
		return e
	}
	e := shell.ReadEnv(c.Facts().Env)
	c.Share(key, e)
	return e
}

// lineMemo is what a case shares for a command line.
type lineMemo struct {
	line   *shell.Line
	err    error
	record []any
}

// lineOf parses a command line once per case.
func lineOf(c *skills.Case, text string) *lineMemo {
	key := "shell\x00" + text
	if m, ok := c.Shared(key).(*lineMemo); ok {
		return m
	}
	m := &lineMemo{}
	if m.line, m.err = shell.Read(text, environment(c)); m.err != nil {
		m.err = fmt.Errorf("this command line cannot be judged: %w", m.err)
	} else {
		m.record, m.err = records(m.line)
	}
	c.Share(key, m)
	return m
}

// callCommands answers commands: shell without the unknown at its end.
func callCommands(c *skills.Case, args []any) (any, error) {
	m := lineOf(c, args[0].(string))
	if m.err != nil {
		return nil, m.err
	}
	return m.record[:len(m.line.Commands)], nil
}

// callReadable answers readable?: commands without its error.
func callReadable(c *skills.Case, args []any) (any, error) {
	return lineOf(c, args[0].(string)).err == nil, nil
}

func callShell(c *skills.Case, args []any) (any, error) {
	m := lineOf(c, args[0].(string))
	if m.err != nil {
		return nil, m.err
	}
	return m.record, nil
}
