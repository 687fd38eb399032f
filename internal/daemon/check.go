package daemon

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/adapters/llm"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/keyfile"
	"github.com/opencortex-go/cortex/internal/project"
	"github.com/opencortex-go/cortex/internal/socket"
	"github.com/opencortex-go/cortex/plugins"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/facts/secrets"
)

// Check returns all errors of a configuration, as [Faults]. It does not open the
// record or call a model.
func (c Config) Check() error {
	c = c.inForce()
	opt, err := c.engine()
	return errors.Join(err, llm.CloseAll(opt.Models.Providers))
}

// contradictions are faults that involve several settings.
func (c *Config) contradictions() (faults Faults) {
	add := func(key, format string, args ...any) { faults = append(faults, c.fault(key, format, args...)) }
	if c.Dir == "" {
		add("dir", "the folder of the record is missing; name it here or with --dir")
	}
	if c.Live && c.Observe {
		add("observe", "contradicts live: observing runs nothing")
	}
	if c.Log != "text" && c.Log != "json" {
		add("log", "%q is not a form of log lines, expected text or json", c.Log)
	}
	for _, n := range []struct {
		key string
		v   float64
	}{
		{"reserve", float64(c.Reserve)}, {"heartbeat", float64(c.Heartbeat)}, {"grace", float64(c.Grace)},
		{"clients", float64(c.Clients)}, {"consensus", float64(c.Consensus)},
		{"memory.total", float64(c.Memory.Total)}, {"memory.session", float64(c.Memory.Session)},
		{"memory.principal", float64(c.Memory.Principal)}, {"memory.clients", float64(c.Memory.Clients)},
		{"budgets.depth", float64(c.Budgets.Depth)}, {"budgets.turns", float64(c.Budgets.Turns)},
		{"budgets.tokens", float64(c.Budgets.Tokens)},
		{"budgets.cost", c.Budgets.Cost}, {"budgets.context_bytes", float64(c.Budgets.ContextBytes)},
		{"budgets.think_timeout", float64(c.Budgets.ThinkTimeout)}, {"approvals.ttl", float64(c.Approvals.TTL)},
		{"retain.age", float64(c.Retain.Age)}, {"retain.bytes", float64(c.Retain.Bytes)},
		{"retain.keep", float64(c.Retain.Keep)}, {"checkpoints.after", float64(c.Checkpoints.After)},
	} {
		if !(n.v >= 0) { // also NaN
			add(n.key, "is negative, expected 0 or more")
		}
	}
	if all := c.Memory.Total; all > 0 && c.Memory.Session > all {
		add("memory.session", "%d is more than memory.total, %d", c.Memory.Session, all)
	}
	if all := c.Memory.Total; all > 0 && c.Memory.Principal > all {
		add("memory.principal", "%d is more than memory.total, %d", c.Memory.Principal, all)
	}
	if err := c.Traces.options().Valid(); err != nil {
		add("traces", "%v", err)
	}
	if err := c.Telemetry.check(); err != nil {
		add("telemetry.otlp", "%v", err)
	}
	times := map[string]llm.Duration{"heartbeat": c.Heartbeat, "grace": c.Grace,
		"budgets.think_timeout": c.Budgets.ThinkTimeout, "approvals.ttl": c.Approvals.TTL,
		"retain.keep": c.Retain.Keep, "checkpoints.after": c.Checkpoints.After}
	if age := c.Retain.Age; age > 0 && age < llm.Duration(time.Hour) {
		add("retain.age", "%s is too short, expected an hour or more", time.Duration(age))
	}
	if c.Shell != nil {
		times["shell.timeout"] = c.Shell.Timeout
	}
	for _, p := range c.Providers {
		times["providers.timeout"], times["providers.pause"] = cmp.Or(times["providers.timeout"],
			p.Timeout), cmp.Or(times["providers.pause"], p.Pause)
	}
	for _, key := range slices.Sorted(maps.Keys(times)) {
		if d := times[key]; d > 0 && d < llm.Duration(time.Millisecond) { // a bare number is read as so many nanoseconds
			add(key, `%d has no unit, expected a time such as "90s"`, int64(d))
		}
	}
	for _, class := range slices.Sorted(maps.Keys(c.Approvals.Escalate)) {
		if e := c.Approvals.Escalate[class]; e.After <= 0 || e.To == "" {
			add("approvals.escalate."+class, "expected after, a time, and to, an approver class")
		}
	}
	return faults
}

