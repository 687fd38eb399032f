package library

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/internal/spell"
	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/runs"
	"github.com/opencortex-go/cortex/runs/tools"
)

// Library is the workflows that were found in some folders. It is immutable, and a
// [runs.Library].
type Library struct {
	flows  map[string]flow // that can be started, by id
	listed []flow          // the same, in order
	broken []tools.Broken  // by source
	unread []error
}

// flow is a workflow with what a list says of it.
type flow struct {
	runs.Workflow
	says tools.Workflow
}

// shelve puts each file where it belongs.
func shelve(all []*found) *Library {
	l := &Library{flows: map[string]flow{}}
	for _, f := range all {
		if len(f.errors) > 0 {
			l.broken = append(l.broken, tools.Broken{ID: f.id, Source: f.source(), Errors: f.errors})
			if f.unread != nil {
				l.unread = append(l.unread, f.unread)
			}
			continue
		}
		w := flow{runs.Workflow{Plan: f.plan, Kind: f.root.Kind, Ref: f.name, Text: f.text}, f.describe()}
		l.flows[f.id] = w
		l.listed = append(l.listed, w)
	}
	slices.SortFunc(l.listed, func(a, b flow) int {
		as, _, _ := strings.Cut(a.says.ID, ".")
		bs, _, _ := strings.Cut(b.says.ID, ".")
		return cmp.Or(cmp.Compare(as, bs), -cmp.Compare(a.says.Kind, b.says.Kind), cmp.Compare(a.says.ID, b.says.ID))
	})
	slices.SortFunc(l.broken, func(a, b tools.Broken) int { return cmp.Compare(a.Source, b.Source) })
	return l
}

// describe is what a list says of a workflow.
func (f *found) describe() tools.Workflow {
	w := tools.Workflow{ID: f.id, Name: f.plan.Name, Description: f.plan.Description, Version: f.plan.Version,
		Kind: "workflow", Hash: f.plan.Hash().String(), IDStatus: "namespaced", Source: f.source(), Tags: f.tags}
	_, name, dotted := strings.Cut(f.id, ".")
	if !dotted {
		name, w.IDStatus, w.SuggestedID = f.id, "legacy", plans.SuggestID(f.root.Kind, f.id)
	}
	if strings.HasPrefix(name, "routine-") {
		w.Kind = "routine"
	}
	return w
}

// Broken are the files that do not compile, and the folders that cannot be read, by source.
func (l *Library) Broken() []tools.Broken { return slices.Clone(l.broken) }

// Unread is why folders and files cannot be read, for the operator: it names paths.
func (l *Library) Unread() []error { return slices.Clone(l.unread) }

// Len is how many workflows can be started.
func (l *Library) Len() int { return len(l.flows) }

// Find returns a workflow that can be started. The error is a [tools.Error]: NOT_FOUND with the
// nearest id, or PRECONDITION_FAILED with what is wrong with its file.
func (l *Library) Find(id string) (*runs.Workflow, error) {
	if w, ok := l.flows[id]; ok {
		return &w.Workflow, nil
	}
	if i := slices.IndexFunc(l.broken, func(b tools.Broken) bool { return b.ID == id }); i >= 0 && id != "" {
		b := l.broken[i]
		e := tools.Failed(tools.PreconditionFailed, "the workflow "+id+" does not compile: "+b.Errors[0],
			"tell the user; another workflow of list_workflows can be started")
		e.Details = map[string]any{"source": b.Source, "errors": b.Errors[:min(len(b.Errors), 10)]}
		return nil, e
	}
	known := slices.Sorted(maps.Keys(l.flows))
	return nil, tools.Failed(tools.NotFound, "there is no workflow "+id+spell.DidYouMean(id, known),
		"call list_workflows")
}

// List returns the workflows by namespace, kind (workflows before routines) and id.
func (l *Library) List(c *tools.ListWorkflows) tools.Workflows {
	out := tools.Workflows{Workflows: []tools.Workflow{}, Warnings: l.Broken()}
	for _, w := range l.listed {
		if len(c.Tags) > 0 && !slices.ContainsFunc(w.says.Tags, func(t string) bool { return slices.Contains(c.Tags, t) }) {
			continue
		}
		says := w.says
		if !c.IncludeSources {
			says.Source = ""
		}
		out.Workflows = append(out.Workflows, says)
	}
	return out
}

// about is what describes a plan without its steps.
type about struct {
	ID             string             `json:"workflowId"`
	Name           string             `json:"name,omitempty"`
	Description    string             `json:"description,omitempty"`
	Version        string             `json:"version,omitempty"`
	Preferences    *plans.Preferences `json:"recommendedPreferences,omitempty"`
	Preconditions  []string           `json:"preconditions,omitempty"`
	Clarifications []string           `json:"clarificationPrompts,omitempty"`
	References     []plans.Reference  `json:"references,omitempty"`
	Steps          int                `json:"steps"` // of the top level
}

// Inspect returns the plan of a workflow, or what describes it. The error is that of [Library.Find].
func (l *Library) Inspect(c *tools.InspectWorkflow) (tools.Inspected, error) {
	w, err := l.Find(c.WorkflowID)
	if err != nil {
		return tools.Inspected{}, err
	}
	p := w.Plan
	out := tools.Inspected{ID: p.WorkflowID, Hash: p.Hash().String(), Mode: cmp.Or(c.Mode, "preview"),
		Compiled: p.Canonical()}
	for _, warning := range p.Warnings {
		out.Warnings = append(out.Warnings, warning.String())
	}
	if out.Mode == "metadata" {
		out.Compiled, err = json.Marshal(about{p.WorkflowID, p.Name, p.Description, p.Version, p.Preferences,
			p.Preconditions, p.Clarifications, p.References, len(p.Steps)})
	}
	return out, err
}
