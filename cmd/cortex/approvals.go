package main

import (
	"cmp"
	"errors"
	"mime"
	"os"
	"path/filepath"
	"time"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/gateways/card"
	"github.com/opencortex-go/cortex/gateways/client"
	"github.com/opencortex-go/cortex/skills/facts/secrets"
)

// approvalsCmd is for people: what waits for them, and their answers. Anyone who may
// open the folder may look; every answer carries the operator's pairing secret.
type approvalsCmd struct {
	List    approvalsList    `cmd:"" default:"withargs" help:"What waits for an answer, intents in doubt, and compensations that failed."`
	Show    approvalsShow    `cmd:"" help:"One card: the exact action, who asks, and why."`
	Approve approvalsApprove `cmd:"" help:"Say yes. The engine acts on it when it next runs."`
	Answer  approvalsAnswer  `cmd:"" help:"Answer a question that an agent asks."`
	Deny    approvalsDeny    `cmd:"" help:"Say no."`
	Pair    approvalsPair    `cmd:"" help:"Make the operator's pairing secret, once."`
	Outcome approvalsOutcome `cmd:"" help:"Settle an intent in doubt, or of a compensation that failed."`
}

// approvalsList prints one line for each card that waits.
type approvalsList struct {
	opening.RecordFlag
	All bool `help:"Also those that were answered, used or have expired."`
}

// Run prints cards, then intents whose outcome is unknown, and
// compensations that failed. Credentials are hidden, as on a card; --json has the exact
// values.
func (c *approvalsList) Run(p *program) error {
	r, err := look(p, c.RecordFlag)
	if err != nil {
		return damaged(p, err)
	}
	list, err := r.Approvals(p.ctx, c.All)
	doubts, doubtErr := r.Doubts(p.ctx)
	failed, failedErr := r.Compensations(p.ctx)
	if err := errors.Join(err, doubtErr, failedErr, r.Close()); err != nil {
		return damaged(p, err)
	}
	if p.JSON {
		return p.cardsJSON(list, doubts, failed)
	}
	mask := secrets.NewMask()
	call := func(a *cortex.Action) string { return clip(mask(a.Tool() + " " + a.Args().String())) }
	for _, a := range list {
		p.Printf("%s  %-9s  until %s  %s\n", a.Token, a.State, stamp(a.Expires*1e9), call(a.Action))
	}
	for _, d := range doubts {
		p.Printf("intent %d in doubt  %s\n", d.Intent, call(d.Action))
	}
	for _, x := range failed {
		p.Printf("intent %d failed to make up for intent %d  %s\n", x.By, x.Intent, call(x.Action))
	}
	if len(list)+len(doubts)+len(failed) == 0 {
		p.Printf("nothing waits for an answer\n")
	}
	return nil
}

func (p *program) cardsJSON(list []client.Card, doubts []cortex.Doubt, failed []cortex.Compensation) error {
	cards := []any{}
	for _, a := range list {
		cards = append(cards, cardJSON(a.Approval))
	}
	open := []any{}
	for _, d := range doubts {
		open = append(open, map[string]any{
			"intent": d.Intent, "session": d.Session, "tool": d.Action.Tool(), "args": argsJSON(d.Action),
			"digest": d.Action.Digest().String(),
		})
	}
	broken := []any{}
	for _, x := range failed {
		broken = append(broken,
			map[string]any{"intent": x.By, "for": x.Intent, "tool": x.Action.Tool(), "args": argsJSON(x.Action)})
	}
	return p.Print(map[string]any{"approvals": cards, "doubts": open, "compensations": broken})
}

// approvalsShow prints one card.
type approvalsShow struct {
	opening.RecordFlag
	Token string `arg:"" help:"The card's token."`
}

// Run prints what is asked, by whom and why, as every messenger and the REPL show
// it; --json has the exact values.
func (c *approvalsShow) Run(p *program) error {
	r, err := look(p, c.RecordFlag)
	if err != nil {
		return damaged(p, err)
	}
	a, err := r.Approval(p.ctx, c.Token)
	if err := errors.Join(err, r.Close()); err != nil {
		return err
	}
	if p.JSON {
		v := cardJSON(a.Approval)
		v["code"] = a.Code
		return p.Print(v)
	}
	shown := card.New(a.Approval, a.Code, card.Options{Mask: secrets.NewMask()})
	p.Printf("%s", shown.Answering("cortex approvals answer "+a.Token).Text())
	return nil
}

// approvalsApprove records a yes.
type approvalsApprove struct {
	opening.RecordFlag
	secretFlag
	Token   string `arg:"" help:"The card's token."`
	Cover   uint64 `placeholder:"N" help:"Cover more calls like it: N with this one, of its tool and from its sources."`
	Minutes uint64 `default:"30" placeholder:"M" help:"For how long to cover them."`
}

