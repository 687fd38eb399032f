package cortex

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
)

// Outcome is how a signal was answered.
type Outcome struct {
	Signal    uint64      // its record
	Text      string      // what was said to the user through the reply tool
	Notice    string      // what the engine itself has to say: why nothing came of it, or what it waits for
	Approval  string      // token of the card it waits for
	Dropped   bool        // too deep in a chain of feedback: recorded, not worked on
	Repeat    bool        // a dedupe key seen before: this is the first answer
	Decisions []*Decision // in order, also the refused tries
	Receipts  []Receipt   // of what was run, in order
}

// ErrInterrupted says that a signal with this dedupe key is on record, but that
// the engine stopped before it was answered. What it did is in the journal.
var ErrInterrupted = errors.New("this signal was recorded and not answered before the engine stopped; see the journal for what it did")

// inflight is a signal that is being answered.
type inflight struct {
	done chan struct{}
	out  *Outcome
	err  error
	seq  uint64 // of a signal that turned out to be answered long ago
}

// Submit takes a signal through the whole pipeline: record, think, judge, act,
// feed back, until the model has answered, or something has to wait or stop. The
// signal is on disk before anything else happens. A signal with a dedupe key
// that was seen before gets the first answer.
//
// The caller vouches for Source, Principal, Roles and Depth; what arrives over a
// connection goes through [perceive.Normalise] first.
func (e *Engine) Submit(ctx context.Context, sig Signal) (*Outcome, error) {
	if err := e.usable(); err != nil {
		return nil, err
	}
	sig = withSignalDefaults(sig)
	if err := named("session, principal, source or key", sig.Session, sig.Principal, sig.Source, sig.Key); err != nil {
		return nil, err
	}
	first, mine, seq, err := e.accept(ctx, sig)
	if err != nil {
		return nil, err
	}
	if !mine {
		return e.firstAnswer(ctx, first, seq)
	}
	out, err := e.work(ctx, sig, seq)
	if first != nil {
		first.out, first.err = out, err
		e.mu.Lock()
		delete(e.running, dedupeName(sig))
		e.mu.Unlock()
		close(first.done)
	}
	return out, err
}

func withSignalDefaults(s Signal) Signal {
	setDefault(&s.Type, perceive.Event)
	setDefault(&s.Sensor, perceive.UserInput)
	setDefault(&s.Source, "api")
	setDefault(&s.Session, "internal")
	if s.Payload.IsNil() && s.Text != "" {
		s.Payload = sexpr.Plist("sensor", sexpr.Str(s.Sensor), "text", sexpr.Str(s.Text))
	}
	return s
}

func dedupeName(s Signal) string {
	return string(key(tableDedupe, s.Source, s.Principal, s.Key))
}

// accept makes a signal durable, once for its dedupe key. mine tells whether
// this call is the one to answer it.
func (e *Engine) accept(ctx context.Context, sig Signal) (f *inflight, mine bool, seq uint64, err error) {
	if sig.Key == "" {
		seq, err = e.recordSignal(ctx, sig)
		return nil, true, seq, err
	}
	name := dedupeName(sig)
	e.mu.Lock()
	if f = e.running[name]; f != nil {
		e.mu.Unlock()
		return f, false, 0, nil
	}
	f = &inflight{done: make(chan struct{})}
	e.running[name] = f
	e.mu.Unlock()
	var old uint64
	err = e.j.Update(ctx, func(tx *journal.Tx) error {
		raw, err := tx.Get([]byte(name))
		if err != nil || raw != nil {
			old = asNumber(raw)
			return err
		}
		if seq, err = appendSignal(tx, sig); err == nil {
			tx.Set([]byte(name), number(seq))
		}
		return err
	})
	if err == nil && old == 0 {
		return f, true, seq, nil
	}
	e.mu.Lock()
	delete(e.running, name)
	e.mu.Unlock()
	f.err, f.seq = err, old
	close(f.done)
	return nil, false, old, err
}

// firstAnswer returns what a repeated signal was answered before.
func (e *Engine) firstAnswer(ctx context.Context, f *inflight, seq uint64) (*Outcome, error) {
	if f != nil {
		select {
		case <-f.done:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if f.err != nil {
			return nil, f.err
		}
		if f.out != nil {
			out := *f.out
			out.Repeat = true
			return &out, nil
		}
		seq = f.seq
	}
	v, ok, err := getPlist(e.j, key(tableAnswer, seq))
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("signal %d: %w", seq, ErrInterrupted)
	}
	if text := v.GetText("error"); text != "" {
		return nil, fmt.Errorf("signal %d failed: %s", seq, text)
	}
	return &Outcome{Signal: seq, Text: v.GetText("text"), Notice: v.GetText("notice"), Approval: v.GetText("approval"), Repeat: true}, nil
}

