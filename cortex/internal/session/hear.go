package session

import (
	"context"
	"errors"

	"github.com/opencortex-go/cortex/cortex/admission"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
)

// ErrNotHeard says that a signal is neither a person's message nor a text that was read.
var ErrNotHeard = errors.New("only a person's message and a text that a model read are heard; Submit takes others")

// ErrOtherMessage says that a dedupe key stands for a message with another text.
var ErrOtherMessage = errors.New("this key is that of an earlier message with another text; expected a key of " +
	"its own " +
	"for each message, and the same text when a message is sent again")

// repeats returns an error unless words of a person that come under a key again are those of its first message.
// Where that cannot be read any more, they count as the same.
func repeats(from interface {
	Read(seq uint64) (journal.Record, error)
}, seq uint64, sig perceive.Signal) error {
	if sig.Sensor != perceive.UserInput {
		return nil
	}
	rec, err := from.Read(seq)
	if errors.Is(err, journal.ErrNotFound) || errors.Is(err, journal.ErrRemoved) {
		return nil
	}
	if err != nil || record.IsVeiled(rec.Body) {
		return err
	}
	first, err := perceive.DecodeSignal(rec.Body)
	if err == nil && first.Text != sig.Text {
		err = ErrOtherMessage
	}
	return err
}

// Hear makes a signal a part of its session and does not answer it: the model that does so
// runs elsewhere. It returns the signal's record; for a dedupe key that was
// seen before, that of the first one. The error is [ErrOtherMessage] if that had another text.
func (s *Sessions) Hear(ctx context.Context, sig perceive.Signal) (seq uint64, err error) {
	if err := s.ledger.Usable(); err != nil {
		return 0, err
	}
	if err := s.ledger.KeepsUp(); err != nil {
		return 0, err
	}
	sig = s.recordable(sig)
	if fromUser(sig) {
		if err := s.ledger.Seed(ctx); err != nil {
			return 0, err
		}
	}
	if !fromUser(sig) && sig.Sensor != perceive.TextRead {
		return 0, ErrNotHeard
	}
	if err := record.Named("session, principal, source or key", sig.Session, sig.Principal, sig.Source,
		sig.Key); err != nil {
		return 0, err
	}
	s.j.Look(sexpr.Str(sig.Text))
	if err := s.History.Room(sig.Session, admission.BytesOfWords(sig.Text), s.Opt.Caps.SessionMemory); err != nil {
		return 0, err
	}
	err = s.ledger.Update(ctx, func(tx *journal.Tx) error {
		name := []byte(record.DedupeName(sig))
		if sig.Key != "" {
			raw, err := tx.Get(name)
			if err != nil {
				return err
			}
			if raw != nil {
				seq = record.AsNumber(raw)
				return repeats(tx, seq, sig)
			}
		}
		if seq, err = appendSignal(tx, sig); err == nil && sig.Key != "" {
			tx.Set(name, record.Number(seq))
		}
		return err
	})
	return seq, ledger.Plain(err)
}

// Thought records an exchange with a model that runs elsewhere. Its root is the signal that was heard with
// the key of sig, if there is one.
func (s *Sessions) Thought(ctx context.Context, sig perceive.Signal, x *model.Exchange) error {
	if s.Thoughts == nil {
		return nil
	}
	if err := s.ledger.Usable(); err != nil {
		return err
	}
	sig = s.recordable(sig)
	var root []byte
	if sig.Key != "" {
		var err error
		if root, err = s.j.Get([]byte(record.DedupeName(sig))); err != nil {
			return err
		}
	}
	turns, err := s.History.Turns(sig.Session, s.j.Last(), 0)
	if err != nil {
		return err
	}
	for _, t := range recent(turns, s.Opt.ContextBytes) {
		if t.Call != nil {
			s.Thoughts.Learn(sig.Session, t.Call.Tool, t.Call.Args, t.Call.Result, "")
		}
	}
	e := s.Thoughts.Think(sig.Session, record.AsNumber(root), x)
	return ledger.Plain(s.ledger.Update(ctx, func(tx *journal.Tx) error {
		return record.AppendAll(tx, sig.Session, []record.Entry{e})
	}))
}

// TextRead is the signal of a text that a model read in a session.
func TextRead(session, source, name, text string) perceive.Signal {
	return perceive.Signal{Sensor: perceive.TextRead, Source: source, Session: session, Text: text,
		Payload: sexpr.Plist("sensor", sexpr.Str(perceive.TextRead), "name", sexpr.Str(name))}
}
