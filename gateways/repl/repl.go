// Package repl evaluates what people and programs type to an engine.
//
// A form is a condition, which is computed as the rules would compute it, or one
// of the commands that (help) lists. The package knows nothing of sockets: who
// asks comes with the [Caller], and what they may do follows from that alone. No
// form reaches an actuator except through the gates, and there is no way to run
// code: what the ancestor's REPL was, an unauthenticated eval past every gate
// (weakness W14), cannot be said in this language.
package repl

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/gateways/card"
	"github.com/opencortex-go/cortex/internal/fair"
	"github.com/opencortex-go/cortex/internal/spell"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/reason/lint"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/rules"
)

// Options says what a REPL works on. Engine is required.
type Options struct {
	Engine  *cortex.Engine
	Version string
	// Reload loads the rules again; nil means [engine.Operations.Reload].
	Reload func(context.Context) error
	// Lint returns what lint found in the rules in force; nil where lint does not run.
	Lint func() []lint.Finding
	// Guard says whether the guard is on, and which one, or why it is off; "" leaves it out.
	Guard string
	// Trouble says what is wrong with messengers, by their names; nil if there are
	// none.
	Trouble func() map[string]error
	// Pool is what clients share, for (status); nil shows nothing of it.
	Pool *fair.Pool
	// Runs answers the calls of the tools for workflows; nil where there are none.
	Runs Runs
	// Desk carries out what people order about runs; nil where there are none.
	Desk RunDesk
	// Notes carries out what people order about notes; nil where there are none.
	Notes NoteDesk
	// Capabilities carries out what people order about capabilities; nil where there are none.
	Capabilities CapabilityDesk
	// Card says how cards are drawn.
	Card card.Options
	// MaxOut bounds the text of one result, in bytes; 0 means 1 MiB. What is
	// longer is cut, and says so.
	MaxOut int
	// MaxValue bounds the value of one result, in bytes of its text; 0 means 3
	// MiB. A longer one is an error: programs cannot do with half a value.
	MaxValue int
	// MaxTime bounds the computing of one form, which is not a command; 0 means 5 s.
	MaxTime time.Duration
	// Logger hears of mistakes in Cortex itself; nil discards them.
	Logger *slog.Logger
}

// Repl is what all sessions share. It is safe for concurrent use.
type Repl struct {
	opt   Options
	forms map[string]*form
	order []*form
}

// New makes a REPL on an engine.
func New(opt Options) *Repl {
	if opt.Reload == nil && opt.Engine != nil {
		opt.Reload = opt.Engine.Operations().Reload
	}
	if opt.MaxOut <= 0 {
		opt.MaxOut = 1 << 20
	}
	if opt.MaxValue <= 0 {
		opt.MaxValue = 3 << 20
	}
	if opt.MaxTime <= 0 {
		opt.MaxTime = 5 * time.Second
	}
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	r := &Repl{opt: opt, forms: map[string]*form{}, order: forms()}
	for _, f := range r.order {
		r.forms[f.name] = f
	}
	return r
}

// Caller is who asks, as the host of the connection knows it.
type Caller struct {
	Peer perceive.Peer
	// Approver is set only on a connection of the approval socket that has
	// presented the pairing secret.
	Approver *cortex.Approver
	// Share is what the caller may keep: the last results count. nil is without
	// bound.
	Share *fair.Client
	// Turns are when [Session.EvalText] evaluates for the caller, and how much its
	// results may take; nil is at once, and without bound. Anyone who calls
	// [Session.Eval] sees to that itself.
	Turns *fair.Client
}

// Session is one client's: it remembers its last three results. It is safe for
// concurrent use; of forms that are evaluated at the same time, the last to be
// done is *.
type Session struct {
	r *Repl
	c Caller

	mu   sync.Mutex
	last [3]sexpr.Value // *, ** and ***
	held [3]int         // bytes that they take
}

// Session begins a session for a caller.
func (r *Repl) Session(c Caller) *Session { return &Session{r: r, c: c} }

// Result is what a form came to.
type Result struct {
	Value sexpr.Value
	Out   string // for people, printed before the value; it may be all there is to see
	Quiet bool   // Out says it all, and the value is for programs
}

// The codes of errors.
const (
	CodeSyntax      = "syntax"       // the form cannot be read, or is wrong
	CodeUnknown     = "unknown-form" // nothing has this name
	CodeRefused     = "refused"      // not for this caller
	CodeNotFound    = "not-found"    // no such token, record or rule
	CodeFailed      = "failed"       // it could not be done or computed
	CodeInterrupted = "interrupted"  // somebody stopped it
	CodeLimit       = "limit"        // too long or too much
	CodeDamaged     = "damaged"      // the record is not what was written
)

// Error is why a form has no result.
type Error struct {
	Code string
	Pos  sexpr.Pos // in the form; zero if that is of no use
	Err  error
}

