package checkup

import (
	"errors"
	"os"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
	"github.com/opencortex-go/cortex/gateways/client"
	"github.com/opencortex-go/cortex/internal/daemon"
	"github.com/opencortex-go/cortex/internal/socket"
)

// daemon asks a daemon how it is, if one is there.
func (x *examination) daemon(p *patient, c *Doctor) {
	socket := c.Address()
	if c.Socket == "" && c.Dir != "" {
		if of, err := daemon.SocketOf(c.Dir); err == nil {
			socket = of
		}
	}
	d, err := opening.Dial(p.ctx, socket)
	var gone *opening.NoDaemon
	switch {
	case errors.As(err, &gone):
		x.warn("daemon", "cortex serve starts one", "none serves %s", socket)
		return
	case err != nil:
		x.bad("daemon", "", "%s: %v", socket, err)
		return
	}
	defer func() { _ = d.Close() }()
	x.socket(socket)
	if v := d.Handshake().Version; v != opening.Version() {
		x.warn("daemon", "start it again", "it is %s, and this program is %s", v, opening.Version())
	}
	h, err := d.Health(p.ctx)
	switch {
	case err != nil:
		x.bad("daemon", "", "%v", err)
	case h.Status != "healthy":
		x.bad("daemon", "", "%s: %s", h.Status, h.Text)
	case h.Killed:
		x.warn("daemon", "(kill-switch nil) in cortex repl", "the kill switch is on: every action is denied")
	default:
		x.ok("daemon", "%s, %s; %d approvals wait", h.Status, daemon.Mode(h.Live, false), h.Pending)
	}
	x.asked(p, d, c.Dir)
}

// guard tells whether the rules against injected instructions are loaded.
func (x *examination) guard(of, state string) {
	if strings.HasPrefix(state, "on ") {
		x.ok("guard", "%s: %s", of, state)
	} else if state != "" {
		x.warn("guard", "leave out --no-guard and guard = false", "%s: %s", of, state)
	}
}

// asked asks a daemon whether it has the guard, what it found when it checked its record
// in the background, and what failed.
func (x *examination) asked(p *patient, d *client.Conn, dir string) {
	s, err := d.Status(p.ctx)
	x.guard("the daemon", s.Guard)
	x.failed(s.Failed)
	_, listed := d.Capability(p.ctx, "list", []byte("{}"))
	x.capabilities(listed)
	if dir == "" {
		dir = "DIR"
	}
	switch {
	case err != nil:
		x.bad("check", "", "%v", err)
	case s.Damage != "":
		x.bad("check", "stop the daemon, then cortex fsck --dir "+dir, "%s", s.Damage)
	case s.Checked > 0:
		x.ok("check", "the daemon found its record as it was written up to %d", s.Checked)
	default:
		x.ok("check", "the daemon has not begun to check its record")
	}
	if !s.Compared.IsZero() {
		x.ok("places", "log and tables were last compared %s", s.Compared.UTC().Format(time.DateTime))
	} else {
		x.ok("places", "the daemon has not compared log and tables yet")
	}
}

// socket looks at who may connect.
func (x *examination) socket(path string) {
	for _, path := range []string{path, socket.Approvals(path)} {
		info, err := os.Stat(path)
		if err != nil {
			x.bad("socket", "", "%v", err)
			continue
		}
		if info.Mode().Perm()&0o007 != 0 {
			x.bad("socket", "chmod 600 "+path, "everybody may connect to %s (%s)", path, info.Mode().Perm())
			continue
		}
		x.ok("socket", "%s (%s)", path, info.Mode().Perm())
	}
}
