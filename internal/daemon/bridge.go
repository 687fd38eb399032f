package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/gateways"
	"github.com/opencortex-go/cortex/gateways/card"
	"github.com/opencortex-go/cortex/skills/facts/secrets"
)

// patience is how long a gateway pauses after its service has rejected us, such as
// for a revoked token. The daemon and the other gateways continue.
const patience = time.Minute

// bridge is what connects messengers with the engine. A nil bridge has none.
type bridge struct {
	*gateways.Bridge
	log      *slog.Logger
	gateways []gateways.Gateway
	listener net.Listener // of the webhook; nil without
	hook     http.Handler
}

// openBridge prepares the configured gateways, without connecting to a service.
func openBridge(c *Config, engine *cortex.Engine, log *slog.Logger) (*bridge, error) {
	opt, bot, err := c.messengers(log)
	if err != nil || len(opt.Gateways) == 0 {
		return nil, err
	}
	opt.Engine, opt.Logger, opt.Patience, opt.Card = engine, log, patience, card.Options{Mask: secrets.NewMask()}
	d := &bridge{log: log, gateways: opt.Gateways}
	if d.Bridge, err = gateways.New(opt); err != nil {
		return nil, err
	}
	if bot != nil {
		if d.listener, err = net.Listen("tcp", c.Telegram.Webhook.Listen); err != nil {
			return nil, fmt.Errorf("telegram.webhook.listen: %w", err)
		}
		d.hook = bot.Webhook()
	}
	return d, nil
}

// names are the gateways' names, in order.
func (d *bridge) names() (list []string) {
	if d == nil {
		return nil
	}
	for _, g := range d.gateways {
		list = append(list, g.Name())
	}
	return list
}

// trouble returns the gateways' current errors, by name.
func (d *bridge) trouble() map[string]error {
	if d == nil {
		return nil
	}
	return d.Trouble()
}

// run serves messengers until ctx ends. Their errors never stop the daemon: cards
// wait, and can be answered in other ways.
func (d *bridge) run(ctx context.Context) {
	if d == nil {
		return
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	if d.listener != nil {
		wg.Go(func() { d.listen(ctx) })
	}
	for ctx.Err() == nil {
		if err := d.Run(ctx); err != nil {
			d.log.Error("messengers are not served and are tried again after a rest", "rest", patience, "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(patience):
		}
	}
}

// listen serves Telegram's webhook until ctx ends, as plain HTTP behind a TLS
// proxy.
func (d *bridge) listen(ctx context.Context) {
	s := &http.Server{Handler: d.hook, ReadTimeout: 10 * time.Second, WriteTimeout: time.Minute,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(d.log.Handler(), slog.LevelWarn)}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() }) // Telegram sends unanswered updates again
	defer stop()
	if err := s.Serve(d.listener); !errors.Is(err, http.ErrServerClosed) {
		d.log.Error("the webhook is not served any more", "error", err)
	}
}

// close closes the webhook's listener, if it was never served.
func (d *bridge) close() {
	if d != nil && d.listener != nil {
		_ = d.listener.Close() // the server may have closed it
	}
}
