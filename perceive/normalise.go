package perceive

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/internal/plist"
	"github.com/opencortex-go/cortex/sexpr"
)

// ErrRefused is wrapped by the errors for well-formed messages that this sender
// may not send.
var ErrRefused = errors.New("refused")

// The types that a message may have. [Signal.Type] holds one.
const (
	Event          = "event"
	Request        = "request"
	Response       = "response"
	Log            = "log"
	Status         = "status"
	HealthCheck    = "health-check"
	HealthResponse = "health-response"
)

var messageTypes = []string{Request, Event, Response, Log, Status, HealthCheck, HealthResponse}

// ownSensors observe Cortex itself. Messages from outside may not use them.
var ownSensors = []string{
	ToolOutput, ToolError, LoopError, Heartbeat, ApprovalRequired, ApprovalAnswer, AccountSuspended, TextRead, Run,
	"approved", "shell-response", "syntax-error", "repl-eval", "protocol-received",
}

// authority are the keys with which the ancestor's messages claimed rights, a
// place in the pipeline or a sender. [Normalise] drops them from the payload, and
// does not read them elsewhere in a message.
var authority = []string{
	"approved", "approved-action", "status", "depth", "source", "principal", "roles", "root",
	"repl-verified", "reply-stream", "socket", "stream",
}

// maxName bounds names that a message gives: a session, a key, a sensor.
const maxName = 256

// Validate returns an error if a message does not match the wire schema (rows 16
// to 19 of the specification): its type, and the parts that the type requires. It
// does not check who may send it.
func Validate(form sexpr.Value) error {
	if !form.IsPlist() {
		return fmt.Errorf("%s: a message must be a plist like (:type :event :payload (...)), not %s", form.Pos(),
			plist.Kind(form))
	}
	if _, err := sexpr.Sorted(form); err != nil {
		return fmt.Errorf("a malformed message: %w", err)
	}
	typ, ok := form.Get("type")
	if !ok {
		return fmt.Errorf("%s: a message without a :type, expected one of %v", form.Pos(), messageTypes)
	}
	name := word(typ)
	if !slices.Contains(messageTypes, name) {
		return fmt.Errorf("%s: invalid message type '%s', expected one of %v", typ.Pos(), shown(typ), messageTypes)
	}
	payload, has := form.Get("payload")
	if has && !payload.IsObject() && !payload.IsNil() {
		return fmt.Errorf("%s: the :payload is %s, expected a plist", payload.Pos(), plist.Kind(payload))
	}
	meta, _ := form.Get("meta")
	if !meta.IsObject() && !meta.IsNil() {
		return fmt.Errorf("%s: the :meta is %s, expected a plist", meta.Pos(), plist.Kind(meta))
	}
	switch name {
	case Event:
		if !named(payload, "sensor") && !named(payload, "action") {
			return fmt.Errorf("%s: an event without a :sensor or an :action in its :payload", form.Pos())
		}
	case Request, Response:
		if !has {
			return fmt.Errorf("%s: a %s without a :payload", form.Pos(), name)
		}
		if name == Request && !named(form, "target") && !named(meta, "source") {
			return fmt.Errorf("%s: a request without a :target or a :source in its :meta", form.Pos())
		}
	}
	return nil
}

// Normalise makes a signal of a message. It returns an error if the message is
// malformed, or, wrapping [ErrRefused], if this sender may not send it. Sender,
// session and rights come from the connection; the message's own claims about them
// are dropped, and its depth is 0 (rows 20 to 23). A request is an error, whatever
// its target: requests come from models and go through the gates.
func Normalise(p Peer, form sexpr.Value) (Signal, error) {
	if err := Validate(form); err != nil {
		return Signal{}, err
	}
	typ, _ := form.Get("type")
	payload, _ := form.Get("payload")
	s := Signal{
		Type: word(typ), Source: p.Source, Principal: p.Principal, Roles: slices.Clone(p.Roles),
		Payload: without(payload, authority),
	}
	if s.Source == "" {
		s.Source = "system"
	}
	if s.Type == Request {
		return Signal{}, fmt.Errorf("%s: %w: a client cannot send a :request; say what you want in an :event with :sensor "+
			":user-input", form.Pos(), ErrRefused)
	}
	var err error
	if s.Session, err = session(p, form); err != nil {
		return Signal{}, err
	}
	if s.Key, err = name(form, "key"); err != nil {
		return Signal{}, err
	}
	if s.Type == Event {
		err = s.observe(p)
	}
	return s, err
}

