// Package checkup looks at an installation, and says what is wrong and how to mend it: settings, the record,
// the daemon, rules, plugins, and the hooks of coding agents.
package checkup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
	"github.com/opencortex-go/cortex/internal/daemon"
)

// Doctor looks at an installation. It changes nothing but what a daemon records of the one call that it puts to each
// installed hook.
type Doctor struct {
	opening.RecordFlag
	Config  string   `name:"config" placeholder:"FILE" help:"The daemon's settings: what they name is looked at, too."`
	Rules   []string `name:"rules" sep:"none" placeholder:"PATH" help:"A rule file, or a folder of them; may be repeated."`
	Plugins string   `name:"plugins" placeholder:"FILE" help:"The lock file of skills that run as processes of their own. Each is started."`
}

// patient is what an examination looks with.
type patient struct {
	ctx context.Context
	*console.Console
}

// finding is one thing that was looked at.
type finding struct {
	State string `json:"state"` // ok, warn or bad
	What  string `json:"what"`
	Text  string `json:"text"`
	Mend  string `json:"mend,omitempty"`
}

// examination collects findings.
type examination struct{ findings []finding }

func (x *examination) ok(what, format string, args ...any) {
	x.findings = append(x.findings, finding{"ok", what, fmt.Sprintf(format, args...), ""})
}

func (x *examination) warn(what, mend, format string, args ...any) {
	x.findings = append(x.findings, finding{"warn", what, fmt.Sprintf(format, args...), mend})
}

func (x *examination) bad(what, mend, format string, args ...any) {
	x.findings = append(x.findings, finding{"bad", what, fmt.Sprintf(format, args...), mend})
}

// Run exits with 1 if anything is bad. Warnings leave it at 0.
func (c *Doctor) Run(ctx context.Context, con *console.Console) error {
	p := &patient{ctx, con}
	x := &examination{}
	x.ok("program", "%s", opening.Version())
	cfg := x.settings(c)
	if c.Dir != "" {
		x.folder(c.Dir)
		x.record(p, c.Dir)
		x.waits(p, c.Dir)
	}
	x.daemon(p, c)
	if len(c.Rules) > 0 {
		x.rules(c.Rules, c.Plugins, cfg)
	}
	if c.Plugins != "" {
		x.plugins(p, c.Plugins)
	}
	x.hooks(p, c.Config)
	x.surroundings()
	return x.tell(p)
}

// settings looks at a configuration, and takes from it what no flag has said.
func (x *examination) settings(c *Doctor) *daemon.Config {
	if c.Config == "" {
		cfg := daemon.Config{Dir: c.Dir}
		x.found(cfg)
		return &cfg
	}
	cfg := x.load(c.Config)
	if c.Dir == "" && c.Socket == "" {
		c.Dir, c.Socket = cfg.Dir, cfg.Socket
	}
	if len(c.Rules) == 0 {
		c.Rules = cfg.Rules
	}
	if c.Plugins == "" {
		c.Plugins = cfg.Plugins
	}
	x.secret(cfg)
	return &cfg
}

// load reads settings and says what is wrong with them.
func (x *examination) load(file string) daemon.Config {
	cfg, err := daemon.Load(file)
	if err == nil {
		err = cfg.Check()
	}
	var faults daemon.Faults
	switch {
	case errors.As(err, &faults):
		for _, f := range faults {
			x.bad("settings", "change it there", "%s", f)
		}
	case err != nil:
		x.bad("settings", "", "%v", err)
	default:
		x.ok("settings", "%s says nothing wrong", file)
		x.guard("what the settings name", cfg.GuardState())
	}
	return cfg
}

// found looks for the secret of a record in its folder's name: a folder that was moved has another.
func (x *examination) found(cfg daemon.Config) {
	if cfg.Dir == "" {
		return
	}
	path, err := daemon.SecretFile(cfg.Dir)
	if err != nil { // without a home
		return
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		x.warn("secret", "cortex approvals pair --dir "+cfg.Dir+" finds that of a folder that was moved, or makes one",
			"%s is not there: approvals cannot be answered from this account without --secret", path)
	}
}

// secret looks at the file of the pairing secret, and at who can read it.
func (x *examination) secret(cfg daemon.Config) {
	path := cfg.Secret
	if path == "" && cfg.Dir != "" {
		path, _ = daemon.SecretFile(cfg.Dir) // "" without a home
	}
	operator, err := cfg.Operator.UID()
	switch {
	case err != nil: // the settings' fault, which has been told
		return
	case operator == nil:
		x.warn("operator", "[operator] user = \"ANOTHER ACCOUNT\" in the settings, and give it the secret's file",
			"the daemon's own account answers approvals: what a tool started can read the secret")
	}
	if path == "" || operator == nil && cfg.Secret == "" {
		x.found(cfg)
		return
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrPermission) && operator != nil:
		x.ok("secret", "this account cannot read %s", path)
	case errors.Is(err, fs.ErrNotExist):
		x.warn("secret", "cortex approvals pair --secret "+path, "%s is not there: approvals cannot be answered", path)
	case err != nil:
		x.bad("secret", "", "%v", err)
	case info.Mode().Perm()&0o077 != 0:
		x.bad("secret", "chmod 600 "+path, "%s can be read by others (%s)", path, info.Mode().Perm())
	case operator != nil && !daemon.Owns(*operator, info):
		x.bad("secret", "chown "+cfg.Operator.User+" "+path,
			"%s does not belong to %s: its owner can answer in their place", path, cfg.Operator.User)
	default:
		x.ok("secret", "%s is the owner's alone", path)
	}
}

// tell prints the findings, the worst last.
func (x *examination) tell(p *patient) error {
	bad := 0
	for _, f := range x.findings {
		if f.State == "bad" {
			bad++
		}
	}
	if p.JSON {
		if err := p.Print(map[string]any{"findings": x.findings, "bad": bad}); err != nil {
			return err
		}
	} else {
		for _, f := range x.findings {
			p.Printf("%-4s  %s: %s\n", f.State, f.What, f.Text)
			if f.Mend != "" {
				p.Printf("      to mend it: %s\n", f.Mend)
			}
		}
	}
	if bad > 0 {
		return console.Quit(1)
	}
	return nil
}
