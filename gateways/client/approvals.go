package client

import (
	"context"
	"encoding/base64"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Card is an approval with the twelve digits that stand wherever it is shown.
type Card struct {
	*cortex.Approval
	Code string
}

// Approvals returns the cards that wait for people, or all there were, oldest
// first. It asks for a page at a time.
func (c Calls) Approvals(ctx context.Context, all bool) (list []Card, err error) {
	var args []sexpr.Value
	if all {
		args = []sexpr.Value{sexpr.Key("all"), sexpr.T()}
	}
	err = c.pages(ctx, "approvals", func(x sexpr.Value) (uint64, error) {
		a, err := cardFrom(x)
		list = append(list, a)
		return a.Decision, err
	}, args...)
	return list, err
}

// pages calls each with the rows of a list, which it asks for a page at a time. each returns the row's number.
func (c Calls) pages(ctx context.Context, form string, each func(sexpr.Value) (uint64, error),
	args ...sexpr.Value) error {
	for from := uint64(0); ; {
		v, err := c.call(ctx, form, append(args[:len(args):len(args)], sexpr.Key("from"), number(from))...)
		if err != nil || v.Len() == 0 {
			return err
		}
		for _, x := range v.Items() {
			n, err := each(x)
			if err != nil {
				return err
			}
			from = n + 1
		}
	}
}

// Approval returns one card.
func (c Calls) Approval(ctx context.Context, token string) (Card, error) {
	return readCard(c.call(ctx, "approval", sexpr.Str(token)))
}

// Approve records an operator's yes and returns the card as it stands then.
func (c Calls) Approve(ctx context.Context, token string) (Card, error) {
	return readCard(c.call(ctx, "approve", sexpr.Str(token)))
}

// ApproveAndCover is Approve, and covers more calls like the approved one: so many with it,
// for so many minutes.
func (c Calls) ApproveAndCover(ctx context.Context, token string, calls, minutes uint64) (Card, error) {
	return readCard(c.call(ctx, "approve", sexpr.Str(token), sexpr.Key("cover"), number(calls),
		sexpr.Key("minutes"), number(minutes)))
}

// Deny records an operator's no and returns the card as it stands then. The model
// and the user are told why; "" gives no reason.
func (c Calls) Deny(ctx context.Context, token, why string) (Card, error) {
	args := []sexpr.Value{sexpr.Str(token)}
	if why != "" {
		args = append(args, sexpr.Str(why))
	}
	return readCard(c.call(ctx, "deny", args...))
}

// Answer answers the question of a card, as an operator. It returns the card that asks about
// the question with its answer, and how it stands; where no person needs to agree, or the
// rules refuse the answer, it returns the card of the question.
func (c Calls) Answer(ctx context.Context, token, words string) (Card, error) {
	v, err := c.call(ctx, "answer", sexpr.Str(token), sexpr.Str(words))
	if err != nil {
		return Card{}, err
	}
	if next := v.GetText("approval"); next != "" {
		token = next
	}
	return c.Approval(ctx, token)
}

// Keep keeps a document on record, and returns its digest.
func (c Calls) Keep(ctx context.Context, media string, data []byte) (string, error) {
	v, err := c.call(ctx, "keep", sexpr.Str(media), sexpr.Str(base64.StdEncoding.EncodeToString(data)))
	return v.Text(), err
}

// Doubts returns the intents whose outcome is unknown.
func (c Calls) Doubts(ctx context.Context) (list []cortex.Doubt, err error) {
	err = c.pages(ctx, "doubts", func(x sexpr.Value) (uint64, error) {
		a, err := actionFrom(x)
		d := cortex.Doubt{Intent: uint64(x.GetInt("intent")), Action: a, Session: x.GetText("session"),
			Key: x.GetText("key")}
		list = append(list, d)
		return d.Intent, err
	})
	return list, err
}

// Compensations returns the failed compensations, which wait for a person.
func (c Calls) Compensations(ctx context.Context) (list []cortex.Compensation, err error) {
	err = c.pages(ctx, "compensations", func(x sexpr.Value) (uint64, error) {
		a, err := actionFrom(x)
		list = append(list, cortex.Compensation{Intent: uint64(x.GetInt("intent")), Action: a,
			By:    uint64(x.GetInt("by")),
			State: cortex.CompensationState(x.GetText("state"))})
		return uint64(x.GetInt("by")), err
	})
	return list, err
}

// Settle records, as an operator, whether an intent in doubt happened, or whether
// a failed compensation is made up for.
func (c Calls) Settle(ctx context.Context, intent uint64, happened bool) error {
	came := "did-not"
	if happened {
		came = "happened"
	}
	_, err := c.call(ctx, "settle", number(intent), sexpr.Key(came))
	return err
}

// Retry has the engine try an intent in doubt once more, and returns the outcome of
// it. It takes an operator, and an engine that is live.
func (c Calls) Retry(ctx context.Context, intent uint64) (state string, err error) {
	v, err := c.call(ctx, "settle", number(intent), sexpr.Key("retry"))
	return v.GetText("state"), err
}

// actionFrom reads the action of a plist.
func actionFrom(x sexpr.Value) (*cortex.Action, error) {
	args, _ := x.Get("args")
	return cortex.NewAction(x.GetText("tool"), args, x.GetText("explanation"))
}

func readCard(v sexpr.Value, err error) (Card, error) {
	if err != nil {
		return Card{}, err
	}
	return cardFrom(v)
}

// cardFrom reads a card.
func cardFrom(v sexpr.Value) (Card, error) {
	action, err := actionFrom(v)
	if err != nil {
		return Card{}, err
	}
	policy, err := sexpr.ParseDigest(v.GetText("policy"))
	if err != nil {
		return Card{}, err
	}
	a := &cortex.Approval{
		Token: v.GetText("token"), State: cortex.ApprovalState(v.GetText("state")), Action: action, Policy: policy,
		Session: v.GetText("session"), Requester: v.GetText("requester"), Decision: uint64(v.GetInt("decision")),
		Created: v.GetInt("created"), Expires: v.GetInt("expires"), By: v.GetText("by"), Why: v.GetText("why"),
	}
	plan, _ := v.Get("plan")
	for _, x := range plan.Items() {
		step := skills.Of{Step: x.GetText("step"), Note: x.GetText("note")}
		if x.GetText("tool") != "" {
			if step.Action, err = actionFrom(x); err != nil {
				return Card{}, err
			}
		}
		a.Plan = append(a.Plan, step)
	}
	slots, _ := v.Get("slots")
	for _, x := range slots.Items() {
		slot := slotFrom(x)
		for i := range a.Plan {
			if a.Plan[i].Step == x.GetText("step") {
				slot.Of = &a.Plan[i]
			}
		}
		a.Slots = append(a.Slots, slot)
	}
	return Card{a, v.GetText("code")}, nil
}

func slotFrom(x sexpr.Value) cortex.ApprovalSlot {
	slot := cortex.ApprovalSlot{
		Class: x.GetText("class"), Quorum: int(x.GetInt("quorum")), Bars: x.GetText("bars"),
		Reason: skills.Reason{Key: x.GetText("key"), Text: x.GetText("text")},
	}
	by, _ := x.Get("by")
	for _, name := range by.Items() {
		slot.By = append(slot.By, name.Text())
	}
	return slot
}
