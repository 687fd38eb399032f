package plans

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/plans/source"
	"github.com/opencortex-go/cortex/skills/rules"
)

// Error is one thing that is wrong with a workflow, with its place.
type Error = source.Error

// ErrorList is everything that is wrong with a workflow, by place.
type ErrorList = source.ErrorList

// Kind is where a workflow comes from.
type Kind string

// The kinds of source. Only what is bundled may use reserved ids; saving needs a namespace.
const (
	KindFile    Kind = "" // a file alone, that is only looked at
	KindBundled Kind = "bundled"
	KindUser    Kind = "user"
	KindProject Kind = "project"
	KindRemote  Kind = "remote"
	KindPlugin  Kind = "plugin"
)

// Source is a workflow as it is written.
type Source struct {
	Name string // of the file, for messages
	Text []byte // JSON if it begins with a brace, a plist otherwise; at most 1 MiB
	Kind Kind
	// Saving says that the workflow is about to be written: ids without a namespace are refused.
	Saving bool
}

// Options direct a compile. The zero Options use what ships.
type Options struct {
	Registry *Registry         // nil: [NewRegistry]
	Bindings map[string]string // what fills extension points, before their defaults
}

// Compile makes the plan of a workflow. The error is an [ErrorList] of everything that is wrong
// with it; then there is no plan.
func Compile(src Source, opts Options) (*Plan, error) {
	w, err := source.Read(src.Name, src.Text)
	c := &compiler{Faults: &source.Faults{File: src.Name}, src: src, w: w, reg: opts.Registry, bindings: opts.Bindings}
	if list, ok := err.(source.ErrorList); ok { //nolint:errorlint // the reader returns it as it is
		for _, e := range list {
			c.Add(e.Pos, e.Err, "%s", e.Msg)
		}
	}
	if c.reg == nil {
		c.reg = NewRegistry()
	}
	p := c.plan()
	if err := c.Err(); err != nil {
		return nil, err
	}
	if err := p.seal(src.Name, string(src.Text)); err != nil {
		return nil, sealed(c.Faults, err)
	}
	return p, nil
}

// sealed is the error of conditions that do not compile, as one of the workflow.
func sealed(f *source.Faults, err error) error {
	list, ok := err.(rules.ErrorList) //nolint:errorlint // the loader returns it as it is
	if !ok {
		return err
	}
	for _, e := range list {
		f.Add(e.Pos, e, "%s", e.Msg)
	}
	return f.Err()
}

type compiler struct {
	*source.Faults
	src      Source
	w        *source.Workflow
	reg      *Registry
	bindings map[string]string
	used     map[string]bool // contracts
	ids      map[string]bool // of steps
	out      *Plan
}

// plan takes the workflow through its passes.
func (c *compiler) plan() *Plan {
	w := c.w
	c.used, c.ids = map[string]bool{}, map[string]bool{}
	c.out = &Plan{SchemaVersion: SchemaVersion, WorkflowID: w.ID.S, Name: w.Name.S, Description: w.Description.S,
		Version: w.Version.S, AgentRole: w.AgentRole.S, OnFail: OnFail(cmp.Or(w.OnFail.S, string(OnFailBlock))),
		MetaGuidance: texts(w.MetaGuidance), Preconditions: texts(w.Preconditions), Clarifications: texts(w.Clarifications),
		Functions: functions(w.Functions)}
	if r := w.Preferences; r != nil {
		c.out.Preferences = &Preferences{Autonomy: r.Autonomy.S, RiskPolicy: r.RiskPolicy.S}
	}
	c.id()
	c.features()
	c.assessments()
	c.references()
	c.capabilities()
	c.steps()
	for _, id := range slices.Sorted(maps.Keys(c.used)) {
		c.out.Contracts = append(c.out.Contracts, c.reg.contracts[id])
	}
	slices.SortFunc(c.out.Loops, func(a, b Loop) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(c.out.Warnings, func(a, b Warning) int {
		return cmp.Or(cmp.Compare(a.Code, b.Code), cmp.Compare(a.StepID, b.StepID))
	})
	c.sentinels()
	return c.out
}

var (
	namespaced = regexp.MustCompile(`^[a-z][a-z0-9_-]*\.[a-z][a-z0-9_-]*$`)
	legacy     = regexp.MustCompile(`^[a-z0-9_-]+$`)
)

// id checks the workflow's id against where it comes from.
func (c *compiler) id() {
	id := c.w.ID
	if id.S == "" {
		return // said already
	}
	space, _, _ := strings.Cut(id.S, ".")
	switch {
	case namespaced.MatchString(id.S):
		if (space == "wr" || space == "cortex") && c.src.Kind != KindBundled && c.src.Kind != KindFile {
			c.Add(id.At, nil, "the namespace %s is reserved for what ships: copy the workflow to another", space)
		}
	case legacy.MatchString(id.S):
		suggested := SuggestID(c.src.Kind, id.S)
		if c.src.Saving {
			c.Add(id.At, nil, "the id %q has no namespace: write %q", id.S, suggested)
			return
		}
		c.out.Warnings = append(c.out.Warnings, Warning{Code: "legacy_id"})
	default:
		c.Add(
			id.At,
			nil,
			"%q cannot be the id of a workflow: a namespace, one dot and a name, in lower case; write %q",
			id.S,
			SuggestID(c.src.Kind, id.S),
		)
	}
}

// SuggestID is an id with a namespace for one that cannot stay, after where the workflow comes from.
func SuggestID(kind Kind, id string) string {
	space := map[Kind]string{KindUser: "user", KindRemote: "repo", KindPlugin: "repo"}[kind]
	return cmp.Or(space, "project") + "." + strings.ReplaceAll(source.Suggest(id), "-", "_")
}

// String says what a warning is about.
func (w Warning) String() string {
	switch w.Code {
	case "legacy_id":
		return "the id has no namespace, such as project.name"
	case "loop_by_condition":
		return "the loop " + w.StepID + " goes by a key of work: an artifact of wr.contracts.loop_control is safer"
	case "no_description":
		return "there is no description"
	}
	return w.Code + " " + w.StepID
}

func functions(all []source.Function) (out []Function) {
	for _, f := range all {
		g := Function{Name: f.Name.S, Definition: f.Definition.S, Scope: f.Scope.S}
		for _, p := range f.Parameters {
			q := Parameter{Name: p.Name.S, Type: p.Type.S, Required: p.Required.B, Description: p.Description.S,
				Default: dataOf(p.Default)}
			for _, e := range p.Enum {
				q.Enum = append(q.Enum, dataOf(&e))
			}
			g.Parameters = append(g.Parameters, q)
		}
		out = append(out, g)
	}
	return out
}

func dataOf(d *source.Data) Data {
	if d == nil {
		return Data{}
	}
	return Data{&d.V}
}

func conditionOf(c source.Cond) *Condition {
	if c.Form == nil {
		return nil
	}
	return &Condition{form: *c.Form}
}
