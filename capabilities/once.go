package capabilities

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// claimed is the one kind of event in the log of a once-key: a run has the key from now on.
type claimed struct {
	Run string `json:"run"`
}

const kindClaimed = "claimed"

// onceLog names the log of a once-key.
func onceLog(key sexpr.Digest) string { return "once-" + hex.EncodeToString(key[:]) }

// holder is the run that has a once-key.
type holder struct {
	run   string // the name of its log; "" for none
	state string // "running", "ok", or "" if the key is free
	at    int64  // when it ended, in Unix seconds
}

// String is the holder as a decision's record has it: "ok RUN 1764000000", "running RUN 0", or "".
func (h holder) String() string {
	if h.state == "" {
		return ""
	}
	return fmt.Sprintf("%s %s %d", h.state, h.run, h.at)
}

func holderFrom(text string) (h holder, err error) {
	if text == "" {
		return h, nil
	}
	f := strings.Fields(text)
	if len(f) != 3 {
		return h, fmt.Errorf("a once-key with the holder %q", text)
	}
	h.state, h.run = f[0], f[1]
	h.at, err = strconv.ParseInt(f[2], 10, 64)
	return h, err
}

// holder returns the run that has a once-key. A run that ended otherwise than well has it no more, and
// neither has one that is on no record.
func (c *Capabilities) holder(ctx context.Context, key sexpr.Digest) (holder, error) {
	log, err := c.logs.Read(ctx, onceLog(key))
	if errors.Is(err, logs.ErrNoLog) {
		return holder{}, nil
	}
	if err == nil && log.Health.Condition != logs.Healthy {
		err = log.Health.Err
	}
	if err != nil {
		return holder{}, err
	}
	last, err := decode[claimed](log.Events[len(log.Events)-1])
	if err != nil {
		return holder{}, err
	}
	r, err := readRun(ctx, c.logs, last.Run)
	switch {
	case errors.Is(err, logs.ErrNoLog): // the process died before it began, or retention has removed it
		return holder{}, nil
	case err != nil:
		return holder{}, err
	case !r.Ended():
		return holder{run: last.Run, state: "running"}, nil
	case r.Status != statusOK:
		return holder{}, nil
	}
	return holder{last.Run, statusOK, r.ended / 1e9}, nil
}

// answers reports whether the outputs of the holder are still good at an instant in Unix seconds.
func (h holder) answers(v *version, now int64) bool {
	return h.state == statusOK && (v.Once.Within == 0 || now-h.at <= v.Once.Within)
}

// once is the stage of the once-key: what runs already is not started again, and what ended well
// answers by its outputs (R21).
func (b *book) once(c *skills.Case, v *version) (skills.Verdict, error) {
	key, ok := v.OnceKey(inputsOf(c.Action()), c.Facts().Session.Principal)
	if !ok {
		return skills.Pass{}, nil
	}
	h, err := b.witness(c, key)
	switch {
	case err != nil:
		return nil, err
	case h.state == "running":
		return refuse("%s runs already for these inputs", v.ID), nil
	case h.answers(v, c.Facts().Now):
		if p := planOf(c, v); p != nil {
			p.repeats = true
			if _, err := c.Witness(lookupRepeat, key.String(), func() (string, error) { return h.run, nil }); err != nil {
				return nil, err
			}
		}
		return skills.Pass{Note: "it was done already: the outputs of " + h.run + " are good"}, nil
	}
	return skills.Pass{}, nil
}

// witness asks who has a once-key, and makes the answer a part of the decision.
func (b *book) witness(c *skills.Case, key sexpr.Digest) (holder, error) {
	text, err := c.Witness(lookupOnce, key.String(), func() (string, error) { return b.ask(c, lookupOnce, key.String()) })
	if err != nil {
		return holder{}, err
	}
	return holderFrom(text)
}

// claim takes the once-key of a start, in its turn. It returns the receipt of a start that is not to
// run, or nil. judged reports whether its steps were judged: if not, it was allowed because outputs were
// there, and without them it does nothing.
func (c *Capabilities) claim(ctx context.Context, v *version, call act.Call, log string, judged bool) (
	rc *act.Receipt, leave func(), err error) {
	key, ok := v.OnceKey(inputsOf(call.Action), call.Asker.Principal)
	if !ok {
		return nil, func() {}, nil
	}
	mine, err := c.logs.Turn(ctx, onceLog(key))
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil || rc != nil {
			mine()
		}
	}()
	h, err := c.holder(ctx, key)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case h.run == log: // it is tried again
		return nil, mine, nil
	case h.answers(v, c.now().Unix()):
		rc, err := c.repeat(ctx, h, call)
		return rc, nil, err
	case h.state == "running":
		return &act.Receipt{State: act.Nothing, Error: v.ID + " runs already for these inputs"}, nil, nil
	case !judged:
		rc := nothing("the outputs that were to answer it are gone; propose it again")
		return &rc, nil, nil
	}
	e, err := entry(kindClaimed, log, claimed{Run: log})
	if err != nil {
		return nil, nil, err
	}
	_, err = c.logs.Append(ctx, logs.Write{Log: onceLog(key), Family: family, By: call.Asker.Principal},
		func(tx *logs.Tx) error {
			_, err := tx.Event(e)
			return err
		})
	return nil, mine, err
}

// repeat answers a start with the outputs of the run that has the once-key, and notes that there.
func (c *Capabilities) repeat(ctx context.Context, h holder, call act.Call) (*act.Receipt, error) {
	e, err := entry(kindRepeat, call.Key, repeat{Call: call.Key})
	if err != nil {
		return nil, err
	}
	_, err = c.logs.Append(ctx, logs.Write{Log: h.run, Family: family, By: call.Asker.Principal}, func(tx *logs.Tx) error {
		tx.Over(true)
		_, err := tx.Event(e)
		return err
	})
	if err != nil {
		return nil, err
	}
	r, err := readRun(ctx, c.logs, h.run)
	if err != nil {
		return nil, err
	}
	rc := r.receipt()
	rc.Result = rc.Result.With("repeat", sexpr.T())
	rc.Text = clip(fmt.Sprintf("%s (done already at %s)", rc.Text, stamp(h.at)), maxResult)
	return &rc, nil
}
