package record

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/internal/plist"
	"github.com/opencortex-go/cortex/sexpr"
)

// EventsVersion is the version of what [Events] writes. A record of a later version is not
// read, because it may mean something else.
const EventsVersion = 1

// Event is one entry of a log.
type Event struct {
	ID     string // unique in its log
	Index  uint64 // from 0, without gaps: the only order of events
	Kind   string // a word of the log's family
	Dedupe string // an event of the same key is not entered twice
	Scope  string // a JSON object in canonical form that says what the event is about; "" for none
	Data   string // a JSON object in canonical form
}

// Line is the event as a line of JSON in canonical form (RFC 8785), with its newline. It is
// what digests cover and what exports have. ID, Kind, Dedupe and log are names that JSON
// spells as they are.
func (e *Event) Line(log string, version int) string { return string(e.appendLine(nil, log, version)) }

func (e *Event) appendLine(to []byte, log string, version int) []byte {
	to = append(append(to, `{"data":`...), e.Data...)
	to = append(append(to, `,"dedupeKey":"`...), e.Dedupe...)
	to = append(append(to, `","eventId":"`...), e.ID...)
	to = strconv.AppendUint(append(to, `","eventIndex":`...), e.Index, 10)
	to = append(append(append(to, `,"kind":"`...), e.Kind...), '"')
	if e.Scope != "" {
		to = append(append(to, `,"scope":`...), e.Scope...)
	}
	to = append(append(to, `,"sessionId":"`...), log...)
	return append(strconv.AppendInt(append(to, `","v":`...), int64(version), 10), "}\n"...)
}

// Pin says that an event rests on some content, which stays as long as the log does.
type Pin struct {
	Content sexpr.Digest
	Event   string // the ID of an event of the same record
}

// Events are what one operation entered into a log. Over, Held, Acts, Approval, Origin and
// Root are the log's own state after it.
type Events struct {
	Log, Family, By string
	Version         int
	First           uint64 // the index of the first event
	Events          []Event
	Pins            []Pin
	Sum             sexpr.Digest // of the lines
	Bytes           int          // of the lines
	Over            bool         // nothing is due in it
	Held            bool         // it waits for something outside
	Acts            string       // the session that its steps are calls of; "" for none
	Approval        string       // the token of the approval that it began with; "" for none
	Origin          string       // the log that it is a copy of, of this name or another; "" for none
	Root            uint64       // the root signal of its run; 0 for none
}

// Seal fills in the digest and the length of the lines.
func (e *Events) Seal() { e.Sum, e.Bytes = e.sum() }

// Sealed reports whether digest and length are those of the lines.
func (e *Events) Sealed() bool {
	sum, n := e.sum()
	return sum == e.Sum && n == e.Bytes
}

func (e *Events) sum() (out sexpr.Digest, n int) {
	long := 0
	for i := range e.Events {
		long = max(long, len(e.Events[i].Data))
	}
	h, line := sha256.New(), make([]byte, 0, long+1024)
	for i := range e.Events {
		line = e.Events[i].appendLine(line[:0], e.Log, e.Version)
		n += len(line)
		h.Write(line)
	}
	return sexpr.Digest(h.Sum(nil)), n
}

// Kind implements [Printed].
func (*Events) Kind() string { return KindEvents }

// Put implements [Printed].
func (e *Events) Put(b plist.Sink) {
	b.Text("acts", e.Acts)
	b.Text("approval", e.Approval)
	b.Text("by", e.By)
	b.Int("bytes", int64(e.Bytes))
	plist.Plists(b, "events", e.Events, func(b plist.Sink, x *Event) {
		b.Text("data", x.Data)
		b.Text("dedupe", x.Dedupe)
		b.Text("event-id", x.ID)
		b.Int("index", int64(x.Index))
		b.Text("kind", x.Kind)
		b.Text("scope", x.Scope)
	})
	b.Text("family", e.Family)
	b.Int("first", int64(e.First))
	b.True("held", e.Held)
	b.Text("log", e.Log)
	b.Text("origin", e.Origin)
	b.True("over", e.Over)
	plist.Plists(b, "pins", e.Pins, func(b plist.Sink, x *Pin) {
		b.Digest("content", x.Content)
		b.Text("event-id", x.Event)
	})
	b.Int("root", int64(e.Root))
	b.Digest("sha256", e.Sum)
	b.Int("v", int64(e.Version))
}

// EventsFrom reads what [Events.Put] wrote.
func EventsFrom(v sexpr.Value) (Events, error) {
	r := plist.NewReader(v, KindEvents)
	e := Events{Log: r.Text("log"), Family: r.Text("family"), By: r.Text("by"), Version: r.Small("v"),
		First: r.Seq("first"), Sum: r.Digest("sha256"), Bytes: r.Small("bytes"), Over: r.True("over"),
		Held: r.True("held"), Acts: r.Text("acts"), Approval: r.Text("approval"), Origin: r.Text("origin"),
		Root: r.Seq("root")}
	for _, x := range r.List("events") {
		e.Events = append(e.Events, Event{ID: x.Text("event-id"), Index: x.Seq("index"), Kind: x.Text("kind"),
			Dedupe: x.Text("dedupe"), Scope: x.Text("scope"), Data: x.Text("data")})
	}
	for _, x := range r.List("pins") {
		e.Pins = append(e.Pins, Pin{x.Digest("content"), x.Text("event-id")})
	}
	return e, r.Err()
}

