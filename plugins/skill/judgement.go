package skill

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/plugins/internal/wire"
	skillpb "github.com/opencortex-go/cortex/plugins/proto"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// judgement is a verdict as it travels. What a host would refuse is refused here,
// where its author sees why.
func judgement(r *skillpb.JudgeRequest, v skills.Verdict) (*skillpb.Judgement, error) {
	j := &skillpb.Judgement{Id: r.GetId(), Digest: r.GetDigest()}
	var why *skillpb.Reason
	switch v := v.(type) {
	case skills.Pass:
		j.Verdict = &skillpb.Judgement_Pass{Pass: &skillpb.Pass{Note: fits(v.Note)}}
		return j, nil
	case skills.Allow:
		why = reasonMessage(v.Reason)
		j.Verdict = &skillpb.Judgement_Allow{Allow: &skillpb.Allow{Reason: why}}
	case skills.Rewrite:
		set, err := sexpr.Canonical(v.Set)
		if err != nil {
			return nil, fmt.Errorf("its rewrite: %w", err)
		}
		if _, err := wire.ReadSet(set); err != nil {
			return nil, err
		}
		why = reasonMessage(v.Reason)
		j.Verdict = &skillpb.Judgement_Rewrite{Rewrite: &skillpb.Rewrite{Set: set, Reason: why}}
	case skills.Ask:
		if v.Slot.Quorum < 0 || v.Slot.Quorum > wire.MaxQuorum {
			return nil, fmt.Errorf("its ask is for %d people, expected 1 to %d", v.Slot.Quorum, wire.MaxQuorum)
		}
		why = reasonMessage(v.Reason)
		j.Verdict = &skillpb.Judgement_Ask{Ask: &skillpb.Ask{
			Reason: why, Approvers: v.Slot.Class, Quorum: uint32(v.Slot.Quorum), NotUser: v.Slot.NotUser,
		}}
	case skills.Deny:
		why = reasonMessage(v.Reason)
		j.Verdict = &skillpb.Judgement_Reject{Reject: &skillpb.Reject{Reason: why}}
	case skills.Asks:
		return nil, errors.New("it asks for steps of a plan, and only the gates of capabilities do")
	default:
		return nil, errors.New("it gave no verdict")
	}
	if why.GetText() == "" {
		return nil, errors.New("its verdict has no Reason.Text")
	}
	return j, nil
}

func reasonMessage(r skills.Reason) *skillpb.Reason {
	return &skillpb.Reason{Clause: r.Key, Text: fits(r.Text), Detail: fits(r.Detail), Retryable: r.Retryable}
}

// fits makes a text one that can travel: valid, without zero bytes, and cut. A
// reason that quotes what it was given must not turn a verdict into a failure.
func fits(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
	if len(s) <= wire.MaxText {
		return s
	}
	return wire.Clip(s, wire.MaxText-len("..."))
}

func words[T any](m map[string]T) string {
	return strings.Join(slices.Sorted(maps.Keys(m)), ", ")
}
