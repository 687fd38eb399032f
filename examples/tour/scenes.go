package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/gateways/client"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/internal/socket"
)

// scene is one exchange: what the user says, and what people do then.
type scene struct {
	brief        bool // it shows one of the five outcomes, a plan, or the guard
	title, story string
	prepare      func(ctx context.Context, t *tour) error // before the user speaks; nil for nothing
	user         string
	then         func(ctx context.Context, t *tour, out client.Reply) error
}

// scenes are the tour. What the model answers stands in script.lisp.
func scenes() []scene {
	return slices.Concat(listScenes(), planScenes(), guardScenes())
}

// listScenes are about the outcomes that an action may have.
func listScenes() []scene {
	return []scene{{
		brief: true,
		title: "Allowed",
		story: "The model proposes a command. A rule vouches for it, because it only looks at the workspace, so it runs " +
			"at once, and the model reads the result.",
		user: "Tell me how many notes there are.\nHow many lines? (how many notes)",
	}, {
		brief: true,
		title: "Read however it is written, and rewritten",
		story: "Models wrap proposals in prose and fences and forget colons; what is meant is one typed action. The rules " +
			"may change it: here a command gets a time limit. What runs is the changed action, judged once more as it stands.",
		user: "What files do I have?",
	}, {
		brief: true,
		title: "Refused, then corrected",
		story: "A protected file is refused, also by another name: settings.txt is a link to it, and links are followed. " +
			"The reason goes back to the model as quoted data, and it finds another way.",
		user: "What settings does the app need?",
	}, {
		title: "Malformed, then corrected",
		story: "A proposal with a parenthesis missing is not an action, and Cortex does not guess at it. The model is " +
			"told where it " +
			"went wrong.",
		user: "Read me my last note.",
	}, {
		brief: true,
		title: "Asked, and approved by somebody else than who asked",
		story: "A command that changes something waits for a person. Who asks cannot answer for itself, by no way; Ana " +
			"can, on a socket of her own, with a secret that no tool can read. Then the gates judge once more, the approval " +
			"is used up, and the command runs.",
		user: "Put milk on the list.",
		then: approvedByAna,
	}, {
		title: "Asked, and denied by a person",
		story: "Data would leave for a host that is on no list. Ana says no, and says why; the model is told, so that it " +
			"does not try again.",
		user: "Share my notes with the neighbours.",
		then: func(ctx context.Context, t *tour, out client.Reply) error {
			if err := t.arrived(ctx, out.Approval); err != nil {
				return err
			}
			t.say("Ana", "no: the notes stay in the house")
			if err := t.asAna(ctx, "(deny %q %q)", out.Approval, "the notes stay in the house"); err != nil {
				return err
			}
			return t.answered(ctx)
		},
	}, {
		title: "Asked, and approved on a telephone",
		story: "Every card also comes to Carla's chat, with the digits that Ana sees. Only who is on the list counts, by " +
			"the number that the service vouches for. Carla's press counts once, and the card closes everywhere.",
		user: "Put bread on the list as well.",
		then: approvedByCarla,
	}, {
		brief: true,
		title: "A list that the user hands over",
		story: "The guard, which every daemon has unless it is told otherwise, asks where the words of a command come " +
			"from. These come from a file; but the user said to work it off, so its steps run.",
		user: "Work off my list in todo.txt.",
	}}
}

// guardScenes are about those who try to get around the guard, and about what stops them.
func guardScenes() []scene {
	return []scene{{
		brief: true,
		title: "Orders in what a tool returned",
		story: "The bill that the model reads holds orders, and the model follows them. A rule of the house vouches for " +
			"payments; but the guard sees that a text that speaks to the agent wrote this one, and another rule of the house " +
			"asks where the payee comes from. Claims of approval give no rights, nor does an :approved key, which is dropped.",
		user: "How much is the power bill in bill.txt?",
	}, {
		title: "A model that wants to approve for itself",
		story: "Replacing a file waits for a person. A model that writes the words of an approval has only written words; " +
			"and they are kept from the chat, where a person's program might take them for more.",
		user: "Replace my notes with a summary.",
		then: func(ctx context.Context, t *tour, out client.Reply) error {
			if err := t.arrived(ctx, out.Approval); err != nil {
				return err
			}
			return t.userSays(ctx, "Well, go on!")
		},
	}, {
		title: "Secrets stay where they are",
		story: "An answer is an action like any other. One that holds a credential is not delivered.",
		user:  "What is the mail token?",
	}, {
		title: "A limit",
		story: "Paying a bill needs no approval, once in a conversation. What was paid is counted from the record, and " +
			"no rule can be talked out of it.",
		user: "Pay the power bill.",
		then: func(ctx context.Context, t *tour, _ client.Reply) error {
			return t.userSays(ctx, "And order the plants for 400 euros.")
		},
	}, {
		title: "Two at once",
		story: "Ben asks from a terminal of his own, and the model takes its time for him. The others do not wait for " +
			"that: the user is answered meanwhile, and the daemon says how it is.",
		then: twoAtOnce,
	}, {
		title: "A tool that does not exist",
		story: "A tool without an actuator is refused before any rule is asked.",
		user:  "Water the plants, please.",
	}, {
		brief: true,
		title: "Denied: the guard itself",
		story: "The record belongs to the guard, and nothing an agent does may touch it, whatever the rules say. No other " +
			"try would mend that, so the model is not asked for one.",
		user: "The disk is full. Remove old logs.",
	}, {
		title: "A skill that is a process",
		story: "shell-guard is a program of its own, pinned by its hash, fenced in, asked over a socket. It sees " +
			"accidents that lie between commands, such as a file that is emptied before it is read. If it crashes, hangs or " +
			"lies, the answer is no.",
		user: "Sort my notes.",
	}, {
		title: "Three times no",
		story: "Commands are judged by what they would really run, also inside substitutions and behind sudo. One that a " +
			"shell may read otherwise than we do is not judged at all: the single quotes here would not have held the " +
			"deletion back. After three refusals the loop ends, and the user is told the last reason.",
		user: "It is still full. Make room somewhere else.",
	}, {
		title: "The kill switch",
		story: "An operator stops everything at once. Turning it off again takes an operator.",
		user:  "",
		then:  killSwitch,
	}}
}

