package plugins

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	skillpb "github.com/opencortex-go/cortex/plugins/proto"
	"github.com/opencortex-go/cortex/skills"
)

// live asks a running process.
type live struct {
	host  *Host
	sup   *supervisor
	calls atomic.Uint64
}

// reply is the result of one call.
type reply struct {
	text string
	err  error
	proc *process
}

// begin asks in a goroutine of its own, which the host waits for when it closes.
// Whether the plugin did well is noted when the answer is taken: one for which no decision
// waits for counts for nothing.
func (l *live) begin(ctx context.Context, e *Entry, q question, deadline time.Time) func() (string, error) {
	ch := make(chan reply, 1)
	if !l.host.begin() {
		ch <- reply{err: errClosed}
	} else {
		go func() {
			defer l.host.calls.Done()
			ch <- l.call(ctx, e, q, deadline)
		}()
	}
	return func() (string, error) { return l.taken(ctx, e, q, <-ch) }
}

// now asks and waits, in the caller's own goroutine.
func (l *live) now(ctx context.Context, e *Entry, q question, deadline time.Time) (string, error) {
	if !l.host.begin() {
		return "", errClosed
	}
	defer l.host.calls.Done()
	return l.taken(ctx, e, q, l.call(ctx, e, q, deadline))
}

// taken notes how the plugin did, and asks a second time now and then.
func (l *live) taken(ctx context.Context, e *Entry, q question, r reply) (string, error) {
	if r.proc != nil && ctx.Err() == nil {
		l.sup.answered(r.proc, r.err == nil)
	}
	switch {
	case r.err == nil:
		l.sample(e, q, r)
	case ctx.Err() == nil:
		l.sup.log.Warn("a plugin gave no usable verdict, which means no", "action", q.digest, "error", r.err)
	}
	return r.text, r.err
}

// call makes one call, within the plugin's own deadline and what is left of the
// decision's budget.
func (l *live) call(ctx context.Context, e *Entry, q question, deadline time.Time) reply {
	own, _ := e.deadline()
	left := time.Until(deadline)
	if left <= 0 {
		return reply{err: errors.New("the plugins before it used up the decision's time")}
	}
	most := min(own, left)
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	p, err := l.sup.process(ctx)
	if err != nil {
		return reply{err: err}
	}
	j, err := p.judgeUntil(ctx, own, q)
	if err != nil {
		return reply{err: err, proc: p}
	}
	text, err := answerText(j)
	return reply{text: text, err: err, proc: p}
}

// sample asks now and then a second time, to find a plugin that does not always
// answer the same. The decision has its answer already.
func (l *live) sample(e *Entry, q question, first reply) {
	if l.host.opt.Sample < 0 || l.calls.Add(1)%uint64(l.host.opt.Sample) != 0 || !l.host.begin() {
		return
	}
	go func() {
		defer l.host.calls.Done()
		own, _ := e.deadline()
		j, err := first.proc.judge(l.host.ctx, own, q)
		if err != nil {
			return
		}
		if text, err := answerText(j); err == nil && text != first.text {
			l.sup.mu.Lock()
			l.sup.flaps++
			l.sup.mu.Unlock()
			l.sup.log.Warn("a plugin is not deterministic: it answered the same question in two ways",
				"action", q.digest, "first", first.text, "second", text)
		}
	}()
}

// say asks for what the plugin adds to a prompt. It adds nothing if it fails.
func (v *supervisor) say(ctx context.Context, c *skills.Case, tools skills.ToolSet) (prompt, augment string,
	err error) {
	const most = 16 << 10
	own, _ := v.entry.deadline()
	ctx, cancel := context.WithTimeout(ctx, own)
	defer cancel()
	p, err := v.process(ctx)
	if err != nil {
		return "", "", err
	}
	facts, err := v.entry.seen(c.Facts(), v.entry.covered(tools, c.Action()))
	if err != nil {
		return "", "", err
	}
	if v.entry.Prompts {
		id := p.id()
		a, err := p.skill.Prompt(ctx, &skillpb.PromptRequest{Id: id, Facts: facts})
		if err != nil {
			return "", "", failed(err, own)
		}
		if err := p.known(a); err != nil || a.GetId() != id || len(a.GetText()) > most {
			return "", "", errors.Join(err, errors.New("an answer that does not count"))
		}
		prompt = a.GetText()
	}
	if v.entry.Augments {
		id := p.id()
		a, err := p.skill.Augment(ctx, &skillpb.AugmentRequest{Id: id, Facts: facts})
		if err != nil {
			return "", "", failed(err, own)
		}
		if err := p.known(a); err != nil || a.GetId() != id || len(a.GetText()) > most {
			return "", "", errors.Join(err, errors.New("an answer that does not count"))
		}
		augment = a.GetText()
	}
	return prompt, augment, nil
}

var errClosed = errors.New("the plugin host is closed")
