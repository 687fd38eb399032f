package policy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/opencortex-go/cortex/skills"
)

// goGate is a [Gate] in a policy.
type goGate struct {
	Gate
	calls chan struct{} // under way
}

// Key names the gate, so that a failure is gate/<name>/failed.
func (g *goGate) Key() string { return g.Name }

// Judge asks the gate once in a decision, or takes the recorded answer if the gate has no
// code.
func (g *goGate) Judge(ctx context.Context, c *skills.Case) (skills.Verdict, error) {
	function, question := "go/"+g.Name, c.Action().Digest().String() // the facts are the decision's own
	var text string
	var err error
	switch {
	case g.Gate.Judge != nil:
		text, err = c.Witness(function, question, func() (string, error) { return g.ask(ctx, c) })
	case c.Lookup() != nil:
		text, err = c.Lookup()(function, question)
	default:
		err = errors.New("nothing is on record")
	}
	if err != nil {
		return nil, err
	}
	return g.verdict(c, text)
}

// ask returns an error if Judge does not answer in time. It calls Judge in its own goroutine.
func (g *goGate) ask(ctx context.Context, c *skills.Case) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, g.Timeout, fmt.Errorf("no answer within %s", g.Timeout))
	defer cancel()
	select {
	case g.calls <- struct{}{}:
	case <-ctx.Done():
		return "", fmt.Errorf("%d earlier calls have not returned", cap(g.calls))
	}
	own, l := lend(c)
	defer l.end() // whatever the goroutine still does, it does not reach the decision
	answers := make(chan answer, 1)
	go func() {
		defer func() { <-g.calls }()
		g.call(ctx, own, answers)
	}()
	select {
	case a := <-answers:
		return a.text, a.err
	case <-ctx.Done():
		return "", errors.New(printable(context.Cause(ctx).Error()))
	}
}

// answer is the result of one call.
type answer struct {
	text string
	err  error
}

// call calls Judge and always sends one answer, also after a panic.
func (g *goGate) call(ctx context.Context, c *skills.Case, to chan<- answer) {
	a := answer{err: errors.New("its goroutine ended without an answer")}
	defer func() {
		if p := recover(); p != nil {
			a = answer{err: errors.New(PanicText(p))}
		}
		to <- a
	}()
	v, err := g.Gate.Judge(ctx, c)
	if err != nil {
		a.err = errors.New(cmp.Or(printable(err.Error()), "an error without a text"))
		return
	}
	a.text, a.err = answerText(v, c.Reads())
}

// PanicText returns the text of a panic with an error or a string. For any other value it
// returns only the type, because its text may hold an address.
func PanicText(p any) string {
	switch p := p.(type) {
	case error:
		return printable("panic: " + p.Error())
	case string:
		return printable("panic: " + p)
	}
	return fmt.Sprintf("panic: a %T", p)
}

// loan lets a gate read a decision's case from another goroutine, until the loan ends.
type loan struct {
	mu    sync.Mutex
	ended bool
	from  *skills.Case
	past  skills.History
}

// lend returns a case for one gate: a copy whose questions go through the loan.
func lend(c *skills.Case) (*skills.Case, *loan) {
	l := &loan{from: c, past: c.Facts().Recall}
	f := *c.Facts()
	f.Versions = nil
	if l.past != nil {
		f.Recall = l
	}
	own := skills.NewCase(c.Action(), c.Tool(), &f)
	if ask := c.Lookup(); ask != nil {
		own = own.WithLookup(func(function, argument string) (string, error) {
			return lent(l, func() (string, error) { return ask(function, argument) })
		})
	}
	return own, l
}

// end waits for the question that is being answered; later ones are errors.
func (l *loan) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
}

func lent[T any](l *loan, ask func() (T, error)) (answer T, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return answer, errors.New("the decision is over")
	}
	return ask()
}

// Turns implements [skills.History].
func (l *loan) Turns() ([]skills.Turn, error) { return lent(l, l.past.Turns) }

// Whole implements [skills.History].
func (l *loan) Whole() (bool, error) { return lent(l, l.past.Whole) }

// Reading implements [skills.History]. A gate may outlive its decision and a reading may
// not, so there is none.
func (l *loan) Reading(skills.Reader) (skills.Reading, error) {
	return nil, errors.New("a gate in Go has no reading of the session; it has its turns")
}

// Covers implements [skills.History].
func (l *loan) Covers(tool string) ([]skills.Cover, error) {
	return lent(l, func() ([]skills.Cover, error) { return l.past.Covers(tool) })
}

// Spends implements [skills.History].
func (l *loan) Spends() ([]skills.Spend, error) { return lent(l, l.past.Spends) }

// Calls implements [skills.History].
func (l *loan) Calls(tool string, since int64, most int) ([]*skills.Call, error) {
	return lent(l, func() ([]*skills.Call, error) { return l.past.Calls(tool, since, most) })
}

// Spent implements [skills.History].
func (l *loan) Spent(of skills.Sum) (float64, error) {
	return lent(l, func() (float64, error) { return l.past.Spent(of) })
}
