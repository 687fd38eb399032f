// Package orders is what people have done at a desk: a verb and an object in JSON, so that one form of
// the REPL carries all orders of a desk.
package orders

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/opencortex-go/cortex/internal/spell"
)

// Answer is what an order comes to: for people, and for programs.
type Answer struct {
	Text string
	JSON []byte
	Next []byte // the object of the order for the next page of a list; nil for none
}

// Order is one thing to do at a desk D for a person W.
type Order[D, W any] struct {
	Verb  string
	Doc   string // a sentence for help
	Reads bool   // changes nothing
	Do    func(ctx context.Context, d D, who W, params []byte) (value any, text string, err error)
}

// List is all orders of a desk, by verb.
type List[D, W any] []Order[D, W]

// Reads reports whether an order changes nothing. An unknown one changes something.
func (l List[D, W]) Reads(verb string) bool {
	return slices.ContainsFunc(l, func(o Order[D, W]) bool { return o.Verb == verb && o.Reads })
}

// Do carries out an order.
func (l List[D, W]) Do(ctx context.Context, d D, who W, verb string, params []byte) (Answer, error) {
	var verbs []string
	for _, o := range l {
		if o.Verb != verb {
			verbs = append(verbs, o.Verb)
			continue
		}
		v, text, err := o.Do(ctx, d, who, params)
		if err != nil {
			return Answer{}, err
		}
		return AnswerOf(v, text)
	}
	return Answer{}, fmt.Errorf("there is no order %q%s", verb, spell.DidYouMean(verb, verbs))
}

// Doer carries out one order with the object P. It returns what the order came to, for programs and for
// people.
type Doer[D, W, P any] func(ctx context.Context, d D, who W, p P) (value any, text string, err error)

// Does is an order that changes something. f gets the object of the order, which is read strictly.
func Does[D, W, P any](verb, doc string, f Doer[D, W, P]) Order[D, W] {
	do := func(ctx context.Context, d D, who W, params []byte) (any, string, error) {
		var p P
		if err := read(params, &p); err != nil {
			return nil, "", fmt.Errorf("the order: %w", err)
		}
		return f(ctx, d, who, p)
	}
	return Order[D, W]{Verb: verb, Doc: doc, Do: do}
}

// Looks is an order that changes nothing.
func Looks[D, W, P any](verb, doc string, f Doer[D, W, P]) Order[D, W] {
	o := Does(verb, doc, f)
	o.Reads = true
	return o
}

func read(params []byte, into any) error {
	if len(bytes.TrimSpace(params)) == 0 {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(params))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is text behind the object")
	}
	return nil
}
