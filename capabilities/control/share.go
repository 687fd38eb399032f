package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/opencortex-go/cortex/capabilities"
	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/plans/canon"
)

// by is who registers what the plane shares.
const by = "control plane"

// mostShared bounds how many capabilities one answer shares.
const mostShared = 100

// Synced is what a look at what the plane shares came to.
type Synced struct {
	Until      string   `json:"until"`                // where the next look goes on, in the plane's words
	Registered []string `json:"registered,omitempty"` // "id version", those that were registered before too
	Refused    []string `json:"refused,omitempty"`    // what could not be registered, and why
}

// Sync registers what the plane shares with this project since the last look (R32). All of it is registered and
// nothing more: no model is offered it until people have had it tested, tried and put in force. What cannot be
// registered is refused by itself.
func (p *Plane) Sync(ctx context.Context, caps *capabilities.Capabilities) (out Synced, err error) {
	p.mu.Lock()
	since := p.until
	p.mu.Unlock()
	ask := map[string]string{"project": p.opt.Project, "since": since}
	answer, text, err := p.call(ctx, callSync, ask, maxSynced, false)
	var got struct {
		Skills []json.RawMessage `json:"skills"`
	}
	if err == nil {
		err = json.Unmarshal(text, &got)
	}
	out.Until = answer.GetText("until")
	switch {
	case err != nil:
	case len(out.Until) > maxReason || out.Until == "":
		err = errors.New(callSync + `: no "until", or one that is too long`)
	case len(got.Skills) > mostShared:
		err = fmt.Errorf("%s: %d capabilities in one answer, expected at most %d", callSync, len(got.Skills), mostShared)
	}
	if err != nil {
		if ctx.Err() == nil {
			p.lose(err.Error())
		}
		return Synced{}, err
	}
	p.found()
	for i, raw := range got.Skills {
		name, err := register(ctx, caps, raw)
		if err != nil {
			out.Refused = append(out.Refused, clip(fmt.Sprintf("%d: %v", i, err)))
			continue
		}
		out.Registered = append(out.Registered, name...)
	}
	p.mu.Lock()
	p.until = out.Until
	p.mu.Unlock()
	if len(got.Skills) > 0 {
		err = p.record(kindSynced, out)
	}
	return out, err
}

// register registers one thing that is shared: a manifest, or the text of a plan file.
func register(ctx context.Context, caps *capabilities.Capabilities, raw json.RawMessage) (names []string, err error) {
	text := []byte(raw)
	var file string
	if json.Unmarshal(raw, &file) == nil {
		text = []byte(file)
	}
	all, err := form.Read("", text)
	for i := 0; err == nil && i < len(all); i++ {
		err = caps.Register(ctx, all[i], by)
		names = append(names, all[i].ID+" "+all[i].Version)
	}
	return names, err
}

// Report is what the tests of a version came to here.
type Report struct {
	Capability string     `json:"capability"`
	Version    string     `json:"version"`
	Plan       string     `json:"plan"`
	Env        string     `json:"env"`    // facts.env.env: the environment that it is to be promoted to
	Policy     string     `json:"policy"` // under which it was tested
	Unit       [2]int     `json:"unit"`   // cases that passed, of how many
	Fuzz       [2]int     `json:"fuzz"`
	Needs      [2]float64 `json:"needs"` // the shares that had to pass
	Reached    bool       `json:"reached"`
}

// Promotion is what a plane says to a report.
type Promotion struct {
	Report Report `json:"report"`
	Answer string `json:"answer"` // "accepted", "waiting" or "refused"
	Reason string `json:"reason,omitempty"`
}

// Promote sends the plane the report of tests that were run here, in the environment that a version is to be
// promoted to, signed with the key (R33). Whatever the plane answers, it changes no state: later checks may
// rule otherwise.
func (p *Plane) Promote(ctx context.Context, r Report) (Promotion, error) {
	v, _, err := p.call(ctx, callPromote, struct {
		Project string `json:"project"`
		Report
	}{p.opt.Project, r}, maxAnswer, true)
	if err != nil {
		p.lose(err.Error())
		return Promotion{}, err
	}
	p.found()
	out := Promotion{Report: r, Answer: v.GetText("answer"), Reason: clip(v.GetText("reason"))}
	switch out.Answer {
	case "accepted", "waiting", "refused":
		return out, p.record(kindPromoted, out)
	}
	return Promotion{}, errors.New(callPromote + `: an "answer" that is none of accepted, waiting and refused`)
}

// sums is what a plane is told of the runs of a capability: no more than counts.
type sums struct {
	Capability string  `json:"capability"`
	Calls      int     `json:"calls"`
	Repeats    int     `json:"repeats"`
	Running    int     `json:"running"`
	OK         int     `json:"ok"`
	Partial    int     `json:"partial"`
	Refused    int     `json:"refused"`
	Streak     int     `json:"streak"`
	P50        int64   `json:"p50_ms"`
	P95        int64   `json:"p95_ms"`
	Cost       float64 `json:"cost_usd"`
}

// Tell sends the plane what runs came to, in sums, if that has changed (R34). No prompt, input, output, reason
// or name of a person goes there.
func (p *Plane) Tell(ctx context.Context, caps *capabilities.Capabilities) error {
	all, sys, err := caps.Stats(ctx)
	if err != nil {
		return err
	}
	out := []sums{}
	for _, s := range all {
		out = append(out, sums{s.Capability, s.Calls, s.Repeats, s.Running, s.OK, s.Partial, s.Refused, s.Streak, s.P50,
			s.P95, s.Cost})
	}
	body := map[string]any{"project": p.opt.Project, "capabilities": out, "versions": sys.Versions, "learnt": sys.Learnt,
		"damaged": sys.Damaged}
	text, err := canon.Of(body)
	if err != nil {
		return err
	}
	now := canon.Digest(text)
	p.mu.Lock()
	same := p.told == now
	p.mu.Unlock()
	if same {
		return nil
	}
	if _, _, err := p.call(ctx, callTell, body, maxAnswer, false); err != nil {
		if ctx.Err() == nil {
			p.lose(err.Error())
		}
		return err
	}
	p.found()
	p.mu.Lock()
	p.told = now
	p.mu.Unlock()
	return nil
}

// Run looks at what the plane shares, and tells it what runs came to, at once and then again and again until
// ctx ends. What fails is in [Plane.Trouble], and is tried again.
func (p *Plane) Run(ctx context.Context, caps *capabilities.Capabilities) {
	again := time.NewTicker(p.opt.Every)
	defer again.Stop()
	defer p.http.CloseIdleConnections()
	for {
		got, err := p.Sync(ctx, caps)
		for _, why := range got.Refused {
			p.opt.Logger.Warn("the control plane shares what cannot be registered", "error", why)
		}
		if err == nil {
			err = p.Tell(ctx, caps)
		}
		if err != nil && ctx.Err() == nil {
			p.opt.Logger.Debug("the control plane", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
	}
}
