package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/admission"
	"github.com/opencortex-go/cortex/cortex/integrity"
	"github.com/opencortex-go/cortex/cortex/internal/clock"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/internal/policy"
	"github.com/opencortex-go/cortex/cortex/internal/session"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/cortex/retention"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/rules"
)

// The words of the engine's API, under the names an embedder imports.
type (
	Signal   = perceive.Signal
	Action   = skills.Action
	Facts    = skills.Facts
	Permit   = act.Permit
	Receipt  = act.Receipt
	Record   = journal.Record
	Decision = record.Decision
)

// NewAction returns the action that calls tool with args: a map, a struct or JSON bytes,
// as [sexpr.From] takes them, or a plist. The explanation is the proposer's own, and may
// be empty.
func NewAction(tool string, args any, explanation string) (*Action, error) {
	v, err := sexpr.From(args)
	if err != nil {
		return nil, fmt.Errorf("cortex: the arguments of %s: %w", tool, err)
	}
	return skills.NewAction(tool, v, explanation)
}

// Options says how an engine is to run. Every zero field is the careful choice.
//
// How effects happen is chosen by name: one of Live, Dry and Observe. Without a
// choice the engine's own actuators stay dry and [Engine.Begin] gives no permit.
type Options struct {
	// Dir is the folder of the record; "" keeps it in memory.
	Dir string
	// Reserve is how much space on the disk of Dir is kept back for what is to be
	// finished, in bytes: below it nothing new is begun. 0 means 64 MiB, or an
	// eighth of a small disk.
	Reserve int64
	// Rules holds the rule files; nil means no rules, so everything is denied.
	Rules fs.FS
	// Roots are further places of rule files, after Rules.
	Roots []rules.Root
	// Functions are looked up by rules besides the core ones, such as those of
	// skills/facts/secrets.
	Functions []facts.Function
	// Plugins brings gates that run as processes of their own; nil has none.
	Plugins policy.Plugins
	// Gates are written in Go, and stand beside those of the rule files.
	Gates []Gate
	// Live lets permits act.
	Live bool
	// Dry gives permits that are marked dry: decided and recorded, and nothing is
	// run, spent or consumed. A receipt that claims an effect under one is refused.
	Dry bool
	// Observe decides and records what would have been, and holds nothing: a
	// caller that runs its own tools gets a permit for the action as proposed.
	// The engine's own actuators stay dry.
	Observe bool
	// Inspect opens the record to look at it and to answer approvals. Nothing
	// is decided, resumed or run, and the policy is whatever the last run had.
	Inspect bool
	// ReadOnly, with Inspect, opens a record that cannot be written to, or must not: a
	// copy that is evidence, a read-only mount. Approvals cannot be answered then, and
	// nothing is locked: the caller sees to it that nobody writes there.
	ReadOnly bool

	// Lookup answers what rules ask about the world outside the facts; nil
	// follows symbolic links on this machine. Answers are recorded, and replay
	// uses those.
	Lookup facts.Lookup

	// Tools are the actuators the engine may run, with the schemas that hold
	// where no rule file declares the tool.
	Tools []act.Tool
	// Agent is the principal that asks in Submit: the requester of approvals,
	// who cannot answer them. "" means "agent". The person who set the task is
	// the signal's principal, and may.
	Agent string
	// Env is what rules read as facts.env.
	Env sexpr.Value
	// Protected are further places that no action may touch: rule folders,
	// configuration, sockets, the pairing secret. Dir is always one of them.
	Protected reason.Places
	// Handlers see each signal before any model does; one that returns true has
	// taken it.
	Handlers []session.Handler

	// Say brings what the model replies to the user of a session, besides the
	// outcome of Submit; nil where the outcome is enough.
	Say func(ctx context.Context, session, text string) error

	// Mandatory names skills without which the engine does not start, besides
	// those that rule files mark as such.
	Mandatory []string
	// Models are asked what to do, and Budgets bound how often and for how much.
	Models  Models
	Budgets Budgets
	// Approvals says how long cards wait, and for whom.
	Approvals ApprovalOptions
	// Caps bound what may wait at a time.
	Caps admission.Caps
	// Heartbeat is the time between two rounds of maintenance, which take what has
	// expired off the lists; 0 means one minute.
	Heartbeat time.Duration
	// Checkpoints says when the head of the record is signed, and where it is known
	// outside.
	Checkpoints integrity.Checkpoints
	// Retain says how long the record is kept; the zero value keeps all of it.
	Retain retention.Retain
	// Clock tells the time; the zero value is the machine's.
	Clock ClockOptions
	// Logger hears what an operator should know; nil discards it. One that is enabled
	// for [slog.LevelDebug] when the engine is opened also hears of each "decision",
	// "receipt" and "approval", with stable attributes and without arguments, results
	// or texts: see docs/embedding.md.
	Logger *slog.Logger
	// OnDecision is told of each decision that this engine records, in their order and
	// one after the other, when it is durable. It cannot change one, and none waits for
	// it: while it blocks, later calls of it wait, and only Close waits for those, for a
	// second at most. A panic is logged. An ask that still waits has Approval set.
	OnDecision func(session string, d *Decision)

	// for tests: where the record stands in place of a folder, what stands before the
	// store, sizes that nobody should notice, and the order of tasks; nil and 0: as usual
	mount   func(Options) (journal.Store, error)
	wrap    func(journal.Store) journal.Store
	sizes   sizes
	stagger func() (wait func()) // called as tasks begin and turns are passed on; each goes on when wait returns
}