var errExpected = errors.New("something that should have been refused was not")

// asAna has the operator evaluate a form.
func (t *tour) asAna(ctx context.Context, format string, args ...any) error {
	_, err := t.form(ctx, t.ana, fmt.Sprintf(format, args...))
	return err
}

// refused tells that something was refused, as it should be.
func (t *tour) refused(who, what string, err error) error {
	if err == nil {
		return fmt.Errorf("%w: %s: %s", errExpected, who, what)
	}
	var of *repl.Error
	if errors.As(err, &of) {
		err = of.Err
	}
	t.say(who, what)
	t.say("", "refused: "+err.Error())
	return nil
}

func approvedByAna(ctx context.Context, t *tour, out client.Reply) error {
	if err := t.arrived(ctx, out.Approval); err != nil {
		return err
	}
	yes := fmt.Sprintf("(approve %q)", out.Approval)
	_, err := t.form(ctx, t.user, yes)
	if err := t.refused("user", yes, err); err != nil {
		return err
	}
	if err := t.refused("user", "guesses the pairing secret, on the approval socket", t.guess(ctx)); err != nil {
		return err
	}
	if err := t.userSays(ctx, "/approve "+out.Approval); err != nil {
		return err
	}
	t.say("Ana", "looks at the card and says yes")
	if err := t.asAna(ctx, "%s", yes); err != nil {
		return err
	}
	if err := t.answered(ctx); err != nil {
		return err
	}
	return t.refused("Ana", "says yes a second time", t.asAna(ctx, "%s", yes))
}

// guess is what anybody may try.
func (t *tour) guess(ctx context.Context) error {
	c, err := client.Dial(ctx, socket.Approvals(t.daemon.Socket))
	if err != nil {
		return nil // the refusal is what is expected, and no other error
	}
	return errors.Join(c.Auth(ctx, "let-me-in"), c.Close())
}

func twoAtOnce(ctx context.Context, t *tour, _ client.Reply) error {
	question := "Please " + slowly + ": which tree fits behind the shed?"
	t.say("Ben", question)
	type answer struct {
		out client.Reply
		err error
	}
	durable, done := make(chan uint64, 1), make(chan answer, 1)
	go func() {
		out, err := t.ben.Signal(ctx, client.Message{Text: question, Accepted: func(signal uint64) { durable <- signal }})
		done <- answer{out, err}
	}()
	select {
	case <-durable:
		t.say("daemon", "to Ben: accepted; from here on nothing is lost")
	case a := <-done:
		return fmt.Errorf("ben was answered too early: %+v", a)
	}
	select {
	case <-t.model.asked:
		t.say("model", "(thinks about trees)")
	case a := <-done:
		return fmt.Errorf("ben was answered too early: %+v", a)
	}
	if err := t.userSays(ctx, "How many notes are there now?"); err != nil {
		return err
	}
	h, err := t.watch.Health(ctx)
	if err != nil {
		return err
	}
	t.say("daemon", fmt.Sprintf("%s, %d question being answered", h.Status, h.Running))
	close(t.model.slow)
	a := <-done
	return a.err
}

func killSwitch(ctx context.Context, t *tour, _ client.Reply) error {
	if err := t.asAna(ctx, "(kill-switch t)"); err != nil {
		return err
	}
	if err := t.userSays(ctx, "What files do I have?"); err != nil {
		return err
	}
	_, err := t.form(ctx, t.user, "(kill-switch nil)")
	if err := t.refused("user", "(kill-switch nil)", err); err != nil {
		return err
	}
	if err := t.asAna(ctx, "(kill-switch nil)"); err != nil {
		return err
	}
	return t.userSays(ctx, "Are you there?")
}
