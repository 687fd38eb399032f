package daemon

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/opencortex-go/cortex/gateways/repl"
)

// hangups reloads at each SIGHUP, until ctx ends.
func (d *daemon) hangups(ctx context.Context) {
	for {
		select {
		case <-d.opt.Hangup:
			d.reopen()
			_ = d.reload(ctx, "SIGHUP") // an error is in the log, systemd's status and (status)
		case <-ctx.Done():
			return
		}
	}
}

// reloadForClient reloads and returns all errors to a client, with their places in
// the rule files.
func (d *daemon) reloadForClient(ctx context.Context) error {
	if err := d.reload(ctx, "a client asks"); err != nil {
		return &repl.Error{Code: repl.CodeFailed, Err: err}
	}
	return nil
}

// reload loads the current rule files. After an error the old rules stay in force
// (row 102). It loads the workflows, which are no part of the rules, whether or not there was
// one. It also reads the configuration, to report its errors and the settings
// that wait for the next start.
func (d *daemon) reload(ctx context.Context, why string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.boss.reloading()
	d.sayWorkflows(d.flows.Reload()) // first: what says that a reload is over says it of all
	before := d.engine.Rules().Policy().Hash()
	err := d.engine.Operations().Reload(ctx)
	after := d.engine.Rules().Policy().Hash()
	switch {
	case err != nil:
		d.log.Error("reload failed; the rules that were in force stay", "why", why, "error", err, "policy", before)
	case before == after:
		d.log.Info("reloaded: the rules are the same", "why", why, "policy", after)
	default:
		d.unanswered()
		d.lint(ctx)
		d.log.Info("reloaded", "why", why, "policy", after, "was", before,
			"skills", len(d.engine.Rules().Policy().Skills("")))
	}
	err = errors.Join(err, d.compare())
	d.boss.ready(d.status(ctx))
	return err
}

// compare reads the configuration again and lists the differences from the one in
// force.
func (d *daemon) compare() error {
	if d.opt.Again == nil {
		return nil
	}
	now, err := d.opt.Again()
	if err == nil {
		err = now.Check()
	}
	if err != nil {
		d.log.Error("the configuration is wrong; the daemon goes on as it is and would not start again", "error", err)
		return fmt.Errorf("configuration: %w", err)
	}
	if changed := d.cfg.differ(now.inForce()); len(changed) > 0 {
		d.log.Warn("settings have changed; they hold from the next start", "settings", strings.Join(changed, " "))
	}
	return nil
}

// differ names the settings in which two configurations differ, by table.
func (c Config) differ(o Config) (names []string) {
	a, b := reflect.ValueOf(c), reflect.ValueOf(o)
	for i := range a.NumField() {
		name := setting(a.Type().Field(i))
		if name != "" && !reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
			names = append(names, name)
		}
	}
	return names
}
