package main

import (
	"errors"
	"slices"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
	"github.com/opencortex-go/cortex/internal/daemon"
	"github.com/opencortex-go/cortex/reason/lint"
	"github.com/opencortex-go/cortex/skills/rules"
)

// rulesFlag names rule files and folders. Each is a root of its own: a file with
// nothing but itself and what it includes, a folder with every *.lisp in it.
type rulesFlag struct {
	Rules []string `name:"rules" sep:"none" placeholder:"PATH" help:"A rule file, or a folder of them; may be repeated."`
}

// load compiles the rules, examples and all. Without any it returns the empty
// rulebook, which denies everything.
func (f rulesFlag) load() (*rules.Rulebook, error) { return opening.Rules(f.Rules) }

// rulesCmd holds the tools for authors.
type rulesCmd struct {
	Check   rulesCheck   `cmd:"" help:"Load rules, run their examples, and show everything that is wrong."`
	Lint    rulesLint    `cmd:"" help:"Find clauses that load and cannot mean what they say, each with an action that shows it."`
	Test    rulesTest    `cmd:"" help:"Run the examples of rules: what fails, expected beside found, and what no example shows."`
	Explain rulesExplain `cmd:"" help:"Say why an action is decided as it is: the clause, the values it saw, the nearest change that flips it."`
	Mutate  rulesMutate  `cmd:"" help:"Plant faults in rules, one at a time, and count those that the examples catch."`
	Diff    rulesDiff    `cmd:"" help:"Compare two rulebooks: which decisions flip, by the clauses that decide, as counts and as examples."`
	Try     rulesTry     `cmd:"" help:"A prompt without a daemon: conditions are evaluated on an action."`
	Example rulesExample `cmd:"" help:"Print a recorded decision as a defexample, without credentials."`
	Fmt     rulesFmt     `cmd:"" help:"Lay rule files out in one style; comments stay where they are."`
}

// rulesCheck loads rules as every other command does.
type rulesCheck struct {
	rulesFlag
	Config string   `name:"config" placeholder:"FILE" help:"The daemon's settings: says which rules ask people who cannot answer; without rules, checks those that it names."`
	Paths  []string `arg:"" optional:"" help:"Rule files and folders, as with --rules."`
}

// named loads the rules that arguments and --rules name.
func (f rulesFlag) named(paths []string) (*rules.Rulebook, error) {
	f.Rules = append(slices.Clone(f.Rules), paths...)
	if len(f.Rules) == 0 {
		return nil, errors.New("no rules named: give a file or a folder")
	}
	return f.load()
}

// Run exits 1 when the rules do not load. What lint finds is a warning.
func (c *rulesCheck) Run(p *program) error {
	c.Rules = append(c.Rules, c.Paths...)
	var cfg *daemon.Config
	if c.Config != "" {
		read, err := daemon.Load(c.Config)
		if err != nil {
			return p.faults(err)
		}
		if cfg = &read; len(c.Rules) == 0 {
			c.Rules = cfg.Rules
		}
	}
	book, err := c.named(nil)
	if err != nil {
		return p.rulesError(err)
	}
	var unanswered []string
	if cfg != nil {
		unanswered = cfg.Unanswerable(book)
	}
	n, findings := 0, lint.Run(book)
	for _, s := range book.Skills("") {
		n += len(s.Gates)
	}
	odd := c.layoutHints(book)
	if p.JSON {
		out := map[string]any{
			"ok": true, "skills": len(book.Skills("")), "clauses": n, "tools": len(book.Tools()), "policy": book.Hash().String(),
			"warnings": opening.FaultsOf(book.Warnings()), "lint": append([]lint.Finding{}, findings...),
		}
		if len(odd) > 0 {
			out["unformatted"] = odd
		}
		if cfg != nil {
			out["unanswerable"] = append([]string{}, unanswered...)
		}
		return p.Print(out)
	}
	for _, w := range book.Warnings() {
		opening.Show(&p.Console, "warning: ", w)
	}
	for _, f := range findings {
		p.Warnf("warning: %v\n", f)
	}
	for _, text := range unanswered {
		p.Warnf("warning: %s; %s\n", text, daemon.MendClass)
	}
	p.Printf("%s: %d skills with %d clauses, %d tools\npolicy %s\n",
		console.Paint(p.Out, console.Green, "ok"), len(book.Skills("")), n, len(book.Tools()), book.Hash())
	p.hintAt(odd)
	return nil
}

// rulesError shows why rules do not load. What is not an error list comes back.
func (p *program) rulesError(err error) error { return opening.RulesError(&p.Console, err) }

// faults shows what is wrong with settings, or why rules do not load.
func (p *program) faults(err error) error { return opening.Faults(&p.Console, err) }
