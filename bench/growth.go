package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/sexpr"
)

// growing measures how the cost of a recorded decision grows with the size of an
// argument, with the rules that pass, and with the cards that are open: through an
// engine on disk, with its trace, beside protected places.
func growing(r *report) error {
	for _, rows := range []func(*report) error{longArguments, manyRules, manyCards} {
		if err := rows(r); err != nil {
			return err
		}
	}
	return nil
}

const growthRules = `
(deftool note :doc "Keep a note." :params (:text string) :tier :allow :effect :none)
(deftool risky :doc "Do something risky." :params (:text string) :tier :ask :effect :external)
`

func noting(tool, text string) (*cortex.Action, error) {
	return cortex.NewAction(tool, sexpr.Plist("text", sexpr.Str(text)), "")
}

// decidesAs is a series of decisions that come out as one kind, each in the session
// that it is given.
func decidesAs(eng *cortex.Engine, a *cortex.Action, kind string, session func(n int) string) series {
	n := 0
	return each(func() error {
		n++
		d, err := eng.Decide(context.Background(), a, asked(session(n)))
		if err == nil && d.Kind.String() != kind {
			err = fmt.Errorf("%s: %s", d.Kind, d.Key)
		}
		return err
	})
}

func fresh(n int) string { return fmt.Sprint("fresh-", n) }

func longArguments(r *report) (err error) {
	eng, done, err := onDisk(growthRules)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	const page = "func Join(elem ...string) string { return strings.Join(elem, \"/\") } /* see a/b, {c,d} and " +
		"https://example.com/a?b=[c] */\n"
	var few series
	for _, n := range []int{1, 10, 100, 900} {
		// A path from the root: one from an unknown folder would have to be asked about.
		a, err := noting("note", "/"+strings.Repeat(page, n<<10/len(page)))
		if err != nil {
			return err
		}
		ours := decidesAs(eng, a, "allow", fresh)
		if n == 1 {
			few = ours
		}
		if err := r.measure(row{what: fmt.Sprintf("a decision on %d KB of source code", n), ours: ours, theirs: few,
			rival: "ours on 1 KB", bytes: n << 10, cpu: true, byCPU: true}); err != nil {
			return err
		}
	}
	return nil
}

// closers are what is to be closed when all rows are measured: the first engine is
// what the others are held against.
type closers []func() error

func (c closers) close() (err error) {
	for _, f := range c {
		err = errors.Join(err, f())
	}
	return err
}

func manyRules(r *report) (err error) {
	var open closers
	defer func() { err = errors.Join(err, open.close()) }()
	sizes := sizesOf(r, 10, 100, 1000, 3000)
	a, err := noting("note", "milk")
	if err != nil {
		return err
	}
	var few series
	for _, n := range sizes {
		var b strings.Builder
		b.WriteString(growthRules)
		for i := range n {
			fmt.Fprintf(&b, "(defskill rule%05d :trigger (= action.tool \"note\") :gate ((deny never :when (= "+
				"action.args.text \"no %d\") :reason \"no\")))\n", i, i)
		}
		eng, done, err := onDisk(b.String())
		if err != nil {
			return err
		}
		open = append(open, done)
		d, err := eng.Decide(context.Background(), a, asked("size"))
		if err != nil {
			return err
		}
		rec, err := eng.Journal().Read(d.ID)
		if err != nil {
			return err
		}
		ours := decidesAs(eng, a, "allow", fresh)
		if few == nil {
			few = ours
		}
		what := fmt.Sprintf("a decision that %d rules of one clause pass, %d bytes of record", n, len(rec.Body.String()))
		if err := r.measure(row{what: what, ours: ours, theirs: few, rival: fmt.Sprintf("ours with %d", sizes[0]), cpu: true,
			byCPU: true}); err != nil {
			return err
		}
	}
	return nil
}

func sizesOf(r *report, all ...int) []int {
	if r.short {
		return all[:3]
	}
	return all
}

// manyCards asks in a session of its own each time, and takes the card back.
func manyCards(r *report) (err error) {
	var open closers
	defer func() { err = errors.Join(err, open.close()) }()
	sizes := sizesOf(r, 10, 100, 1000, 4000)
	var few series
	for _, n := range sizes {
		eng, done, err := onDisk(growthRules)
		if err != nil {
			return err
		}
		open = append(open, done)
		ours, err := asking(eng, n)
		if err != nil {
			return err
		}
		if few == nil {
			few = ours
		}
		what := fmt.Sprintf("a decision that asks, and taking the card back, with %d cards open", n)
		if err := r.measure(row{what: what, ours: ours, theirs: few, rival: fmt.Sprintf("ours with %d", sizes[0]), cpu: true,
			byCPU: true}); err != nil {
			return err
		}
	}
	return nil
}

func asking(eng *cortex.Engine, open int) (series, error) {
	a, err := noting("risky", "milk")
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	for i := range open {
		if _, err := eng.Decide(ctx, a, asked(fmt.Sprint("open-", i))); err != nil {
			return nil, err
		}
	}
	n := 0
	return each(func() error {
		n++
		who := asked(fresh(n))
		d, err := eng.Decide(ctx, a, who)
		if err == nil && d.Approval == "" {
			err = fmt.Errorf("%s: %s", d.Kind, d.Key)
		}
		if err == nil {
			err = eng.Withdraw(ctx, d.Approval, who.Session.Principal)
		}
		return err
	}), nil
}
