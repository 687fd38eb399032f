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
	"github.com/opencortex-go/cortex/cortex/internal/hooks"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/internal/policy"
	"github.com/opencortex-go/cortex/cortex/internal/session"
	"github.com/opencortex-go/cortex/cortex/internal/thoughts"
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

// Types of the engine's API, under the names that an embedder imports.
type (
	Signal   = perceive.Signal
	Action   = skills.Action
	Facts    = skills.Facts
	Permit   = act.Permit
	Receipt  = act.Receipt
	Record   = journal.Record
	Decision = record.Decision
)

// NewAction returns the action that calls tool with args. args is a map, a struct or JSON
// bytes, as [sexpr.From] takes them, or a plist. explanation is the proposer's own and may
// be empty.
func NewAction(tool string, args any, explanation string) (*Action, error) {
	v, err := sexpr.From(args)
	if err != nil {
		return nil, fmt.Errorf("cortex: the arguments of %s: %w", tool, err)
	}
	return skills.NewAction(tool, v, explanation)
}

// Options configure an engine. The zero value of every field is the safe choice.
//
// Set one of Live, Dry and Observe to say how effects happen. With none of them the
// engine's own actuators stay dry and [Engine.Begin] returns [ErrNoMode] instead of a
// permit.
type Options struct {
	// Dir is the folder of the record; "" keeps it in memory.
	Dir string
	// Reserve is the space on the disk of Dir, in bytes, that the engine keeps back to
	// finish what has begun. Below it the engine begins nothing new. 0 means 64 MiB, or an
	// eighth of a small disk.
	Reserve int64
	// Rules holds the rule files. nil means none here. An engine without rules denies
	// every action.
	Rules fs.FS
	// Roots are more places of rule files, read after Rules.
	Roots []rules.Root
	// Functions are functions that rules may call besides the core ones, such as those of
	// skills/facts/secrets.
	Functions []facts.Function
	// Plugins brings gates that run as processes of their own. nil means none.
	Plugins policy.Plugins
	// Capabilities are tested plans that models can call as tools. nil means none.
	Capabilities Capabilities
	// Gates are gates written in Go. They judge beside those of the rule files.
	Gates []Gate
	// Live lets actions under a permit take effect.
	Live bool
	// Dry gives permits that are marked dry. The engine decides and records, and runs,
	// spends and consumes nothing. It refuses a receipt that claims an effect under such a
	// permit.
	Dry bool
	// Observe decides and records what the engine would have done, and holds nothing back:
	// a caller that runs its own tools gets a permit for the action as proposed. The
	// engine's own actuators stay dry.
	Observe bool
	// Inspect opens the record to read it and to answer approvals. The engine decides,
	// resumes and runs nothing. The policy is the one of the last run.
	Inspect bool
	// ReadOnly, together with Inspect, opens a record that cannot or must not be written
	// to: a copy that is evidence, a read-only mount. Approvals cannot be answered then.
	// The engine takes no lock: the caller makes sure that nothing else writes there.
	ReadOnly bool

	// Lookup answers what rules ask about the world outside the facts. nil follows
	// symbolic links on this machine. The engine records the answers, and replay uses the
	// recorded ones.
	Lookup facts.Lookup

	// Tools are the actuators that the engine may run, each with a schema. That schema
	// holds where no rule file declares the tool.
	Tools []act.Tool
	// Context says what a model is shown of the world beside the history of its session, such as
	// notes. The engine calls it before each question to a model, records what is new as a text
	// that the model read, and shows it in the system prompt. It must quote what it did not write
	// itself. If it fails, the model is asked without. nil shows nothing.
	Context func(ctx context.Context, session string) (string, error)
	// Agent is the principal that proposes actions in Submit. It is the requester of
	// approvals and cannot answer them. The signal's principal, who set the task, may. ""
	// means "agent".
	Agent string
	// Env is the plist that rules read as facts.env.
	Env sexpr.Value
	// Seeds are where facts of facts.ctx, facts.work and facts.policy come from, besides operators: files, and
	// probes of the host. The engine reads them as it opens and before each turn, and records what has
	// changed, with the seed. A replay reads none.
	Seeds []Seed
	// Protected are more places that no action may touch: rule folders, configuration,
	// sockets, the pairing secret. Dir is always one of them.
	Protected reason.Places
	// Handlers see each signal before any model does. A handler that returns true has
	// taken the signal.
	Handlers []session.Handler

	// Driver goes on with runs: see [Driver]. nil means that this engine drives none. Only an
	// engine that is Live does.
	Driver Driver

	// Say sends what the model replies to the user of a session, in addition to the
	// outcome of Submit. nil where the outcome is enough.
	Say func(ctx context.Context, session, text string) error

	// Mandatory names skills that the engine needs to start, besides those that rule files
	// mark as mandatory.
	Mandatory []string
	// Models propose actions. Budgets bound how often they are asked and what they may
	// cost.
	Models  Models
	Budgets Budgets
	// Approvals says how long cards wait, and which people may answer them.
	Approvals ApprovalOptions
	// Caps bound what the engine holds at a time.
	Caps admission.Caps
	// Heartbeat is the time between two rounds of maintenance, which mark as expired what
	// has expired. 0 means one minute.
	Heartbeat time.Duration
	// Checkpoints says when the engine signs the head of the record, and where outside it
	// keeps a copy of the signature.
	Checkpoints integrity.Checkpoints
	// Keys encrypt the arguments that tools declare as :secret, and what FindSecrets finds, on
	// their way into the record. They are needed where a tool has such arguments, and for a
	// record that holds some: package cortex/keyfile keeps them in a file. An engine that
	// inspects may do without; it does not show them then.
	Keys record.Keys
	// FindSecrets lists the credentials in a text, as they stand in it (skills/facts/secrets has
	// one: NewFinder). With Keys, every text that enters the record passes through it, and what
	// it finds is encrypted. It is called by several goroutines, and must be quick. nil finds none.
	FindSecrets func(text string) []string
	// Vault has the secrets that actions refer to as (:vault "name"). The engine's own
	// actuators get them; models, rules, people and the record do not. nil has none.
	Vault act.Vault
	// Traces says how much of what models are asked and answer is on record.
	Traces Traces
	// Retain says how long the engine keeps records. The zero value keeps all of them.
	Retain retention.Retain
	// Clock tells the time. The zero value is the machine's clock.
	Clock ClockOptions
	// Logger gets what an operator should know. nil discards it. If the logger is enabled
	// for [slog.LevelDebug] when the engine opens, it also gets each "decision", "receipt"
	// and "approval", with stable attributes and without arguments, results or texts: see
	// docs/embedding.md.
	Logger *slog.Logger
	// OnDecision is called with each decision that this engine records, once it is
	// durable: in order, one call at a time. It cannot change a decision, and no decision
	// waits for it. While a call blocks, later calls wait; only Close waits for them, for
	// a second at most. The engine logs a panic. An ask that still waits has Approval set.
	OnDecision func(session string, d *Decision)

	// for tests: a store in place of the folder, and what stands between it and the engine
	mount func(Options) (journal.Store, error)
	hooks hooks.Hooks
}

