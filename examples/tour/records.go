package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/reason"
)

// recite tells what was recorded since it was last called.
func (t *tour) recite(ctx context.Context) {
	last := t.eng.Journal().Last()
	err := t.eng.Journal().Records(t.told+1, func(r cortex.Record) error {
		t.record(ctx, r)
		return t.err
	})
	t.told = last
	if t.err == nil {
		t.err = err
	}
}

// record tells one record, unless the scene has told it already.
func (t *tour) record(ctx context.Context, r cortex.Record) {
	t.counts[r.Kind]++
	switch r.Kind {
	case "decision":
		ex, err := t.eng.Explain(ctx, r.Seq)
		if err != nil {
			t.err = err
			return
		}
		t.decision(ex.Decision)
	case "approval":
		t.card(r)
	case "intent":
		t.tools[r.Seq] = r.Body.GetText("tool")
		if args, _ := r.Body.Get("args"); r.Body.GetText("tool") == "reply" {
			t.say("answer", args.GetText("text"))
		}
	case "receipt":
		t.receipt(r)
	case "answer":
		if notice := r.Body.GetText("notice"); notice != "" {
			t.say("notice", notice)
		}
	case "kill-switch":
		state := "off"
		if r.Body.GetTrue("on") {
			state = "on"
		}
		t.say("operator", "turns the kill switch "+state)
	}
}

// decision tells what the rules said.
func (t *tour) decision(d *cortex.Decision) {
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
func (t *tour) card(r cortex.Record) {
	token := r.Body.GetText("token")
	if _, known := t.cards[token]; !known {
		t.cards[token] = fmt.Sprintf("CARD-%d", len(t.cards)+1)
		t.call(token, t.cards[token])
	}
	state := r.Body.GetText("state")
	if state == string(cortex.Pending) {
		args, _ := r.Body.Get("args")
		state += ": may it run " + r.Body.GetText("tool") + " " + args.String() + "?"
	}
	t.say("approval", token+" is "+state)
}

// receipt tells what came of an effect.
func (t *tour) receipt(r cortex.Record) {
	tool := t.tools[uint64(r.Body.GetInt("intent"))]
	if tool == "reply" {
		return
	}
	text := r.Body.GetText("text")
	if text == "" {
		text = r.Body.GetText("error")
	}
	t.say(tool, r.Body.GetText("state"))
	if text != "" {
		t.say("", text)
	}
}
