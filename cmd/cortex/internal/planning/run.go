package planning

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/answering"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/runs/bundle"
	rundesk "github.com/opencortex-go/cortex/runs/desk"
	"github.com/opencortex-go/cortex/runs/tools"
)

// Run is for people: runs of workflows. Anyone who may open the folder may look; every change
// carries the operator's pairing secret.
type Run struct {
	List       runList    `cmd:"" default:"withargs" help:"The runs that are not complete, the one that went on last first."`
	Show       runShow    `cmd:"" help:"A run as a tree: its branches, gaps and why."`
	Start      runStart   `cmd:"" help:"Start a run, of a workflow that is known or of a file."`
	Supply     runSupply  `cmd:"" help:"Hand in the pending step in your own words."`
	Release    runRelease `cmd:"" help:"Resolve what keeps a run from going on."`
	Give       runGive    `cmd:"" help:"Give a run to another principal."`
	Mode       runMode    `cmd:"" help:"Change how far a run goes on by itself."`
	Export     runExport  `cmd:"" help:"Write a run, with all that it rests on, as one bundle."`
	Import     runImport  `cmd:"" help:"Enter a run from a bundle."`
	Keep       runKeep    `cmd:"" help:"Exempt a run from retention, or end that."`
	Delete     runDelete  `cmd:"" help:"End and hide a run at once."`
	RotateKeys runRotate  `cmd:"" name:"rotate-keys" help:"Sign tickets with a new key; those of the one before last are good no more."`
}

// order carries out an order, and prints what it comes to. Orders that only read need no secret.
func order(ctx context.Context, p *console.Console, f opening.RecordFlag, s *answering.SecretFlag, verb string,
	params any) error {
	a, err := ordered(ctx, p, f, s, verb, params)
	if err != nil {
		return err
	}
	if p.JSON {
		return p.Print(json.RawMessage(a.JSON))
	}
	p.Printf("%s", a.Text)
	return nil
}

func ordered(ctx context.Context, p *console.Console, f opening.RecordFlag, s *answering.SecretFlag, verb string,
	params any) (rundesk.Answer, error) {
	text, err := json.Marshal(params)
	if err != nil {
		return rundesk.Answer{}, err
	}
	return answering.At(ctx, p, f, s, func(d *answering.Desk) (rundesk.Answer, error) { return d.Order(ctx, verb, text) })
}

// oneRun is the run that a command is about.
type oneRun struct {
	opening.RecordFlag
	Name string `arg:"" name:"run" help:"The run: its label, its id, or its session's."`
}

func (r oneRun) named() rundesk.Named { return rundesk.Named{Run: r.Name} }

type runList struct {
	opening.RecordFlag
	All bool `help:"Also those that are complete."`
}

// Run prints one line for each run.
func (c *runList) Run(ctx context.Context, p *console.Console) error {
	return order(ctx, p, c.RecordFlag, nil, "list", rundesk.ListRuns{All: c.All})
}

type runShow struct {
	oneRun
	Plan string `enum:",source,compiled,pinned" default:"" placeholder:"VIEW" help:"The run's plan instead: as its source is today, as that compiles, or as the run is pinned to it."`
}

// Run prints the tree.
func (c *runShow) Run(ctx context.Context, p *console.Console) error {
	return order(ctx, p, c.RecordFlag, nil, "show", rundesk.ShowRun{Named: c.named(), View: c.Plan})
}

type runStart struct {
	opening.RecordFlag
	answering.SecretFlag
	registered
	Workflow string            `arg:"" help:"The id of a workflow, or a workflow file."`
	Goal     string            `required:"" help:"What is to be reached, in a sentence."`
	Context  map[string]string `mapsep:"none" placeholder:"KEY=VALUE" help:"A value that the workflow's steps name; JSON, or a text; may be repeated."`
	Autonomy string            `placeholder:"MODE" help:"guided, full_auto_stop_on_user_deps or full_auto_never_stop."`
	Risk     string            `placeholder:"POLICY" help:"conservative, balanced or aggressive."`
	Request  string            `placeholder:"NAME" help:"A name of this start: the same again starts nothing new."`
}

// Run prints the first step, with its ticket.
func (c *runStart) Run(ctx context.Context, p *console.Console) error {
	params := rundesk.StartRun{StartWorkflow: tools.StartWorkflow{WorkflowID: c.Workflow, Goal: c.Goal,
		RequestID: c.Request, Context: values(c.Context)}}
	if c.Autonomy != "" || c.Risk != "" {
		params.Preferences = &tools.Preferences{Autonomy: c.Autonomy, RiskPolicy: c.Risk}
	}
	if ext := filepath.Ext(c.Workflow); ext == ".json" || ext == ".lisp" {
		opts, err := c.options()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(c.Workflow)
		if err != nil {
			return err
		}
		plan, err := plans.Compile(plans.Source{Name: c.Workflow, Text: text}, opts)
		if err != nil {
			return err
		}
		params.Plan, params.File, params.WorkflowID = string(plan.Canonical()), filepath.Base(c.Workflow), plan.WorkflowID
	}
	return order(ctx, p, c.RecordFlag, &c.SecretFlag, "start", params)
}

