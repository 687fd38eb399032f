package planning

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/skills/rules/layout"
)

// Plans is for authors of workflows.
type Plans struct {
	Check plansCheck `cmd:"" help:"Compile workflows, and say everything that is wrong with them."`
	Show  plansShow  `cmd:"" help:"Print the plan of a workflow as canonical JSON."`
	Fmt   plansFmt   `cmd:"" help:"Print a workflow in one layout."`
}

// registered are the flags for what workflows may name beside what ships.
type registered struct {
	Packs     []string `name:"pack" sep:"none" placeholder:"FILE" help:"A pack of contracts, snippets, features and capabilities; may be repeated."`
	Templates []string `name:"templates" sep:"none" placeholder:"DIR" help:"A folder of workflows that others may call as templates; may be repeated."`
}

func (r registered) options() (plans.Options, error) {
	reg := plans.NewRegistry()
	for _, name := range r.Packs {
		text, err := os.ReadFile(name)
		if err == nil {
			err = reg.Add(name, text)
		}
		if err != nil {
			return plans.Options{}, err
		}
	}
	for _, dir := range r.Templates {
		names, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil {
			return plans.Options{}, err
		}
		for _, name := range names {
			if ext := filepath.Ext(name); ext != ".json" && ext != ".lisp" {
				continue
			}
			text, err := os.ReadFile(name)
			if err == nil {
				err = reg.AddTemplate(name, text)
			}
			if err != nil {
				return plans.Options{}, err
			}
		}
	}
	return plans.Options{Registry: reg}, nil
}

type plansCheck struct {
	registered
	Files []string `arg:"" help:"Workflow files; - is standard input."`
}

// Run exits 1 if a workflow does not compile, once all were looked at.
func (c *plansCheck) Run(ctx context.Context, p *console.Console) error {
	opts, err := c.options()
	if err != nil {
		return err
	}
	failed := false
	for _, path := range c.Files {
		text, name, err := p.Source(path, console.MaxFile)
		var plan *plans.Plan
		if err == nil {
			plan, err = plans.Compile(plans.Source{Name: name, Text: []byte(text)}, opts)
		}
		if err != nil {
			failed = true
			p.Warnf("%v\n", err)
			continue
		}
		for _, w := range plan.Warnings {
			p.Warnf("warning: %s: %s\n", name, w)
		}
		if p.JSON {
			err = p.Print(map[string]any{"file": name, "id": plan.WorkflowID, "hash": plan.Hash().String()})
		} else {
			p.Printf("ok: %s: %s %s\n", name, plan.WorkflowID, plan.Hash())
		}
		if err != nil {
			return err
		}
	}
	if failed {
		return console.Quit(1)
	}
	return nil
}

type plansShow struct {
	registered
	File string `arg:"" help:"A workflow file; - is standard input."`
}

// Run prints the plan.
func (c *plansShow) Run(ctx context.Context, p *console.Console) error {
	opts, err := c.options()
	if err != nil {
		return err
	}
	text, name, err := p.Source(c.File, console.MaxFile)
	if err != nil {
		return err
	}
	plan, err := plans.Compile(plans.Source{Name: name, Text: []byte(text)}, opts)
	if err != nil {
		return err
	}
	p.Raw(string(plan.Canonical()) + "\n")
	return nil
}

type plansFmt struct {
	File string `arg:"" help:"A workflow file; - is standard input."`
}

// Run prints the workflow: a plist in the layout of rules, JSON indented by two.
func (c *plansFmt) Run(ctx context.Context, p *console.Console) error {
	text, name, err := p.Source(c.File, console.MaxFile)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		out, err := layout.Format(name, text)
		if err == nil {
			p.Raw(out)
		}
		return err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, []byte(strings.TrimSpace(text)), "", "  "); err != nil {
		return errors.Join(errors.New(name), err)
	}
	p.Raw(out.String() + "\n")
	return nil
}
