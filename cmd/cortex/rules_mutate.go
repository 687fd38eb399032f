package main

import (
	"github.com/opencortex-go/cortex/cmd/cortex/internal/authoring"
	"github.com/opencortex-go/cortex/internal/daemon"
	"github.com/opencortex-go/cortex/reason/author"
	"github.com/opencortex-go/cortex/skills/rules"
)

// rulesMutate plants faults in rules and counts those that the examples catch.
type rulesMutate struct {
	authorFlags
	Most  int    `help:"Plant at most so many faults, drawn by --seed; 0 plants all." default:"0"`
	Seed  uint64 `help:"The seed of the draw." default:"1"`
	Least int    `help:"Fail below this score, in percent." default:"0"`
}

// Run exits 5 when the score is below the least that is asked for.
func (c *rulesMutate) Run(p *program) error {
	roots, err := c.roots()
	if err != nil {
		return err
	}
	m, err := author.Mutate(p.ctx, rules.Loader{Functions: daemon.Functions()},
		author.Faults{Most: c.Most, Seed: c.Seed}, roots...)
	if err != nil {
		return p.rulesError(err)
	}
	if p.JSON {
		err = p.Print(authoring.MutationJSON(m))
	} else {
		authoring.Mutation(&p.Console, m)
	}
	if err == nil && m.Score() < c.Least {
		return quit(exitDifferences)
	}
	return err
}
