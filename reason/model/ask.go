package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/opencortex-go/cortex/reason/internal/foreign"
)

// grace is how long a call may still take once its context has ended, to say
// what it had cost until then.
const grace = 250 * time.Millisecond

// ErrPrompt marks a provider's error as one about this prompt, such as one that
// is too long: the next provider is asked, but nothing is wrong with this one.
var ErrPrompt = errors.New("the provider refuses this prompt")

var errGone = errors.New("the provider's goroutine ended without an answer")

// ask asks one provider. It returns when the provider does, or soon after the
// time is over: a provider that ignores its context is left behind. The usage
// counts even beside an error.
func (t *Thinker) ask(ctx context.Context, p Provider, prompt Prompt, quoted []string) (out Candidate, err error) {
	name, limits := t.known(p)
	a, err := t.Health.admit(name, limits)
	if err != nil {
		return Candidate{Provider: name}, err
	}
	own, cancel := context.WithTimeout(ctx, limits.Timeout)
	defer cancel()
	answers := make(chan response, 1)
	go func() { // ends when the provider returns; Health bounds how many do not
		defer a.returned()
		complete(own, p, prompt, answers)
	}()
	got, left := await(own, answers)
	if err = got.err; err == nil {
		out, err = t.interpret(got.Completion, quoted)
	}
	out.Provider, out.Usage = name, got.Usage.credible()
	if a.ended(judge(ctx, err), left) {
		t.log().Warn("a model provider is paused after failures in a row", "provider", name, "pause", limits.Pause)
	}
	if err != nil && ctx.Err() == nil {
		t.log().Warn("a model provider did not answer", "provider", name, "error", err)
	}
	return out, err
}

// response is what a provider's Complete returned.
type response struct {
	Completion
	err error
}

// complete calls the provider, and answers whatever happens in it.
func complete(ctx context.Context, p Provider, prompt Prompt, to chan<- response) {
	a := response{err: errGone} // what is left if Complete ends its goroutine
	defer func() {
		if x := recover(); x != nil {
			a = response{err: foreign.Panicked(x)}
		}
		to <- a
	}()
	a.Completion, a.err = p.Complete(ctx, prompt)
}

// await waits for the answer, and for a moment more once ctx has ended.
func await(ctx context.Context, answers <-chan response) (got response, left bool) {
	select {
	case got = <-answers:
		return got, false
	case <-ctx.Done():
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case got = <-answers:
		return got, false
	case <-timer.C:
		return response{err: fmt.Errorf("%w, and the provider took no notice", ctx.Err())}, true
	}
}

// judge says what an error means for the provider's health. An empty answer tells
// nothing, for a filter that a prompt has set off gives none: no caller can pause a
// provider for the others by what they ask.
func judge(ctx context.Context, err error) outcome {
	switch {
	case err == nil:
		return healthy
	case ctx.Err() != nil, errors.Is(err, ErrPrompt), errors.Is(err, errEmpty):
		return neutral
	}
	return failing
}

// known returns a provider's name and limits, with the defaults filled in. It
// does not trust them to be there.
func (t *Thinker) known(p Provider) (name string, l Limits) {
	func() {
		defer func() { _ = recover() }() // Complete will panic as well, and be told of
		name = p.Name()
		if x, ok := p.(Limited); ok {
			l = x.Limits()
		}
	}()
	for _, d := range []time.Duration{t.Timeout, defaultTimeout} {
		if l.Timeout <= 0 {
			l.Timeout = d
		}
	}
	if l.Failures == 0 {
		l.Failures = defaultFailures
	}
	if l.Pause <= 0 {
		l.Pause = defaultPause
	}
	return name, l
}

// credible is the usage without what would lower a budget.
func (u Usage) credible() Usage {
	if !(u.Cost >= 0) || math.IsInf(u.Cost, 0) {
		u.Cost = 0
	}
	return Usage{TokensIn: max(u.TokensIn, 0), TokensOut: max(u.TokensOut, 0), Cost: u.Cost}
}
