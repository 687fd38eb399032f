package runs

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/advance"
	"github.com/opencortex-go/cortex/plans/prompt"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/plans/work"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/runs/shelf"
	"github.com/opencortex-go/cortex/runs/tools"
	"github.com/opencortex-go/cortex/sexpr"
)

// beginning is a run that is being started.
type beginning struct {
	by      Caller
	flow    *Workflow
	session event.SessionID
	run     event.RunID
	root    event.NodeID
	work    sexpr.Value
	set     []byte // work as canonical JSON
	sources work.Sources
	prefs   []*event.PreferencesChanged
	gaps    []*event.GapRecorded
	due     advance.Due
	text    prompt.Text
	events  []*event.Event
	keep    []shelf.Content
	rep     *tools.Reply
}

// start begins a run. With a request id the same request starts one run, however often it comes.
func (r *Runs) start(ctx context.Context, by Caller, c *tools.StartWorkflow) (*tools.Reply, error) {
	flow, err := r.opt.Library.Find(c.WorkflowID)
	if err != nil {
		return nil, err
	}
	return r.startFlow(ctx, by, flow, c)
}

// StartPlan starts a run of a plan that the library need not have. ref says where it is from, for
// the record.
func (r *Runs) StartPlan(ctx context.Context, by Caller, p *plans.Plan, ref string, c *tools.StartWorkflow) (
	*tools.Reply, error) {
	rep, err := r.startFlow(ctx, by, &Workflow{Plan: p, Kind: plans.KindUser, Ref: ref}, c)
	if err != nil {
		return nil, tools.AsError(err)
	}
	return rep, nil
}

func (r *Runs) startFlow(ctx context.Context, by Caller, flow *Workflow, c *tools.StartWorkflow) (*tools.Reply, error) {
	if err := r.logs.NeedTicketKeys(ctx); err != nil {
		return nil, err
	}
	b := &beginning{by: by, flow: flow, session: event.Mint[event.SessionID]()}
	if c.RequestID != "" {
		b.session = event.Derive[event.SessionID]("request", by.Principal, c.RequestID)
		if rep, err := r.started(ctx, b, c); rep != nil || err != nil {
			return rep, err
		}
	}
	if err := b.begin(r, c); err != nil {
		return nil, err
	}
	if r.opt.Observe != nil && c.WorkspacePath != "" {
		for _, o := range r.opt.Observe(ctx, c.WorkspacePath) {
			b.events = append(b.events, event.New(b.session, event.Scope{}, o))
		}
	}
	acts := by.Session
	if acts == "" { // of a person, or of an agent without a conversation: one of the run's own
		acts = "steps-" + string(b.session)
	}
	out, err := r.shelf.Append(ctx, shelf.Operation{By: by.Principal, Events: b.events, Keep: b.keep, Acts: acts,
		Wakes: engineTakes(b.due) || confirms(b.due)})
	if out.Known || errors.Is(err, logs.ErrPartlyKnown) { // the same request, at the same time
		return r.started(ctx, b, c)
	}
	if err != nil {
		return nil, err
	}
	return r.first(ctx, b.session, b.rep)
}

