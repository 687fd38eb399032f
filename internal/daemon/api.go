package daemon

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/adapters/api"
	"github.com/opencortex-go/cortex/internal/fair"
	"github.com/opencortex-go/cortex/internal/socket"
)

// listenAPI opens the socket, and the port if there is one, for programs that speak JSON. They share the pool with the
// clients of the other sockets.
func (d *daemon) listenAPI(pool *fair.Pool) (*api.Server, error) {
	opt := api.Options{Engine: d.engine, Socket: socket.API(d.cfg.Socket), Addr: d.cfg.API.Addr, Agent: d.cfg.Agent,
		Version: d.opt.Version, Grace: time.Duration(d.cfg.Grace), Logger: d.log, Metrics: d.told.handler(), Pool: pool}
	if opt.Addr != "" {
		token, err := os.ReadFile(d.cfg.API.TokenFile)
		if err != nil {
			return nil, fmt.Errorf("api.token_file: %w", err)
		}
		opt.Token = strings.TrimSpace(string(token))
	}
	return api.Listen(opt)
}
