package repl

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/internal/fair"
	"github.com/opencortex-go/cortex/sexpr"
)

// host is what anyone who runs an evaluation allows it.
type host struct {
	room int                // bytes of the answer; 0 means what the Repl allows
	emit func(Result) error // takes a part of the answer; nil if it has to come at once
	idle func(wait func() error) error
}

type hostKey struct{}

// Within returns a context in which a form's answer has at most so many bytes.
func Within(ctx context.Context, room int) context.Context {
	return context.WithValue(ctx, hostKey{}, host{room: room})
}

// InParts returns a context in which forms that answer with long lists give these
// to emit in parts, each of about room bytes, and return the last part. emit may
// take its time: the form waits. An error of emit ends the form.
func InParts(ctx context.Context, room int, emit func(Result) error) context.Context {
	return context.WithValue(ctx, hostKey{}, host{room: room, emit: emit})
}

// Idling returns a context in which a form that waits for people or models does so
// inside idle, which gives the form's turn back meanwhile: it calls wait once. An
// error of idle ends the form.
func Idling(ctx context.Context, idle func(wait func() error) error) context.Context {
	h, _ := ctx.Value(hostKey{}).(host)
	h.idle = idle
	return context.WithValue(ctx, hostKey{}, h)
}

// idle waits, without a turn where there are any.
func idle(ctx context.Context, wait func() error) error {
	if h, _ := ctx.Value(hostKey{}).(host); h.idle != nil {
		return h.idle(wait)
	}
	return wait()
}

// allowed returns how long the value of an answer may be and how long its text.
func (s *Session) allowed(ctx context.Context) (value, out int, emit func(Result) error) {
	h, _ := ctx.Value(hostKey{}).(host)
	value, out = s.r.opt.MaxValue, s.r.opt.MaxOut
	if h.room > 0 {
		value, out = min(value, h.room*3/4), min(out, h.room/4)
	}
	return value, out, h.emit
}

// rows gathers a long list, as far as there is room for it, or in parts.
type rows struct {
	emit   func(Result) error
	most   int // bytes of values
	text   int // bytes of text
	room   int // left for values
	values []sexpr.Value
	out    strings.Builder
	count  uint64 // of all rows, also of those that were given away
}

// lastLine is room in the text for what stands below the rows.
const lastLine = 200

func (s *Session) rows(ctx context.Context) *rows {
	value, out, emit := s.allowed(ctx)
	return &rows{emit: emit, most: value, text: out, room: value}
}

// add adds a row and reports true, or reports false if there is no room for it.
// The first row always fits: what is too long in itself is found out at the end.
func (r *rows) add(v sexpr.Value, text string) bool {
	left := weigh(v, r.room)
	if len(r.values) > 0 && (left < 0 || r.out.Len()+len(text) > r.text-lastLine) {
		return false
	}
	r.room = left
	r.values = append(r.values, v)
	r.out.WriteString(text)
	r.count++
	return true
}

// part gives away what there is, and reports whether there is room again.
func (r *rows) part() (bool, error) {
	if r.emit == nil {
		return false, nil
	}
	err := r.emit(r.result())
	r.values, r.room = nil, r.most
	r.out.Reset()
	return err == nil, err
}

// last returns what is left. A row that is too long for the room goes out as a part of its own, as it would in
// the middle of a list.
func (r *rows) last() (Result, error) {
	if r.emit != nil && r.room < 0 {
		if _, err := r.part(); err != nil {
			return Result{}, err
		}
	}
	return r.result(), nil
}

// end adds a last line, below all rows.
func (r *rows) end(format string, args ...any) { fmt.Fprintf(&r.out, format, args...) }

func (r *rows) result() Result {
	return Result{Value: sexpr.ListOf(r.values...), Out: r.out.String(), Quiet: true}
}

// numbered is a list that goes by numbers: each row has one, and they rise.
type numbered[T any] struct {
	all    []T
	number func(T) uint64
	show   func(T) (sexpr.Value, string, error)
	form   string // that lists them, without its end
	none   string // what an empty list has as its text
}

// page shows rows from a number on: as many as have room, or in parts.
func (n numbered[T]) page(ctx context.Context, s *Session, from uint64) (Result, error) {
	list := slices.DeleteFunc(slices.Clone(n.all), func(x T) bool { return n.number(x) < from })
	slices.SortStableFunc(list, func(a, b T) int { return cmp.Compare(n.number(a), n.number(b)) })
	rows := s.rows(ctx)
	for _, x := range list {
		if ctx.Err() != nil {
			return Result{}, context.Cause(ctx)
		}
		v, text, err := n.show(x)
		if err != nil {
			return Result{}, err
		}
		if rows.add(v, text) {
			continue
		}
		again, err := rows.part()
		if err != nil {
			return Result{}, err
		}
		if !again {
			rows.end("[%d more: (%s :from %d)]\n", len(list)-int(rows.count), n.form, n.number(x))
			break
		}
		rows.add(v, text)
	}
	if len(list) == 0 {
		rows.end("%s\n", n.none)
	}
	return rows.last()
}

// LaneOf is the kind of work that a form is, in the words of those who share out
// turns.
func (r *Repl) LaneOf(v sexpr.Value) fair.Lane {
	if v.Len() == 0 || v.Items()[0].Kind() != sexpr.Symbol {
		return fair.Computing
	}
	f := r.forms[v.Items()[0].Text()]
	switch {
	case f == nil:
		return fair.Computing
	case f.operator != nil:
		return fair.Acting
	}
	switch f.name {
	case "decide", "interrupt", "workflow-call", "run":
		return fair.Acting
	case "verify", "replay":
		return fair.Checking
	case "help", "complete", "status", "version", "facts", "checkpoint", "approval":
		return fair.Computing
	}
	return fair.Listing
}
