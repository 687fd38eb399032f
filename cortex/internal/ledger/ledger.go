package ledger

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/admission"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/clock"
	"github.com/opencortex-go/cortex/cortex/internal/history"
	"github.com/opencortex-go/cortex/cortex/internal/policy"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
)

// Options say how a ledger decides and what it lets through.
type Options struct {
	Live, Dry, Observe, Inspect bool // how effects happen
	Caps                        admission.Caps
	TTL                         time.Duration       // how long a card waits
	Classes                     map[string][]string // principals by approver class
	Env                         sexpr.Value         // what rules read as facts.env
	Seeds                       []Seed
	Lookup                      facts.Lookup
	Clock                       func() time.Time
	Logger                      *slog.Logger
}

// Ledger records decisions, approvals, intents and receipts, and checks each inside the
// journal's single writer.
type Ledger struct {
	Opt        Options
	J          *journal.Journal
	Ctx        context.Context // of the engine
	Clock      *clock.Clock
	History    *history.History
	Policies   *policy.Keeper
	Dispatcher *act.Dispatcher
	board      atomic.Pointer[board]
	seeds      []*source
	Epoch      uint64 // counts the runs of engines on this record
	Killed     atomic.Bool
	Closed     atomic.Bool
}

// Usable reports why the engine takes no more work, or nil.
func (l *Ledger) Usable() error {
	switch {
	case l.Closed.Load():
		return ErrClosed
	case l.Opt.Inspect:
		return errors.New("cortex: opened to inspect: nothing is decided or run")
	}
	return nil
}

// Writable says why nothing can be entered that neither decides nor acts, such as a run's event or
// a person's answer; nil if it can. An engine that was opened to inspect may enter it.
func (l *Ledger) Writable() error {
	if l.Closed.Load() {
		return ErrClosed
	}
	return nil
}

// Now is the time by the wall clock.
func (l *Ledger) Now() time.Time { return l.Opt.Clock() }

// Keys of the engine's own reasons for refusing everything.
const (
	KeyKill     = "kill-switch"
	KeyReadOnly = "read-only"
	KeyStale    = "stale"
	KeyBusy     = "busy"
	KeyCards    = "approval/limit"
)

// ErrKilled is returned while the kill switch is on.
var ErrKilled = errors.New("the kill switch is on: nothing is allowed")

// Halted returns why everything is denied, or nil.
func (l *Ledger) Halted() *skills.Reason {
	if l.Killed.Load() {
		return &skills.Reason{Key: KeyKill, Text: "an operator has stopped all actions"}
	}
	if err := l.J.Err(); err != nil {
		return &skills.Reason{Key: KeyReadOnly, Text: readOnlyText}
	}
	return nil
}

// KillSwitch turns the refusal of every action on or off. Every embedder may turn it on;
// only an operator may turn it off.
func (l *Ledger) KillSwitch(ctx context.Context, on bool, who approval.Approver) error {
	if !on && !l.Belongs(who, skills.DefaultClass) {
		return fmt.Errorf("the kill switch is turned off by an operator: %w", approval.ErrNotApprover)
	}
	if on {
		l.Killed.Store(true) // before the write: a stop takes effect even if it cannot be recorded
	}
	err := l.J.Finish(ctx, func(tx *journal.Tx) error {
		if on {
			tx.Set(record.TableSetting.Key(record.SettingKill), []byte{1})
		} else {
			tx.Delete(record.TableSetting.Key(record.SettingKill))
		}
		_, err := record.Append(tx, "", record.Kill{On: on, By: who.Name, Via: who.Via})
		return err
	})
	if err == nil {
		l.Killed.Store(on)
	}
	return err
}

// ErrClosed is returned by an engine that has been closed.
var ErrClosed = errors.New("cortex: engine is closed")
