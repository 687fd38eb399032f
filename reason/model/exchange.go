package model

import "time"

// Exchange is one question to one provider, and its outcome.
type Exchange struct {
	Prompt   Prompt
	Provider string
	Model    string        // that the provider says it asks; "" if it does not say
	Answer   Completion    // as it came; zero if nothing did
	Read     Candidate     // the answer as it was read; zero if Err is set
	Usage    Usage         // of this provider alone
	Err      error         // why it gave no answer
	Took     time.Duration // until the answer was there, or was given up on
}

// Modelled is a [Provider] that knows which model it asks.
type Modelled interface {
	// Model is the model's name as the endpoint has it; "" if there is none.
	Model() string
}

// Failed says in a word how a provider failed, without its own words, which may hold
// addresses and keys; "" if it answered.
func (x *Exchange) Failed() string {
	if x.Err == nil {
		return ""
	}
	return Failure{x.Provider, x.Err}.what()
}

// noted tells a turn of one exchange.
func (turn Turn) noted(p Prompt, provider Provider, c Candidate, err error, began time.Time) {
	if turn.Note == nil {
		return
	}
	x := Exchange{Prompt: p, Provider: c.Provider, Answer: c.Raw, Read: c, Usage: c.Usage, Err: err,
		Took: time.Since(began)}
	if m, ok := provider.(Modelled); ok {
		x.Model = named(m)
	}
	turn.Note(x)
}

// named asks a provider for its model. It does not trust it to answer.
func named(m Modelled) (name string) {
	defer func() { _ = recover() }()
	return m.Model()
}
