package capabilities

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"sync"
	"testing/fstest"
	"time"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// What makes up for a step has one of these as its :v, so that an effect says whose it is.
const undoes, undoesOpen = "0", "00"

// tortured is the plan that is tortured: a step whose yes is on the plan's card, one that is tried again,
// one that is open, waits for a card of its own and needs what the first returned, and one that may fail.
const tortured = `
(defcapability t.work :version "1.0.0" :owner "o" :scope :project :inputs (:name string) :required (:name)
  :outputs (:seen string) :once (:key ("work" :name))
  :plan ((was :tool "look" :args (:name "{{name}}") :out (:previous text) :undo "only reads")
         (put :tool "put" :args (:name "{{name}}" :v "1") :undo (:tool "put" :args (:name "{{name}}" :v "0")))
         (shaky :tool "shaky" :args (:name "{{name}}" :v "1") :retries 2 :idempotent t
                :undo (:tool "shaky" :args (:name "{{name}}" :v "0")))
         (open :tool "put" :args (:name "{{name}}" :v "{{work.previous}}")
               :undo (:tool "put" :args (:name "{{name}}" :v "00")))
         (last :tool "last" :args (:name "{{name}}" :v "1") :undo (:tool "last" :args (:name "{{name}}" :v "0"))))
  :result (:seen "{{work.previous}}"))
`

const torturedRules = `
(deftool look :params (:name string) :required (:name) :tier :allow :effect :none)
(deftool put :params (:name string :v string) :required (:name :v) :tier :ask :effect :external)
(deftool shaky :params (:name string :v string) :required (:name :v) :tier :allow :effect :external :idempotent t)
(deftool last :params (:name string :v string) :required (:name :v) :tier :allow :effect :external)
(defaults :unknown-tool :deny)
`

// told is what a client says: what it starts, what it was answered, and each effect at the moment in which
// it happens.
type told struct {
	Do     string `json:"do"` // ready, start, answer, effect, bad
	Name   string `json:"name,omitempty"`
	Run    string `json:"run,omitempty"`
	Status string `json:"status,omitempty"`
	Key    string `json:"key,omitempty"` // of an effect
	Digest string `json:"digest,omitempty"`
	What   string `json:"what,omitempty"` // the tool and its arguments
	Text   string `json:"text,omitempty"`
}

// toiler is the client of one life, and the tools of its engine.
type toiler struct {
	life  int
	seed  uint64
	mode  string // how each second run is to go; "" for any way
	say   func(told)
	reach func(point string)
	over  func() bool // the power is gone

	caps *Capabilities
	e    *cortex.Engine

	mu    sync.Mutex
	keys  map[string]bool // effects that have happened, by idempotency key
	shook map[string]bool // what has been shaky once
	armed bool            // points count
}

func (w *toiler) at(point string) {
	w.mu.Lock()
	armed := w.armed
	w.mu.Unlock()
	if armed {
		w.reach(point)
	}
}

func (w *toiler) arm() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.armed = true
}

// options are those of each life's engine.
func (w *toiler) options(dir string) cortex.Options {
	w.caps = New()
	tool := func(name string) act.Tool {
		return act.Tool{Schema: &skills.Tool{Name: name}, Actuator: act.Func(w.act)}
	}
	return cortex.Options{Dir: dir, Live: true, Heartbeat: 24 * time.Hour, Capabilities: w.caps,
		Rules: fstest.MapFS{"rules.lisp": {Data: []byte(torturedRules)}},
		Tools: []act.Tool{tool("look"), tool("put"), tool("shaky"), tool("last")}}
}

// act does what the name of a run says: "fails-...", "vague-...", or well.
func (w *toiler) act(_ context.Context, c act.Call) (act.Receipt, error) {
	name, v, tool := c.Action.Args().GetText("name"), c.Action.Args().GetText("v"), c.Action.Tool()
	mode, _, _ := strings.Cut(name, "-")
	whose := "effect-step"
	if v == undoes || v == undoesOpen {
		whose = "effect-undo"
	}
	w.at("before-" + whose)
	w.mu.Lock()
	done := w.keys[c.Key]
	w.mu.Unlock()
	switch {
	case done: // it is tried again
		return act.Receipt{State: act.Done}, nil
	case tool == "look":
		return act.Receipt{State: act.Done, Text: "v7"}, nil
	case tool == "shaky" && v == "1" && !w.shaken(name):
		return act.Receipt{State: act.Nothing, Error: "503"}, nil
	case tool == "last" && v == "1" && mode == "fails":
		return act.Receipt{State: act.Failed, Error: "404"}, nil
	}
	w.happens(c)
	w.at("after-" + whose)
	if mode == "vague" && (tool == "last" || tool == "shaky" && v == "1") {
		return act.Receipt{State: act.Unknown, Error: "the line broke"}, nil
	}
	return act.Receipt{State: act.Done}, nil
}

// shaken reports whether a run has been shaken in this life, and shakes it.
func (w *toiler) shaken(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	was := w.shook[name]
	w.shook[name] = true
	return was
}

// happens is the moment in which an effect happens: it is said, whatever becomes of this process. The same
// key again makes no second effect.
func (w *toiler) happens(c act.Call) {
	w.mu.Lock()
	again := w.keys[c.Key]
	w.keys[c.Key] = true
	w.mu.Unlock()
	if !again {
		w.say(told{Do: "effect", Key: c.Key, Digest: c.Action.Digest().String(),
			What: c.Action.Tool() + " " + c.Action.Args().String()})
	}
}

