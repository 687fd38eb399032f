package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/opencortex-go/cortex/gateways/client"
)

// planScenes are about capabilities: plans that people tested once, and that the model calls as one tool.
func planScenes() []scene {
	return []scene{{
		brief: true,
		title: "A plan, refused whole",
		story: "A capability is a plan that people wrote and tested, and the model calls it as one tool. All of its steps " +
			"are judged before the first: here the second may not run, so nothing is done at all.",
		user: "Put settings.txt up as the menu, with the soup.",
		prepare: func(ctx context.Context, t *tour) error {
			return t.force(ctx, "menu.lisp", "menu.publish")
		},
	}, {
		brief: true,
		title: "A plan that asks once",
		story: "What its steps ask stands on one card, each with its exact bytes. One yes covers them, once each; and " +
			"each is decided again when it is due.",
		user: "I meant week.txt, with the stew.",
		then: approved,
	}, {
		brief: true,
		title: "A plan that fails and is made up for",
		story: "The last step finds that it is the wrong page. What was done is made up for, newest first; that is an " +
			"action like any other, and a rule of the house vouches for it.",
		user: "And now later.txt, with the fish.",
		then: approved,
	}, {
		brief: true,
		title: "A plan that was learnt",
		story: "Calls that succeeded together again and again can be mined from the record. What comes of it is a file, " +
			"which nothing offers to a model: Ana looks at it, adds what the record cannot know, and puts it in force.",
		user: "Remind me of the peas.",
		then: learnt,
	}}
}

// approved has Ana approve a card, and waits for the answer.
func approved(ctx context.Context, t *tour, out client.Reply) error {
	if err := t.arrived(ctx, out.Approval); err != nil {
		return err
	}
	t.say("Ana", "looks at the card and says yes")
	if err := t.asAna(ctx, "(approve %q)", out.Approval); err != nil {
		return err
	}
	return t.answered(ctx)
}

// force has Ana bring a capability from its file into force.
func (t *tour) force(ctx context.Context, file, id string) error {
	for _, order := range [][]string{{"register", file}, {"test", id}, {"try", id}, {"activate", id}} {
		t.recite(ctx)
		t.say("Ana", "cortex capability "+strings.Join(order, " "))
		args := append(append([]string{"capability"}, order...), "--socket", "run/cortex.sock", "--secret", "secret")
		if err := t.command("", args...); err != nil {
			return err
		}
	}
	t.recite(ctx)
	return nil
}

// learnt mines what was done twice, and has Ana put it in force.
func learnt(ctx context.Context, t *tour, _ client.Reply) error {
	if err := t.userSays(ctx, "Remind me of the beans."); err != nil {
		return err
	}
	learn := "cortex learn --support 2 --out learnt"
	t.say("Ana", learn)
	if err := t.command("", append(strings.Fields(learn)[1:], "--socket", "run/cortex.sock")...); err != nil {
		return err
	}
	file, id, err := t.complete()
	if err != nil {
		return err
	}
	t.say("Ana", "reads what was found, says why nothing needs to be made up for, and adds a test")
	if err := t.force(ctx, file, id); err != nil {
		return err
	}
	return t.userSays(ctx, "Remind me of the leeks.")
}

// unsaid are the places of a candidate that a person has to fill in.
var unsaid = regexp.MustCompile(`; :undo is missing: .*`)

// complete puts into the one candidate what the record cannot know.
func (t *tour) complete() (file, id string, err error) {
	found, err := filepath.Glob(t.cortex.house.path("learnt/*.lisp"))
	if err != nil || len(found) != 1 {
		return "", "", errors.Join(err, fmt.Errorf("expected one candidate, found %d", len(found)))
	}
	text, err := os.ReadFile(found[0])
	if err != nil {
		return "", "", err
	}
	said := unsaid.ReplaceAllString(string(text), `:undo "a reminder harms nothing"`)
	said = strings.TrimSuffix(strings.TrimSpace(said), ")") + `
  :tests ((set :inputs (:cmd "leeks") :stubs (:s1 (:text "set") :s2 (:text "leeks"))
               :expect (:status :ok :outputs (:s2 "leeks") :steps ("s1" "s2")))))`
	name := filepath.Base(found[0])
	return name, strings.TrimSuffix(name, ".lisp"), t.cortex.house.write(name, said, 0o600)
}
