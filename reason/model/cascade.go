package model

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/reason/internal/foreign"
)

// defaultTimeout is how long one provider may think.
const defaultTimeout = time.Minute

var errEmpty = errors.New("empty model response")

// CascadeError says that no provider answered. Its text is for the user: which
// were tried and in what way each failed. What the providers said, which may
// hold addresses and keys, is for the log: errors.Unwrap finds it.
type CascadeError struct{ Failures []Failure }

// Failure is one provider's.
type Failure struct {
	Provider string
	Err      error
}

// Error is one line.
func (e *CascadeError) Error() string {
	if len(e.Failures) == 0 {
		return "no model answered: no provider is configured"
	}
	return "no model answered: all providers exhausted" + listed(e.Failures)
}

// listed names failures, for people: " (a: timed out, b: crashed)".
func listed(failures []Failure) string {
	var b strings.Builder
	for i, f := range failures {
		b.WriteString([]string{" (", ", "}[min(i, 1)])
		b.WriteString(f.Provider + ": " + f.what())
	}
	return b.String() + ")"
}

// Unwrap returns the providers' own errors.
func (e *CascadeError) Unwrap() []error {
	out := make([]error, len(e.Failures))
	for i, f := range e.Failures {
		out[i] = f.Err
	}
	return out
}

func (f Failure) what() string {
	var p *foreign.PanicError
	switch {
	case errors.Is(f.Err, errEmpty):
		return errEmpty.Error()
	case errors.Is(f.Err, context.DeadlineExceeded):
		return "timed out"
	case errors.As(f.Err, &p):
		return "crashed"
	case errors.Is(f.Err, errPaused):
		return errPaused.Error()
	case errors.Is(f.Err, errAbandoned), errors.Is(f.Err, errBusy):
		return "busy"
	}
	return "failed"
}

// cascade asks one provider after the other. An error, a panic, a timeout and an
// empty answer make it try the next one (rows 42 to 44, weakness W32).
func (t *Thinker) cascade(ctx context.Context, providers []Provider, p Prompt, turn Turn, quoted []string) (Candidate,
	error) {
	var failed CascadeError
	var spent Usage
	for _, provider := range providers {
		if err := ctx.Err(); err != nil {
			return Candidate{Usage: spent}, err
		}
		began := time.Now()
		out, err := t.ask(ctx, provider, p, quoted)
		turn.noted(p, provider, out, err, began)
		spent = spent.plus(out.Usage)
		if err == nil {
			out.Usage = spent
			return out, nil
		}
		failed.Failures = append(failed.Failures, Failure{out.Provider, err})
	}
	if err := ctx.Err(); err != nil {
		return Candidate{Usage: spent}, err
	}
	return Candidate{Usage: spent}, &failed
}

func (u Usage) plus(v Usage) Usage {
	return Usage{TokensIn: u.TokensIn + v.TokensIn, TokensOut: u.TokensOut + v.TokensOut, Cost: u.Cost + v.Cost}
}
