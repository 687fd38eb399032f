package main

import (
	"errors"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/authoring"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
	"github.com/opencortex-go/cortex/internal/daemon"
	"github.com/opencortex-go/cortex/reason/author"
	"github.com/opencortex-go/cortex/skills/rules"
)

// authorFlags name the rules that an author works on.
type authorFlags struct {
	rulesFlag
	Paths []string `arg:"" optional:"" help:"Rule files and folders, as with --rules."`
}

// book loads the rules and leaves their examples to the command.
func (f authorFlags) book() (*rules.Rulebook, error) {
	roots, err := f.roots()
	if err != nil {
		return nil, err
	}
	return rules.Loader{Functions: daemon.Functions()}.Load(roots...)
}

func (f authorFlags) roots() (roots []rules.Root, err error) {
	for _, path := range append(f.Rules[:len(f.Rules):len(f.Rules)], f.Paths...) {
		root, err := opening.RootOf(path)
		if err != nil {
			return nil, err
		}
		roots = append(roots, root)
	}
	if len(roots) == 0 {
		return nil, errors.New("no rules named: give a file or a folder")
	}
	return roots, nil
}

// rulesTest runs the examples of rules.
type rulesTest struct {
	authorFlags
	Format string `enum:"text,tap,junit" default:"text" help:"How results are printed: text, tap or junit."`
	Watch  bool   `help:"Run again whenever a rule file changes, until interrupted."`
}

// Run exits 5 when an example does not hold, and 1 when the rules do not load.
func (c *rulesTest) Run(p *program) error {
	if !c.Watch {
		return c.once(p)
	}
	if _, err := c.roots(); err != nil {
		return err
	}
	authoring.Watch(p.ctx, append(c.Rules, c.Paths...), func(before int) {
		if before > 0 && c.Format == "text" && !p.JSON {
			p.Printf("\na rule file has changed: run %d\n", before+1)
		}
		if err := c.once(p); err != nil && !errors.As(err, new(quit)) {
			p.Warnf("cortex: %v\n", err)
		}
	})
	return nil
}

// once runs the examples once.
func (c *rulesTest) once(p *program) error {
	book, err := c.book()
	if err != nil {
		return p.rulesError(err)
	}
	r := author.Run(p.ctx, book)
	switch {
	case p.JSON:
		err = p.Print(authoring.ExamplesJSON(r))
	case c.Format == "tap":
		authoring.TAP(&p.Console, r)
	case c.Format == "junit":
		err = authoring.JUnit(&p.Console, r)
	default:
		authoring.Examples(&p.Console, r)
	}
	if err == nil && r.Failed > 0 {
		return quit(exitDifferences)
	}
	return err
}