// Models are the models that an engine asks, and how.
type Models struct {
	// Providers are the models to ask, in order. Their names differ. Rules may
	// choose among them (defmodels); one that fails often is left alone for a
	// while.
	Providers []model.Provider
	// Consensus asks all of them at the same time, and goes on only if so many
	// want the same; with 0 and 1 the first that answers is heard.
	Consensus int
	// Identity opens the system prompt; "" means "Agent".
	Identity string
	// Timeout bounds one call of a model that has no limit of its own; 0
	// means 60 s.
	Timeout time.Duration
}

// Budgets bound what one root signal may use.
type Budgets struct {
	// Depth is the longest chain of feedback from one signal; 0 means 10.
	Depth int
	// Turns is how often models may be asked for one root signal; 0 means 32.
	Turns int
	// Cost is how many US dollars one root signal may spend on models, as far
	// as providers report it; 0 means no limit.
	Cost float64
	// Tokens is how many tokens, in and out, one root signal may spend on models,
	// as far as providers report them; 0 means no limit.
	Tokens int64
	// ContextBytes bounds what a model is shown of a session's history: messages
	// and calls, newest kept; 0 means 64 KiB.
	ContextBytes int
}

// ApprovalOptions say how long cards wait, and for whom.
type ApprovalOptions struct {
	// TTL is how long a card waits; 0 means 24 hours.
	TTL time.Duration
	// Classes lists who belongs to an approver class besides those whom the
	// host vouches for: principals by class.
	Classes map[string][]string
	// Escalate says, by approver class, who else may answer when nobody of the
	// class has for some time.
	Escalate map[string]Escalation
}

// ClockOptions say how an engine tells the time.
type ClockOptions struct {
	// Now tells the time; nil means time.Now.
	Now func() time.Time
	// Uptime tells how long the machine has been up, sleep included, and names
	// its start ("" where it cannot). Together with Now it tells what lasts from
	// what is merely set. nil means CLOCK_BOOTTIME where Now is nil too, and
	// otherwise, and on systems other than Linux, that time is what Now says.
	Uptime func() (boot string, up time.Duration)
}

// sizes are of what nobody should notice; 0 is the usual one.
type sizes struct {
	queue, group int   // of the journal
	segment      int64 // of the log
}

// Escalation widens who may answer: after this time, people of class To as well.
type Escalation struct {
	After time.Duration
	To    string
}

// Check reports every contradiction in the options at once.
func (o Options) Check() error {
	_, err := o.withDefaults()
	return err
}

