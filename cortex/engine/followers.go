package engine

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/policy"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason"
)

// leave is how long Close waits for a follower that still has records to pass on.
const leave = time.Second

// follower passes the records that become durable to code outside the engine, in order and
// one at a time. It reads them from the record at its own pace, so neither a panic nor a
// call that does not return reaches the engine, and a slow one misses nothing.
type follower struct {
	cancel context.CancelFunc
	done   chan struct{}
	seen   atomic.Uint64
	until  atomic.Uint64 // the last record to pass on; 0 for no end
}

// observe starts the followers that the options ask for.
func (e *Engine) observe() {
	if e.opt.OnDecision != nil {
		e.hand("Options.OnDecision", e.onDecision)
	}
	if e.opt.Logger.Enabled(e.ctx, slog.LevelDebug) {
		e.hand("Options.Logger", e.logEvent)
	}
}

// hand calls f for each record from now on.
func (e *Engine) hand(what string, f func(Record) error) {
	f = e.caught(what, f)
	x, from := &follower{done: make(chan struct{})}, e.j.Last()+1
	var ctx context.Context
	ctx, x.cancel = context.WithCancel(context.Background())
	x.seen.Store(from - 1)
	e.followers = append(e.followers, x)
	go func() {
		defer close(x.done)
		for rec, err := range e.j.Subscribe(ctx, from) {
			if ctx.Err() != nil {
				return
			}
			if err == nil {
				err = f(rec)
			}
			if err != nil {
				e.opt.Logger.Error("nothing more is reported", "to", what, "error", err)
				return
			}
			x.seen.Store(rec.Seq)
			if until := x.until.Load(); until > 0 && rec.Seq >= until {
				return
			}
		}
	}()
}

// caught returns f with its panics logged.
func (e *Engine) caught(what string, f func(Record) error) func(Record) error {
	return func(rec Record) error {
		defer func() {
			if p := recover(); p != nil {
				defer func() { _ = recover() }() // it may have been the logger's
				e.opt.Logger.Error("a panic outside of the engine", "in", what, "record", rec.Seq, "panic", policy.PanicText(p))
			}
		}()
		return f(rec)
	}
}

// close ends a follower when it has passed on record last, or after leave if it has not.
func (x *follower) close(last uint64) {
	defer x.cancel()
	x.until.Store(max(last, 1))
	if x.seen.Load() >= last {
		x.cancel() // it waits for more
	}
	timer := time.NewTimer(leave)
	defer timer.Stop()
	select {
	case <-x.done:
	case <-timer.C:
	}
}

// onDecision passes a decision to the embedder.
func (e *Engine) onDecision(rec Record) error {
	if rec.Kind != record.KindDecision {
		return nil
	}
	d, err := record.DecisionFrom(rec)
	if err != nil {
		return err
	}
	if d.Kind == reason.Ask && !d.Would {
		token, err := e.j.Get(record.TableGrant.Key(rec.Session, rec.Body.GetText("requester"), d.Action.Digest()))
		if err != nil {
			return err
		}
		d.Approval = string(token)
	}
	e.opt.OnDecision(rec.Session, d)
	return nil
}

// logEvent logs a decision, a receipt or an approval. It leaves out arguments, results,
// explanations and the texts of reasons and people, since they may hold credentials.
func (e *Engine) logEvent(rec Record) error {
	args := []any{"record", rec.Seq, "session", rec.Session}
	switch rec.Kind {
	case record.KindDecision:
		d, err := record.DecisionFrom(rec)
		if err != nil {
			return err
		}
		args = append(args, "kind", d.Kind.String(), "key", d.Key, "policy", d.Policy.String(), "would", d.Would)
		if d.Action != nil {
			args = append(args, "tool", d.Action.Tool(), "action", d.Action.Digest().String())
		}
	case record.KindReceipt:
		r := record.ReceiptFrom(rec.Body)
		args = append(args, "state", string(r.State), "intent", r.Intent, "decision", r.Decision, "took", r.Took)
	case record.KindApproval:
		a, err := approval.From(rec.Body)
		if err != nil {
			return err
		}
		var by []string
		for _, s := range a.Slots {
			by = append(by, s.By...)
		}
		if a.By != "" {
			by = []string{a.By} // one no is enough
		}
		args = append(args, "state", string(a.State), "approval", a.Token, "decision", a.Decision,
			"tool", a.Action.Tool(), "action", a.Action.Digest().String(), "requester", a.Requester, "by", strings.Join(by, " "))
	default:
		return nil
	}
	e.opt.Logger.Debug(rec.Kind, args...)
	return nil
}
