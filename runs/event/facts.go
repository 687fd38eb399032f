package event

import (
	"errors"
	"fmt"
)

// ObservationRecorded is what the host saw of the place where the run works.
type ObservationRecorded struct {
	Name       string   `json:"key"` // git_branch, git_head_sha, repo_root_hash, repo_root
	Value      Observed `json:"value"`
	Confidence string   `json:"confidence"` // low, med, high
}

// Observed is the value of an observation.
type Observed struct {
	Type  string `json:"type"` // short_string, git_sha1, sha256, path
	Value string `json:"value"`
}

func (d *ObservationRecorded) check() error {
	err := all(oneOf("key", d.Name, "git_branch", "git_head_sha", "repo_root_hash", "repo_root"),
		oneOf("confidence", d.Confidence, "low", "med", "high"))
	if err != nil {
		return err
	}
	switch d.Value.Type {
	case "short_string":
		return bounded("value", d.Value.Value, MaxShort)
	case "git_sha1":
		return form("value", d.Value.Value, sha1Form)
	case "sha256":
		return form("value", d.Value.Value, hexForm)
	case "path":
		return bounded("value", d.Value.Value, MaxPath)
	}
	return oneOf("value.type", d.Value.Type, "short_string", "git_sha1", "sha256", "path")
}

func (d *ObservationRecorded) key(Scope) []string {
	return []string{d.Name, string(DigestOf([]byte(d.Value.Type + ":" + d.Value.Value)))}
}

// Status of a capability.
type Status string

// What is known of a capability.
const (
	Unknown     Status = "unknown"
	Available   Status = "available"
	Unavailable Status = "unavailable"
)

// CapabilityObserved says what was learned about a capability of the agent.
type CapabilityObserved struct {
	ID         CapObsID   `json:"capObsId"`
	Capability string     `json:"capability"` // as the host registered it, such as web_browsing
	Status     Status     `json:"status"`
	Provenance Provenance `json:"provenance"`
}

// Provenance is how a capability became known. Its kind alone says how much it weighs: a
// claim is weak, and opens nothing that is required.
type Provenance struct {
	Kind string `json:"kind"` // probe_step, attempted_use, manual_claim

	Template string `json:"probeTemplateId,omitempty"` // probe_step
	Step     string `json:"probeStepId,omitempty"`     // probe_step

	Context string `json:"attemptContext,omitempty"` // attempted_use: workflow_step, system_probe
	Failure string `json:"failureCode,omitempty"`    // attempted_use that failed

	Result string `json:"result,omitempty"` // of both: success, failure

	ClaimedBy string `json:"claimedBy,omitempty"` // manual_claim: agent, user
	Claim     Status `json:"claim,omitempty"`     // manual_claim: available, unavailable
}

// Strong reports whether what was learned may open a path that requires the capability.
func (p Provenance) Strong() bool { return p.Kind == "probe_step" || p.Kind == "attempted_use" }

func (d *CapabilityObserved) check() error {
	err := all(validID("capObsId", d.ID), form("capability", d.Capability, idForm),
		oneOf("status", d.Status, Unknown, Available, Unavailable))
	if err != nil {
		return err
	}
	proved, err := d.Provenance.check()
	if err == nil && d.Status != Unknown && d.Status != proved {
		err = fmt.Errorf("status %q does not follow from what was seen, which is %q", d.Status, proved)
	}
	return err
}

// check returns the status that p proves.
func (p Provenance) check() (Status, error) {
	want := Provenance{Kind: p.Kind}
	var err error
	switch p.Kind {
	case "probe_step":
		want.Template, want.Step, want.Result = p.Template, p.Step, p.Result
		err = all(bounded("probeTemplateId", p.Template, 128), form("probeStepId", p.Step, stepForm),
			oneOf("result", p.Result, "success", "failure"))
	case "attempted_use":
		want.Context, want.Failure, want.Result = p.Context, p.Failure, p.Result
		err = all(oneOf("attemptContext", p.Context, "workflow_step", "system_probe"),
			oneOf("result", p.Result, "success", "failure"), p.checkFailure())
	case "manual_claim":
		want.ClaimedBy, want.Claim = p.ClaimedBy, p.Claim
		err = all(oneOf("claimedBy", p.ClaimedBy, "agent", "user"), oneOf("claim", p.Claim, Available, Unavailable))
	default:
		err = oneOf("provenance.kind", p.Kind, "probe_step", "attempted_use", "manual_claim")
	}
	switch {
	case err != nil:
		return Unknown, err
	case p != want:
		return Unknown, fmt.Errorf("a provenance of kind %q has members of another kind", p.Kind)
	case p.Kind == "manual_claim":
		return p.Claim, nil
	case p.Result == "success":
		return Available, nil
	}
	return Unavailable, nil
}

