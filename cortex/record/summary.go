package record

import (
	"fmt"
	"strings"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/sexpr"
)

// Show makes what people, models and tools wrote fit to be seen.
type Show func(text string) string

// Summary returns what is most telling of a record. Only what show returned is known to be
// fit to be seen. A kind that this program does not know is summed up by its whole body.
func Summary(rec journal.Record, show Show) string {
	if sum := summaries[rec.Kind]; sum != nil {
		return sum(rec.Body, show)
	}
	return rec.Body.String()
}

// summaries has every kind of record.
var summaries = map[string]func(body sexpr.Value, show Show) string{
	KindOpen: by(OpenedFrom), KindRulebook: sumRulebook, KindPlaces: by(PlacesFrom), KindSignal: sumSignal,
	KindDecision: sumDecision, KindApproval: sumApproval, KindIntent: by(IntentFrom), KindReceipt: by(ReceiptFrom),
	KindSettled: by(SettledFrom), KindRetry: by(RetryFrom), KindAnswer: by(AnswerFrom), KindKill: by(KillFrom),
	KindPairing: by(PairingFrom), KindPosting: sumPosting, KindCheckpoint: by(CheckpointFrom),
	KindRollback: by(RollbackFrom), KindClock: by(JumpFrom), KindEnd: by(EndFrom), KindFact: by(FactFrom),
	KindCover:  by(CoverFrom),
	KindEvents: sumEvents, KindKept: sumKept, KindStanding: by(LogStandingFrom),
	KindRunKeys: by(KeysRotatedFrom), KindThink: by(ThinkFrom),
	KindRetention: sumRetention,
}

// by sums up a body by the type that reads it.
func by[E interface{ summary(Show) string }](from func(sexpr.Value) E) func(sexpr.Value, Show) string {
	return func(v sexpr.Value, show Show) string { return from(v).summary(show) }
}

func call(v sexpr.Value) string {
	args, _ := v.Get("args")
	return v.GetText("tool") + " " + args.String()
}

func sumSignal(v sexpr.Value, show Show) string {
	return v.GetText("sensor") + " " + show(v.GetText("text"))
}

func sumDecision(v sexpr.Value, _ Show) string {
	d, _ := v.Get("decision")
	a, _ := d.Get("action")
	return fmt.Sprintf("%-5s %s  %s", d.GetText("kind"), d.GetText("key"), call(a))
}

func sumApproval(v sexpr.Value, _ Show) string {
	return fmt.Sprintf("%s %s  %s", v.GetText("token"), v.GetText("state"), call(v))
}

func sumPosting(v sexpr.Value, _ Show) string {
	text := fmt.Sprintf("%s on %s in %s", v.GetText("token"), v.GetText("gateway"), v.GetText("chat"))
	if v.GetText("message") == "" {
		text += ", about to be shown"
	}
	return text
}

func sumRulebook(v sexpr.Value, _ Show) string {
	files, _ := v.Get("files")
	text := fmt.Sprintf("%d files:", files.Len())
	for _, f := range files.Items() {
		text += " " + f.GetText("path")
	}
	return text
}

func sumRetention(v sexpr.Value, _ Show) string {
	if lost, mended := v.Get("lost"); mended {
		return fmt.Sprintf("a repair went on without %d parts of the record", lost.Len())
	}
	return fmt.Sprintf("%d records removed, from %d to %d", v.GetInt("removed"), v.GetInt("from"), v.GetInt("to"))
}

func (o Opened) summary(Show) string {
	mode := "dry"
	switch {
	case o.Live:
		mode = "live"
	case o.Observe:
		mode = "observing"
	}
	return fmt.Sprintf("run %d, %s", o.Epoch, mode)
}

func (p Places) summary(Show) string {
	return fmt.Sprintf("%d paths, %d hosts", len(p.Paths), len(p.Hosts))
}

func (i Intent) summary(Show) string { return fmt.Sprintf("for %d  %s %s", i.Decision, i.Tool, i.Args) }

func (r Receipt) summary(show Show) string {
	return fmt.Sprintf("for %d  %s %s", r.Intent, r.State, show(r.Text+r.Error))
}

func (r Retry) summary(Show) string {
	return fmt.Sprintf("of %d, try %d, by %s", r.Intent, r.Try, strings.TrimSpace(r.By))
}

func (s Settled) summary(Show) string {
	came := "did not happen"
	if s.Happened {
		came = "happened"
	}
	return fmt.Sprintf("compensation %d of %d %s, says %s", s.Intent, s.Compensates, came, s.By)
}

func (a Answer) summary(show Show) string {
	return fmt.Sprintf("to %d  %s", a.Signal, show(a.Text+a.Notice))
}

func (k Kill) summary(Show) string {
	if k.On {
		return "on" + who(k.By, k.Via)
	}
	return "off" + who(k.By, k.Via)
}

func (e End) summary(Show) string { return "ended" + who(e.By, e.Via) }

func (f Fact) summary(Show) string { return f.Name + " " + f.Fact.String() + who(f.By, f.Via) }

func (Pairing) summary(Show) string { return "a new secret" }

func (c Checkpoint) summary(Show) string { return fmt.Sprintf("%d@%s", c.Seq, c.Hash) }

func (r Rollback) summary(show Show) string { return fmt.Sprintf("seen %s: %s", r.Seen, show(r.Why)) }

func (j Jump) summary(Show) string { return "moved by " + j.By.String() }

// who says who did something, and by which channel, as far as that is known.
func who(by, via string) (text string) {
	if by != "" {
		text = ", by " + by
	}
	if via != "" {
		text += " via " + via
	}
	return text
}
