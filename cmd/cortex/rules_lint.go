package main

import (
	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/reason/lint"
)

// rulesLint looks for rules that load and do not mean what they say.
type rulesLint struct {
	rulesFlag
	Paths []string `arg:"" optional:"" help:"Rule files and folders, as with --rules."`
}

// Run exits 5 if it finds something, and 1 if the rules do not load.
func (c *rulesLint) Run(p *program) error {
	book, err := c.named(c.Paths)
	if err != nil {
		return p.rulesError(err)
	}
	found := lint.Run(book)
	if p.JSON {
		err = p.Print(map[string]any{"ok": len(found) == 0, "findings": append([]lint.Finding{}, found...)})
	} else {
		p.findings(found)
	}
	if err == nil && len(found) > 0 {
		return quit(exitDifferences)
	}
	return err
}

// findings prints findings for people, each with what shows it.
func (p *program) findings(found []lint.Finding) {
	for _, f := range found {
		p.Printf("%v\n", f)
		if f.Witness != "" {
			p.Printf("  %s\n  -> %s\n", f.Witness, f.Answer)
		}
		if f.Condition != "" {
			p.Printf("  this holds: %s\n", f.Condition)
		}
	}
	if len(found) == 0 {
		p.Printf("%s: lint finds nothing\n", console.Paint(p.Out, console.Green, "ok"))
	}
}
