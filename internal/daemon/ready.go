package daemon

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/internal/socket"
)

// Ready is the daemon's ready message.
type Ready struct {
	PID       int           `json:"pid"`
	Dir       string        `json:"dir"`
	Socket    string        `json:"socket"`
	Approvals string        `json:"approvals"`
	Nrepl     string        `json:"nrepl,omitempty"`
	API       string        `json:"api"`
	Live      bool          `json:"live"`
	Observe   bool          `json:"observe"`
	Killed    bool          `json:"killed"` // the kill switch is on
	Guard     string        `json:"guard"`  // "on", which one, or why it is off
	Empty     bool          `json:"empty"`  // no rules: everything is denied
	Skills    int           `json:"skills"`
	Tools     int           `json:"tools"`
	Providers []string      `json:"providers"`
	Gateways  []string      `json:"gateways,omitempty"`
	Pending   int           `json:"pending"`
	Doubts    int           `json:"doubts"`
	Record    uint64        `json:"record"` // the newest
	Policy    string        `json:"policy"`
	Took      time.Duration `json:"took_ns"`
}

// ready collects what the ready line says.
func (d *daemon) ready(ctx context.Context) (Ready, error) {
	s, err := d.engine.Status(ctx)
	if err != nil {
		return Ready{}, err
	}
	r := Ready{
		PID: os.Getpid(), Dir: d.cfg.Dir, Socket: d.cfg.Socket, Approvals: socket.Approvals(d.cfg.Socket),
		Nrepl: d.cfg.Nrepl.Socket, API: socket.API(d.cfg.Socket), Guard: d.cfg.GuardState(),
		Empty: d.engine.Rules().Book().Empty(),
		Live:  s.Live, Observe: s.Observe, Killed: s.Killed, Skills: s.Skills, Tools: s.Tools, Providers: []string{},
		Pending: s.Pending, Doubts: s.Doubts, Record: s.Last, Policy: s.Policy.String(),
	}
	r.Gateways = d.bridge.names()
	for _, p := range d.models {
		r.Providers = append(r.Providers, p.Name())
	}
	return r, nil
}

// String is the ready line, for people.
func (r Ready) String() string {
	models := "no models"
	if len(r.Providers) > 0 {
		models = "models " + strings.Join(r.Providers, " ")
	}
	line := fmt.Sprintf("ready: pid %d, %s, guard %s, %d skills, %d tools, %s, %d pending, %d in doubt, record %d, "+
		"in %s; socket %s, approvals %s", r.PID, r.mode(), r.Guard, r.Skills, r.Tools, models, r.Pending, r.Doubts,
		r.Record, r.Took.Round(time.Millisecond), r.Socket, r.Approvals)
	if r.Nrepl != "" {
		line += ", nrepl " + r.Nrepl
	}
	return line
}

// mode says what becomes of what is allowed, so that nobody takes one for another.
func (r Ready) mode() string {
	text := Mode(r.Live, r.Observe)
	if text == "dry" {
		text = "dry (nothing is run; --live acts)"
	}
	if r.Killed {
		text += ", KILL SWITCH ON"
	}
	if r.Empty {
		text += ", no rules (everything is denied)"
	}
	return text
}

// Mode names how the daemon treats allowed actions.
func Mode(live, observe bool) string {
	switch {
	case live:
		return "live"
	case observe:
		return "observing"
	}
	return "dry"
}