// Run records the yes of anyone who runs this program.
func (c *approvalsApprove) Run(p *program) error {
	return answer(p, c.RecordFlag, c.secretFlag, func(d *desk) (client.Card, error) {
		if c.Cover != 0 {
			return d.ApproveAndCover(p.ctx, c.Token, c.Cover, c.Minutes)
		}
		return d.Approve(p.ctx, c.Token)
	})
}

// approvalsAnswer records the answer to a question.
type approvalsAnswer struct {
	opening.RecordFlag
	secretFlag
	Token string `arg:"" help:"The card's token."`
	Words string `arg:"" optional:"" help:"The answer, or one of the choices that the card shows."`
	File  string `placeholder:"FILE" help:"A document, where the question asks for one; it is kept on record."`
}

// Run records the answer of anyone who runs this program.
func (c *approvalsAnswer) Run(p *program) error {
	return answer(p, c.RecordFlag, c.secretFlag, func(d *desk) (client.Card, error) {
		if c.File == "" {
			return d.Answer(p.ctx, c.Token, c.Words)
		}
		data, err := os.ReadFile(c.File)
		if err != nil {
			return client.Card{}, err
		}
		of, err := d.Keep(p.ctx, cmp.Or(mime.TypeByExtension(filepath.Ext(c.File)), "application/octet-stream"), data)
		if err != nil {
			return client.Card{}, err
		}
		return d.Answer(p.ctx, c.Token, of)
	})
}

// approvalsDeny records a no.
type approvalsDeny struct {
	opening.RecordFlag
	secretFlag
	Token  string `arg:"" help:"The card's token."`
	Reason string `help:"Why; the model and the user are told."`
}

// Run records the no of anyone who runs this program.
func (c *approvalsDeny) Run(p *program) error {
	return answer(p, c.RecordFlag, c.secretFlag, func(d *desk) (client.Card, error) {
		return d.Deny(p.ctx, c.Token, c.Reason)
	})
}

// answer records an answer and prints how the card stands now.
func answer(p *program, f opening.RecordFlag, s secretFlag, say func(*desk) (client.Card, error)) error {
	r, err := answering(p, f, s)
	if err != nil {
		return damaged(p, err)
	}
	a, err := say(r)
	if err := errors.Join(err, r.Close()); err != nil {
		return err
	}
	if p.JSON {
		return p.Print(cardJSON(a.Approval))
	}
	p.Printf("%s is %s\n", a.Token, a.State)
	return nil
}

// approvalsOutcome settles an intent in doubt, or a compensation that failed.
type approvalsOutcome struct {
	opening.RecordFlag
	secretFlag
	Intent uint64 `arg:"" help:"The intent's record, as list shows it."`
	Came   string `arg:"" name:"outcome" enum:"happened,did-not,retry" help:"happened, did-not, or retry: the daemon tries it once more, as the same intent, if today's rules allow it."`
}

// Run records the outcome of the intent.
func (c *approvalsOutcome) Run(p *program) error {
	r, err := answering(p, c.RecordFlag, c.secretFlag)
	if err != nil {
		return damaged(p, err)
	}
	came := c.Came
	switch {
	case came != "retry":
		err = r.Settle(p.ctx, c.Intent, came == "happened")
	case r.served:
		came, err = r.Retry(p.ctx, c.Intent)
	default:
		err = errors.New("only a live daemon tries an intent again, and none holds this record: start it, or say " +
			"happened or did-not")
	}
	if err := errors.Join(err, r.Close()); err != nil {
		return err
	}
	if p.JSON {
		return p.Print(map[string]any{"intent": c.Intent, "outcome": came})
	}
	p.Printf("intent %d: %s\n", c.Intent, came)
	return nil
}

func cardJSON(a *cortex.Approval) map[string]any {
	slots := []any{}
	for _, s := range a.Slots {
		slots = append(slots, map[string]any{
			"key": s.Reason.Key, "text": s.Reason.Text, "class": s.Class, "quorum": s.Quorum, "by": append([]string{}, s.By...),
		})
	}
	return map[string]any{
		"token": a.Token, "state": string(a.State), "tool": a.Action.Tool(), "args": argsJSON(a.Action),
		"digest":      a.Action.Digest().String(),
		"explanation": a.Action.Explanation(), "session": a.Session, "requester": a.Requester, "policy": a.Policy.String(),
		"decision": a.Decision, "expires": time.Unix(a.Expires, 0).UTC().Format(time.RFC3339), "slots": slots, "by": a.By,
		"why": a.Why,
	}
}
