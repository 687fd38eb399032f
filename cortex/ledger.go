package cortex

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
)

// ledgerOptions say how a ledger decides and what it lets through.
type ledgerOptions struct {
	Live, Dry, Observe, Inspect bool // how effects happen
	Caps                        Caps
	TTL                         time.Duration       // how long a card waits
	Classes                     map[string][]string // principals by approver class
	Env                         sexpr.Value         // what rules read as facts.env
	Lookup                      facts.Lookup
	Clock                       func() time.Time
	Logger                      *slog.Logger
}

// mainLedger is the one way in which decisions, approvals, intents and receipts come on
// record: each is checked inside the journal's single writer.
type mainLedger struct {
	opt        ledgerOptions
	j          *journal.Journal
	ctx        context.Context // of the engine
	clock      *clock
	history    *history
	policies   *policyKeeper
	dispatcher *act.Dispatcher
	board      atomic.Pointer[board]
	epoch      uint64 // counts the runs of engines on this record
	killed     atomic.Bool
	closed     atomic.Bool
}

// usable reports why the engine takes no more work, or nil.
func (l *mainLedger) usable() error {
	switch {
	case l.closed.Load():
		return ErrClosed
	case l.opt.Inspect:
		return errors.New("cortex: opened to inspect: nothing is decided or run")
	}
	return nil
}

func (l *mainLedger) now() time.Time { return l.opt.Clock() }

// Keys of the engine's own reasons for refusing everything.
const (
	keyKill     = "kill-switch"
	keyReadOnly = "read-only"
	keyUnknown  = "tool/unknown"
	keyStale    = "stale"
	keyBusy     = "busy"
	keyCards    = "approval/limit"
)

// ErrKilled is returned while the kill switch is on.
var ErrKilled = errors.New("the kill switch is on: nothing is allowed")

// halted returns why everything is denied, or nil.
func (l *mainLedger) halted() *skills.Reason {
	if l.killed.Load() {
		return &skills.Reason{Key: keyKill, Text: "an operator has stopped all actions"}
	}
	if err := l.j.Err(); err != nil {
		return &skills.Reason{Key: keyReadOnly, Text: readOnlyText}
	}
	return nil
}

// KillSwitch turns the refusal of everything on or off. Turning it on is open
// to every embedder; turning it off takes an operator.
func (l *mainLedger) KillSwitch(ctx context.Context, on bool, who Approver) error {
	if !on && !l.belongs(who, skills.DefaultClass) {
		return fmt.Errorf("the kill switch is turned off by an operator: %w", ErrNotApprover)
	}
	if on {
		l.killed.Store(true) // before the write: a stop takes effect even if it cannot be recorded
	}
	err := l.j.Finish(ctx, func(tx *journal.Tx) error {
		if on {
			tx.Set(key(tableSetting, "kill"), []byte{1})
		} else {
			tx.Delete(key(tableSetting, "kill"))
		}
		_, err := tx.Append(kindKill,
			"", sexpr.Plist("on", sexpr.Bool(on), "by", sexpr.Str(who.Name), "via", sexpr.Str(who.Via)))
		return err
	})
	if err == nil {
		l.killed.Store(on)
	}
	return err
}

// ErrClosed is returned by an engine that has been closed.
var ErrClosed = errors.New("cortex: engine is closed")
