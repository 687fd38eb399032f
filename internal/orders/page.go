package orders

import (
	"context"
	"encoding/json"
)

// pageRoom bounds the text and the JSON of one page of a list together, in bytes.
const pageRoom = 512 << 10

type roomKey struct{}

// Within returns a context in which a page has at most so many bytes, if that is less than it may have anyway.
func Within(ctx context.Context, room int) context.Context {
	return context.WithValue(ctx, roomKey{}, room)
}

// Page is a part of a list: as many rows as one answer has room for.
type Page[T any] struct {
	rows []json.RawMessage
	text []byte
	room int // left, in bytes
	next []byte
}

// NewPage returns a page without rows.
func NewPage[T any](ctx context.Context) *Page[T] {
	p := &Page[T]{room: pageRoom}
	if room, ok := ctx.Value(roomKey{}).(int); ok {
		p.room = min(room, pageRoom)
	}
	return p
}

// Add adds a row with its line for people and reports true, or reports false if there is no room for it. The first row
// always fits.
func (p *Page[T]) Add(row T, line string) (bool, error) {
	text, err := json.Marshal(row)
	if err != nil {
		return false, err
	}
	if p.room -= len(text) + len(line); p.room < 0 && len(p.rows) > 0 {
		return false, nil
	}
	p.rows, p.text = append(p.rows, text), append(p.text, line...)
	return true, nil
}

// More says which object asks for the rows behind these.
func (p *Page[T]) More(params any) (err error) {
	p.next, err = json.Marshal(params)
	return err
}

// Text is the page for people; none is what an empty one has.
func (p *Page[T]) Text(none string) string {
	if len(p.rows) == 0 {
		return none
	}
	return string(p.text)
}

// MarshalJSON implements [json.Marshaler]: a page is the list of its rows.
func (p *Page[T]) MarshalJSON() ([]byte, error) {
	if p.rows == nil {
		return []byte("[]"), nil
	}
	return json.Marshal(p.rows)
}

// following is the object that asks for the next page, nil for none.
func (p *Page[T]) following() []byte { return p.next }

// AnswerOf makes an answer of what an order came to.
func AnswerOf(value any, text string) (Answer, error) {
	out, err := json.Marshal(value)
	a := Answer{Text: text, JSON: out}
	if p, ok := value.(interface{ following() []byte }); ok {
		a.Next = p.following()
	}
	return a, err
}

// Gather asks for the pages of a list, the first by the object params, until there is no next one, and returns them as
// one answer.
func Gather(params []byte, ask func(params []byte) (Answer, error)) (Answer, error) {
	all, err := ask(params)
	if err != nil || all.Next == nil {
		return all, err
	}
	var rows []json.RawMessage
	for page := all; ; {
		var more []json.RawMessage
		if err := json.Unmarshal(page.JSON, &more); err != nil {
			return Answer{}, err
		}
		if rows = append(rows, more...); page.Next == nil {
			break
		}
		if page, err = ask(page.Next); err != nil {
			return Answer{}, err
		}
		all.Text += page.Text
	}
	out, err := json.Marshal(rows)
	return Answer{Text: all.Text, JSON: out}, err
}
