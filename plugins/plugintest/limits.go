package plugintest

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"google.golang.org/protobuf/proto"

	skillpb "github.com/opencortex-go/cortex/plugins/proto"
	"github.com/opencortex-go/cortex/sexpr"
)

// The limits of skill.proto, repeated here: a suite that shared them with the host
// would not find the host's errors.
const (
	maxText    = 2000
	maxEntries = 256
	maxQuorum  = 16
)

var nameForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

func checkDescription(d *skillpb.Description) error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf("Describe: "+format, args...)) }
	if d.GetProtocol() != skillpb.Protocol {
		bad("protocol %d, expected %d", d.GetProtocol(), skillpb.Protocol)
	}
	for _, name := range append([]string{d.GetName()}, d.GetClauses()...) {
		if !nameForm.MatchString(name) {
			bad("the name %q does not match %s", name, nameForm)
		}
	}
	if d.GetRelease() == "" {
		bad("no release")
	}
	if d.GetDoc() == "" {
		bad("no doc: say in one sentence what it does")
	}
	for what, n := range map[string]int{
		"judges": len(d.GetJudges()), "sees": len(d.GetSees()), "rights": len(d.GetRights()), "clauses": len(d.GetClauses()),
		"examples": len(d.GetExamples()), "tools": len(d.GetTools()),
	} {
		if n > maxEntries {
			bad("%d entries in %s, at most %d", n, what, maxEntries)
		}
	}
	for _, s := range d.GetSees() {
		if s == 0 || skillpb.Sight_name[int32(s)] == "" {
			bad("it wants to see %s, which this protocol does not have", s)
		}
	}
	for _, r := range d.GetRights() {
		if r == 0 || skillpb.Right_name[int32(r)] == "" {
			bad("it wants the right %s, which this protocol does not have", r)
		}
	}
	if len(d.GetTools()) > 0 && !slices.Contains(d.GetRights(), skillpb.Right_RIGHT_TOOLS) {
		bad("it brings tools without asking for RIGHT_TOOLS")
	}
	if len(d.ProtoReflect().GetUnknown()) > 0 {
		bad("it has fields that %s does not have", skillpb.Service)
	}
	return errors.Join(errs...)
}

// checkJudgement returns an error if an answer violates the protocol.
func (p *Process) checkJudgement(r *skillpb.JudgeRequest, j *skillpb.Judgement) error {
	switch {
	case j.GetId() != r.GetId():
		return fmt.Errorf("it answers the id %q, and was asked %q", j.GetId(), r.GetId())
	case j.GetDigest() != r.GetDigest():
		return fmt.Errorf("it repeats the digest %q, and was sent %q", j.GetDigest(), r.GetDigest())
	case unknownFields(j):
		return fmt.Errorf("its answer has fields that %s does not have", skillpb.Service)
	}
	if pass := j.GetPass(); pass != nil {
		if len(pass.GetNote()) > maxText {
			return fmt.Errorf("its note has %d bytes, at most %d", len(pass.GetNote()), maxText)
		}
		return nil
	}
	if r := j.GetRewrite(); r != nil {
		v, err := sexpr.Read("set", r.GetSet())
		if err != nil || !v.IsPlist() {
			return fmt.Errorf("its rewrite sets %q, which is not a plist like (:timeout 30)", clip(r.GetSet()))
		}
	}
	if a := j.GetAsk(); a != nil &&
		(a.GetQuorum() > maxQuorum || a.GetApprovers() != "" && !nameForm.MatchString(a.GetApprovers())) {
		return fmt.Errorf("it asks for %d of %q, expected at most %d of a class like operator", a.GetQuorum(),
			a.GetApprovers(), maxQuorum)
	}
	why := reasonOf(j)
	switch {
	case why == nil:
		return errors.New("it answers without a verdict, or with one that has no reason")
	case why.GetText() == "":
		return errors.New("its reason has no text")
	case len(why.GetText()) > maxText || len(why.GetDetail()) > maxText:
		return fmt.Errorf("a text in its reason has more than %d bytes", maxText)
	}
	if c := why.GetClause(); c != "" && c != "main" && p.Description != nil &&
		!slices.Contains(p.Description.GetClauses(), c) {
		return fmt.Errorf("its reason is of the clause %q, which its description does not list", c)
	}
	return nil
}

func reasonOf(j *skillpb.Judgement) *skillpb.Reason {
	switch {
	case j.GetAllow() != nil:
		return j.GetAllow().GetReason()
	case j.GetRewrite() != nil:
		return j.GetRewrite().GetReason()
	case j.GetAsk() != nil:
		return j.GetAsk().GetReason()
	}
	return j.GetReject().GetReason()
}

// outcome is which verdict it is.
func outcome(j *skillpb.Judgement) skillpb.Outcome {
	switch j.GetVerdict().(type) {
	case *skillpb.Judgement_Pass:
		return skillpb.Outcome_OUTCOME_PASS
	case *skillpb.Judgement_Allow:
		return skillpb.Outcome_OUTCOME_ALLOW
	case *skillpb.Judgement_Rewrite:
		return skillpb.Outcome_OUTCOME_REWRITE
	case *skillpb.Judgement_Ask:
		return skillpb.Outcome_OUTCOME_ASK
	case *skillpb.Judgement_Reject:
		return skillpb.Outcome_OUTCOME_REJECT
	}
	return skillpb.Outcome_OUTCOME_UNSPECIFIED
}

// unknownFields reports whether there are any, however deep: a message without
// them has its own size.
func unknownFields(m proto.Message) bool {
	bare := proto.Clone(m)
	var discard proto.UnmarshalOptions
	discard.DiscardUnknown = true
	raw, err := proto.Marshal(m)
	if err != nil {
		return true
	}
	proto.Reset(bare)
	if err := discard.Unmarshal(raw, bare); err != nil {
		return true
	}
	return proto.Size(bare) != len(raw)
}
