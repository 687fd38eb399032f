package capabilities

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason"
)

// witness is what is known of a record from outside.
type witness struct {
	mu      sync.Mutex
	effects []told
	keys    map[string]bool
	answers map[string]told // by run: what a start was answered
	ready   bool
	wrong   []string
	runs    int // that came to their end
}

func newWitness() *witness { return &witness{keys: map[string]bool{}, answers: map[string]told{}} }

func (l *witness) fault(format string, args ...any) {
	l.wrong = append(l.wrong, fmt.Sprintf(format, args...))
}

func (l *witness) hear(s told) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch s.Do {
	case "ready":
		l.ready = true
	case "bad":
		l.fault("%s", s.Text)
	case "answer":
		if first, ok := l.answers[s.Run]; !ok || first.Status == "running" || first.Status == "making up" {
			l.answers[s.Run] = s
		}
	case "effect":
		l.effects = append(l.effects, s)
		l.keys[s.Key] = true
	}
}

// ledgered is what a record says, read record by record and by no index of the engine's.
type ledgered struct {
	allows   map[uint64]string // what decisions allow
	intents  map[string]record.Intent
	bySeq    map[uint64]record.Intent
	receipts map[uint64]record.Receipt
	told     map[string]int // by run: how often its Result was told
}

// check looks at what is left of a record.
func (l *witness) check(ctx context.Context, e *cortex.Engine, caps *Capabilities) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ready = false
	if err := e.Journal().Verify(ctx); err != nil {
		l.fault("the journal: %v", err)
		return
	}
	r, err := l.read(e)
	if err != nil {
		l.fault("%v", err)
		return
	}
	l.effectsAllowed(r)
	l.onceEach(r)
	runs, err := runsOf(ctx, e, caps)
	if err != nil {
		l.fault("%v", err)
		return
	}
	l.none(runs)
	for log := range r.told {
		if n := r.told[log]; n > 1 || runs[log] == nil || !runs[log].Ended() {
			l.fault("the Result of %s was told %d times, and on record it is %v", log, n, runs[log])
		}
	}
}

// read reads the record, and holds each intent against the decision that it rests on.
func (l *witness) read(e *cortex.Engine) (*ledgered, error) {
	r := &ledgered{allows: map[uint64]string{}, intents: map[string]record.Intent{}, bySeq: map[uint64]record.Intent{},
		receipts: map[uint64]record.Receipt{}, told: map[string]int{}}
	return r, e.Journal().Records(1, func(rec cortex.Record) error {
		switch rec.Kind {
		case record.KindDecision:
			d, err := record.DecisionFrom(rec)
			if err != nil {
				return err
			}
			if d.Kind == reason.Allow {
				r.allows[rec.Seq] = d.Action.Digest().String()
			}
		case record.KindIntent:
			in := record.IntentFrom(rec.Body)
			if r.allows[in.Decision] != in.Digest {
				l.fault("intent %d has no allow over its bytes", rec.Seq)
			}
			if _, ok := r.intents[in.Key]; ok {
				l.fault("two intents share the key %s", in.Key)
			}
			r.intents[in.Key], r.bySeq[rec.Seq] = in, in
		case record.KindReceipt:
			rc := record.ReceiptFrom(rec.Body)
			r.receipts[rc.Intent] = rc
			in := r.bySeq[rc.Intent]
			status := rc.Result.GetText("status")
			if in.Tool == "t.work" && !rc.Result.GetTrue("repeat") && (status == statusOK || status == statusPartial ||
				status == statusRefused) {
				r.told[rc.Result.GetText("run")]++
			}
		case record.KindSignal:
			if run, ok := strings.CutPrefix(rec.Body.GetText("key"), "result:"); ok {
				r.told[run]++
			}
		}
		return nil
	})
}

// effectsAllowed checks that every effect has an allow over its bytes, and that none happened twice.
func (l *witness) effectsAllowed(r *ledgered) {
	times := map[string]int{}
	for _, s := range l.effects {
		if in, ok := r.intents[s.Key]; !ok || in.Digest != s.Digest {
			l.fault("an effect without an allow: %s", s.What)
		}
		if times[s.What]++; times[s.What] > 1 {
			l.fault("an effect that happened twice: %s", s.What)
		}
	}
}