// Error says why, with the place.
func (e *Error) Error() string {
	if e.Pos.Line == 0 {
		return e.Err.Error()
	}
	return fmt.Sprintf("%s: %v", e.Pos, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

func fail(code string, at sexpr.Value, format string, args ...any) error {
	return &Error{Code: code, Pos: at.Pos(), Err: fmt.Errorf(format, args...)}
}

// EvalText evaluates every form of a text, in order, and gives each result to
// each. It stops at the first error, which is an *[Error] unless it is each's.
func (s *Session) EvalText(ctx context.Context, file, src string, each func(Result) error) error {
	all, err := sexpr.Reader{Code: true}.ReadAll(file, src)
	if err != nil {
		return s.explain(ctx, err)
	}
	for _, v := range all {
		if err := s.inTurn(ctx, v, each); err != nil {
			return err
		}
	}
	return nil
}

// inTurn evaluates a form when it is the caller's turn, and holds the room that the
// result takes while each has it.
func (s *Session) inTurn(ctx context.Context, v sexpr.Value, each func(Result) error) error {
	if s.c.Turns == nil || Lasts(v) {
		r, err := s.Eval(ctx, v)
		if err == nil {
			err = each(r)
		}
		return err
	}
	enter := func() (*fair.Turn, error) {
		return s.c.Turns.Enter(ctx, s.r.LaneOf(v), s.r.opt.MaxValue+s.r.opt.MaxOut)
	}
	turn, err := enter()
	if err != nil {
		return s.explain(ctx, err)
	}
	n := 0
	defer func() { s.c.Turns.Free(n) }()
	r, err := s.Eval(Idling(Within(ctx, turn.Room), func(wait func() error) error {
		turn.Leave(0)
		err := wait()
		turn, _ = enter() // it fails with the context, as the form does then
		return err
	}), v)
	n = bytesOf(r.Value) + len(r.Out)
	if turn != nil {
		turn.Leave(n)
	} else {
		s.c.Turns.Must(n)
	}
	if err == nil {
		err = each(r)
	}
	return err
}

// Eval evaluates one form. An error is an *[Error].
func (s *Session) Eval(ctx context.Context, form sexpr.Value) (out Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.r.opt.Logger.Error("a form made the evaluator panic", "form", clip(form.String(), 200), "panic", p,
				"stack", string(debug.Stack()))
			out, err = Result{}, &Error{Code: CodeFailed, Pos: form.Pos(),
				Err: errors.New("this form has made the evaluator fail, which is a mistake in Cortex; the log says more")}
		}
	}()
	out, err = s.eval(ctx, form)
	if err != nil {
		return Result{}, s.explain(ctx, err)
	}
	out.Out = card.Plain(out.Out)
	value, most, _ := s.allowed(ctx)
	if over(out.Value, value) {
		return Result{}, s.tooLong(value)
	}
	if len(out.Out) > most {
		out.Out = strings.ToValidUTF8(out.Out[:most], "") +
			"\n[cut: the rest is longer than is shown at a time; ask for less]\n"
	}
	s.remember(out.Value)
	return out, nil
}

func (s *Session) eval(ctx context.Context, v sexpr.Value) (Result, error) {
	v = s.recalled(v)
	if v.Len() > 0 && v.Items()[0].Kind() == sexpr.Symbol {
		head, args := v.Items()[0], v.Items()[1:]
		if head.IsSym("quote") && len(args) == 1 {
			return Result{Value: args[0]}, nil
		}
		if f := s.r.forms[head.Text()]; f != nil {
			return s.run(ctx, f, v, args)
		}
	}
	if f := s.r.forms[v.Text()]; f != nil && v.Kind() == sexpr.Symbol {
		return Result{}, fail(CodeSyntax, v, "%s is a command; write %s", f.name, f.signature())
	}
	return s.compute(ctx, v)
}

// compute evaluates a form as a condition.
func (s *Session) compute(ctx context.Context, v sexpr.Value) (Result, error) {
	most := s.r.opt.MaxTime
	ctx, cancel := context.WithTimeoutCause(ctx, most,
		&Error{Code: CodeLimit, Pos: v.Pos(),
			Err: fmt.Errorf("the form took longer than %s to compute; go through less", most)})
	defer cancel()
	x, err := s.r.opt.Engine.Rules().Compute(ctx, v, s.signal())
	if err != nil {
		return Result{}, s.unknown(v, err)
	}
	value, _, _ := s.allowed(ctx)
	c := converter{room: value}
	out, err := c.value(x)
	if c.room < 0 {
		return Result{}, s.tooLong(value)
	}
	return Result{Value: out}, err
}

// tooLong is the error of a value that is longer than may be.
func (s *Session) tooLong(most int) error {
	why := ""
	if most < s.r.opt.MaxValue {
		why = ", and other clients leave room for no more at the moment"
	}
	return &Error{Code: CodeLimit,
		Err: fmt.Errorf("the value is longer than %d bytes%s; ask for less at a time", most, why)}
}

