package record

import (
	"time"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Intent is the record before an effect: what may happen now, and what it takes.
type Intent struct {
	Decision    uint64 // that allowed it
	Tool        string
	Args        sexpr.Value
	Withheld    bool   // marks stand in place of secrets in Args
	Digest      string // of the action
	Key         string // the idempotency key that the actuator is given
	Deadline    int64  // by the engine's steady clock, in nanoseconds
	Dry         bool   // nothing runs
	Observed    bool   // the caller carries it out, whatever was decided
	Spends      []Spend
	Grant       string // the token of the approval that it uses up; "" for none
	Principal   string // who pays for it
	Root        uint64 // the signal from outside; 0 for none
	Compensates uint64 // the intent that it compensates; 0 for none
	Step        Step   // of a run that it takes; zero for none
}

// Spend is what an intent takes from one budget.
type Spend struct {
	Budget string
	Amount float64
}

// Kind implements [Entry].
func (Intent) Kind() string { return KindIntent }

// Value implements [Entry].
func (i Intent) Value() sexpr.Value {
	var spends []sexpr.Value
	for _, s := range i.Spends {
		spends = append(spends, sexpr.Plist("budget", sexpr.Str(s.Budget), "amount", sexpr.Float64(s.Amount)))
	}
	v := sexpr.Plist(
		"decision", number(i.Decision), "tool", sexpr.Str(i.Tool), "args", i.Args, "digest", sexpr.Str(i.Digest),
		"key", sexpr.Str(i.Key), "deadline", number(i.Deadline), "dry", sexpr.Bool(i.Dry),
		"observed", sexpr.Bool(i.Observed), "spends", sexpr.ListOf(spends...), "grant", sexpr.Str(i.Grant),
		"principal", sexpr.Str(i.Principal), "root", number(i.Root))
	if i.Compensates != 0 {
		v = v.With("compensates", number(i.Compensates))
	}
	if i.Step != (Step{}) {
		v = v.With("step", i.Step.Value())
	}
	return v
}

// IntentFrom reads what [Intent.Value] wrote.
func IntentFrom(v sexpr.Value) Intent {
	i := Intent{
		Decision: seqIn(v, "decision"), Tool: v.GetText("tool"), Digest: v.GetText("digest"), Key: v.GetText("key"),
		Deadline: v.GetInt("deadline"), Dry: v.GetTrue("dry"), Observed: v.GetTrue("observed"), Grant: v.GetText("grant"),
		Principal: v.GetText("principal"), Root: seqIn(v, "root"), Compensates: seqIn(v, "compensates"),
	}
	if step, ok := StepFrom(v); ok {
		i.Step = step
	}
	i.Args, _ = v.Get("args")
	_, i.Withheld = v.Get(Withheld)
	spends, _ := v.Get("spends")
	for _, s := range spends.Items() {
		amount, _ := s.Get("amount")
		n := amount.Float()
		if amount.Kind() == sexpr.Int {
			n = float64(amount.Int())
		}
		i.Spends = append(i.Spends, Spend{Budget: s.GetText("budget"), Amount: n})
	}
	return i
}

// Action returns the action of the intent.
func (i Intent) Action() (*skills.Action, error) {
	digest, err := sexpr.ParseDigest(i.Digest)
	if err != nil {
		return nil, err
	}
	return skills.Recorded(i.Tool, i.Args, "", digest, i.Withheld)
}

// Receipt is the record after an effect: how an intent ended.
type Receipt struct {
	act.Receipt
	Intent    uint64
	Decision  uint64
	By        string // who answered for an intent in doubt; "" for the actuator
	Unspent   bool   // nothing happened, so the intent no longer takes from ...
	Principal string // ... the budgets of this principal
}

// Kind implements [Entry].
func (Receipt) Kind() string { return KindReceipt }

// Value implements [Entry].
func (r Receipt) Value() sexpr.Value {
	v := sexpr.Plist(
		"intent", number(r.Intent), "decision", number(r.Decision), "state", sexpr.Str(string(r.State)),
		"result", r.Result, "text", sexpr.Str(r.Text), "error", sexpr.Str(r.Error), "took", number(int64(r.Took)),
		"by", sexpr.Str(r.By))
	if r.Cost != 0 {
		v = v.With("cost", sexpr.Float64(r.Cost))
	}
	if r.Cut {
		v = v.With("cut", sexpr.T())
	}
	if r.Unspent {
		v = v.With("principal", sexpr.Str(r.Principal))
	}
	return v
}

// ReceiptFrom reads what [Receipt.Value] wrote.
func ReceiptFrom(v sexpr.Value) Receipt {
	result, _ := v.Get("result")
	cost, _ := v.Get("cost")
	_, unspent := v.Get("principal")
	return Receipt{
		Receipt: act.Receipt{State: act.State(v.GetText("state")), Result: result, Text: v.GetText("text"),
			Error: v.GetText("error"), Cut: v.GetTrue("cut"), Took: time.Duration(v.GetInt("took")), Cost: cost.Float()},
		Intent: seqIn(v, "intent"), Decision: seqIn(v, "decision"), By: v.GetText("by"), Unspent: unspent,
		Principal: v.GetText("principal"),
	}
}

// Happened reports whether an effect may have changed the world.
func Happened(r act.Receipt) bool { return r.State != act.Nothing }

// Retry is one more try of an intent in doubt.
type Retry struct {
	Intent   uint64
	Decision uint64 // that allowed this try
	Try      int    // 1 for the first one after the intent's own
	By       string // the person who asked for it, or the engine
}

// Kind implements [Entry].
func (Retry) Kind() string { return KindRetry }

// Value implements [Entry].
func (r Retry) Value() sexpr.Value {
	return sexpr.Plist("intent", number(r.Intent), "decision", number(r.Decision), "try", number(r.Try),
		"by", sexpr.Str(r.By))
}

// RetryFrom reads what [Retry.Value] wrote.
func RetryFrom(v sexpr.Value) Retry {
	return Retry{seqIn(v, "intent"), seqIn(v, "decision"), int(v.GetInt("try")), v.GetText("by")}
}

// Settled is a person's answer for a compensation that failed.
type Settled struct {
	Intent      uint64 // of the compensation
	Compensates uint64 // the intent that it was for
	Happened    bool   // the earlier effect is compensated all the same
	By          string
}

// Kind implements [Entry].
func (Settled) Kind() string { return KindSettled }

// Value implements [Entry].
func (s Settled) Value() sexpr.Value {
	return sexpr.Plist("intent", number(s.Intent), "compensates", number(s.Compensates),
		"happened", sexpr.Bool(s.Happened), "by", sexpr.Str(s.By))
}

// SettledFrom reads what [Settled.Value] wrote.
func SettledFrom(v sexpr.Value) Settled {
	return Settled{seqIn(v, "intent"), seqIn(v, "compensates"), v.GetTrue("happened"), v.GetText("by")}
}
