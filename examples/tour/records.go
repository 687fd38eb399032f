package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
)

// recite tells what was recorded since it was last called. It asks the daemon, as
// anybody at its socket may.
func (t *tour) recite(ctx context.Context) {
	t.reading.Lock()
	defer t.reading.Unlock()
	var fresh []cortex.Record
	err := t.watch.Records(ctx, t.told+1, func(r cortex.Record) error { fresh = append(fresh, r); return nil })
	if err != nil {
		t.fail(err)
	}
	for _, r := range fresh {
		t.told = r.Seq
		t.record(ctx, r)
	}
}

// record tells one record, unless the scene has told it already.
func (t *tour) record(ctx context.Context, r cortex.Record) {
	body := r.Body
	t.counts[r.Kind]++
	switch r.Kind {
	case record.KindDecision:
		d, err := t.watch.Explain(ctx, r.Seq)
		if err != nil {
			t.fail(err)
			return
		}
		t.decision(d)
	case record.KindApproval:
		t.card(body)
	case record.KindIntent:
		in := record.IntentFrom(body)
		t.tools[r.Seq] = in.Tool
		if in.Tool == "reply" {
			t.say("answer", t.to(r)+in.Args.GetText("text"))
		}
	case record.KindReceipt:
		t.receipt(record.ReceiptFrom(body))
	case record.KindAnswer:
		notice := record.AnswerFrom(body).Notice
		if strings.HasSuffix(r.Session, "/kitchen") {
			t.answers++
			t.noticed = notice
		}
		if notice != "" {
			t.say("notice", t.to(r)+notice)
		}
	case record.KindKill:
		state := "off"
		if record.KillFrom(body).On {
			state = "on"
		}
		t.say("Ana", "turns the kill switch "+state)
	}
}

// to says whom something is for, if that is not the user.
func (t *tour) to(r cortex.Record) string {
	if strings.HasSuffix(r.Session, "/garden") {
		return "(to Ben) "
	}
	return ""
}

// decision tells what the rules said.
func (t *tour) decision(d *reason.Decision) {
	for _, s := range d.Trace {
		if s.Outcome == reason.Noted {
			t.say("rules", "note: "+s.Note)
		}
		if s.Outcome == reason.Rewrote && d.Kind != reason.Deny {
			t.say("rules", "rewritten by "+s.Gate+": "+s.Diff.String())
		}
	}
	word := strings.ToUpper(d.Kind.String())
	switch {
	case d.Kind != reason.Allow:
		for _, w := range d.Reasons {
			t.say("rules", fmt.Sprintf("%s %s: %s", word, w.Key, w.Text))
		}
	case d.Grant != "":
		t.say("rules", word+" "+d.Key+", judged again, with the approval "+d.Grant)
	case len(d.Vouched) > 0:
		t.say("rules", fmt.Sprintf("%s %s: %s", word, d.Key, d.Vouched[0].Text))
	default:
		t.say("rules", word+" "+d.Key)
	}
}

// card tells how an approval stands now.
func (t *tour) card(body sexpr.Value) {
	token := body.GetText("token")
	if _, known := t.cards[token]; !known {
		t.cards[token] = fmt.Sprintf("CARD-%d", len(t.cards)+1)
		t.like(token, t.cards[token])
	}
	state := body.GetText("state")
	if state == string(cortex.Pending) {
		args, _ := body.Get("args")
		state += ": may it run " + body.GetText("tool") + " " + args.String() + "?"
	}
	t.say("approval", token+" is "+state)
	slots, _ := body.Get("slots")
	for _, slot := range slots.Items() {
		if of, planned := slot.Get("of"); planned && body.GetText("state") == string(cortex.Pending) {
			args, _ := of.Get("args")
			t.say("", fmt.Sprintf("- step %s: %s %s", of.GetText("step"), of.GetText("tool"), args))
		}
	}
}

// real puts the token of an approval in the place of its name in the script.
func (t *tour) real(text string) string {
	t.reading.Lock()
	defer t.reading.Unlock()
	for token, name := range t.cards {
		text = strings.ReplaceAll(text, name, token)
	}
	return text
}

// receipt tells the outcome of an effect.
func (t *tour) receipt(r record.Receipt) {
	tool := t.tools[r.Intent]
	if tool == "reply" {
		t.replies++
		return
	}
	if strings.Contains(tool, ".") {
		tool = "plan" // tools of the house have no dot in their names
	}
	t.say(tool, string(r.State))
	if text := cmp.Or(r.Text, r.Error); text != "" {
		t.say("", text)
	}
}

// command runs a command of cortex and tells the first line that it prints.
func (t *tour) command(label string, args ...string) error {
	out, code, err := t.cortex.run(args...)
	if err == nil && code != 0 {
		err = errors.New("failed")
	}
	if err != nil {
		return fmt.Errorf("cortex %s: %w: %s", strings.Join(args, " "), err, out)
	}
	first, _, _ := strings.Cut(out, "\n")
	t.say(label, first)
	return nil
}

// checkRecord has cortex verify the chain of hashes, and tells what is in it.
func (t *tour) checkRecord(context.Context) error {
	if err := t.command("verify", "journal", "verify", "--dir", "state"); err != nil {
		return err
	}
	var kinds []string
	for _, k := range slices.Sorted(maps.Keys(t.counts)) {
		kinds = append(kinds, fmt.Sprintf("%s %d", k, t.counts[k]))
	}
	t.say("", strings.Join(kinds, ", "))
	return nil
}

// checkReplay has cortex derive every decision again from what is on disk.
func (t *tour) checkReplay(context.Context) error {
	return t.command("replay", "replay", "--dir", "state")
}