// Models are the models that an engine asks, and how it asks them.
type Models struct {
	// Providers are the models to ask, in order. Each has a name of its own. Rules may
	// choose among them (defmodels). The engine leaves one that fails often alone for a
	// while.
	Providers []model.Provider
	// Consensus is how many models must propose the same. The engine then asks all of them
	// at the same time. With 0 and 1 it takes the first answer.
	Consensus int
	// Identity is the beginning of the system prompt. "" means "Agent".
	Identity string
	// Timeout bounds one call of a model that has no limit of its own. 0 means 60 s.
	Timeout time.Duration
}

// Budgets bound what one root signal may use.
type Budgets struct {
	// Depth is the longest chain of feedback from one signal. 0 means 10.
	Depth int
	// Turns is how often the engine may ask models for one root signal. 0 means 32.
	Turns int
	// Cost is how many US dollars one root signal may spend on models, as far as providers
	// report it. 0 sets no limit.
	Cost float64
	// Tokens is how many tokens, in and out, one root signal may spend on models, as far
	// as providers report them. 0 sets no limit.
	Tokens int64
	// ContextBytes is how many bytes of a session's history, messages and calls, the
	// engine shows a model. It keeps the newest. 0 means 64 KiB.
	ContextBytes int
}

// Traces say how much the record keeps of each question to a model and its answer: records of
// the kind "think", which change no decision and no replay. The zero value keeps nothing.
type Traces = thoughts.Options

