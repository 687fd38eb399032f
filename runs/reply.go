package runs

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/advance"
	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/plans/prompt"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/runs/shelf"
	"github.com/opencortex-go/cortex/runs/ticket"
	"github.com/opencortex-go/cortex/runs/tools"
)

// hole stands in a kept reply where its ticket goes. No other text of a reply has it.
const hole = "\x00"

// fill puts the ticket into a reply. Without one the holes go.
func fill(rep *tools.Reply, token string) {
	put := func(s *string) { *s = strings.ReplaceAll(*s, hole, token) }
	put(&rep.Text)
	put(&rep.ContinueToken)
	put(&rep.RetryToken)
	if rep.NextCall != nil {
		for k, v := range rep.NextCall.Params {
			rep.NextCall.Params[k] = strings.ReplaceAll(v, hole, token)
		}
	}
}

// whole removes holes from a text that did not make them.
func whole(text string) string { return strings.ReplaceAll(text, hole, "\uFFFD") }

// runRef names a run.
func runRef(session event.SessionID, run event.RunID, flow event.WorkflowID) tools.RunRef {
	return tools.RunRef{Label: event.Label(session, flow), RunID: string(run), Workflow: string(flow)}
}

// refOf names the run of a log.
func refOf(log *fold.State) tools.RunRef { return runRef(log.Session, log.Run, log.Started.Workflow) }

// answer is what a reply is made of.
type answer struct {
	run      tools.RunRef
	prefs    event.Preferences
	at       state.State // where the run stands
	due      advance.Due // the step that is pending, if one is
	text     prompt.Text // its text
	blocked  *state.Block
	issues   *tools.Validation
	reading  bool          // the place is only read again
	confirm  bool          // a person has to confirm the step
	waits    *state.Reason // what a step of the engine waits for; nil if it waits for nothing
	warnings []string
	recovery string
}

// reply makes the reply with a hole where the ticket goes.
func (a *answer) reply() *tools.Reply {
	rep := &tools.Reply{Kind: "ok", Warnings: a.warnings, Recovery: whole(a.recovery),
		Preferences: tools.Preferences{Autonomy: string(a.prefs.Autonomy), RiskPolicy: a.prefs.Risk},
		Run:         a.run}
	_, rep.IsComplete = a.at.(state.Complete)
	if a.due.Step != nil {
		rep.Run.Step = whole(a.text.Title)
		rep.Pending = &tools.Pending{StepID: a.due.Step.ID, Title: whole(a.text.Title), Prompt: whole(a.text.Prompt),
			AgentRole: whole(a.text.AgentRole)}
	}
	switch {
	case a.blocked != nil:
		a.block(rep)
	case a.waits != nil:
		rep.Kind, rep.Blockers, rep.ContinueToken = "blocked", []state.Blocker{a.waits.Blocker()}, hole
		rep.NextIntent = tools.OnlyRehydrate
		if a.waits.Code.Category() == state.UserOnly {
			rep.NextIntent = tools.AwaitPerson
		}
	default:
		rep.NextIntent = a.intent(rep)
		if !rep.IsComplete {
			rep.ContinueToken = hole
		}
	}
	if token := rep.ContinueToken + rep.RetryToken; token != "" {
		rep.NextCall = &tools.NextCall{Tool: tools.Continue, Params: map[string]string{"continueToken": hole}}
		if rep.NextIntent == tools.OnlyRehydrate || rep.NextIntent == tools.AwaitPerson {
			rep.NextCall.Params["intent"] = "rehydrate"
		}
	}
	rep.Text = text(rep)
	return rep
}

func (a *answer) block(rep *tools.Reply) {
	rep.Kind, rep.Blockers, rep.Validation = "blocked", a.blocked.Blockers, a.issues
	rep.Retryable, rep.NextIntent = a.blocked.Retry != "", tools.Perform
	switch {
	case !rep.Retryable:
		rep.NextIntent, rep.ContinueToken = tools.OnlyRehydrate, hole
	case a.blocked.Reason.Category() == state.UserOnly:
		rep.NextIntent, rep.RetryToken = tools.AwaitPerson, hole
	default:
		rep.RetryToken = hole
	}
}

