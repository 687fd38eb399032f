package gateways

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
)

// suspend ignores a person's update and records the reason, once for each reason.
// Every gateway notifies its approvers from this record, with its cursor, so that
// the notification survives a crash.
func (d *Bridge) suspend(ctx context.Context, g Gateway, u Update, who Account, read cortex.Cursor) error {
	sig := d.signal(g, u, who, perceive.AccountSuspended)
	sig.Session = aside(g)
	sig.Key = "suspended " + u.User + " " + u.Suspended
	sig.Payload = sexpr.Plist("sensor", sexpr.Key(perceive.AccountSuspended), "why", sexpr.Str(u.Suspended))
	a, err := d.opt.Engine.Hosts().Cursors().Accept(ctx, sig, read)
	if err != nil {
		return err
	}
	d.opt.Logger.Error("suspended: nothing that this account does counts", "gateway", g.Name(), "user", u.User,
		"principal", who.Principal, "why", u.Suspended)
	if a.Repeat {
		return nil
	}
	_, err = a.Answer(ctx)
	return err
}

// suspends reports whether a record is of such a signal. Only a bridge makes them:
// messages from outside may not use this sensor.
func suspends(rec cortex.Record) bool {
	return rec.Kind == record.KindSignal && rec.Body.GetText("sensor") == perceive.AccountSuspended
}

// warn tells the approvers on one gateway that an account is suspended, from its
// record. It skips a chat with a [Permanent] error; any other error makes the caller
// notify all of them again.
func (d *Bridge) warn(ctx context.Context, g Gateway, rec cortex.Record) error {
	sig, err := perceive.DecodeSignal(rec.Body)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s on %s is suspended: %s. What they write or press does not count until an operator has "+
		"looked into it.",
		sig.Principal, sig.Source, sig.Payload.GetText("why"))
	var told []string
	for _, x := range d.opt.Accounts {
		if x.Gateway != g.Name() || x.Principal == sig.Principal || len(x.Classes) == 0 || slices.Contains(told, x.Chat) {
			continue
		}
		told = append(told, x.Chat)
		err := g.Say(ctx, x.Chat, text)
		var permanent *Permanent
		if errors.As(err, &permanent) {
			d.opt.Logger.Error("could not tell of a suspended account", "gateway", g.Name(), "chat", x.Chat, "error", err)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}