// TraceMode says how much a record of the kind "think" has.
type TraceMode = thoughts.Mode

// The modes of [Traces].
const (
	TraceOff    = thoughts.Off    // there are none
	TraceDigest = thoughts.Digest // digests and lengths of prompt and answer, usage and time
	TraceFull   = thoughts.Full   // the texts too: each prompt once more for each time it was sent
)

// ApprovalOptions say how long cards wait, and which people may answer them.
type ApprovalOptions struct {
	// TTL is how long a card waits for an answer. 0 means 24 hours.
	TTL time.Duration
	// Classes lists the principals of each approver class, in addition to those that the
	// host vouches for.
	Classes map[string][]string
	// Escalate says, by approver class, which other class may answer when the first one
	// has not answered for some time.
	Escalate map[string]Escalation
}

// ClockOptions say how an engine tells the time.
type ClockOptions struct {
	// Now returns the time. nil means time.Now.
	Now func() time.Time
	// Uptime returns how long the machine has been up, sleep included, and a name for its
	// start ("" where it has none). With it the engine can tell elapsed time from a wall
	// clock that was set. nil means CLOCK_BOOTTIME if Now is nil too. If Now is set, or
	// the system is not Linux, nil means that only Now counts.
	Uptime func() (boot string, up time.Duration)
}

// Escalation widens who may answer: After this time people of class To may answer as well.
type Escalation struct {
	After time.Duration
	To    string
}

// Check returns every contradiction in the options, joined in one error.
func (o Options) Check() error {
	_, err := o.withDefaults()
	return err
}

// withDefaults fills in zero fields and returns every contradiction, joined in one error.
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
	for i := range o.Seeds {
		errs = append(errs, o.Seeds[i].Valid())
	}
	errs = append(errs, o.Retain.Valid(), o.Traces.Valid())
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
		Plans: plansOf(o.Capabilities), Gates: o.Gates,
		Mandatory: o.Mandatory, Protected: o.Protected, Tools: o.Tools, Say: o.Say, Logger: o.Logger}
}

func (o Options) forLedger() ledger.Options {
	return ledger.Options{Live: o.Live, Dry: o.Dry, Observe: o.Observe, Inspect: o.Inspect, Caps: o.Caps,
		TTL: o.Approvals.TTL, Classes: o.Approvals.Classes, Env: o.Env, Seeds: o.Seeds, Lookup: o.Lookup, Clock: o.Clock.Now,
		Logger: o.Logger}
}

func (o Options) forSessions() session.Options {
	return session.Options{Live: o.Live, Observe: o.Observe, Models: len(o.Models.Providers) > 0, Says: o.Say != nil,
		Agent: o.Agent, Env: o.Env, Handlers: o.Handlers, Depth: o.Budgets.Depth, Turns: o.Budgets.Turns,
		Cost: o.Budgets.Cost, Tokens: o.Budgets.Tokens,
		ContextBytes: o.Budgets.ContextBytes, Context: o.Context, Caps: o.Caps, Logger: o.Logger, Stagger: o.hooks.Stagger}
}

// Realpath is the [Options.Lookup] of an engine that is given none: it follows the symbolic links
// of this machine. Programs that judge without an engine use it too.
func Realpath(function, argument string) (string, error) { return policy.Realpath(function, argument) }