// withDefaults fills in zero fields and reports every contradiction at once.
func (o Options) withDefaults() (Options, error) {
	var errs []error
	for _, f := range []struct {
		name string
		v    float64
	}{{"Reserve", float64(o.Reserve)}, {"Budgets.Depth", float64(o.Budgets.Depth)},
		{"Budgets.Turns", float64(o.Budgets.Turns)},
		{"Models.Consensus", float64(o.Models.Consensus)}, {"Budgets.Cost", o.Budgets.Cost},
		{"Budgets.Tokens", float64(o.Budgets.Tokens)},
		{"Budgets.ContextBytes", float64(o.Budgets.ContextBytes)}, {"Heartbeat", float64(o.Heartbeat)},
		{"Approvals.TTL", float64(o.Approvals.TTL)}, {"Models.Timeout", float64(o.Models.Timeout)}} {
		if f.v < 0 {
			errs = append(errs, fmt.Errorf("cortex: Options.%s is negative", f.name))
		}
	}
	if !o.Env.IsNil() && !o.Env.IsObject() {
		errs = append(errs, fmt.Errorf("cortex: Options.Env is a plist, not a %s", o.Env.Kind()))
	}
	if o.Live && o.Observe {
		errs = append(errs,
			errors.New("cortex: Options.Live and Options.Observe contradict each other: observing runs nothing"))
	}
	if o.Dry && (o.Live || o.Observe) {
		errs = append(errs, errors.New("cortex: Options.Dry contradicts Live and Observe: set one of the three"))
	}
	if o.Inspect && o.Dir == "" {
		errs = append(errs, errors.New("cortex: Options.Inspect needs a Dir to look at"))
	}
	if o.ReadOnly && !o.Inspect {
		errs = append(errs, errors.New("cortex: Options.ReadOnly goes with Inspect"))
	}
	for i := range o.Gates {
		errs = append(errs, o.Gates[i].Valid())
	}
	errs = append(errs, o.Retain.Valid())
	o.Retain.Keep = cmp.Or(o.Retain.Keep, 24*time.Hour)
	errs = append(errs, o.Caps.Valid())
	o.Caps = o.Caps.WithDefaults()
	o.Budgets.Depth = cmp.Or(o.Budgets.Depth, 10)
	o.Budgets.Turns = cmp.Or(o.Budgets.Turns, 32)
	o.Budgets.ContextBytes = cmp.Or(o.Budgets.ContextBytes, 64<<10)
	o.Heartbeat = cmp.Or(o.Heartbeat, time.Minute)
	o.Approvals.TTL = cmp.Or(o.Approvals.TTL, 24*time.Hour)
	o.Models.Timeout = cmp.Or(o.Models.Timeout, time.Minute)
	o.Models.Identity = cmp.Or(o.Models.Identity, "Agent")
	o.Agent = cmp.Or(o.Agent, "agent")
	if o.Lookup == nil {
		o.Lookup = policy.Realpath
	}
	if o.Clock.Now == nil {
		o.Clock.Now = time.Now
		if o.Clock.Uptime == nil {
			o.Clock.Uptime = clock.MachineUptime()
		}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o, errors.Join(errs...)
}

func (o Options) forPolicy() policy.Options {
	return policy.Options{Dir: o.Dir, Rules: o.Rules, Roots: o.Roots, Functions: o.Functions, Plugins: o.Plugins,
		Gates:     o.Gates,
		Mandatory: o.Mandatory, Protected: o.Protected, Tools: o.Tools, Say: o.Say, Logger: o.Logger}
}

func (o Options) forLedger() ledger.Options {
	return ledger.Options{Live: o.Live, Dry: o.Dry, Observe: o.Observe, Inspect: o.Inspect, Caps: o.Caps,
		TTL: o.Approvals.TTL, Classes: o.Approvals.Classes, Env: o.Env, Lookup: o.Lookup, Clock: o.Clock.Now,
		Logger: o.Logger}
}

func (o Options) forSessions() session.Options {
	return session.Options{Live: o.Live, Observe: o.Observe, Models: len(o.Models.Providers) > 0, Says: o.Say != nil,
		Agent: o.Agent, Env: o.Env, Handlers: o.Handlers, Depth: o.Budgets.Depth, Turns: o.Budgets.Turns,
		Cost: o.Budgets.Cost, Tokens: o.Budgets.Tokens,
		ContextBytes: o.Budgets.ContextBytes, Caps: o.Caps, Logger: o.Logger, Stagger: o.stagger}
}