func (p Provenance) checkFailure() error {
	if p.Result != "failure" {
		return absent("failureCode", p.Result, p.Failure != "")
	}
	return oneOf("failureCode", p.Failure, "tool_missing", "tool_error", "policy_blocked", "unknown")
}

func (d *CapabilityObserved) key(Scope) []string { return []string{string(d.ID)} }

// DivergenceRecorded says that the agent left the plan on purpose, and why.
type DivergenceRecorded struct {
	ID      DivergenceID `json:"divergenceId"`
	Reason  string       `json:"reason"`
	Summary string       `json:"summary"`
	Step    string       `json:"relatedStepId,omitempty"`
}

func (d *DivergenceRecorded) check() error {
	err := all(validID("divergenceId", d.ID), bounded("summary", d.Summary, MaxSummary),
		oneOf("reason", d.Reason, "missing_user_context", "capability_unavailable", "efficiency_skip", "safety_stop",
			"policy_constraint"))
	if err != nil || d.Step == "" {
		return err
	}
	return form("relatedStepId", d.Step, stepForm)
}

func (d *DivergenceRecorded) key(Scope) []string { return []string{string(d.ID)} }

// Autonomy says when a run stops for a person.
type Autonomy string

// The modes, from the one that stops most to the one that stops least.
const (
	Guided    Autonomy = "guided"
	StopOnAsk Autonomy = "full_auto_stop_on_user_deps"
	NeverStop Autonomy = "full_auto_never_stop"
)

// Preferences are a run's mode and its readiness for risk.
type Preferences struct {
	Autonomy Autonomy `json:"autonomy"`
	Risk     string   `json:"riskPolicy"` // conservative, balanced, aggressive
}

// DefaultPreferences hold where nothing else was said.
func DefaultPreferences() Preferences { return Preferences{Autonomy: Guided, Risk: "conservative"} }

// PreferencesChanged changes how a run goes on from a node.
type PreferencesChanged struct {
	ID        ChangeID    `json:"changeId"`
	Source    string      `json:"source"` // user, workflow_recommendation, system
	Delta     []Change    `json:"delta"`
	Effective Preferences `json:"effective"`
}

// Change is one changed preference.
type Change struct {
	Name  string `json:"key"` // autonomy, riskPolicy
	Value string `json:"value"`
}

// Apply returns p with the changes made.
func (p Preferences) Apply(delta []Change) Preferences {
	for _, c := range delta {
		if c.Name == "autonomy" {
			p.Autonomy = Autonomy(c.Value)
		} else {
			p.Risk = c.Value
		}
	}
	return p
}

// Check returns what is wrong with p.
func (p Preferences) Check() error {
	return all(oneOf("autonomy", p.Autonomy, Guided, StopOnAsk, NeverStop),
		oneOf("riskPolicy", p.Risk, "conservative", "balanced", "aggressive"))
}

func (d *PreferencesChanged) check() error {
	err := all(validID("changeId", d.ID), oneOf("source", d.Source, "user", "workflow_recommendation", "system"),
		d.Effective.Check())
	if err != nil {
		return err
	}
	if len(d.Delta) == 0 {
		return errors.New("delta is empty")
	}
	seen := map[string]bool{}
	for _, c := range d.Delta {
		if err := oneOf("delta.key", c.Name, "autonomy", "riskPolicy"); err != nil {
			return err
		}
		if seen[c.Name] {
			return fmt.Errorf("delta has %q twice", c.Name)
		}
		seen[c.Name] = true
	}
	if got := d.Effective.Apply(d.Delta); got != d.Effective {
		return fmt.Errorf("effective %v does not have what delta says: %v", d.Effective, got)
	}
	return nil
}

func (d *PreferencesChanged) key(Scope) []string { return []string{string(d.ID)} }