// own are the daemon's own places, which actions may not touch.
func (c *Config) own() []string {
	own := []string{c.Dir, c.Plugins, c.Secret, c.Keys, c.Vault, c.Socket, socket.Approvals(c.Socket), c.Nrepl.Socket,
		socket.API(c.Socket), c.API.TokenFile, c.Telemetry.Decisions}
	own = slices.Concat(own, c.Rules, c.Workflows, c.Facts, c.FactsPolicy, c.FactsWork)
	if home, err := os.UserHomeDir(); err == nil { // without one, no host of this account has settings
		own = append(own, project.OutOfBounds(home, os.Getenv)...)
	}
	if t := c.Telegram; t != nil {
		own = append(own, t.TokenFile)
		if t.Webhook != nil {
			own = append(own, t.Webhook.SecretFile)
		}
	}
	if c.Signal != nil {
		own = append(own, c.Signal.Socket)
	}
	own = append(own, plugins.Programs(c.Plugins)...)
	if c.source != nil {
		own = append(own, c.source.file)
	}
	own = append(own, c.Control.KeyFile)
	for _, p := range c.Providers {
		own = append(own, p.KeyFile, p.File)
	}
	return slices.DeleteFunc(own, func(s string) bool { return s == "" })
}

// reachable returns faults for places of the daemon where tools may write.
func (c *Config) reachable() (faults Faults) {
	if c.Shell == nil || c.Shell.Workspace == "" {
		return nil
	}
	workspace := real(c.Shell.Workspace)
	for _, place := range c.own() {
		if within(real(place), workspace) || within(workspace, real(place)) {
			faults = append(faults, c.fault("shell.workspace",
				"%s is where tools may write, and %s belongs to the daemon: keep them apart", c.Shell.Workspace, place))
		}
	}
	return faults
}

// real is a path without links, as far as it exists.
func real(path string) string {
	if p, err := filepath.EvalSymlinks(path); err == nil {
		return p
	}
	if dir := filepath.Dir(path); dir != path {
		return filepath.Join(real(dir), filepath.Base(path))
	}
	return path
}

