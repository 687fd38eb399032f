package model

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/reason/internal/foreign"
	"github.com/opencortex-go/cortex/skills"
)

// DisagreementError says that too few models wanted the same. Its text is for
// the user; what each wanted is for the log.
type DisagreementError struct {
	Needed   int // how many had to
	Asked    int // of how many
	Wanted   []Wish
	Failures []Failure // the providers that gave no answer
}

// Wish is what one model wanted.
type Wish struct {
	Provider string
	Actions  []*skills.Action // in order; nil if it answered in words or unreadably
	Err      error            // why it could not be read
}

// Error is one line.
func (e *DisagreementError) Error() string {
	if e.Needed > e.Asked {
		return fmt.Sprintf("the models cannot agree: %d have to want the same, and only %d are asked", e.Needed, e.Asked)
	}
	s := fmt.Sprintf("the models do not agree: %d of %d had to want the same", e.Needed, e.Asked)
	if len(e.Failures) > 0 {
		s += listed(e.Failures)
	}
	return s
}

// Unwrap returns the errors of the providers that gave no answer.
func (e *DisagreementError) Unwrap() []error { return (&CascadeError{e.Failures}).Unwrap() }

// String says it for a log: the tools, and the digests of the actions. Arguments
// may be secret.
func (w Wish) String() string {
	switch {
	case w.Err != nil:
		return w.Provider + ": unreadable: " + foreign.Clip(w.Err.Error(), maxFeedbackText)
	case len(w.Actions) == 0:
		return w.Provider + ": words"
	}
	var b strings.Builder
	b.WriteString(w.Provider + ":")
	for _, a := range w.Actions {
		b.WriteString(" " + a.Tool() + " " + a.Digest().String())
	}
	return b.String()
}

// What a vote that names no action is for.
const (
	votesWords      = "words"
	votesUnreadable = "unreadable"
)

// ballot is one provider's answer.
type ballot struct {
	at    int // the provider's place in the order
	began time.Time
	c     Candidate
	err   error
	wish  Wish
	vote  string // equal votes agree; "" with err
}

// agree asks all providers at the same time. What Consensus of them want alike,
// and no other such group wants otherwise, is the candidate: the answer of the
// group's first in order. Actions are alike if their digests are, in the same
// order; words are like any other words. It stops waiting as soon as no further
// answer can change the outcome.
func (t *Thinker) agree(ctx context.Context, providers []Provider, p Prompt, turn Turn,
	quoted []string) (Candidate, error) {
	if t.Consensus > len(providers) {
		return Candidate{}, &DisagreementError{Needed: t.Consensus, Asked: len(providers)}
	}
	asking, stop := context.WithCancel(ctx)
	defer stop()
	ballots := make(chan ballot)
	for i, provider := range providers {
		go func() { // answers soon after asking has ended, and is waited for below
			began := time.Now()
			c, err := t.ask(asking, provider, p, quoted)
			b := cast(i, c, err, turn.Policy)
			b.began = began
			ballots <- b
		}()
	}
	count := tally{needed: t.Consensus, all: make([]*ballot, len(providers))}
	var spent Usage
	for left := len(providers); left > 0; left-- {
		b := <-ballots
		turn.noted(p, providers[b.at], b.c, b.err, b.began)
		spent = spent.plus(b.c.Usage)
		if count.settled() {
			continue // only its cost is of interest
		}
		count.add(&b)
		if count.settled() {
			stop()
		}
	}
	won, err := count.result()
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		t.report(err)
		return Candidate{Usage: spent}, err
	}
	won.Usage = spent
	return won, nil
}

// report tells the log what each model wanted.
func (t *Thinker) report(err error) {
	var d *DisagreementError
	if !errors.As(err, &d) {
		return
	}
	var wants []string
	for _, w := range d.Wanted {
		wants = append(wants, w.String())
	}
	t.log().Warn("the models do not agree", "needed", d.Needed, "wanted", wants)
}

// cast reads what a provider's answer is a vote for.
func cast(at int, c Candidate, err error, tools skills.ToolSet) ballot {
	b := ballot{at: at, c: c, err: err, wish: Wish{Provider: c.Provider, Err: c.Err}}
	switch {
	case err != nil:
		return b
	case len(c.Proposals) == 0 && c.Err == nil:
		b.vote = votesWords
		return b
	}
	var digests strings.Builder
	for _, p := range c.Proposals {
		err := p.Err
		var a *skills.Action
		if err == nil {
			a, _, err = skills.Propose(p.Form, tools)
		}
		if a == nil { // an action that breaks its schema is still one to agree on
			b.wish.Err = err
			break
		}
		b.wish.Actions = append(b.wish.Actions, a)
		digests.WriteString(" " + a.Digest().String())
	}
	switch {
	case b.wish.Err != nil:
		b.vote, b.wish.Actions = votesUnreadable, nil
		b.c.Err, b.c.Proposals = b.wish.Err, nil // nothing of it runs
	case len(b.wish.Actions) == 1 && b.wish.Actions[0].Tool() == skills.ReplyTool:
		b.vote, b.wish.Actions = votesWords, nil
	default:
		b.vote = digests.String()
	}
	return b
}

// tally counts votes as they come in.
type tally struct {
	needed int
	all    []*ballot // by place; nil until it is in
	in     int
}

func (t *tally) add(b *ballot) {
	t.all[b.at] = b
	t.in++
}

// groups counts the votes for each thing.
func (t *tally) groups() map[string]int {
	out := map[string]int{}
	for _, b := range t.all {
		if b != nil && b.err == nil {
			out[b.vote]++
		}
	}
	return out
}

// settled reports that no answer that is still missing can change who wins: two
// groups have enough, or one has and no other can, or none can.
func (t *tally) settled() bool {
	left := len(t.all) - t.in
	if left == 0 {
		return true
	}
	enough, hopeful := 0, 0
	for _, n := range t.groups() {
		switch {
		case n >= t.needed:
			enough++
		case n+left >= t.needed:
			hopeful++
		}
	}
	if left >= t.needed { // what has no vote yet
		hopeful++
	}
	return enough > 1 || hopeful == 0
}

// result is the first answer, in order, of the one group that has enough votes.
func (t *tally) result() (Candidate, error) {
	groups, winner, winners := t.groups(), "", 0
	for vote, n := range groups {
		if n >= t.needed {
			winner = vote
			winners++
		}
	}
	lost := &DisagreementError{Needed: t.needed, Asked: len(t.all)}
	for _, b := range t.all {
		switch {
		case b == nil:
		case b.err != nil:
			lost.Failures = append(lost.Failures, Failure{b.c.Provider, b.err})
		case winners == 1 && b.vote == winner:
			return b.c, nil
		default:
			lost.Wanted = append(lost.Wanted, b.wish)
		}
	}
	if len(lost.Failures) == len(t.all) {
		return Candidate{}, &CascadeError{lost.Failures}
	}
	return Candidate{}, lost
}
