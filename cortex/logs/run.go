package logs

import (
	"context"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
)

// Wake has the engine go on with the log's run, once this append is durable. The first time it
// makes the root signal of the run, in the name of [Write.By] with these roles. An append
// whose events are known wakes nothing.
func (t *Tx) Wake(roles ...string) { t.wakes, t.roles = true, roles }

// try is one try at a step of the log's run.
type try struct{ step, name string }

// Leave says that a try at a step of the run is left as it is: the card that it waits for is
// withdrawn. If a person has approved it and the engine has begun, the append fails with an
// [approval.StateError].
func (t *Tx) Leave(step, name string) { t.leaves = append(t.leaves, try{step, name}) }

// wake writes that the run is due, and that it has advanced.
func (t *Tx) wake() (err error) {
	if !t.wakes {
		if t.next.Root == 0 {
			return nil
		}
		return record.Advanced(t.tx, t.next.Root)
	}
	if t.next.Root, err = rootOf(t.tx, &t.head, t.write.By, t.roles); err != nil {
		return err
	}
	return record.Wake(t.tx, t.next.Root)
}

// leave withdraws the cards of the tries that are left as they are.
func (t *Tx) leave() error {
	for _, x := range t.leaves {
		tried, err := record.TriedAt(t.tx, record.Step{Root: t.head.Root, ID: x.step, Try: x.name})
		if err != nil {
			return err
		}
		if tried.Approval == "" {
			continue
		}
		a, err := approval.Load(t.tx, tried.Approval)
		if err != nil {
			return err
		}
		switch {
		case a.Owner() != t.head.Root: // another's, which goes on
		case a.State == approval.Pending, a.State == approval.Approved:
			if a.By == "" {
				a.By = t.write.By
			}
			if err := approval.Move(t.tx, a, approval.Withdrawn); err != nil {
				return err
			}
		case a.State == approval.Consumed:
			return fmt.Errorf("step %s, try %s: %w", x.step, x.name, &approval.StateError{Token: a.Token, State: a.State})
		}
	}
	return nil
}

// rootOf returns the root signal of a log's run, and records one if there is none.
func rootOf(tx *journal.Tx, h *Head, by string, roles []string) (uint64, error) {
	if h.Root != 0 {
		_, err := tx.Read(h.Root)
		return h.Root, err
	}
	rec, err := record.Append(tx, h.Log, record.Signal{Signal: perceive.Signal{Type: perceive.Event, Sensor: perceive.Run,
		Source: perceive.Run, Session: h.Log, Principal: by, Roles: roles,
		Payload: sexpr.Plist("sensor", sexpr.Str(perceive.Run), "log", sexpr.Str(h.Log))}})
	return rec.Seq, err
}

// Wake has the engine go on with the run of a log, as [Tx.Wake] does, without an append. by and
// roles are those of the root signal, if the log has none yet.
func (l *Logs) Wake(ctx context.Context, log, by string, roles ...string) error {
	if err := l.usable(); err != nil {
		return err
	}
	err := l.update(ctx, func(tx *journal.Tx) error {
		h, err := headOf(tx, log)
		if err != nil {
			return err
		}
		if h.Next == 0 || h.deleted {
			return ErrNoLog
		}
		root, err := rootOf(tx, &h, by, roles)
		if err != nil {
			return err
		}
		if h.Root != root {
			h.Root = root
			err = h.set(tx)
		}
		return errors.Join(err, record.Wake(tx, root))
	})
	if err != nil {
		return fmt.Errorf("log %s: %w", log, err)
	}
	return nil
}

// OfRoot returns the log whose run has a root signal. The error is [ErrNoLog] if there is none.
func OfRoot(r record.Reader, log string, root uint64) (Head, error) {
	h, err := headOf(r, log)
	if err == nil && (h.Root != root || h.deleted) {
		err = ErrNoLog
	}
	return h, err
}
