package session

import (
	"context"
	"errors"

	"github.com/opencortex-go/cortex/cortex/admission"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
)

// ErrNotHeard says that a signal is neither a person's message nor a text that was read.
var ErrNotHeard = errors.New("only a person's message and a text that a model read are heard; Submit takes others")

// Hear makes a signal a part of its session and does not answer it: the model that does so
// runs elsewhere. It returns the signal's record; for a dedupe key that was
// seen before, that of the first one.
func (s *Sessions) Hear(ctx context.Context, sig perceive.Signal) (seq uint64, err error) {
	if err := s.ledger.Usable(); err != nil {
		return 0, err
	}
	if err := s.ledger.KeepsUp(); err != nil {
		return 0, err
	}
	sig = WithSignalDefaults(sig)
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
	if err := s.History.Room(sig.Session, admission.BytesOfWords(sig.Text), s.Opt.Caps.SessionMemory); err != nil {
		return 0, err
	}
	err = s.ledger.Update(ctx, func(tx *journal.Tx) error {
		name := []byte(record.DedupeName(sig))
		if sig.Key != "" {
			raw, err := tx.Get(name)
			if err != nil || raw != nil {
				seq = record.AsNumber(raw)
				return err
			}
		}
		if seq, err = appendSignal(tx, sig); err == nil && sig.Key != "" {
			tx.Set(name, record.Number(seq))
		}
		return err
	})
	return seq, ledger.Plain(err)
}

// TextRead is the signal of a text that a model read in a session.
func TextRead(session, source, name, text string) perceive.Signal {
	return perceive.Signal{Sensor: perceive.TextRead, Source: source, Session: session, Text: text,
		Payload: sexpr.Plist("sensor", sexpr.Str(perceive.TextRead), "name", sexpr.Str(name))}
}