func (e *Engine) recordSignal(ctx context.Context, sig Signal) (seq uint64, err error) {
	err = e.j.Update(ctx, func(tx *journal.Tx) error {
		seq, err = appendSignal(tx, sig)
		return err
	})
	return seq, err
}

// appendSignal records a signal, and a person's words in the session. Commands
// that answer approvals are no part of any conversation.
func appendSignal(tx *journal.Tx, sig Signal) (uint64, error) {
	rec, err := tx.Append(kindSignal, sig.Session, sig.Value())
	if err != nil {
		return 0, err
	}
	if _, answer := perceive.ParseAnswer(sig.Text); !answer && fromUser(sig) && sig.Text != "" {
		happenedIn(tx, sig.Session, rec.Seq, markUser, 0)
	}
	return rec.Seq, nil
}

// work answers a recorded signal.
func (e *Engine) work(ctx context.Context, sig Signal, seq uint64) (*Outcome, error) {
	out := &Outcome{Signal: seq}
	if sig.Depth > e.opt.Depth {
		e.opt.Logger.Warn("maximum depth reached, signal dropped", "signal", seq, "depth", sig.Depth, "session", sig.Session)
		out.Dropped = true
		return out, e.recordAnswer(ctx, sig, out, nil)
	}
	if sig.Root == 0 {
		sig.Root = seq
	}
	leave, err := e.enter(ctx, sig.Session)
	if err != nil {
		return nil, err
	}
	defer leave()
	ctx, stop := e.until(ctx)
	defer stop()
	if err := e.guarded(ctx, sig, out); err != nil {
		return out, errors.Join(err, e.recordCrash(ctx, sig, err), e.recordAnswer(ctx, sig, out, err))
	}
	return out, e.recordAnswer(ctx, sig, out, nil)
}

// until is ctx, canceled also when the engine closes.
func (e *Engine) until(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(e.ctx, func() { cancel(ErrClosed) })
	return ctx, func() { stop(); cancel(nil) }
}

// guarded responds, and turns a panic into an error.
func (e *Engine) guarded(ctx context.Context, sig Signal, out *Outcome) (err error) {
	defer func() {
		if r := recover(); r != nil {
			e.opt.Logger.Error("panic while answering a signal", "signal", out.Signal, "panic", r, "stack", string(debug.Stack()))
			err = fmt.Errorf("signal %d: panic: %v", out.Signal, r)
		}
	}()
	return e.respond(ctx, sig, out)
}

// recordCrash leaves one loop-error signal about work that broke off, unless
// that work was itself about an error: errors on errors go no further.
func (e *Engine) recordCrash(ctx context.Context, sig Signal, cause error) error {
	if sig.Sensor == perceive.LoopError || sig.Sensor == perceive.ToolError {
		return nil
	}
	e.opt.Logger.Error("a signal could not be answered", "sensor", sig.Sensor, "session", sig.Session, "error", cause)
	fault := sig
	fault.Sensor, fault.Key, fault.Text, fault.Depth = perceive.LoopError, "", "", sig.Depth+1
	fault.Payload = sexpr.Plist("sensor", sexpr.Key(perceive.LoopError), "message", sexpr.Str(cause.Error()), "depth", sexpr.Int64(int64(sig.Depth)))
	_, err := e.recordSignal(context.WithoutCancel(ctx), fault)
	return err
}

// respond decides whose business a signal is: a handler's, the approvals', or a
// model's. What a person writes to answer an approval reaches no model.
func (e *Engine) respond(ctx context.Context, sig Signal, out *Outcome) error {
	if a, ok := perceive.ParseAnswer(sig.Text); ok {
		out.Notice = e.answerByText(ctx, sig, a)
		return nil
	}
	for _, h := range e.opt.Handlers {
		taken, text, err := h(ctx, sig)
		if err != nil {
			return fmt.Errorf("handler of signal %d: %w", out.Signal, err)
		}
		if taken {
			out.Notice = text
			return nil
		}
	}
	if !sig.ForModel() {
		return nil // heartbeats and the like are recorded, and nobody is asked
	}
	return e.converse(ctx, sig, out)
}

