package daemon

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	systemd "github.com/coreos/go-systemd/v22/daemon"
)

// supervisor is the service manager that waits for the daemon's notifications:
// systemd, over NOTIFY_SOCKET, or none.
type supervisor struct {
	log  *slog.Logger
	said string // the last STATUS
}

// tell sends one message, if there is a supervisor.
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

// reloading says that a reload has begun. The time shows systemd that this answers
// its own signal.
func (s *supervisor) reloading() {
	s.tell(systemd.SdNotifyReloading + "\n" + systemd.SdNotifyMonotonicUsec())
}

// stopping says that the daemon admits no more work, and how long the rest may take.
func (s *supervisor) stopping(grace time.Duration) {
	s.tell(systemd.SdNotifyStopping + "\nSTATUS=finishing what is being answered\nEXTEND_TIMEOUT_USEC=" +
		strconv.FormatInt((grace+10*time.Second).Microseconds(), 10))
}

// status sends the daemon's status, if it has changed.
func (s *supervisor) status(status string) {
	if status != s.said {
		s.said = status
		s.tell("STATUS=" + status)
	}
}

// alive feeds the watchdog.
func (s *supervisor) alive() { s.tell(systemd.SdNotifyWatchdog) }

// patience is the watchdog's interval; 0 if there is none.
func (s *supervisor) patience() time.Duration {
	d, err := systemd.SdWatchdogEnabled(false)
	if err != nil {
		s.log.Warn("systemd's watchdog cannot be read", "error", err)
	}
	return d
}

// attend sends the daemon's status to the supervisor until ctx ends. It feeds the
// watchdog only after a round trip through the record's writer: a daemon whose writer
// hangs falls silent, and systemd restarts it.
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

// pulse makes one round trip through the record's writer and reads the engine's
// status. A read-only record counts as an answer: the daemon then denies everything
// and says why, which a restart would not fix.
func (d *daemon) pulse(ctx context.Context, within time.Duration) (status string, answered bool) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	if d.engine.Operations().Answers(ctx) != nil {
		return "", false
	}
	return d.status(ctx), true
}