func (a *answer) intent(rep *tools.Reply) tools.Intent {
	switch {
	case rep.IsComplete || rep.Pending == nil:
		return tools.NothingMore
	case a.due.Step.By == plans.ByPerson || a.confirm:
		return tools.AwaitPerson
	case a.due.Step.By != plans.ByPrompt:
		return tools.OnlyRehydrate
	}
	return tools.Perform
}

// text is the reply for a model.
func text(rep *tools.Reply) string {
	head := fmt.Sprintf("Run %s, workflow %s", rep.Run.Label, rep.Run.Workflow)
	if rep.Run.Step != "" {
		head += ", step " + rep.Run.Step
	}
	parts := []string{head + "."}
	for _, b := range rep.Blockers {
		line := "BLOCKED (" + b.Code + "): " + b.Message
		if b.SuggestedFix != "" {
			line += " " + b.SuggestedFix
		}
		parts = append(parts, whole(line))
	}
	if rep.Pending != nil && rep.Pending.Prompt != "" {
		parts = append(parts, rep.Pending.Prompt)
	}
	for _, w := range rep.Warnings {
		parts = append(parts, "Warning: "+whole(w))
	}
	if rep.Recovery != "" {
		parts = append(parts, rep.Recovery)
	}
	return strings.Join(append(parts, lastLine(rep)), "\n\n")
}

// lastLine says what to call next.
func lastLine(rep *tools.Reply) string {
	switch {
	case rep.IsComplete:
		return "The run is complete. Nothing is left to do."
	case rep.RetryToken != "" && rep.NextIntent == tools.Perform:
		return "Mend what is named above, then call continue_workflow with your output and continueToken " + hole
	case rep.RetryToken != "":
		return "A person has to act first. Then call continue_workflow with your output and continueToken " + hole
	case rep.NextIntent == tools.AwaitPerson:
		return "A person is asked: cortex approvals list shows the card. Call continue_workflow with intent rehydrate and " +
			"continueToken " + hole
	case rep.Kind == "blocked" && rep.Blockers[0].Code != "IN_DOUBT":
		return "Only a person can release this run. To read it again, call continue_workflow with intent rehydrate and " +
			"continueToken " + hole
	case rep.NextIntent == tools.OnlyRehydrate:
		return "The engine takes this step itself. Call continue_workflow with intent rehydrate and continueToken " + hole
	}
	return "When the step is done, call continue_workflow with your output and continueToken " + hole
}

// keepReply makes the content that a reply is kept as, and its digest.
func keepReply(rep *tools.Reply) (shelf.Content, event.ContentDigest, error) {
	text, err := canon.Of(rep)
	return shelf.JSON(text), event.DigestOf(text), err
}

func readReply(text string) (*tools.Reply, error) {
	rep := &tools.Reply{}
	if err := json.Unmarshal([]byte(text), rep); err != nil {
		return nil, fmt.Errorf("a reply that was kept: %w", err)
	}
	return rep, nil
}

// keptReply reads a reply that was kept.
func (r *Runs) keptReply(of event.ContentDigest) (*tools.Reply, error) {
	if of == "" {
		return nil, tools.Failed(tools.InvariantViolation, "the call is on record, and what was answered is not",
			"ask an operator to look at the run: cortex run show")
	}
	text, err := r.shelf.Content(of)
	if err != nil {
		return nil, err
	}
	return readReply(text)
}

// kept reads a reply that was kept with an advance, and gives it its ticket.
func (r *Runs) kept(log *fold.State, done *fold.Advance) (*tools.Reply, error) {
	to := log.Node(done.Outcome.To)
	if to == nil || to.Edge == nil {
		return nil, tools.Failed(tools.InvariantViolation, "the attempt is on record, and its outcome is not",
			"ask an operator to look at the run: cortex run show")
	}
	rep, err := r.keptReply(done.Reply)
	if err != nil {
		return nil, err
	}
	return rep, r.seal(log, to, done.Attempt, rep)
}

// seal puts the ticket for the attempt that follows into a reply.
func (r *Runs) seal(log *fold.State, to *fold.Node, after event.AttemptID, rep *tools.Reply) error {
	try, err := ticket.FirstTry(after)
	if err != nil {
		return err
	}
	token, err := r.ticketFor(log, to, try)
	if err != nil {
		return err
	}
	fill(rep, token)
	return nil
}