// onceEach checks that each try of a step has one intent, and each intent is made up for once.
func (l *witness) onceEach(r *ledgered) {
	tries, madeUp := map[record.Step]uint64{}, map[uint64]uint64{}
	for seq, in := range r.bySeq {
		if rc, ok := r.receipts[seq]; ok && rc.State == act.Nothing {
			continue // it did not happen
		}
		if was, ok := tries[in.Step]; ok && in.Step != (record.Step{}) {
			l.fault("intents %d and %d are of one try of a step", was, seq)
		}
		tries[in.Step] = seq
		if was, ok := madeUp[in.Compensates]; ok && in.Compensates != 0 {
			l.fault("intents %d and %d make up for one effect", was, seq)
		}
		madeUp[in.Compensates] = seq
	}
}

// runsOf reads all runs. A log that does not read as it was written is an error.
func runsOf(ctx context.Context, e *cortex.Engine, caps *Capabilities) (map[string]*Run, error) {
	heads, err := e.Hosts().Logs().List(ctx)
	if err != nil {
		return nil, err
	}
	runs := map[string]*Run{}
	for _, h := range heads {
		if h.Root != 0 {
			if runs[h.Log], err = caps.Show(ctx, h.Log); err != nil {
				return nil, err
			}
		}
	}
	return runs, nil
}

// none checks that no run is lost, and no name has two.
func (l *witness) none(runs map[string]*Run) {
	names := map[string]string{}
	for log, r := range runs {
		name := r.start.Inputs.GetText("name")
		if was, ok := names[name]; ok && (r.Status == statusOK || runs[was].Status == statusOK) {
			l.fault("%s has two runs, %s and %s", name, was, log)
		}
		names[name] = log
	}
	for log, s := range l.answers {
		r := runs[log]
		switch {
		case log == "": // nothing had begun
		case r == nil:
			l.fault("the run %s of %s was acknowledged, and is lost", log, s.Name)
		case s.Status != "running" && s.Status != "making up" && s.Status != r.Status:
			l.fault("%s was answered %s, and is %s", s.Name, s.Status, r.Status)
		}
	}
}

// finish brings every run to its end, and looks at what they came to.
func (l *witness) finish(ctx context.Context, e *cortex.Engine, caps *Capabilities, w *toiler) {
	for range 30 {
		if err := w.tend(ctx, func() bool { return true }); err != nil {
			l.fault("at the end: %v", err)
			return
		}
		runs, err := runsOf(ctx, e, caps)
		if err != nil {
			l.fault("%v", err)
			return
		}
		open := 0
		for _, r := range runs {
			if !r.Ended() {
				open++
			}
		}
		if open == 0 {
			break
		}
	}
	l.check(ctx, e, caps)
	l.ends(ctx, e, caps)
	if got, err := e.Replay(ctx, engine.ReplayOptions{}); err != nil || got.Skipped > 0 || len(got.Differences) > 0 {
		l.fault("the replay: %v %v", got, err)
	}
}

// ends checks how runs ended: one Result each, told once, and nothing left that was to be made up for.
func (l *witness) ends(ctx context.Context, e *cortex.Engine, caps *Capabilities) {
	r, err := l.read(e)
	if err != nil {
		l.fault("%v", err)
		return
	}
	runs, err := runsOf(ctx, e, caps)
	if err != nil {
		l.fault("%v", err)
		return
	}
	done := map[string]bool{}
	for _, s := range l.effects {
		done[s.What] = true
	}
	for log, run := range runs {
		if !run.Ended() {
			l.fault("%s has no Result: %s", log, run.Waits)
			continue
		}
		l.runs++
		if n := r.told[log]; n != 1 {
			l.fault("the Result of %s, %s, was told %d times", log, run.Status, n)
		}
		l.madeUp(run, done)
	}
}

// madeUp checks that what a run did was made up for if it did not end well, and otherwise not.
func (l *witness) madeUp(run *Run, done map[string]bool) {
	name := run.start.Inputs.GetText("name")
	for _, x := range []struct{ step, tool, does, undoes string }{{"put", "put", "1", undoes},
		{"shaky", "shaky", "1", undoes}, {"open", "put", "v7", undoesOpen}, {"last", "last", "1", undoes}} {
		what := func(v string) string { return fmt.Sprintf("%s (:name %q :v %q)", x.tool, name, v) }
		undone := run.undone[x.step]
		switch {
		case run.Status == statusOK && (!done[what(x.does)] || done[what(x.undoes)]):
			l.fault("%s ended well; step %s happened: %v, made up for: %v", name, x.step, done[what(x.does)],
				done[what(x.undoes)])
		case run.Status != statusOK && done[what(x.does)] && undone.State == "":
			l.fault("%s is %s, and step %s was not made up for", name, run.Status, x.step)
		case undone.State == string(engine.StepDone) && !done[what(x.undoes)]:
			l.fault("%s: step %s was not made up for, and the log says so", name, x.step)
		}
	}
}
