package main

import (
	"cmp"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
	"github.com/opencortex-go/cortex/internal/daemon"
	"github.com/opencortex-go/cortex/internal/loglimit"
)

// serveCmd runs the daemon. Flags win over the configuration.
type serveCmd struct {
	Dir         string       `name:"dir" placeholder:"FOLDER" help:"The folder of the record."`
	Rules       []string     `name:"rules" sep:"none" placeholder:"PATH" help:"A rule file, or a folder of them; may be repeated."`
	Workflows   []string     `name:"workflows" sep:"none" placeholder:"DIR" help:"A folder of workflows that agents may start, beside those that ship; may be repeated."`
	Plugins     string       `name:"plugins" placeholder:"FILE" help:"The lock file of skills that run as processes of their own: see cortex plugins."`
	Socket      string       `name:"socket" placeholder:"PATH" help:"Where clients connect; by default $CORTEX_SOCKET, else cortex/cortex.sock in your runtime folder."`
	Config      string       `name:"config" placeholder:"FILE" help:"Settings, as TOML; docs/cortex.toml shows every one. Flags win."`
	Live        *bool        `name:"live" negatable:"" help:"Act. Without it permits are dry: everything is decided and recorded, and nothing is run."`
	Observe     bool         `name:"observe" help:"Decide and record what would have been, and hold nothing."`
	Nrepl       optionalPath `name:"nrepl" placeholder:"=PATH" help:"Serve editors (nREPL) too, on a socket beside the plain one or at PATH."`
	Secret      string       `name:"secret" placeholder:"FILE" help:"File of the pairing secret, which no tool may touch; by default one for each record in your configuration folder."`
	NoGuard     bool         `name:"no-guard" help:"Do not load the guard that this program brings beside the rules."`
	TrustRules  bool         `name:"trust-rules" help:"Take rule files no matter who owns them or may write them."`
	Log         string       `name:"log" placeholder:"FORM" help:"Form of the log lines on standard error: text or json."`
	CheckConfig bool         `name:"check-config" help:"Print the settings that would be in force, and start nothing."`
}

// optionalPath is a switch that may name a path: --nrepl or --nrepl=PATH.
type optionalPath struct {
	on   bool
	path string
}

// IsBool lets the flag stand without a value.
func (optionalPath) IsBool() bool { return true }

// Decode reads the flag.
func (f *optionalPath) Decode(ctx *kong.DecodeContext) error {
	f.on = true
	if ctx.Scan.Peek().Type == kong.FlagValueToken {
		f.path = ctx.Scan.Pop().String()
	}
	return nil
}

// Run serves until it is told to stop: SIGTERM and SIGINT end it when what is
// being answered is finished, a second one at once; SIGHUP reloads.
func (c *serveCmd) Run(p *program) error {
	cfg, err := c.settings()
	if err != nil {
		return p.faults(err)
	}
	if c.CheckConfig {
		return p.showSettings(cfg)
	}
	collectEarly(cfg.Memory)
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	ctx, stop := console.UntilTold(p.ctx)
	defer stop()
	err = daemon.Run(ctx, daemon.Options{
		Config: cfg, Version: opening.Version(), Again: c.again(), Hangup: hangup, Logger: logger(p, cfg.Log),
	}, p.sayReady)
	return p.faults(err)
}

// settings are the configuration with the flags on top.
func (c *serveCmd) settings() (cfg daemon.Config, err error) {
	if c.Config != "" {
		if cfg, err = daemon.Load(c.Config); err != nil {
			return cfg, err
		}
	}
	for _, f := range []struct {
		flag string
		set  *string
	}{{c.Dir, &cfg.Dir}, {c.Plugins, &cfg.Plugins}, {c.Socket, &cfg.Socket}, {c.Secret, &cfg.Secret},
		{c.Nrepl.path, &cfg.Nrepl.Socket}} {
		if f.flag == "" {
			continue
		}
		if *f.set, err = filepath.Abs(f.flag); err != nil {
			return cfg, err
		}
	}
	for _, f := range []struct {
		flags []string
		set   *[]string
	}{{c.Rules, &cfg.Rules}, {c.Workflows, &cfg.Workflows}} {
		if len(f.flags) > 0 {
			*f.set = nil
		}
		for _, name := range f.flags {
			if name, err = filepath.Abs(name); err != nil {
				return cfg, err
			}
			*f.set = append(*f.set, name)
		}
	}
	if c.Live != nil {
		cfg.Live = *c.Live
	}
	if c.Log != "" {
		cfg.Log = c.Log
	}
	cfg.Observe = cfg.Observe || c.Observe
	cfg.Nrepl.On = cfg.Nrepl.On || c.Nrepl.on
	cfg.NoGuard = c.NoGuard
	cfg.TrustRules = cfg.TrustRules || c.TrustRules
	return cfg, nil
}

// again reads the settings as at the start; nil without a file to read.
func (c *serveCmd) again() func() (daemon.Config, error) {
	if c.Config == "" {
		return nil
	}
	return c.settings
}

// showSettings prints the settings that would be in force, if they are sound.
func (p *program) showSettings(cfg daemon.Config) error {
	if err := cfg.Check(); err != nil {
		return p.faults(err)
	}
	if p.JSON {
		table, err := cfg.Table()
		if err != nil {
			return err
		}
		return p.Print(table)
	}
	text, err := cfg.Text()
	p.Raw(text)
	return err
}

// sayReady prints the ready line.
func (p *program) sayReady(r daemon.Ready) error {
	if p.JSON {
		return p.Print(r)
	}
	p.Printf("%s\n", r)
	return p.Unsaid
}

// logger writes log lines for people, or for programs. Where systemd keeps the
// lines, it keeps the time as well.
func logger(p *program, form string) *slog.Logger {
	opt := &slog.HandlerOptions{}
	if os.Getenv("JOURNAL_STREAM") != "" {
		opt.ReplaceAttr = func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) == 0 && a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}
	}
	if form == "json" {
		return slog.New(loglimit.New(slog.NewJSONHandler(p.Err, opt)))
	}
	return slog.New(loglimit.New(slog.NewTextHandler(p.Err, opt)))
}

// besideClients is the memory of rules, caches and garbage, in bytes, that a daemon may have beside what sessions and
// clients may hold before garbage is collected without delay.
const besideClients = 32 << 20

// collectEarly has garbage collected sooner where there is much of it: clients can make more in a moment than the
// daemon needs.
func collectEarly(m daemon.Memory) {
	if os.Getenv("GOMEMLIMIT") == "" { // anyone who sets it knows better
		debug.SetMemoryLimit(besideClients + int64(cmp.Or(m.Total, 128<<20)+cmp.Or(m.Clients, 64<<20)))
	}
}
