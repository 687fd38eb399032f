package record

import (
	"time"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/sexpr"
)

// Opened says that an engine began to run on the record.
type Opened struct {
	Epoch         uint64 // counts the runs
	Live, Observe bool   // how effects happen in this run; neither is dry
}

// Kind implements [Entry].
func (Opened) Kind() string { return KindOpen }

// Value implements [Entry].
func (o Opened) Value() sexpr.Value {
	return sexpr.Plist("epoch", number(o.Epoch), "live", sexpr.Bool(o.Live), "observe", sexpr.Bool(o.Observe))
}

// OpenedFrom reads what [Opened.Value] wrote.
func OpenedFrom(v sexpr.Value) Opened {
	return Opened{seqIn(v, "epoch"), v.GetTrue("live"), v.GetTrue("observe")}
}

// Places are the protected places.
type Places struct{ Paths, Hosts []string }

// Kind implements [Entry].
func (Places) Kind() string { return KindPlaces }

// Value implements [Entry].
func (p Places) Value() sexpr.Value {
	return sexpr.Plist("paths", Texts(p.Paths), "hosts", Texts(p.Hosts))
}

// PlacesFrom reads what [Places.Value] wrote.
func PlacesFrom(v sexpr.Value) Places { return Places{TextsFrom(v, "paths"), TextsFrom(v, "hosts")} }

// Answer is how a root signal was answered.
type Answer struct {
	Signal   uint64
	Text     string // the model's own words
	Notice   string // what the engine says of it
	Approval string // the token of the card that it waits for; "" for none
	Error    string // why an answer is missing; "" if one is there
}

// Kind implements [Entry].
func (Answer) Kind() string { return KindAnswer }

// Value implements [Entry].
func (a Answer) Value() sexpr.Value {
	v := sexpr.Plist("signal", number(a.Signal), "text", sexpr.Str(a.Text), "notice", sexpr.Str(a.Notice),
		"approval", sexpr.Str(a.Approval))
	if a.Error != "" {
		v = v.With("error", sexpr.Str(a.Error))
	}
	return v
}

// AnswerFrom reads what [Answer.Value] wrote.
func AnswerFrom(v sexpr.Value) Answer {
	return Answer{seqIn(v, "signal"), v.GetText("text"), v.GetText("notice"), v.GetText("approval"), v.GetText("error")}
}

// Kill says that the kill switch was turned on or off.
type Kill struct {
	On      bool
	By, Via string
}

// Kind implements [Entry].
func (Kill) Kind() string { return KindKill }

// Value implements [Entry].
func (k Kill) Value() sexpr.Value {
	return sexpr.Plist("on", sexpr.Bool(k.On), "by", sexpr.Str(k.By), "via", sexpr.Str(k.Via))
}

// KillFrom reads what [Kill.Value] wrote.
func KillFrom(v sexpr.Value) Kill { return Kill{v.GetTrue("on"), v.GetText("by"), v.GetText("via")} }

// End says that an operator ended a session.
type End struct{ By, Via string }

// Kind implements [Entry].
func (End) Kind() string { return KindEnd }

// Value implements [Entry].
func (e End) Value() sexpr.Value { return sexpr.Plist("by", sexpr.Str(e.By), "via", sexpr.Str(e.Via)) }

// EndFrom reads what [End.Value] wrote.
func EndFrom(v sexpr.Value) End { return End{v.GetText("by"), v.GetText("via")} }

// Fact says that an operator set a fact of facts.ctx, or removed it with a nil Fact.
type Fact struct {
	Name    string
	Fact    sexpr.Value
	By, Via string
}

// Kind implements [Entry].
func (Fact) Kind() string { return KindFact }

// Value implements [Entry].
func (f Fact) Value() sexpr.Value {
	return sexpr.Plist("name", sexpr.Str(f.Name), "value", f.Fact, "by", sexpr.Str(f.By), "via", sexpr.Str(f.Via))
}

// FactFrom reads what [Fact.Value] wrote.
func FactFrom(v sexpr.Value) Fact {
	fact, _ := v.Get("value")
	return Fact{v.GetText("name"), fact, v.GetText("by"), v.GetText("via")}
}

// Pairing keeps the hash of the operator's secret.
type Pairing struct{ Hash string }

// Kind implements [Entry].
func (Pairing) Kind() string { return KindPairing }

// Value implements [Entry].
func (p Pairing) Value() sexpr.Value { return sexpr.Plist("secret", sexpr.Str(p.Hash)) }

// PairingFrom reads what [Pairing.Value] wrote.
func PairingFrom(v sexpr.Value) Pairing { return Pairing{v.GetText("secret")} }

// Checkpoint says that the head was signed.
type Checkpoint struct {
	Seq  uint64
	Hash string
	Text string // the signed head
}

// CheckpointOf is the checkpoint of a head, signed in text.
func CheckpointOf(h journal.Head, text string) Checkpoint {
	return Checkpoint{h.Seq, h.Hash.String(), text}
}

// Kind implements [Entry].
func (Checkpoint) Kind() string { return KindCheckpoint }

// Value implements [Entry].
func (c Checkpoint) Value() sexpr.Value {
	return sexpr.Plist("hash", sexpr.Str(c.Hash), "seq", number(c.Seq), "text", sexpr.Str(c.Text))
}

// CheckpointFrom reads what [Checkpoint.Value] wrote.
func CheckpointFrom(v sexpr.Value) Checkpoint {
	return Checkpoint{seqIn(v, "seq"), v.GetText("hash"), v.GetText("text")}
}

// Rollback says that an operator accepted a record that had gone back.
type Rollback struct {
	Seen string // the head that was known outside
	Why  string
}

// Kind implements [Entry].
func (Rollback) Kind() string { return KindRollback }

// Value implements [Entry].
func (r Rollback) Value() sexpr.Value {
	return sexpr.Plist("seen", sexpr.Str(r.Seen), "why", sexpr.Str(r.Why))
}

// RollbackFrom reads what [Rollback.Value] wrote.
func RollbackFrom(v sexpr.Value) Rollback { return Rollback{v.GetText("seen"), v.GetText("why")} }

// Jump says that the wall clock was moved.
type Jump struct {
	By  time.Duration
	Era int // counts the jumps
}

// Kind implements [Entry].
func (Jump) Kind() string { return KindClock }

// Value implements [Entry].
func (j Jump) Value() sexpr.Value {
	return sexpr.Plist("by", number(int64(j.By)), "era", number(j.Era))
}

// JumpFrom reads what [Jump.Value] wrote.
func JumpFrom(v sexpr.Value) Jump { return Jump{time.Duration(v.GetInt("by")), int(v.GetInt("era"))} }
