package daemon

import (
	"context"
	"time"

	"github.com/opencortex-go/cortex/reason/lint"
)

// findings are what lint found in the rules in force.
type findings struct{ list []lint.Finding }

// maxLogged bounds the findings that the log names; it counts all.
const maxLogged = 20

// maxLint is how long the daemon lets lint look at rules.
const maxLint = 5 * time.Second

// lint looks for mistakes in the rules in force. Each is a warning: the rules hold as
// they are, also if lint fails or takes too long.
func (d *daemon) lint(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, maxLint)
	defer cancel()
	list, err := lint.Within(ctx, d.engine.Rules().Book())
	if err != nil {
		d.log.Warn("lint has not looked at all rules, which hold all the same", "error", err)
	}
	d.found.Store(&findings{list})
	for i, f := range list {
		if i == maxLogged {
			d.log.Warn("lint finds more; cortex rules lint shows all", "findings", len(list))
			return
		}
		d.log.Warn("a rule may not mean what it says", "finding", f.String(), "witness", f.Witness, "answer", f.Answer)
	}
}

// findings are what lint found, for clients.
func (d *daemon) findings() []lint.Finding {
	if found := d.found.Load(); found != nil {
		return found.list
	}
	return nil
}
