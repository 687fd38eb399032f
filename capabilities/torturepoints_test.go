package capabilities

import (
	"strings"
	"sync"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/sexpr"
)

// tortureWhats are what a plan's engine is killed before and after, in the order in which they come: its
// commits, by what they enter, and its effects.
var tortureWhats = []string{
	"decision-start", "card-start", "yes", "intent-start", kindClaimed, kindStarted, // a start is on record
	"decision-step", "intent-step", "effect-step", "receipt-step", kindStep, // decision, permit, act, receipt, advance
	"card-step", "retry", "settled", // waits
	kindBroke, "decision-undo", "card-undo", "intent-undo", "effect-undo", "receipt-undo", kindUndone, // it is made up for
	kindApplied, "rest", kindAwaited, "receipt-start", "told", kindRepeat, // the Result, and wake-ups
}

// torturePoints are the named ones.
func torturePoints() (all []string) {
	for _, what := range tortureWhats {
		all = append(all, "before-"+what, "after-"+what)
	}
	return all
}

// pointed is a store that says what is about to be committed, and what was.
type pointed struct {
	journal.Store
	reach func(point string)

	mu    sync.Mutex
	whose map[int64]string // what the intent of this number is of
}

func newPointed(st journal.Store, reach func(string)) *pointed {
	return &pointed{Store: st, reach: reach, whose: map[int64]string{}}
}

// Commit implements [journal.Store].
func (p *pointed) Commit(writes []journal.Write) error {
	var names []string
	p.mu.Lock()
	for _, w := range writes {
		if seq := journal.RecordIn(w); seq != 0 && w.Value != nil {
			if v, err := sexpr.Read("record", string(w.Value)); err == nil {
				rec, _ := v.Get("record")
				names = append(names, p.names(int64(seq), rec)...)
			}
		}
	}
	p.mu.Unlock()
	for _, n := range names {
		p.reach("before-" + n)
	}
	err := p.Store.Commit(writes)
	if err == nil {
		for _, n := range names {
			p.reach("after-" + n)
		}
	}
	return err
}

// names are what a record enters. The caller holds mu.
func (p *pointed) names(seq int64, rec sexpr.Value) (names []string) {
	body, _ := rec.Get("body")
	switch kind := rec.GetText("kind"); kind {
	case record.KindEvents:
		events, _ := body.Get("events")
		for _, e := range events.Items() {
			names = append(names, e.GetText("kind"))
		}
		return names
	case record.KindDecision, record.KindIntent:
		whose := whoseOf(body)
		if kind == record.KindIntent {
			p.whose[seq] = whose
		}
		return []string{kind + "-" + whose}
	case record.KindReceipt:
		if body.GetText("by") != "" {
			return []string{"settled"}
		}
		return []string{"receipt-" + p.whose[body.GetInt("intent")]}
	case record.KindApproval:
		switch body.GetText("state") {
		case "pending":
			return []string{"card-" + whoseCard(body)}
		case "approved":
			return []string{"yes"}
		}
	case record.KindRetry:
		return []string{"retry"}
	case record.KindAnswer:
		return []string{"rest"}
	case record.KindSignal:
		if strings.HasPrefix(body.GetText("key"), "result:") {
			return []string{"told"}
		}
	}
	return nil
}

// whoseOf tells whether a decision or an intent is of a start, of a step, or of what makes up for one.
func whoseOf(body sexpr.Value) string {
	step, ok := record.StepFrom(body)
	switch {
	case !ok || step == (record.Step{}):
		return "start"
	case strings.HasSuffix(step.ID, "/undo"):
		return "undo"
	}
	return "step"
}

// whoseCard tells the same of a card, by what the plan does and undoes.
func whoseCard(body sexpr.Value) string {
	args, _ := body.Get("args")
	switch args.GetText("v") {
	case "":
		return "start"
	case undoes, undoesOpen:
		return "undo"
	}
	return "step"
}
