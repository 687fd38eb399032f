package daemon

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	systemd "github.com/coreos/go-systemd/v22/daemon"
)

// supervisor is the one who started the daemon and waits for word from it: systemd,
// over NOTIFY_SOCKET, or nobody.
type supervisor struct {
	log  *slog.Logger
	said string // the last STATUS
}

// tell sends one message. Nobody need be there to hear it.
func (s *supervisor) tell(state string) {
	if _, err := systemd.SdNotify(false, state); err != nil {
		s.log.Warn("systemd could not be told", "state", state, "error", err)
	}
}

// ready says that clients are served, also after a reload.
func (s *supervisor) ready(status string) {
	s.said = status
	s.tell(systemd.SdNotifyReady + "\nSTATUS=" + status)
}

// reloading says that a reload has begun. The time is what tells systemd that
// this is the answer to its own signal.
func (s *supervisor) reloading() {
	s.tell(systemd.SdNotifyReloading + "\n" + systemd.SdNotifyMonotonicUsec())
}

// stopping says that no more work is taken, and for how long the rest may take.
func (s *supervisor) stopping(grace time.Duration) {
	s.tell(systemd.SdNotifyStopping + "\nSTATUS=finishing what is being answered\nEXTEND_TIMEOUT_USEC=" +
		strconv.FormatInt((grace+10*time.Second).Microseconds(), 10))
}

// status says how the daemon stands, if that has changed.
func (s *supervisor) status(status string) {
	if status != s.said {
		s.said = status
		s.tell("STATUS=" + status)
	}
}

// alive says that the daemon does its work.
func (s *supervisor) alive() { s.tell(systemd.SdNotifyWatchdog) }

// patience is how often the supervisor wants to hear that the daemon is alive; 0
// if it does not.
func (s *supervisor) patience() time.Duration {
	d, err := systemd.SdWatchdogEnabled(false)
	if err != nil {
		s.log.Warn("systemd's watchdog cannot be read", "error", err)
	}
	return d
}

// attend tells the supervisor how the daemon stands until ctx ends. It says that
// the daemon is alive only after a round trip through what makes decisions: a
// daemon whose single writer hangs falls silent, and is started anew.
func (d *daemon) attend(ctx context.Context) {
	every := statusEvery
	patience := d.boss.patience()
	if patience > 0 {
		every = min(every, patience/2)
	}
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		status, answered := d.pulse(ctx, every)
		if !answered {
			d.log.Error("the engine does not answer", "within", every)
			continue
		}
		d.mu.Lock()
		d.boss.status(status)
		d.mu.Unlock()
		if patience > 0 {
			d.boss.alive()
		}
	}
}

const statusEvery = 10 * time.Second

// pulse goes once through the record's writer and reads how the engine stands. A
// record that can no longer be written is an answer: the daemon then denies
// everything and says why, which a restart would not mend.
func (d *daemon) pulse(ctx context.Context, within time.Duration) (status string, answered bool) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	if d.engine.Operations().Answers(ctx) != nil {
		return "", false
	}
	return d.status(ctx), true
}
