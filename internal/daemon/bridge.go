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

// patience is how long a gateway rests whose service will not have us, such as
// for a token that was revoked. The daemon and the other gateways go on.
const patience = time.Minute

// bridge is what connects messengers with the engine. A nil bridge has none.
type bridge struct {
	*gateways.Bridge
	log      *slog.Logger
	gateways []gateways.Gateway
	listener net.Listener // of the webhook; nil without
	hook     http.Handler
}

// openBridge prepares what the configuration names, and speaks to no service yet.
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

// names are the gateways', in their order.
func (d *bridge) names() (list []string) {
	if d == nil {
		return nil
	}
	for _, g := range d.gateways {
		list = append(list, g.Name())
	}
	return list
}

// trouble is what is wrong with gateways at the moment, by name.
func (d *bridge) trouble() map[string]error {
	if d == nil {
		return nil
	}
	return d.Trouble()
}

// run serves messengers until ctx ends. What goes wrong with them never stops the
// daemon: cards wait, and the other ways to answer them stay.
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

// listen takes what Telegram brings, until ctx ends. TLS is done by what stands
// before it.
func (d *bridge) listen(ctx context.Context) {
	s := &http.Server{Handler: d.hook, ReadTimeout: 10 * time.Second, WriteTimeout: time.Minute,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(d.log.Handler(), slog.LevelWarn)}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() }) // what was not answered comes again
	defer stop()
	if err := s.Serve(d.listener); !errors.Is(err, http.ErrServerClosed) {
		d.log.Error("the webhook is not served any more", "error", err)
	}
}

// close lets the webhook's address go, if nothing was served on it.
func (d *bridge) close() {
	if d != nil && d.listener != nil {
		_ = d.listener.Close() // the server may have closed it
	}
}