// started answers a request that started a run already; nil if there is none.
func (r *Runs) started(ctx context.Context, b *beginning, c *tools.StartWorkflow) (*tools.Reply, error) {
	if _, err := r.logs.Head(string(b.session)); err != nil {
		return nil, nil //nolint:nilerr,nilnil // not started yet
	}
	err := r.shelf.Read(ctx, b.session, func(log *fold.State) error {
		goal, err := r.shelf.Goal(log)
		if err != nil {
			return err
		}
		if string(log.Started.Workflow) != b.flow.Plan.WorkflowID || goal != c.Goal {
			return tools.Failed(tools.ValidationError, "the requestId started another run: of "+string(log.Started.Workflow)+
				", with another goal", "use a new requestId for a new run")
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return r.first(ctx, b.session, nil)
}

// first answers a start with this reply; nil: with the one on record.
func (r *Runs) first(ctx context.Context, session event.SessionID, rep *tools.Reply) (*tools.Reply, error) {
	err := r.shelf.Read(ctx, session, func(log *fold.State) (err error) {
		if rep == nil {
			if rep, err = r.keptReply(log.Root.Reply); err != nil {
				return err
			}
		}
		return r.seal(log, log.Root, firstAttempt(session), rep)
	})
	return rep, err
}

// firstAttempt is what the first ticket of a run follows from.
func firstAttempt(session event.SessionID) event.AttemptID {
	return event.Derive[event.AttemptID](string(session), "start")
}

// begin makes the events of a new run.
func (b *beginning) begin(r *Runs, c *tools.StartWorkflow) error {
	b.run = event.Derive[event.RunID](string(b.session))
	b.root = event.Derive[event.NodeID](string(b.session), "root")
	if err := b.setWork(c); err != nil {
		return err
	}
	prefs, err := b.preferences(r, c)
	if err != nil {
		return err
	}
	if err := b.firstStep(advance.Mode(prefs.Autonomy)); err != nil {
		return err
	}
	return b.write()
}

func (b *beginning) setWork(c *tools.StartWorkflow) error {
	given, err := object(c.Context)
	if err != nil {
		return invalid("context", err)
	}
	from := sourceOf(b.by)
	b.work, b.sources, err = work.Merge(sexpr.EmptyObject(), nil, given, from)
	if err == nil {
		b.work, b.sources, err = work.Merge(b.work, b.sources, sexpr.Plist(shelf.GoalKey, sexpr.Str(c.Goal)), from)
	}
	if err == nil {
		b.set, err = work.Measure(b.work)
	}
	if err != nil {
		return invalid("context", err)
	}
	return nil
}

// preferences are what the run begins with: what was asked for, up to the ceiling of the caller;
// else what the workflow recommends, as far as that goes; else the default.
func (b *beginning) preferences(r *Runs, c *tools.StartWorkflow) (event.Preferences, error) {
	ceiling := r.ceiling(b.by)
	prefs := event.DefaultPreferences()
	change := &event.PreferencesChanged{ID: event.Derive[event.ChangeID](string(b.session), "start"), Source: "system"}
	add := func(name, value string) {
		if value != "" {
			change.Delta = append(change.Delta, event.Change{Name: name, Value: value})
		}
	}
	advised := b.flow.Plan.Preferences
	switch {
	case c.Preferences != nil:
		if rank(event.Autonomy(c.Preferences.Autonomy)) > rank(ceiling) {
			return prefs, tools.Failed(tools.ValidationError, fmt.Sprintf("preferences.autonomy: %s is more than an agent may "+
				"choose here, which is %s", c.Preferences.Autonomy, ceiling),
				"choose "+string(ceiling)+" or less; a person can raise it later: cortex run mode")
		}
		if b.by.Person {
			change.Source = "user"
		}
		add("autonomy", c.Preferences.Autonomy)
		add("riskPolicy", c.Preferences.RiskPolicy)
	case advised != nil:
		change.Source = "workflow_recommendation"
		if rank(event.Autonomy(advised.Autonomy)) <= rank(ceiling) {
			add("autonomy", advised.Autonomy)
		}
		add("riskPolicy", advised.RiskPolicy)
	}
	if len(change.Delta) == 0 {
		change.Source = "system"
		add("autonomy", string(prefs.Autonomy))
		add("riskPolicy", prefs.Risk)
	}
	prefs = prefs.Apply(change.Delta)
	change.Effective = prefs
	b.prefs = append(b.prefs, change)
	b.warn(prefs, advised)
	return prefs, nil
}

// warn records that the run goes on by itself further than its workflow recommends.
func (b *beginning) warn(prefs event.Preferences, advised *plans.Preferences) {
	if advised == nil || advised.Autonomy == "" || rank(prefs.Autonomy) <= rank(event.Autonomy(advised.Autonomy)) {
		return
	}
	b.gaps = append(b.gaps, beyond(string(b.session), prefs.Autonomy, advised.Autonomy))
}

// beyond is the warning that a run goes on by itself further than is recommended.
func beyond(id string, mode event.Autonomy, advised string) *event.GapRecorded {
	return &event.GapRecorded{ID: event.Derive[event.GapID](id, "beyond"), Severity: event.Warning,
		Reason:     event.Reason{Category: "unexpected", Detail: "preferences_exceed_recommendation"},
		Summary:    fmt.Sprintf("The run goes on by itself as %s; its workflow recommends %s.", mode, advised),
		Resolution: event.Resolution{Kind: "unresolved"}}
}

// rank orders modes by how little they ask; an unknown one asks for all.
func rank(a event.Autonomy) int {
	return slices.Index([]event.Autonomy{event.Guided, event.StopOnAsk, event.NeverStop}, a)
}

// firstStep finds the first step, and sees that it can be shown.
func (b *beginning) firstStep(mode advance.Mode) (err error) {
	b.due, err = advance.Next(b.flow.Plan, state.Init{}, advance.Input{Work: b.work, Mode: mode})
	if err != nil {
		return corrupt(err)
	}
	text, reasons := rendered(b.flow.Plan, b.due)
	b.text = text
	if len(reasons) > 0 {
		e := tools.Failed(tools.PreconditionFailed, reasons[0].Message, reasons[0].Fix)
		e.Retry = tools.Retry{Kind: "retryable_immediate"}
		e.Details = map[string]any{"key": reasons[0].Pointer.Key, "reasons": len(reasons)}
		return e
	}
	if b.due.Step == nil {
		return tools.Failed(tools.PreconditionFailed, "no step of the workflow is due with this context",
			"look at the conditions of its steps with inspect_workflow")
	}
	return nil
}

// write makes the events.
func (b *beginning) write() error {
	plan := b.flow.Plan
	scope := event.Scope{Run: b.run}
	on := event.Scope{Run: b.run, Node: b.root}
	add := func(s event.Scope, d event.Data) { b.events = append(b.events, event.New(b.session, s, d)) }
	snapshot, err := state.Encode(b.due.State)
	if err != nil {
		return err
	}
	set, kept := contextSet(b.set, b.sources)
	set.ID, set.Source = event.Derive[event.ContextID](string(b.session)), "initial"
	b.rep = b.reply()
	text, reply, err := keepReply(b.rep)
	if err != nil {
		return err
	}
	hash := event.WorkflowHash(plan.Hash().String())
	kind := b.flow.Kind
	if kind == plans.KindFile {
		kind = plans.KindUser
	}
	add(event.Scope{}, &event.SessionCreated{})
	add(scope, &event.RunStarted{Workflow: event.WorkflowID(plan.WorkflowID), Hash: hash, SourceKind: string(kind),
		SourceRef: b.flow.Ref})
	add(on, &event.NodeCreated{NodeKind: event.StepNode, Hash: hash, Snapshot: event.DigestOf(snapshot), Reply: reply})
	for _, p := range b.prefs {
		add(on, p)
	}
	add(scope, set)
	for _, g := range b.gaps {
		add(on, g)
	}
	for i, g := range b.due.Gaps {
		add(on, gapOf(string(b.session), i, g))
	}
	if confirms(b.due) {
		add(on, toConfirm(string(b.session), b.due.Step))
	}
	if len(b.due.Trace) > 0 {
		add(on, event.NewTrace(event.Derive[event.TraceID](string(b.session)), b.due.Trace))
	}
	b.keep = []shelf.Content{shelf.JSON(plan.Canonical()), shelf.JSON(snapshot), kept, text}
	return nil
}

// reply shows the first step.
func (b *beginning) reply() *tools.Reply {
	a := answer{run: runRef(b.session, b.run, event.WorkflowID(b.flow.Plan.WorkflowID)), at: b.due.State, due: b.due,
		text: b.text, prefs: b.prefs[len(b.prefs)-1].Effective, confirm: confirms(b.due)}
	for _, g := range b.gaps {
		a.warnings = append(a.warnings, g.Summary)
	}
	for _, g := range b.due.Gaps {
		if event.Severity(g.Severity) == event.Warning {
			a.warnings = append(a.warnings, g.Summary)
		}
	}
	return a.reply()
}

// gapOf is gap i that the operation of this id records.
func gapOf(id string, i int, g state.Gap) *event.GapRecorded {
	return &event.GapRecorded{ID: event.Derive[event.GapID](id, fmt.Sprint(i)), Severity: event.Severity(g.Severity),
		Reason: event.Reason{Category: string(g.Category), Detail: g.Detail}, Summary: g.Summary,
		Resolution: event.Resolution{Kind: "unresolved"}}
}
