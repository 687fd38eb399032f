package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing/fstest"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// openEngine opens a live engine on a folder, as it is used: beside places that no
// action is to touch, and with room for long sessions. "" is in memory.
func openEngine(dir, rules string) (*cortex.Engine, error) {
	opt := cortex.Options{
		Dir: dir, Live: true, Rules: fstest.MapFS{"rules.lisp": {Data: []byte(rules)}},
		Caps: cortex.Caps{SessionMemory: 512 << 20, Approvals: 10_000, PrincipalApprovals: 10_000},
	}
	for i := range 8 {
		opt.Protected.Paths = append(opt.Protected.Paths, fmt.Sprintf("/home/operator/.config/guard/part%d/secrets", i))
	}
	return cortex.Open(context.Background(), opt)
}

// onDisk opens an engine on a folder of its own; done closes it and removes that.
func onDisk(rules string) (eng *cortex.Engine, done func() error, err error) {
	dir, err := os.MkdirTemp("", "bench-engine-")
	if err != nil {
		return nil, nil, err
	}
	if eng, err = openEngine(dir, rules); err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	return eng, func() error { return errors.Join(eng.Close(), os.RemoveAll(dir)) }, nil
}

func asked(session string) *cortex.Facts {
	return &cortex.Facts{Session: skills.Session{ID: session, Principal: "agent-" + session}}
}

const historyRules = `
(deftool note :doc "Keep a note." :params (:text string) :tier :allow :effect :none)
(deftool count :doc "Ask how often it was asked." :tier :allow :effect :none)
(deftool pay :doc "Pay." :params (:amount number) :required (:amount) :tier :allow :effect :none :spends (:money :amount))
(defskill limits
  :trigger (= action.tool "count")
  :gate ((deny often :when (> (len (calls "count")) 250) :reason "often enough")))
(definvariant little
  :when (= action.tool "pay")
  :holds (<= (+ action.args.amount (spent :money :day)) 1000000)
  :reason "more than a million a day")
`

// sessions measures how the cost of one recorded decision grows with what the
// session did before, on disk. What is asked about are few calls, or one sum.
func sessions(r *report) (err error) {
	eng, done, err := onDisk(historyRules)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	count, err := cortex.NewAction("count", sexpr.EmptyObject(), "")
	if err != nil {
		return err
	}
	note, err := cortex.NewAction("note", sexpr.Plist("text", sexpr.Str("milk")), "")
	if err != nil {
		return err
	}
	pay, err := cortex.NewAction("pay", sexpr.Plist("amount", sexpr.Int64(1)), "")
	if err != nil {
		return err
	}
	decide := func(a *cortex.Action) func(string) error {
		return func(session string) error { return allow(eng, a, session) }
	}
	spend := func(session string) error { return run1(eng, pay, session) }
	sizes := []int{10, 100, 1000, 10_000, 100_000}
	if r.short {
		sizes = sizes[:3]
	}
	for _, q := range []struct {
		what        string
		before, now func(string) error
	}{
		{"a decision that counts earlier calls, (calls ...)", decide(note), decide(count)},
		{"a decision that adds up a budget, (spent ...)", spend, decide(pay)},
	} {
		few := afterwards(q.what, 10, q.before, q.now)
		for _, n := range sizes {
			w := row{what: fmt.Sprintf("%s, after %d", q.what, n), ours: afterwards(q.what, n, q.before, q.now), theirs: few,
				rival: "ours after 10", limit: 1.5, cpu: true, byCPU: true}
			if err := r.measure(w); err != nil {
				return err
			}
		}
	}
	return nil
}

// allow decides, and wants an allow.
func allow(eng *cortex.Engine, a *cortex.Action, session string) error {
	d, err := eng.Decide(context.Background(), a, asked(session))
	if err == nil && d.Kind.String() != "allow" {
		err = fmt.Errorf("%s: %s", d.Kind, d.Key)
	}
	return err
}

// run1 decides, begins and finishes.
func run1(eng *cortex.Engine, a *cortex.Action, session string) error {
	ctx := context.Background()
	d, err := eng.Decide(ctx, a, asked(session))
	if err != nil {
		return err
	}
	p, err := eng.Begin(ctx, d)
	if err != nil {
		return err
	}
	return p.Finish(ctx, cortex.Receipt{State: act.Done})
}

// afterwards is a series that measures now in a session where before happened n
// times. Each measured call adds one more, so there are few of them, and short
// sessions are many.
func afterwards(what string, n int, before, now func(string) error) series {
	const calls = 20
	var ready []string
	made := 0
	return func() (sample, error) {
		perSession := min(calls, max(1, n/10))
		ready = ready[:min(len(ready), 1)]
		if n < 1000 {
			ready = ready[:0] // so short that this round's calls would count
		}
		for len(ready)*perSession < calls {
			made++
			s := fmt.Sprintf("%s-%d-%d", what[len(what)-12:], n, made)
			for range n {
				if err := before(s); err != nil {
					return sample{}, err
				}
			}
			if err := now(s); err != nil { // fills the caches
				return sample{}, err
			}
			ready = append(ready, s)
		}
		begun := stopwatch()
		for i := range calls {
			if err := now(ready[i/perSession]); err != nil {
				return sample{}, err
			}
		}
		return begun(calls), nil
	}
}

// replaying measures deriving recorded decisions again.
func replaying(r *report) (err error) {
	n := 5000
	if r.short {
		n = 1000
	}
	eng, err := openEngine("", durableRules)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, eng.Close()) }()
	decide, err := engineDecision(eng)
	if err != nil {
		return err
	}
	for i := range n {
		if err := decide(i % 10); err != nil {
			return err
		}
	}
	return r.measure(row{
		what: "replay of recorded decisions, from a journal in memory", items: n, unit: "decisions",
		ours: each(func() error {
			out, err := eng.Replay(context.Background(), cortex.ReplayOptions{})
			if err == nil && (out.Decisions != n || len(out.Differences) > 0) {
				err = fmt.Errorf("%d decisions, %d differences", out.Decisions, len(out.Differences))
			}
			return err
		}),
		limit: 100_000, absolute: true, target: ">= 10 000 a second and core",
	})
}
