package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/opencortex-go/cortex/gateways/client"
	"github.com/opencortex-go/cortex/gateways/gatewaytest"
)

// The numbers that Telegram vouches for: Carla's, who is on the list, and one that
// nobody knows.
const (
	carla    = "11111111"
	stranger = "66666666"
)

// digits are those of a card, by which people see that they speak of the same one.
var digits = regexp.MustCompile(`\b\d{4} \d{4} \d{4}\b`)

// digest and until differ from run to run, as the digits do, and login from one
// machine to the next.
var (
	digest = regexp.MustCompile(`sha256:[0-9a-f]{64}`)
	until  = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC`)
	login  = regexp.MustCompile(`"repl/.+/kitchen"`)
)

// await waits until something is so on the telephones, or the tour's patience ends.
func (t *tour) await(ctx context.Context, so func() bool) error {
	for !so() {
		if err := errors.Join(ctx.Err(), t.objection()); err != nil {
			return err
		}
		t.recite(ctx) // asks the daemon, so this is not an idle loop
	}
	return nil
}

// carlas is the newest card in Carla's chat, if it is the one of this approval.
func (t *tour) carlas() (m gatewaytest.Message) {
	if shown := t.phones.Shown(carla); len(shown) > 0 {
		m = shown[len(shown)-1]
	}
	return m
}

// arrived waits until a card can be answered in Carla's chat, and is on record as
// shown there: two records, one before it is sent and one after.
func (t *tour) arrived(ctx context.Context, token string) error {
	err := t.await(ctx, func() bool { m := t.carlas(); return m.Open && strings.Contains(m.Text, token) })
	if err != nil {
		return err
	}
	return t.await(ctx, func() bool {
		t.reading.Lock()
		defer t.reading.Unlock()
		return t.counts["posting"] >= 2*len(t.cards)
	})
}

func approvedByCarla(ctx context.Context, t *tour, out client.Reply) error {
	if err := t.arrived(ctx, out.Approval); err != nil {
		return err
	}
	card := t.carlas()
	t.like(digits.FindString(card.Text), "1234 5678 9012")
	t.like(digest.FindString(card.Text), "sha256:DIGEST")
	t.like(until.FindString(card.Text), "TOMORROW")
	t.like(login.FindString(card.Text), `"repl/LOGIN/kitchen"`)
	t.say("telephone", card.Text)
	t.phones.Press(stranger, carla, card.ID, card.Nonce, true)
	if err := t.await(ctx, func() bool { return t.phones.Pending() == 0 }); err != nil {
		return err
	}
	if !t.carlas().Open || len(t.phones.Notices()) > 0 {
		return fmt.Errorf("%w: a stranger's press", errExpected)
	}
	t.say("stranger", "presses Approve: not heard, not answered")
	t.say("Carla", "presses Approve")
	t.phones.Press(carla, carla, card.ID, card.Nonce, true)
	if err := t.answered(ctx); err != nil {
		return err
	}
	if err := t.await(ctx, func() bool { return !t.carlas().Open && t.phones.Pending() == 0 }); err != nil {
		return err
	}
	t.say("telephone", t.carlas().Text)
	t.phones.Press(carla, carla, card.ID, card.Nonce, true)
	if err := t.await(ctx, func() bool { return t.phones.Pending() == 0 && len(t.phones.Notices()) == 2 }); err != nil {
		return err
	}
	t.say("Carla", "presses Approve again")
	t.say("", "refused: "+t.phones.Notices()[1])
	return nil
}
