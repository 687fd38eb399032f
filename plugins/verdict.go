package plugins

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/opencortex-go/cortex/internal/plist"
	"github.com/opencortex-go/cortex/plugins/internal/wire"
	skillpb "github.com/opencortex-go/cortex/plugins/proto"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// known refuses an answer with anything in it that this host does not know.
func (p *process) known(m proto.Message) error {
	return wire.CheckKnown(m.ProtoReflect(), "this host ("+p.host+", protocol "+strconv.Itoa(skillpb.Protocol)+")",
		p.title())
}

// title says who a skill is, with its release and protocol as far as it told.
func (p *process) title() string {
	release, protocol := p.desc.GetRelease(), p.desc.GetProtocol()
	if p.desc == nil {
		release, protocol = p.entry.Release, p.entry.Protocol
	}
	return fmt.Sprintf("the skill %s (release %q, protocol %d)", p.entry.Name, wire.Clip(release, 80), protocol)
}

// checkJudgement refuses a judgement that is not a verdict.
func (e *Entry) checkJudgement(j *skillpb.Judgement) error {
	var why *skillpb.Reason
	switch v := j.GetVerdict().(type) {
	case *skillpb.Judgement_Pass:
		return checkTexts(v.Pass.GetNote())
	case *skillpb.Judgement_Allow:
		why = v.Allow.GetReason()
	case *skillpb.Judgement_Ask:
		why = v.Ask.GetReason()
		if v.Ask.GetQuorum() > wire.MaxQuorum {
			return fmt.Errorf("an ask for %d people, at most %d", v.Ask.GetQuorum(), wire.MaxQuorum)
		}
		if c := v.Ask.GetApprovers(); c != "" && !wire.NameForm.MatchString(c) {
			return errors.New("an ask of a class whose name is not like operator")
		}
	case *skillpb.Judgement_Reject:
		why = v.Reject.GetReason()
	case *skillpb.Judgement_Rewrite:
		why = v.Rewrite.GetReason()
		if _, err := wire.ReadSet(v.Rewrite.GetSet()); err != nil {
			return err
		}
	default:
		return errors.New("a judgement without a verdict")
	}
	if why.GetText() == "" {
		return errors.New("a verdict without a reason")
	}
	if c := why.GetClause(); c != "" && !wire.HasClause(e.Clauses, c) {
		return fmt.Errorf("a verdict of the clause %s, which is not in skills.lock", wire.Printable(wire.Clip(c, 80)))
	}
	return checkTexts(why.GetText(), why.GetDetail())
}

func checkTexts(texts ...string) error {
	for _, t := range texts {
		if len(t) > wire.MaxText {
			return fmt.Errorf("a text of %d bytes, at most %d", len(t), wire.MaxText)
		}
	}
	return nil
}

// answerText is a judgement as it is recorded, and read again by [Entry.verdict].
// What the lock grants is not part of it.
func answerText(j *skillpb.Judgement) (string, error) {
	if v, ok := j.GetVerdict().(*skillpb.Judgement_Pass); ok && v.Pass.GetNote() == "" {
		return passText, nil
	}
	var b plist.Builder
	b.Text("verdict", word(outcome(j)))
	why := wire.ReasonOf(j)
	b.Text("clause", why.GetClause())
	b.Text("text", why.GetText())
	b.Text("detail", why.GetDetail())
	b.True("retryable", why.GetRetryable())
	b.Text("note", j.GetPass().GetNote())
	b.Text("approvers", j.GetAsk().GetApprovers())
	b.Int("quorum", int64(j.GetAsk().GetQuorum()))
	b.True("not-user", j.GetAsk().GetNotUser())
	if r := j.GetRewrite(); r != nil {
		set, err := wire.ReadSet(r.GetSet())
		if err != nil {
			return "", err
		}
		b.Value("set", set)
	}
	return sexpr.Canonical(b.Done())
}

// passText is the answer of a plugin that has nothing to say.
const passText = `(:verdict "pass")`