// values reads what stands behind KEY= as JSON where it is JSON, else as a text.
func values(given map[string]string) map[string]any {
	out := map[string]any{}
	for key, text := range given {
		var v any
		if json.Unmarshal([]byte(text), &v) != nil {
			v = text
		}
		out[key] = v
	}
	return out
}

type runSupply struct {
	oneRun
	answering.SecretFlag
	Notes    string            `help:"What was done; - reads standard input."`
	Artifact []string          `sep:"none" placeholder:"FILE" help:"A file with a JSON object that the step's contract asks for; may be repeated."`
	Context  map[string]string `mapsep:"none" placeholder:"KEY=VALUE" help:"A value that is new or changed; JSON, or a text; may be repeated."`
}

// Run prints the next step.
func (c *runSupply) Run(ctx context.Context, p *console.Console) error {
	params := rundesk.Supply{Named: c.named(), Notes: c.Notes, Context: values(c.Context)}
	if c.Notes == "-" {
		text, err := io.ReadAll(p.In)
		if err != nil {
			return err
		}
		params.Notes = string(text)
	}
	for _, name := range c.Artifact {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if !json.Valid(text) {
			return fmt.Errorf("%s: not JSON", name)
		}
		params.Artifacts = append(params.Artifacts, text)
	}
	return order(ctx, p, c.RecordFlag, &c.SecretFlag, "supply", params)
}

type runRelease struct {
	oneRun
	answering.SecretFlag
	Gap string `placeholder:"ID" help:"One gap, of any place of the run; else all that hold its newest place up."`
	Why string `help:"Why, for the record."`
}

// Run prints that it is done.
func (c *runRelease) Run(ctx context.Context, p *console.Console) error {
	return order(ctx, p, c.RecordFlag, &c.SecretFlag, "release", rundesk.Release{Named: c.named(), Gap: c.Gap, Why: c.Why})
}

type runGive struct {
	oneRun
	answering.SecretFlag
	To string `arg:"" name:"principal" help:"Whose the run is from now on."`
}

// Run prints that it is done.
func (c *runGive) Run(ctx context.Context, p *console.Console) error {
	return order(ctx, p, c.RecordFlag, &c.SecretFlag, "give", rundesk.Give{Named: c.named(), To: c.To})
}

type runMode struct {
	oneRun
	answering.SecretFlag
	Autonomy string `arg:"" optional:"" help:"guided, full_auto_stop_on_user_deps or full_auto_never_stop."`
	Risk     string `placeholder:"POLICY" help:"conservative, balanced or aggressive."`
}

// Run prints that it is done.
func (c *runMode) Run(ctx context.Context, p *console.Console) error {
	return order(ctx, p, c.RecordFlag, &c.SecretFlag, "mode",
		rundesk.Mode{Named: c.named(), Autonomy: c.Autonomy, Risk: c.Risk})
}

type runExport struct {
	oneRun
	Out string `short:"o" placeholder:"FILE" help:"Where to; standard output if absent."`
}

// Run writes the bundle.
func (c *runExport) Run(ctx context.Context, p *console.Console) error {
	a, err := ordered(ctx, p, c.RecordFlag, nil, "export", c.named())
	if err != nil {
		return err
	}
	if c.Out == "" {
		p.Raw(string(a.JSON) + "\n")
		return nil
	}
	p.Warnf("%s", a.Text)
	return os.WriteFile(c.Out, a.JSON, 0o600)
}

type runImport struct {
	opening.RecordFlag
	answering.SecretFlag
	File string `arg:"" help:"A bundle; - is standard input."`
}

// Run prints the run that was entered.
func (c *runImport) Run(ctx context.Context, p *console.Console) error {
	text, _, err := p.Source(c.File, bundle.MaxBytes+1)
	if err != nil {
		return err
	}
	return order(ctx, p, c.RecordFlag, &c.SecretFlag, "import",
		rundesk.Import{Bundle: json.RawMessage(strings.TrimSpace(text))})
}

type runKeep struct {
	oneRun
	answering.SecretFlag
	End bool `help:"End the exemption."`
}

// Run prints that it is done.
func (c *runKeep) Run(ctx context.Context, p *console.Console) error {
	return order(ctx, p, c.RecordFlag, &c.SecretFlag, "keep", rundesk.Keep{Named: c.named(), End: c.End})
}

type runDelete struct {
	oneRun
	answering.SecretFlag
}

// Run prints that it is done.
func (c *runDelete) Run(ctx context.Context, p *console.Console) error {
	return order(ctx, p, c.RecordFlag, &c.SecretFlag, "delete", c.named())
}

type runRotate struct {
	opening.RecordFlag
	answering.SecretFlag
}

// Run prints that it is done.
func (c *runRotate) Run(ctx context.Context, p *console.Console) error {
	return order(ctx, p, c.RecordFlag, &c.SecretFlag, "rotate-keys", struct{}{})
}
