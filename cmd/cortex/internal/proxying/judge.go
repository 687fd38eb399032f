package proxying

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"

	"github.com/opencortex-go/cortex/adapters/api/client"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
	"github.com/opencortex-go/cortex/internal/daemon"
	"github.com/opencortex-go/cortex/internal/socket"
)

// judge is the daemon, or one in this process; done ends what was begun.
func (c *Command) judge(ctx context.Context, con *console.Console) (j *client.Client, done func() error, err error) {
	if c.Standalone {
		return c.alone(ctx, con)
	}
	at := socket.API(opening.RecordFlag{Socket: c.Socket}.Address())
	if nc, err := net.Dial("unix", at); err != nil {
		return nil, nil, &opening.NoDaemon{Socket: at}
	} else if err := nc.Close(); err != nil {
		return nil, nil, err
	}
	judge := client.New(at)
	return judge, func() error { judge.Close(); return nil }, nil
}

// alone starts a daemon in this process, which ends with it.
func (c *Command) alone(ctx context.Context, con *console.Console) (*client.Client, func() error, error) {
	if len(c.Rules) == 0 {
		return nil, nil, errors.New("--standalone judges by rules: name them with --rules")
	}
	temp, err := os.MkdirTemp("", "cortex-mcp-")
	if err != nil {
		return nil, nil, err
	}
	cfg := daemon.Config{Dir: c.Dir, Socket: filepath.Join(temp, "cortex.sock"), Live: true, NoGuard: c.NoGuard}
	if cfg.Dir == "" {
		cfg.Dir = filepath.Join(temp, "record")
	}
	for _, r := range c.Rules {
		if r, err = filepath.Abs(r); err != nil {
			return nil, nil, err
		}
		cfg.Rules = append(cfg.Rules, r)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx)) // it outlives the proxy's last words
	ready, over := make(chan daemon.Ready, 1), make(chan error, 1)
	go func() {
		opt := daemon.Options{Config: cfg, Version: opening.Version(), Logger: slog.New(slog.DiscardHandler)}
		over <- daemon.Run(ctx, opt, func(r daemon.Ready) error { ready <- r; return nil })
	}()
	done := func() error { stop(); return errors.Join(<-over, os.RemoveAll(temp)) }
	select {
	case r := <-ready:
		judge := client.New(r.API)
		return judge, func() error { judge.Close(); return done() }, nil
	case err := <-over:
		stop()
		return nil, nil, errors.Join(opening.Faults(con, err), os.RemoveAll(temp))
	}
}