// verdict is what a recorded answer amounts to, by what the lock grants.
func (e *Entry) verdict(text string) (skills.Verdict, error) {
	if text == passText { // what nearly every plugin says of nearly every action
		return skills.Pass{}, nil
	}
	v, err := sexpr.Read("answer", text)
	if err != nil {
		return nil, err
	}
	clause := v.GetText("clause")
	if clause == "" {
		clause = wire.MainClause
	}
	why := skills.Reason{
		Key: e.Name + "/" + clause, Text: v.GetText("text"), Detail: v.GetText("detail"), Retryable: v.GetTrue("retryable"),
	}
	switch v.GetText("verdict") {
	case "pass":
		return skills.Pass{Note: v.GetText("note")}, nil
	case "allow":
		if !e.grants("allow") {
			return skills.Pass{Note: "its allow counts for nothing: skills.lock does not grant it that right"}, nil
		}
		return skills.Allow{Reason: why}, nil
	case "rewrite":
		if !e.grants("rewrite") {
			return nil, errors.New("it rewrites, and skills.lock does not grant it that right")
		}
		set, _ := v.Get("set")
		return skills.Rewrite{Set: set, Reason: why}, nil
	case "ask":
		slot := skills.Slot{Class: v.GetText("approvers"), Quorum: int(v.GetInt("quorum")), NotUser: v.GetTrue("not-user")}
		slot.Key = skills.AskKey(why.Key, slot, "plugin "+e.SHA256)
		return skills.Ask{Reason: why, Slot: slot}, nil
	case "reject":
		return skills.Deny{Reason: why}, nil
	}
	return nil, fmt.Errorf("a verdict %s", wire.Printable(wire.Clip(v.GetText("verdict"), 80)))
}

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

// word is an outcome as people write it: "reject".
func word(o skillpb.Outcome) string {
	return strings.ToLower(strings.TrimPrefix(o.String(), "OUTCOME_"))
}

// seen is the part of the facts that an entry may see, as canonical text. It marks
// nothing as read: see [reads].
func (e *Entry) seen(f *skills.Facts, hide covered) (string, error) {
	if len(e.Grants) == 0 {
		return "{}", nil
	}
	var out skills.Facts
	if e.grants("now") {
		out.Now = f.Now
	}
	if e.grants("signal") {
		out.Signal = f.Signal
		out.Signal.Text = hide.own.Redact(f.Signal.Text)
	}
	if e.grants("session") {
		out.Session = f.Session
	}
	out.Session.Turns = nil
	var err error
	if e.grants("turns") {
		if out.Session.Turns, err = turnsOf(f); err != nil {
			return "", err
		}
		out.Session.Turns = hide.turns(out.Session.Turns)
	}
	if e.grants("spends") {
		if out.Spends, err = spendsOf(f); err != nil {
			return "", err
		}
	}
	for _, part := range []struct {
		sight    string
		from, to *sexpr.Value
	}{{"ctx", &f.Ctx, &out.Ctx}, {"env", &f.Env, &out.Env}, {"work", &f.Work, &out.Work},
		{"policy", &f.Policy, &out.Policy}} {
		if e.grants(part.sight) {
			*part.to = *part.from
		}
	}
	return sexpr.Canonical(out.Value())
}

// turnsOf are the messages of the user and the calls. Skills know no other turns.
func turnsOf(f *skills.Facts) ([]skills.Turn, error) {
	turns, err := f.Session.Turns, error(nil)
	if f.Recall != nil {
		turns, err = f.Recall.Turns()
	}
	other := func(t skills.Turn) bool { return t.Call == nil && !t.IsUser() }
	if slices.ContainsFunc(turns, other) {
		turns = slices.DeleteFunc(slices.Clone(turns), other)
	}
	return turns, err
}

func spendsOf(f *skills.Facts) ([]skills.Spend, error) {
	if f.Recall == nil {
		return f.Spends, nil
	}
	return f.Recall.Spends()
}

// reads marks what an entry saw as read by the decision.
func (e *Entry) reads(c *skills.Case) {
	if e.grants("turns") {
		c.Read(skills.SessionKey(c.Facts().Session.ID))
	}
	if e.grants("spends") {
		c.Read(skills.SessionKey(c.Facts().Session.ID)) // others spend in the session, too
		c.Read(skills.PrincipalKey(c.Facts().Session.Principal))
	}
}
