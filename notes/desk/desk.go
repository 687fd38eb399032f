package desk

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/internal/orders"
	"github.com/opencortex-go/cortex/internal/spell"
	"github.com/opencortex-go/cortex/notes"
	"github.com/opencortex-go/cortex/notes/book"
)

// Desk carries out orders on the notes of a book.
type Desk struct{ Book *book.Book }

// Answer is what an order comes to: for people, and for programs.
type Answer = orders.Answer

// Order is one thing to do.
type Order struct {
	Verb  string
	Doc   string // a sentence for help
	Reads bool   // changes nothing
	do    func(ctx context.Context, d *Desk, who string, params []byte) (any, string, error)
}

// Orders are all there are, by verb.
func Orders() []Order {
	return []Order{
		{"export", "Write a note with those below it as a file.", true, order(export)},
		{"focus", "Have a session look at a note.", false, order(focus)},
		{"history", "All versions of a note.", true, order(history)},
		{"import", "Read a file into notes.", false, order(enter)},
		{"list", "The notes as a tree of titles.", true, order(list)},
		{"prompt", "What a session's models see of the notes.", true, order(shown)},
		{"remove", "Remove a note and those below it; their versions stay.", false, order(remove)},
		{"rollback", "Have a note, or all, stand as after an earlier change.", false, order(rollback)},
		{"show", "A note whole, as it is or was.", true, order(show)},
	}
}

// Reads reports whether an order changes nothing. An unknown one changes something.
func Reads(verb string) bool {
	return slices.ContainsFunc(Orders(), func(o Order) bool { return o.Verb == verb && o.Reads })
}

// Do carries out an order of a person, with its fields as JSON.
func (d *Desk) Do(ctx context.Context, who, verb string, params []byte) (Answer, error) {
	var verbs []string
	for _, o := range Orders() {
		if o.Verb != verb {
			verbs = append(verbs, o.Verb)
			continue
		}
		v, text, err := o.do(ctx, d, who, params)
		if err != nil {
			return Answer{}, err
		}
		return orders.AnswerOf(v, text)
	}
	return Answer{}, fmt.Errorf("there is no order %q%s", verb, spell.DidYouMean(verb, verbs))
}

// order reads the object of an order strictly, and does it.
func order[P any](f func(context.Context, *Desk, string, P) (any, string, error)) func(context.Context, *Desk, string,
	[]byte) (any, string, error) {
	return func(ctx context.Context, d *Desk, who string, params []byte) (any, string, error) {
		var p P
		if len(bytes.TrimSpace(params)) > 0 {
			dec := json.NewDecoder(bytes.NewReader(params))
			dec.DisallowUnknownFields()
			if err := dec.Decode(&p); err != nil {
				return nil, "", fmt.Errorf("the order: %w", err)
			}
			if _, err := dec.Token(); !errors.Is(err, io.EOF) {
				return nil, "", errors.New("the order: there is text behind the object")
			}
		}
		return f(ctx, d, who, p)
	}
}

// find returns the one note that has an id which begins so, gone or not, or else the one that has this
// title and is not gone.
func find(t *notes.Tree, name string) (notes.ID, error) {
	var begin, titled []notes.ID
	for id := range t.IDs() {
		if string(id) == name {
			return id, nil
		}
		if len(name) > len("note_") && strings.HasPrefix(string(id), name) {
			begin = append(begin, id)
		}
		if v, ok := t.Now(id); ok && v.Title == name {
			titled = append(titled, id)
		}
	}
	for _, found := range [][]notes.ID{begin, titled} {
		switch len(found) {
		case 0:
			continue
		case 1:
			return found[0], nil
		}
		return "", fmt.Errorf("%q: that is %d notes; name one by its id: cortex notes list", name, len(found))
	}
	return "", fmt.Errorf("%q: %w; list them: cortex notes list", name, notes.ErrNoNote)
}

// person is who makes a change, under a key that no other change has.
func person(who string) book.Who {
	return book.Who{Principal: who, Key: "person\n" + rand.Text()}
}
