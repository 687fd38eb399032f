package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/capabilities"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/plans/canon"
)

// The log of a plane, and its kinds of event.
const (
	logName   = "control-plane"
	logFamily = "control"

	kindRuled    = "ruled"    // it ruled otherwise than before
	kindLost     = "degraded" // it cannot be reached
	kindFound    = "restored"
	kindSynced   = "synced"   // it shared something
	kindPromoted = "promoted" // it was asked to promote a version
)

// ruled is a ruling with its question.
type ruled struct {
	capabilities.Asked
	capabilities.Ruling
}

// state is why a plane is lost.
type state struct {
	Why string `json:"why,omitempty"`
}

// Open implements [capabilities.Control]: it reads what the plane ruled last. What cannot be read counts as
// never ruled.
func (p *Plane) Open(l *logs.Logs) {
	p.logs = l
	log, err := l.Read(context.Background(), logName)
	if errors.Is(err, logs.ErrNoLog) {
		return
	}
	if err == nil && log.Health.Condition != logs.Healthy {
		err = log.Health.Err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := 0; err == nil && i < len(log.Events); i++ {
		err = p.fold(log.Events[i])
	}
	if err != nil {
		clear(p.rulings)
		p.opt.Logger.Error("what the control plane ruled last cannot be read, and counts as never ruled", "error", err)
	}
}

// fold takes in an event. The caller holds the lock.
func (p *Plane) fold(e logs.Event) (err error) {
	data := []byte(e.Data)
	switch e.Kind {
	case kindRuled:
		var r ruled
		if err = json.Unmarshal(data, &r); err != nil {
			break
		}
		question, err := canon.Of(r.Asked)
		if err != nil {
			return err
		}
		p.rulings[string(question)] = kept{Ruling: r.Ruling}
	case kindLost, kindFound:
		var s state
		err = json.Unmarshal(data, &s)
		p.lost, p.noted = s.Why, e.Kind == kindLost
	case kindSynced:
		var s Synced
		err = json.Unmarshal(data, &s)
		p.until = s.Until
	}
	if err != nil {
		return fmt.Errorf("event %d, %s: %w", e.Index, e.Kind, err)
	}
	return nil
}

// keep keeps a ruling for when the plane is lost, and returns the one that holds: an answer that took long gives
// way to that to a later question. One that says what the last one said is not recorded again.
func (p *Plane) keep(a capabilities.Asked, question string, r kept) capabilities.Ruling {
	p.keeping.Lock()
	defer p.keeping.Unlock()
	p.mu.Lock()
	last, known := p.rulings[question]
	if last.n > r.n {
		p.mu.Unlock()
		return last.Ruling
	}
	full := !known && len(p.rulings) >= mostRulings
	if !full {
		p.rulings[question] = r
	}
	p.mu.Unlock()
	if !full && (!known || last.Answer != r.Answer || last.Reason != r.Reason) {
		p.enter(kindRuled, ruled{a, r.Ruling})
	}
	return r.Ruling
}

// lose notes that the plane cannot be reached.
func (p *Plane) lose(why string) {
	p.mu.Lock()
	first := !p.noted
	p.lost, p.noted, p.alone = why, true, p.now().Add(pause)
	p.mu.Unlock()
	if first {
		p.opt.Logger.Warn("the control plane is lost, and what it ruled last holds", "error", why)
		p.enter(kindLost, state{why})
	}
}

// found notes that the plane answers.
func (p *Plane) found() {
	p.mu.Lock()
	again := p.noted
	p.lost, p.noted = "", false
	p.mu.Unlock()
	if again {
		p.opt.Logger.Info("the control plane answers again")
		p.enter(kindFound, state{})
	}
}

// enter enters an event. Nothing waits for it to succeed: a decision holds its ruling itself.
func (p *Plane) enter(kind string, data any) {
	if err := p.record(kind, data); err != nil {
		p.opt.Logger.Warn("what the control plane said is not kept", "event", kind, "error", err)
	}
}

func (p *Plane) record(kind string, data any) error {
	text, err := canon.Of(data)
	if err != nil {
		return err
	}
	if p.logs == nil {
		return errors.New("no record is open")
	}
	_, err = p.logs.Append(context.Background(), logs.Write{Log: logName, Family: logFamily}, func(tx *logs.Tx) error {
		h, err := tx.Head()
		if err != nil {
			return err
		}
		id := fmt.Sprintf("e%d", h.Next)
		_, err = tx.Event(logs.Event{ID: id, Kind: kind, Dedupe: id, Data: string(text)})
		return err
	})
	return err
}