// Kept is content that logs pin: a compiled plan, a snapshot, a reply, an artifact. It is on
// record once, by the SHA-256 of its bytes. [NewKept] makes it.
type Kept struct {
	Media string // its media type
	Data  string // the bytes
	Sum   sexpr.Digest
}

// NewKept returns content with its digest.
func NewKept(media, data string) Kept { return Kept{media, data, ContentDigest(data)} }

// ContentDigest names content.
func ContentDigest(data string) sexpr.Digest { return sha256.Sum256([]byte(data)) }

// Kind implements [Printed].
func (*Kept) Kind() string { return KindKept }

// Put implements [Printed].
func (k *Kept) Put(b plist.Sink) {
	plain := utf8.ValidString(k.Data)
	if !plain {
		b.Add("base64", sexpr.Str(base64.StdEncoding.EncodeToString([]byte(k.Data))))
	}
	b.Add("media", sexpr.Str(k.Media))
	b.Add("sha256", sexpr.Str(k.Sum.String()))
	if plain {
		b.Add("text", sexpr.Str(k.Data))
	}
}

// KeptFrom reads what [Kept.Put] wrote, and returns an error if the content is not that of
// its digest.
func KeptFrom(v sexpr.Value) (Kept, error) {
	data := v.GetText("text")
	if coded := v.GetText("base64"); coded != "" {
		raw, err := base64.StdEncoding.DecodeString(coded)
		if err != nil {
			return Kept{}, fmt.Errorf("kept content: %w", err)
		}
		data = string(raw)
	}
	k := NewKept(v.GetText("media"), data)
	if IsVeiled(v) { // marks stand in it for what cannot be read any more
		sum, err := sexpr.ParseDigest(v.GetText("sha256"))
		k.Sum = sum
		return k, err
	}
	if is, stated := k.Sum.String(), v.GetText("sha256"); is != stated {
		return Kept{}, fmt.Errorf("kept content: its digest is %s, its bytes have %s", stated, is)
	}
	return k, nil
}

// LogStanding says what an operator makes of a log: whether it is exempt from retention or
// deleted, and whom it was given to.
type LogStanding struct {
	Log     string
	Exempt  bool
	Deleted bool
	Owner   string // a principal; "" if it was given to none by this
	By, Via string
}

// Kind implements [Entry].
func (LogStanding) Kind() string { return KindStanding }

// Value implements [Entry].
func (s LogStanding) Value() sexpr.Value {
	var b plist.Builder
	b.Text("log", s.Log)
	b.True("exempt", s.Exempt)
	b.True("deleted", s.Deleted)
	b.Text("owner", s.Owner)
	b.Text("by", s.By)
	b.Text("via", s.Via)
	return b.Done()
}

// LogStandingFrom reads what [LogStanding.Value] wrote.
func LogStandingFrom(v sexpr.Value) LogStanding {
	return LogStanding{Log: v.GetText("log"), Exempt: v.GetTrue("exempt"), Deleted: v.GetTrue("deleted"),
		Owner: v.GetText("owner"), By: v.GetText("by"), Via: v.GetText("via")}
}

// KeysRotated says that an operator rotated the keys that tickets are signed with. It has no key.
type KeysRotated struct{ By, Via string }

// Kind implements [Entry].
func (KeysRotated) Kind() string { return KindRunKeys }

// Value implements [Entry].
func (k KeysRotated) Value() sexpr.Value {
	return sexpr.Plist("by", sexpr.Str(k.By), "via", sexpr.Str(k.Via))
}

// KeysRotatedFrom reads what [KeysRotated.Value] wrote.
func KeysRotatedFrom(v sexpr.Value) KeysRotated {
	return KeysRotated{v.GetText("by"), v.GetText("via")}
}

func (k KeysRotated) summary(show Show) string {
	return "the keys for tickets were rotated" + who(show(k.By), k.Via)
}

func sumEvents(v sexpr.Value, show Show) string {
	e, err := EventsFrom(v)
	if err != nil || len(e.Events) == 0 {
		return e.Log
	}
	text := fmt.Sprintf("%s %d", e.Log, e.First)
	if last := e.First + uint64(len(e.Events)) - 1; last > e.First {
		text += fmt.Sprintf("-%d", last)
	}
	for _, x := range e.Events {
		text += " " + x.Kind
	}
	return text + who(show(e.By), "")
}

func (k *Kept) summary(Show) string { return fmt.Sprintf("%d bytes, %s", len(k.Data), k.Media) }

func sumKept(v sexpr.Value, show Show) string {
	k, err := KeptFrom(v)
	if err != nil {
		return err.Error()
	}
	return v.GetText("sha256") + " " + k.summary(show)
}

func (s LogStanding) summary(show Show) string {
	what := "no longer exempt from retention"
	switch {
	case s.Deleted:
		what = "deleted"
	case s.Owner != "":
		what = "given to " + show(s.Owner)
	case s.Exempt:
		what = "exempt from retention"
	}
	return s.Log + " " + what + who(show(s.By), s.Via)
}
