package answering

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"mime"
	"os"
	"path/filepath"
	"time"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/gateways/card"
	"github.com/opencortex-go/cortex/gateways/client"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/facts/secrets"
)

// Approvals is for people: what waits for them, and their answers. Anyone who may
// open the folder may look; every answer carries the operator's pairing secret.
type Approvals struct {
	List    listing  `cmd:"" default:"withargs" help:"What waits for an answer, intents in doubt, and compensations that failed."`
	Show    showing  `cmd:"" help:"One card: the exact action, who asks, and why."`
	Approve approval `cmd:"" help:"Say yes. The engine acts on it when it next runs."`
	Answer  reply    `cmd:"" help:"Answer a question that an agent asks."`
	Deny    denial   `cmd:"" help:"Say no."`
	Pair    pairing  `cmd:"" help:"Make the operator's pairing secret, once."`
	Outcome outcome  `cmd:"" help:"Settle an intent in doubt, or of a compensation that failed."`

	Outcomes outcomes `cmd:"" help:"Settle many intents in doubt in one way: those of a tool, of a session, or both."`
}

// listing prints one line for each card that waits.
type listing struct {
	opening.RecordFlag
	All bool `help:"Also those that were answered, used or have expired."`
}

// Run prints cards, then intents whose outcome is unknown, and
// compensations that failed. Credentials are hidden, as on a card; --json has the exact
// values.
func (c *listing) Run(ctx context.Context, p *console.Console) error {
	r, err := Look(ctx, p, c.RecordFlag)
	if err != nil {
		return opening.Damaged(p, err)
	}
	list, err := r.Approvals(ctx, c.All)
	doubts, doubtErr := r.Doubts(ctx)
	failed, failedErr := r.Compensations(ctx)
	if err := errors.Join(err, doubtErr, failedErr, r.Close()); err != nil {
		return opening.Damaged(p, err)
	}
	if p.JSON {
		return cardsJSON(p, list, doubts, failed)
	}
	mask := secrets.NewMask()
	call := func(a *cortex.Action) string { return console.Clip(mask(a.Tool() + " " + a.Args().String())) }
	for _, a := range list {
		p.Printf("%s  %-9s  until %s  %s\n", a.Token, a.State, console.Stamp(a.Expires*1e9), call(a.Action))
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

func cardsJSON(p *console.Console, list []client.Card, doubts []cortex.Doubt, failed []cortex.Compensation) error {
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

// showing prints one card.
type showing struct {
	opening.RecordFlag
	Token string `arg:"" help:"The card's token."`
}

// Run prints what is asked, by whom and why, as every messenger and the REPL show
// it; --json has the exact values.
func (c *showing) Run(ctx context.Context, p *console.Console) error {
	r, err := Look(ctx, p, c.RecordFlag)
	if err != nil {
		return opening.Damaged(p, err)
	}
	a, err := r.Approval(ctx, c.Token)
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

// approval records a yes.
type approval struct {
	opening.RecordFlag
	SecretFlag
	Token   string `arg:"" help:"The card's token."`
	Cover   uint64 `placeholder:"N" help:"Cover more calls like it: N with this one, of its tool and from its sources."`
	Minutes uint64 `default:"30" placeholder:"M" help:"For how long to cover them."`
}

// Run records the yes of anyone who runs this program.
func (c *approval) Run(ctx context.Context, p *console.Console) error {
	return answer(ctx, p, c.RecordFlag, c.SecretFlag, func(d *Desk) (client.Card, error) {
		if c.Cover != 0 {
			return d.ApproveAndCover(ctx, c.Token, c.Cover, c.Minutes)
		}
		return d.Approve(ctx, c.Token)
	})
}

// reply records the answer to a question.
type reply struct {
	opening.RecordFlag
	SecretFlag
	Token string `arg:"" help:"The card's token."`
	Words string `arg:"" optional:"" help:"The answer, or one of the choices that the card shows."`
	File  string `placeholder:"FILE" help:"A document, where the question asks for one; it is kept on record."`
}

// Run records the answer of anyone who runs this program.
func (c *reply) Run(ctx context.Context, p *console.Console) error {
	return answer(ctx, p, c.RecordFlag, c.SecretFlag, func(d *Desk) (client.Card, error) {
		if c.File == "" {
			return d.Answer(ctx, c.Token, c.Words)
		}
		data, err := os.ReadFile(c.File)
		if err != nil {
			return client.Card{}, err
		}
		of, err := d.Keep(ctx, cmp.Or(mime.TypeByExtension(filepath.Ext(c.File)), "application/octet-stream"), data)
		if err != nil {
			return client.Card{}, err
		}
		return d.Answer(ctx, c.Token, of)
	})
}

// denial records a no.
type denial struct {
	opening.RecordFlag
	SecretFlag
	Token  string `arg:"" help:"The card's token."`
	Reason string `help:"Why; the model and the user are told."`
}

// Run records the no of anyone who runs this program.
func (c *denial) Run(ctx context.Context, p *console.Console) error {
	return answer(ctx, p, c.RecordFlag, c.SecretFlag, func(d *Desk) (client.Card, error) {
		return d.Deny(ctx, c.Token, c.Reason)
	})
}

// answer records an answer and prints how the card stands now.
func answer(ctx context.Context, p *console.Console, f opening.RecordFlag, s SecretFlag,
	say func(*Desk) (client.Card, error)) error {
	r, err := Open(ctx, p, f, s)
	if err != nil {
		return opening.Damaged(p, err)
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

// outcome settles an intent in doubt, or a compensation that failed.
type outcome struct {
	opening.RecordFlag
	SecretFlag
	Intent uint64 `arg:"" help:"The intent's record, as list shows it."`
	Came   string `arg:"" name:"outcome" enum:"happened,did-not,retry" help:"happened, did-not, or retry: the daemon tries it once more, as the same intent, if today's rules allow it."`
}

// Run records the outcome of the intent.
func (c *outcome) Run(ctx context.Context, p *console.Console) error {
	r, err := Open(ctx, p, c.RecordFlag, c.SecretFlag)
	if err != nil {
		return opening.Damaged(p, err)
	}
	came, err := r.settle(ctx, c.Intent, c.Came)
	if err := errors.Join(err, r.Close()); err != nil {
		return err
	}
	if p.JSON {
		return p.Print(map[string]any{"intent": c.Intent, "outcome": came})
	}
	p.Printf("intent %d: %s\n", c.Intent, came)
	return nil
}

// settle records the outcome of an intent, and returns it.
func (d *Desk) settle(ctx context.Context, intent uint64, came string) (string, error) {
	switch {
	case came != "retry":
		return came, d.Settle(ctx, intent, came == "happened")
	case d.served:
		return d.Retry(ctx, intent)
	}
	return came, errors.New("only a live daemon tries an intent again, and none holds this record: start it, or say " +
		"happened or did-not")
}

// outcomes settles all intents in doubt that its flags choose.
type outcomes struct {
	opening.RecordFlag
	SecretFlag
	Came    string `arg:"" name:"outcome" enum:"happened,did-not,retry" help:"As for outcome, of every intent that is chosen."`
	Tool    string `help:"Those of this tool."`
	Session string `placeholder:"NAME" help:"Those of this session."`
}

// Run settles one intent after the other, and prints each. It stops at the first that cannot be settled.
func (c *outcomes) Run(ctx context.Context, p *console.Console) error {
	if c.Tool == "" && c.Session == "" {
		return errors.New("name the intents: --tool, --session or both")
	}
	r, err := Open(ctx, p, c.RecordFlag, c.SecretFlag)
	if err != nil {
		return opening.Damaged(p, err)
	}
	settled, err := c.all(ctx, r)
	if p.JSON {
		return errors.Join(err, r.Close(), p.Print(map[string]any{"settled": settled}))
	}
	for _, s := range settled {
		p.Printf("intent %d: %s\n", s.Intent, s.Outcome)
	}
	if len(settled) == 0 && err == nil {
		p.Printf("no such intent is in doubt\n")
	}
	return errors.Join(err, r.Close())
}

// settledIntent is an intent that is in doubt no more.
type settledIntent struct {
	Intent  uint64 `json:"intent"`
	Outcome string `json:"outcome"`
}

// all settles the intents that are chosen, oldest first, and returns those that it has.
func (c *outcomes) all(ctx context.Context, r *Desk) ([]settledIntent, error) {
	out := []settledIntent{}
	doubts, err := r.Doubts(ctx)
	if err != nil {
		return out, err
	}
	for _, d := range doubts {
		if c.Tool != "" && d.Action.Tool() != c.Tool || c.Session != "" && d.Session != c.Session {
			continue
		}
		came, err := r.settle(ctx, d.Intent, c.Came)
		if err != nil {
			return out, err
		}
		out = append(out, settledIntent{d.Intent, came})
	}
	return out, nil
}

func cardJSON(a *cortex.Approval) map[string]any {
	slots := []any{}
	for _, s := range a.Slots {
		slots = append(slots, map[string]any{
			"key": s.Reason.Key, "text": s.Reason.Text, "class": s.Class, "quorum": s.Quorum, "by": append([]string{}, s.By...),
		})
		if s.Of != nil {
			slots[len(slots)-1].(map[string]any)["step"] = s.Of.Step
		}
	}
	v := map[string]any{
		"token": a.Token, "state": string(a.State), "tool": a.Action.Tool(), "args": argsJSON(a.Action),
		"digest":      a.Action.Digest().String(),
		"explanation": a.Action.Explanation(), "session": a.Session, "requester": a.Requester, "policy": a.Policy.String(),
		"decision": a.Decision, "expires": time.Unix(a.Expires, 0).UTC().Format(time.RFC3339), "slots": slots, "by": a.By,
		"why": a.Why,
	}
	if len(a.Plan) > 0 {
		v["plan"] = planJSON(a)
	}
	return v
}

// planJSON are the steps of a plan. One that is judged only when it is due has no tool.
func planJSON(a *cortex.Approval) []any {
	var steps []any
	for i := range a.Plan {
		o := &a.Plan[i]
		step := map[string]any{"step": o.Step, "note": o.Note}
		if o.Action != nil {
			step["tool"], step["args"], step["digest"] = o.Action.Tool(), argsJSON(o.Action), o.Action.Digest().String()
		}
		steps = append(steps, step)
	}
	return steps
}

// argsJSON are an action's arguments, which always have JSON.
func argsJSON(a *cortex.Action) json.RawMessage {
	raw, _ := sexpr.ToJSON(a.Args())
	return raw
}
