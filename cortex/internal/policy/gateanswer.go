package policy

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/internal/plist"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

const maxGateText = 2000 // bytes of one text in an answer

// printable returns a text that a record can hold: valid UTF-8, without zero bytes, cut.
func printable(s string) string {
	if len(s) > maxGateText {
		s = s[:maxGateText-len("...")] + "..."
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// passText is the recorded answer of a gate that passes without a note and read no facts.
const passText = `(:verdict "pass")`

// answerText returns an error for a verdict that cannot be recorded; else the text for the
// record, with the versioned facts that the gate read.
func answerText(v skills.Verdict, reads []string) (string, error) {
	if v == (skills.Pass{}) && len(reads) == 0 {
		return passText, nil
	}
	var b plist.Builder
	var why skills.Reason
	switch v := v.(type) {
	case nil:
		return "", errors.New("no verdict")
	case skills.Pass:
		b.Text("verdict", "pass")
		b.Text("note", printable(v.Note))
		why.Text = "-" // needs none
	case skills.Allow:
		b.Text("verdict", "allow")
		why = v.Reason
	case skills.Rewrite:
		if !v.Set.IsPlist() {
			return "", fmt.Errorf("a rewrite that sets a %s, expected a plist", v.Set.Kind())
		}
		b.Text("verdict", "rewrite")
		b.Value("set", v.Set)
		why = v.Reason
	case skills.Ask:
		b.Text("verdict", "ask")
		b.Text("approvers", printable(v.Slot.Class))
		b.Int("quorum", int64(v.Slot.Quorum))
		b.True("not-user", v.Slot.NotUser)
		why = v.Reason
	case skills.Deny:
		b.Text("verdict", "reject")
		why = v.Reason
	case skills.Asks:
		return "", errors.New("it asks for steps of a plan, and only the gates of capabilities do")
	default: // such as a pointer to a verdict
		return "", fmt.Errorf("an answer of the wrong shape: %T", v)
	}
	switch {
	case why.Text == "":
		return "", errors.New("its verdict has no Reason.Text")
	case why.Key != "" && !gateName.MatchString(why.Key):
		return "", errors.New("the Reason.Key of its verdict is not a clause's name, like too-large")
	}
	if _, passed := v.(skills.Pass); !passed {
		b.Text("clause", why.Key)
		b.Text("text", printable(why.Text))
		b.Text("detail", printable(why.Detail))
		b.True("retryable", why.Retryable)
	}
	plist.Each(&b, "reads", reads, sexpr.Str)
	return sexpr.Canonical(b.Done())
}

// verdict returns the verdict of a recorded answer. It makes the ask key from the gate's
// name and version, so an approval for another rule's ask does not count here.
func (g *goGate) verdict(c *skills.Case, text string) (skills.Verdict, error) {
	if text == passText {
		return skills.Pass{}, nil
	}
	v, err := sexpr.Read("answer", text)
	if err != nil {
		return nil, err
	}
	for _, k := range record.TextsFrom(v, "reads") {
		c.Read(k)
	}
	clause := cmp.Or(v.GetText("clause"), "main")
	why := skills.Reason{Key: g.Name + "/" + clause, Text: v.GetText("text"), Detail: v.GetText("detail"),
		Retryable: v.GetTrue("retryable")}
	switch v.GetText("verdict") {
	case "pass":
		return skills.Pass{Note: v.GetText("note")}, nil
	case "allow":
		return skills.Allow{Reason: why}, nil
	case "rewrite":
		set, _ := v.Get("set")
		return skills.Rewrite{Set: set, Reason: why}, nil
	case "ask":
		slot := skills.Slot{Class: v.GetText("approvers"), Quorum: int(v.GetInt("quorum")), NotUser: v.GetTrue("not-user")}
		slot.Key = skills.AskKey(why.Key, slot, "go "+g.Version)
		return skills.Ask{Reason: why, Slot: slot}, nil
	case "reject":
		return skills.Deny{Reason: why}, nil
	}
	return nil, errors.New("a verdict of an unknown kind")
}