// unknown is err, with the name of a command if the form looks like one.
func (s *Session) unknown(v sexpr.Value, err error) error {
	var list rules.ErrorList
	if !errors.As(err, &list) || len(list) != 1 || !errors.Is(list[0], rules.ErrUnknown) {
		return err
	}
	msg := list[0].Msg
	if v.Len() > 0 && list[0].Pos == v.Items()[0].Pos() && !strings.Contains(msg, "did you mean") {
		names := make([]string, len(s.r.order))
		for i, f := range s.r.order {
			names[i] = f.name
		}
		msg += spell.DidYouMean(v.Items()[0].Text(), names)
	}
	return &Error{Code: CodeUnknown, Pos: list[0].Pos, Err: errors.New(msg)}
}

// run evaluates a command.
func (s *Session) run(ctx context.Context, f *form, v sexpr.Value, args []sexpr.Value) (Result, error) {
	if f.operator != nil && f.operator(args) && s.c.Approver == nil {
		return Result{}, fail(CodeRefused, v,
			"(%s ...) takes the pairing secret: use the approval socket, as cortex repl does by itself", f.name)
	}
	args = slices.Clone(args)
	for i := range args { // 'x and x are the same here: commands take data
		if q := args[i]; q.Len() == 2 && q.Items()[0].IsSym("quote") {
			args[i] = q.Items()[1]
		}
	}
	return f.run(ctx, s, call{form: v, args: args})
}

// signal is a signal as this caller would send it.
func (s *Session) signal() cortex.Signal {
	p := s.c.Peer
	return cortex.Signal{Type: perceive.Event, Sensor: perceive.UserInput, Source: p.Source, Principal: p.Principal,
		Roles: p.Roles, Session: p.Session}
}

// remember keeps a result as *, or nil where the caller's share has no room for it.
func (s *Session) remember(v sexpr.Value) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	if s.c.Share != nil {
		s.c.Share.Free(s.held[2])
		if n = bytesOf(v); !s.c.Share.Hold(n) {
			v, n = sexpr.Nil(), 0
		}
	}
	s.last = [3]sexpr.Value{v, s.last[0], s.last[1]}
	s.held = [3]int{n, s.held[0], s.held[1]}
}

// Close forgets the last results.
func (s *Session) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.c.Share != nil {
		s.c.Share.Free(s.held[0] + s.held[1] + s.held[2])
	}
	s.last, s.held = [3]sexpr.Value{}, [3]int{}
}

// bytesOf is about what a value takes in memory.
func bytesOf(v sexpr.Value) int {
	const node = 64
	n := node + len(v.Text())
	for _, x := range v.Items() {
		n += bytesOf(x)
	}
	return n
}

// recalled puts the session's last results in the place of *, ** and ***.
func (s *Session) recalled(v sexpr.Value) sexpr.Value {
	s.mu.Lock()
	last := s.last
	s.mu.Unlock()
	return Recall(v, last)
}

// maxError bounds the text of an error, in characters: it may quote what was
// typed.
const maxError = 10_000

// explain makes an *Error of any error.
func (s *Session) explain(ctx context.Context, err error) error {
	e := s.errorOf(ctx, err)
	if text := e.Err.Error(); len(text) > maxError || card.Plain(text) != text {
		e = &Error{Code: e.Code, Pos: e.Pos, Err: errors.New(clip(card.Plain(strings.ToValidUTF8(text, "?")), maxError))}
	}
	return e
}

func (s *Session) errorOf(ctx context.Context, err error) *Error {
	var own *Error
	var read *sexpr.Error
	var list rules.ErrorList
	var unjudged *rules.Unjudged
	var state *cortex.StateError
	var damage *journal.Damage
	text, overloaded := cortex.Overloaded(err)
	switch {
	case errors.As(err, &own):
		return own
	case ctx.Err() != nil:
		return &Error{Code: CodeInterrupted, Err: errors.New("interrupted")}
	case errors.As(err, &read):
		return &Error{Code: CodeSyntax, Pos: read.Pos, Err: errors.New(read.Msg)}
	case errors.As(err, &list) && len(list) > 0:
		return &Error{Code: CodeSyntax, Pos: list[0].Pos, Err: errors.New(list[0].Msg)}
	case errors.As(err, &unjudged):
		return &Error{Code: CodeFailed, Pos: unjudged.Pos, Err: unjudged.Err}
	case errors.Is(err, cortex.ErrNotApprover), errors.Is(err, cortex.ErrNotOwner), errors.Is(err, perceive.ErrRefused):
		return &Error{Code: CodeRefused, Err: err}
	case errors.As(err, &damage), errors.Is(err, store.ErrCorrupt):
		return &Error{Code: CodeDamaged, Err: err}
	case errors.Is(err, cortex.ErrUnknownToken), errors.Is(err, journal.ErrNotFound):
		return &Error{Code: CodeNotFound, Err: err}
	case errors.As(err, &state):
		return &Error{Code: CodeFailed, Err: err}
	case overloaded:
		return &Error{Code: CodeLimit, Err: errors.New(text)}
	}
	return &Error{Code: CodeFailed, Err: err}
}

// started is how long an engine has run, in whole seconds.
func started(now, at time.Time) int64 { return int64(now.Sub(at) / time.Second) }
