package daemon

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
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

// ofHosts are the settings and transcripts of the user's coding agents, and the folders of
// Cortex itself. What stands there decides whether a hook is asked at all, whose words a
// transcript holds, which settings the next daemon has, and which definitions of tools the
// proxy takes for known.
func ofHosts() (places []string) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	if config, err := os.UserConfigDir(); err == nil {
		places = append(places, filepath.Join(config, "cortex"))
	}
	places = append(places, filepath.Join(cmp.Or(os.Getenv("XDG_STATE_HOME"), filepath.Join(home, ".local", "state")),
		"cortex"))
	for _, name := range []string{
		".claude/settings.json", ".claude/settings.local.json", ".claude/hooks", ".claude/projects", ".claude.json",
		".codex/config.toml", ".codex/hooks.json", ".codex/sessions", ".codex/rules",
		".gemini/settings.json", ".gemini/policies", ".gemini/tmp", ".cursor/hooks.json", ".copilot",
	} {
		places = append(places, filepath.Join(home, name))
	}
	return places
}
