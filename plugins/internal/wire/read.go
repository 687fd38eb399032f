package wire

import (
	"errors"
	"fmt"

	skillpb "github.com/opencortex-go/cortex/plugins/proto"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// ReadSet reads what a rewrite sets: a plist of literals.
func ReadSet(text string) (sexpr.Value, error) {
	v, err := sexpr.Read("rewrite", text)
	if err == nil && !v.IsPlist() {
		err = errors.New("expected a plist like (:timeout 30)")
	}
	if err == nil {
		err = sexpr.CheckJSON(v)
	}
	if err != nil {
		return sexpr.Value{}, errors.New("a rewrite that cannot be read: " + Printable(Clip(err.Error(), 300)))
	}
	return v, nil
}

// ReadAction reads an action's canonical text.
func ReadAction(text string) (*skills.Action, error) {
	v, err := sexpr.Read("action", text)
	if err != nil {
		return nil, err
	}
	args, _ := v.Get("args")
	a, err := skills.NewAction(v.GetText("tool"), args, "")
	if err == nil && a.Canonical() != text {
		return nil, fmt.Errorf("it is not in canonical form, which is %s", a.Canonical())
	}
	return a, err
}

// ReasonOf returns the reason of a judgement, or nil for a pass and for none.
func ReasonOf(j *skillpb.Judgement) *skillpb.Reason {
	switch v := j.GetVerdict().(type) {
	case *skillpb.Judgement_Allow:
		return v.Allow.GetReason()
	case *skillpb.Judgement_Rewrite:
		return v.Rewrite.GetReason()
	case *skillpb.Judgement_Ask:
		return v.Ask.GetReason()
	case *skillpb.Judgement_Reject:
		return v.Reject.GetReason()
	}
	return nil
}