func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// engine makes the engine's options from a configuration with defaults filled in. A
// caller that does not open an engine must close the providers.
func (c *Config) engine() (opt cortex.Options, err error) {
	faults := append(c.contradictions(), c.reachable()...)
	note := func(key string, err error) {
		var more Faults
		if errors.As(err, &more) {
			faults = append(faults, more...)
		} else if err != nil {
			faults = append(faults, c.fault(key, "%v", err))
		}
	}
	_, err = c.Operator.UID()
	note("operator.user", err)
	if c.source != nil && !c.TrustRules {
		if err := checkFile(c.source.file); err != nil {
			faults = append(faults, Fault{File: c.source.file, Text: err.Error()})
		}
	}
	opt = cortex.Options{
		Dir: c.Dir, Reserve: c.Reserve, Caps: cortex.Caps{Memory: c.Memory.Total, SessionMemory: c.Memory.Session,
			PrincipalMemory: c.Memory.Principal},
		Functions: Functions(), Live: c.Live, Dry: !c.Live && !c.Observe, Observe: c.Observe,
		Agent: c.Agent, Models: cortex.Models{Identity: c.Identity, Consensus: c.Consensus,
			Timeout: time.Duration(c.Budgets.ThinkTimeout)}, Mandatory: c.Mandatory, Heartbeat: time.Duration(c.Heartbeat),

		Protected: reason.Places{Paths: append(c.own(), c.Protected.Paths...), Hosts: c.Protected.Hosts},
		Approvals: cortex.ApprovalOptions{Classes: c.Approvals.Classes, Escalate: map[string]cortex.Escalation{},
			TTL: time.Duration(c.Approvals.TTL)},
		Budgets: cortex.Budgets{Depth: c.Budgets.Depth, Turns: c.Budgets.Turns, Tokens: c.Budgets.Tokens,
			Cost: c.Budgets.Cost, ContextBytes: c.Budgets.ContextBytes},
	}
	opt.Retain = cortex.Retain{Age: time.Duration(c.Retain.Age), Bytes: c.Retain.Bytes, Keep: time.Duration(c.Retain.Keep),
		Secrets: time.Duration(c.Retain.Secrets)}
	opt.Traces = c.Traces.options()
	_, err = c.Control.plane(nil)
	note("control", err)
	opt.Checkpoints = cortex.Checkpoints{
		Every: c.Checkpoints.Every, After: time.Duration(c.Checkpoints.After), Key: c.Checkpoints.Key,
		Outside: c.Checkpoints.Outside, AcceptRollback: c.Checkpoints.AcceptRollback,
	}
	for class, e := range c.Approvals.Escalate {
		opt.Approvals.Escalate[class] = cortex.Escalation{After: time.Duration(e.After), To: e.To}
	}
	if c.Keys != "" {
		keys, err := keyfile.Open(c.Keys)
		if note("keys", err); err == nil {
			opt.Keys, opt.FindSecrets = keys, secrets.NewFinder()
		}
	}
	if c.Vault != "" {
		v := vault{c.Vault}
		note("vault", v.check())
		opt.Vault = v
	}
	opt.Roots, err = c.roots()
	note("rules", err)
	_, err = c.workflows()
	note("workflows", err)
	_, err = c.registry()
	note("runs", err)
	opt.Seeds, err = c.seeds()
	note("facts", err)
	opt.Env, err = plist(c.Env)
	note("env", err)
	opt.Tools, err = c.Shell.tools()
	note("shell", err)
	opt.Models.Providers, err = c.providers()
	note("providers", err)
	_, _, err = c.messengers(nil)
	note("accounts", err)
	return opt, faults.orNil()
}

// plist is a table in the form that rules read.
func plist(table map[string]any) (sexpr.Value, error) {
	if len(table) == 0 {
		return sexpr.Nil(), nil
	}
	raw, err := json.Marshal(table)
	if err != nil {
		return sexpr.Nil(), err
	}
	return sexpr.FromJSON(raw)
}

// tools are the shell, if there is one.
func (s *Shell) tools() ([]act.Tool, error) {
	if s == nil {
		return nil, nil
	}
	if s.Workspace == "" {
		return nil, errors.New("workspace is missing: the folder that commands start in")
	}
	shell, err := act.NewShell(act.ShellOptions{
		Dir: s.Workspace, Bash: s.Bash, Home: s.Home, Path: s.Path, Lang: s.Lang, Env: s.Env,
		Timeout: time.Duration(s.Timeout), MaxOutput: s.MaxOutput,
	})
	if err != nil {
		return nil, err
	}
	return []act.Tool{shell.Tool()}, nil
}

// providers are the models of the configuration, or those that the environment
// names.
func (c *Config) providers() ([]model.Provider, error) {
	if len(c.Providers) == 0 {
		return llm.FromEnv()
	}
	if !c.TrustRules {
		for _, p := range c.Providers {
			if p.KeyFile == "" {
				continue
			}
			if info, err := os.Stat(p.KeyFile); err == nil && info.Mode().Perm()&0o007 != 0 {
				return nil, fmt.Errorf("%s: everybody can read %s (mode %04o); chmod o-rwx %s", p.Name, p.KeyFile,
					info.Mode().Perm(), p.KeyFile)
			}
		}
	}
	return llm.NewAll(c.Providers)
}
