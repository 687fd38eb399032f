package logs

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
)

// TicketKeys sign the right to go on with a log: 32 random bytes each. What a ticket is, and
// what it is signed over, is for the program that keeps the log.
type TicketKeys struct {
	Current  [ticketKey]byte
	Previous *[ticketKey]byte // still good; nil before the first rotation
}

// ticketKey is the size of a key, in bytes.
const ticketKey = 32

// MakeTicketKeys makes the first key, once for a record. The engine calls it as it opens a
// record, so that a key is durable before anything is signed, and reading one writes nothing.
func MakeTicketKeys(tx *journal.Tx) error {
	old, err := tx.Get(ticketKeysAt())
	if err != nil || old != nil {
		return err
	}
	next := newTicketKey()
	tx.Set(ticketKeysAt(), next[:])
	return nil
}

// NeedTicketKeys makes the first key, if the record has none: an engine that only looks has not.
func (l *Logs) NeedTicketKeys(ctx context.Context) error {
	if old, err := l.j.Get(ticketKeysAt()); err != nil || old != nil {
		return err
	}
	if err := l.usable(); err != nil {
		return err
	}
	return l.j.Finish(ctx, MakeTicketKeys)
}

// TicketKeys returns the keys of this record. It only reads.
func (l *Logs) TicketKeys() (TicketKeys, error) { return ticketKeysOf(l.j) }

// RotateTicketKeys draws a new current key and makes the old one the previous one. What the
// previous one had signed is good no more. The rotation goes on record, and the keys do not.
// by and via name the operator and the channel, for the record.
func (l *Logs) RotateTicketKeys(ctx context.Context, by, via string) error {
	if err := l.usable(); err != nil {
		return err
	}
	return l.j.Finish(ctx, func(tx *journal.Tx) error {
		old, err := ticketKeysOf(tx)
		if err != nil {
			return err
		}
		next := newTicketKey()
		tx.Set(ticketKeysAt(), append(next[:], old.Current[:]...))
		_, err = record.Append(tx, "", record.KeysRotated{By: by, Via: via})
		return err
	})
}

// ticketKeysOf reads the entry: the current key, then the previous one, if there is one.
func ticketKeysOf(r journal.Getter) (k TicketKeys, err error) {
	raw, err := r.Get(ticketKeysAt())
	switch {
	case err != nil:
		return k, err
	case raw == nil:
		return k, errors.New("this record has no keys for tickets; an engine makes them when it runs on it")
	case len(raw) == 2*ticketKey:
		k.Previous = (*[ticketKey]byte)(append([]byte(nil), raw[ticketKey:]...))
	case len(raw) != ticketKey:
		return k, fmt.Errorf("the entry of the keys for tickets has %d bytes: want %d or %d", len(raw), ticketKey,
			2*ticketKey)
	}
	copy(k.Current[:], raw)
	return k, nil
}

func ticketKeysAt() []byte { return record.TableSetting.Key(record.SettingTickets) }

func newTicketKey() (key [ticketKey]byte) {
	_, _ = rand.Read(key[:]) // never fails, see crypto/rand
	return key
}