// observe fills the fields of events. It returns an error if the sender may not
// send this one.
func (s *Signal) observe(p Peer) error {
	if a, ok := s.Payload.Get("action"); ok && word(a) != "handshake" {
		return fmt.Errorf("%s: %w: an event says what was observed and cannot ask for the action '%s'", a.Pos(), ErrRefused,
			shown(a))
	}
	v, _ := s.Payload.Get("sensor")
	s.Sensor = word(v)
	switch {
	case len(s.Sensor) > maxName:
		return fmt.Errorf("%s: the :sensor is %d bytes long, expected at most %d", v.Pos(), len(s.Sensor), maxName)
	case slices.Contains(ownSensors, s.Sensor):
		return fmt.Errorf("%s: %w: the sensor '%s' is Cortex's own", v.Pos(), ErrRefused, s.Sensor)
	case s.Sensor == Interrupt && !p.Operator:
		return fmt.Errorf("%s: %w: only an operator may interrupt", v.Pos(), ErrRefused)
	}
	text, ok := s.Payload.Get("text")
	if ok && text.Kind() != sexpr.String && !text.IsNil() {
		return fmt.Errorf("%s: the :text is %s, expected a string", text.Pos(), plist.Kind(text))
	}
	s.Text = text.Text()
	return nil
}

// session is the connection's, else the one that the message names.
func session(p Peer, form sexpr.Value) (string, error) {
	if p.Session != "" {
		return p.Session, nil
	}
	meta, _ := form.Get("meta")
	for _, key := range []string{"session-id", "session"} {
		if s, err := name(meta, key); s != "" || err != nil {
			return s, err
		}
	}
	return "internal", nil
}

// name reads a short string under key.
func name(v sexpr.Value, key string) (string, error) {
	x, ok := v.Get(key)
	switch {
	case !ok || x.IsNil():
		return "", nil
	case x.Kind() != sexpr.String:
		return "", fmt.Errorf("%s: the :%s is %s, expected a string", x.Pos(), key, plist.Kind(x))
	case len(x.Text()) > maxName:
		return "", fmt.Errorf("%s: the :%s is %d bytes long, expected at most %d", x.Pos(), key, len(x.Text()), maxName)
	}
	return x.Text(), nil
}

// word is the name in a keyword, a string or a bare word, in lower case: they mean
// the same (weakness W6).
func word(v sexpr.Value) string {
	switch v.Kind() {
	case sexpr.Keyword, sexpr.String:
	case sexpr.Symbol:
		if v.IsSym("t") || v.IsSym("false") || v.IsSym("null") || v.IsSym("{}") {
			return ""
		}
	case sexpr.Int, sexpr.Float, sexpr.List:
		return ""
	}
	b := []byte(v.Text())
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

func named(v sexpr.Value, key string) bool {
	x, _ := v.Get(key)
	return word(x) != ""
}

// shown is a word truncated for an error message.
func shown(v sexpr.Value) string {
	s := v.Text()
	if word(v) == "" {
		s = v.Kind().String()
	}
	if len(s) > 40 {
		s = strings.ToValidUTF8(s[:40], "") + "..."
	}
	return s
}

// without returns the plist v without these keys.
func without(v sexpr.Value, keys []string) sexpr.Value {
	items := v.Items()
	out := make([]sexpr.Value, 0, len(items))
	for i := 0; i+1 < len(items); i += 2 {
		if !slices.Contains(keys, items[i].Text()) {
			out = append(out, items[i], items[i+1])
		}
	}
	return sexpr.ListOf(out...).At(v.Pos())
}