// answerByText carries out an approval command and says what came of it. The
// sender is known by the connection; a wrong token is told apart from nothing.
func (e *Engine) answerByText(ctx context.Context, sig Signal, a perceive.Answer) string {
	who := Approver{Name: sig.Principal, Via: sig.Source}
	if a.Token == "" {
		return "which approval? write /approve TOKEN or /deny TOKEN why"
	}
	var err error
	if a.Approve {
		err = e.Approve(ctx, a.Token, who)
	} else {
		err = e.Deny(ctx, a.Token, who, a.Reason)
	}
	switch {
	case err != nil:
		return err.Error()
	case a.Approve:
		return "approved " + a.Token
	}
	return "denied " + a.Token
}

// recordAnswer keeps how a signal was answered, for people, and the first answer
// for repeats.
func (e *Engine) recordAnswer(ctx context.Context, sig Signal, out *Outcome, failed error) error {
	v := sexpr.Plist("signal", sexpr.Int64(int64(out.Signal)), "text", sexpr.Str(out.Text), "notice", sexpr.Str(out.Notice),
		"approval", sexpr.Str(out.Approval))
	if failed != nil {
		v = v.With("error", sexpr.Str(strings.ToValidUTF8(failed.Error(), "?")))
	}
	return e.j.Update(context.WithoutCancel(ctx), func(tx *journal.Tx) error {
		if _, err := tx.Append(kindAnswer, sig.Session, v); err != nil {
			return err
		}
		first, err := tx.Get(key(tableAnswer, out.Signal))
		if err != nil || first != nil {
			return err
		}
		return setPlist(tx, key(tableAnswer, out.Signal), v)
	})
}

// resumeLater goes on, in the background, with what the engine itself runs, now
// that people have answered: it acts on a grant and tells the model of a denial.
func (e *Engine) resumeLater(a *Approval) {
	if e.usable() != nil || !a.Resume || e.opt.Observe {
		return
	}
	e.tasks.run(func() {
		if err := e.resume(e.ctx, a); err != nil {
			e.opt.Logger.Error("could not go on after an approval", "token", a.Token, "session", a.Session, "error", err)
		}
	})
}

// resume takes the session's turn, decides again with the grant, acts, and lets
// the conversation go on from there.
func (e *Engine) resume(ctx context.Context, a *Approval) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	leave, err := e.enter(ctx, a.Session)
	if err != nil {
		return err
	}
	defer leave()
	q, err := e.asked(a.Decision)
	if err != nil {
		return err
	}
	sig := q.facts.Signal
	sig.Depth, sig.Root = a.Depth, a.Root
	out := &Outcome{Signal: a.Root}
	told := result{"not run: " + refusedBecause + a.Why}
	if a.State != Denied {
		var fed *Signal
		if told, fed, err = e.approved(ctx, sig, q, out); err != nil || fed == nil {
			return errors.Join(err, e.recordAnswer(ctx, sig, out, err))
		}
		sig = *fed
	} else {
		fed, err := e.refusal(ctx, sig, a)
		if err != nil || fed == nil {
			return errors.Join(err, e.recordAnswer(ctx, sig, out, err))
		}
		sig = *fed
	}
	err = e.goOn(ctx, sig, told.text, out)
	return errors.Join(err, e.recordAnswer(ctx, sig, out, err))
}

// approved acts on a grant.
func (e *Engine) approved(ctx context.Context, sig Signal, q question, out *Outcome) (result, *Signal, error) {
	d, err := e.decide(ctx, q)
	if err != nil {
		return result{}, nil, err
	}
	out.Decisions = append(out.Decisions, d)
	return e.carryOut(ctx, sig, d, out)
}

// refusal records the signal by which the model learns that a person said no.
// What a silent tool was to do has no result: nil.
func (e *Engine) refusal(ctx context.Context, sig Signal, a *Approval) (*Signal, error) {
	fed, ok := e.registry.Feedback(sig, a.Action.Tool(), Receipt{State: act.Nothing, Error: refusedBecause + a.Why})
	if !ok {
		return nil, nil
	}
	_, err := e.recordSignal(ctx, fed)
	return &fed, err
}

// refusedBecause introduces the reason that a person, or new rules, gave.
const refusedBecause = "it was refused: "

// fromUser reports whether a person wrote the signal's text.
func fromUser(sig Signal) bool {
	return sig.Sensor == perceive.UserInput || sig.Sensor == perceive.ChatMessage
}
