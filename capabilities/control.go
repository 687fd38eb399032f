package capabilities

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/skills"
)

// Control is a control plane: what an organisation runs to say, for many engines, which capabilities may be
// started where. It can only narrow. Package control has one that asks over HTTP.
type Control interface {
	// Open gives it the logs of the record, before the first question.
	Open(l *logs.Logs)
	// Check rules on a start. It does not wait for long, and always has a ruling: if the plane cannot be
	// reached, the last one to the same question, else one that is [RulingUnreachable].
	Check(a Asked) Ruling
}

// Asked is a start, as a control plane is asked about it. It holds no input.
type Asked struct {
	Capability string   `json:"capability"`
	Version    string   `json:"version"`
	Plan       string   `json:"plan"`
	Scope      string   `json:"scope"`
	Env        string   `json:"env"`   // facts.env.env
	Roles      []string `json:"roles"` // of who asks, sorted
}

// Ruling is what a control plane says of a start. The decision holds it.
type Ruling struct {
	Answer string `json:"answer"`           // one of the four below
	Reason string `json:"reason,omitempty"` // the plane's
	At     int64  `json:"at"`               // when the plane said so, in Unix seconds
	Cached string `json:"cached,omitempty"` // why the last ruling was used: the plane was not reached
}

// The answers of a [Ruling].
const (
	RulingAllow       = "allow"           // the other stages judge
	RulingPromotion   = "needs_promotion" // people are asked: the plan was not promoted to this environment
	RulingDeny        = "deny"
	RulingUnreachable = "unreachable" // the plane was not reached, and had not ruled on this before
)

// Under returns capabilities whose starts a control plane rules on too: see [New].
func Under(plane Control) *Capabilities { return &Capabilities{control: plane} }

// lookupControl is the look-up of what the control plane rules.
const lookupControl = "capability/control"

// controlled is the line in the text of a book whose starts a control plane rules on.
const controlled = "control"

// ruled is the stage of the control plane (R31, R35). It only narrows: what it allows, the others judge.
func ruled(b *book) func(*skills.Case, *version) (skills.Verdict, error) {
	return func(c *skills.Case, v *version) (skills.Verdict, error) {
		f := c.Facts()
		question, err := canon.Of(Asked{v.ID, v.Version, v.hash, v.Scope, f.Env.GetText("env"),
			append([]string{}, slices.Sorted(slices.Values(f.Session.Roles))...)})
		if err != nil {
			return nil, err
		}
		text, err := c.Witness(lookupControl, string(question), func() (string, error) {
			return b.ask(c, lookupControl, string(question))
		})
		if err != nil {
			return nil, err
		}
		var r Ruling
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			return nil, fmt.Errorf("the ruling of the control plane: %w", err)
		}
		return r.verdict(v)
	}
}

// verdict is what a ruling means for a start. A plan of the project alone goes on without the plane.
func (r *Ruling) verdict(v *version) (skills.Verdict, error) {
	why := skills.Reason{Detail: r.Cached, Retryable: true}
	switch r.Answer {
	case RulingAllow:
		return skills.Pass{Note: "the control plane allows it" + r.since()}, nil
	case RulingPromotion:
		why.Key, why.Text = "control/needs-promotion", v.ID+" is not promoted to this environment yet"
	case RulingDeny:
		why.Key, why.Text = "control/denied", "the control plane denies "+v.ID
	case RulingUnreachable:
		if !v.org() {
			return skills.Pass{Note: "the control plane was not reached: " + r.Cached}, nil
		}
		why.Key, why.Text = "control/unreachable", "the control plane was not reached, and has never ruled on "+v.ID
	default:
		return nil, fmt.Errorf("the control plane ruled %q", r.Answer)
	}
	if why.Text += r.since(); r.Reason != "" {
		why.Text += fmt.Sprintf(": %q", r.Reason)
	}
	if r.Answer == RulingPromotion {
		return skills.Ask{Reason: why}, nil
	}
	return skills.Deny{Reason: why}, nil
}

// since says that a ruling is an old one.
func (r *Ruling) since() string {
	if r.Cached == "" || r.At == 0 {
		return ""
	}
	return ", as it said at " + stamp(r.At)
}

// rule answers the look-up.
func (c *Capabilities) rule(question string) (string, error) {
	var a Asked
	if err := json.Unmarshal([]byte(question), &a); err != nil {
		return "", err
	}
	text, err := canon.Of(c.control.Check(a))
	return string(text), err
}