// begin puts the plan in force, the first time.
func (w *toiler) begin(ctx context.Context, e *cortex.Engine) error {
	w.e = e
	all, err := w.caps.List(ctx)
	if err != nil {
		return err
	}
	if len(all) > 0 {
		return nil
	}
	plans, err := form.Read("plan.lisp", []byte(tortured))
	if err == nil {
		err = w.caps.Register(ctx, plans[0], "op")
	}
	for _, s := range []State{Tested, OnTrial, InForce} {
		if err == nil {
			err = w.caps.Move(ctx, plans[0].ID, plans[0].Version, s, "op", "")
		}
	}
	return err
}

// toil lets clients work until the engine dies or so many runs were begun.
func (w *toiler) toil(ctx context.Context, clients, runs int) {
	w.arm()
	w.say(told{Do: "ready"})
	var wg sync.WaitGroup
	for who := range clients {
		rng := rand.New(rand.NewPCG(w.seed, uint64(who)))
		wg.Go(func() {
			for n := range runs {
				if ctx.Err() != nil || w.over() {
					return
				}
				mode := []string{"well", "well", "fails", "vague"}[rng.IntN(4)]
				if w.mode != "" && rng.IntN(4) > 0 {
					mode = w.mode
				}
				w.run(ctx, fmt.Sprintf("%s-%d-%d-%d", mode, w.life, who, n), rng)
			}
		})
	}
	wg.Wait()
}

// run starts the plan under a name, says yes to its card, and looks after what waits. Errors are the
// engine's dying.
func (w *toiler) run(ctx context.Context, name string, rng *rand.Rand) {
	for range 6 {
		w.say(told{Do: "start", Name: name})
		r, err := w.start(ctx, name)
		var held *cortex.Held
		switch {
		case errors.As(err, &held):
			if w.e.Approve(ctx, held.Approval.Token, operator) != nil {
				return
			}
		case err != nil:
			return
		default:
			if w.over() {
				return
			}
			w.say(told{Do: "answer", Name: name, Run: r.Result.GetText("run"), Status: r.Result.GetText("status")})
			_ = w.tend(ctx, func() bool { return rng.IntN(8) > 0 })
			if rng.IntN(2) == 0 {
				return
			}
			w.say(told{Do: "start", Name: name})
			_, err = w.start(ctx, name) // once more: it is answered with the outputs, or refused
			_ = err                     // what the record says counts
			return
		}
	}
}

func (w *toiler) start(ctx context.Context, name string) (cortex.Receipt, error) {
	a, err := skills.NewAction("t.work", sexpr.Plist("name", sexpr.Str(name)), "")
	if err != nil {
		return cortex.Receipt{}, err
	}
	f := &cortex.Facts{}
	f.Session.ID, f.Session.Principal = "s-"+name, "user"
	return w.e.Do(ctx, a, f)
}

// tend answers the cards that wait, settles what is in doubt by what has happened, and waits until the runs
// rest. yes is what a person says.
func (w *toiler) tend(ctx context.Context, yes func() bool) error {
	var errs []error
	for a, err := range w.e.Pending(ctx) {
		switch {
		case err != nil:
		case yes():
			err = w.e.Approve(ctx, a.Token, operator)
		default:
			err = w.e.Deny(ctx, a.Token, operator, "no")
		}
		if errs = append(errs, err); w.over() {
			break
		}
	}
	errs = append(errs, w.e.Operations().Maintain(ctx), w.e.Operations().Wait(ctx), w.settle(ctx), w.rest(ctx))
	return errors.Join(errs...)
}

// settle says of each doubt what has become of it.
func (w *toiler) settle(ctx context.Context) error {
	doubts, err := w.e.Operations().Doubts(ctx)
	for _, d := range doubts {
		in, err := w.e.Journal().Read(d.Intent)
		if err != nil {
			return err
		}
		w.mu.Lock()
		happened := w.keys[record.IntentFrom(in.Body).Key]
		w.mu.Unlock()
		if err := w.e.Operations().Settle(ctx, d.Intent, happened, operator); err != nil {
			continue // the engine was first
		}
	}
	return err
}

// rest waits until no run is being driven.
func (w *toiler) rest(ctx context.Context) error {
	heads, err := w.e.Hosts().Logs().List(ctx)
	for _, h := range heads {
		if err == nil {
			err = w.e.Hosts().Rest(ctx, h.Log)
		}
	}
	return err
}

// modeFor is how runs have to go so that a point is reached.
func modeFor(point string) string {
	_, what, _ := strings.Cut(point, "-")
	switch {
	case strings.HasSuffix(what, "undo"), what == kindBroke, what == kindUndone:
		return "fails"
	case what == kindRepeat:
		return "well"
	case what == "retry", what == "settled":
		return "vague"
	}
	return ""
}

func newToiler(life int, seed uint64, point string, keys map[string]bool) *toiler {
	return &toiler{life: life, seed: seed + uint64(life), mode: modeFor(point), keys: maps.Clone(keys),
		shook: map[string]bool{}, over: func() bool { return false }, armed: life > 0}
}
