package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/adapters/llm"
	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/internal/socket"
	"github.com/opencortex-go/cortex/runs/event"
)

// Config is the operator's configuration. docs/cortex.toml documents every setting
// with its default. Zero fields are the careful choice. Relative paths are resolved
// from the folder of the file.
type Config struct {
	Dir       string   `toml:"dir"`                 // of the record; there must be one
	Rules     []string `toml:"rules,omitempty"`     // rule files and folders, in this order
	Guard     *bool    `toml:"guard"`               // load the guard beside the rules; nil means true
	NoGuard   bool     `toml:"-"`                   // the flag --no-guard, which wins over Guard
	Workflows []string `toml:"workflows,omitempty"` // folders of workflows, beside those that ship
	Plugins   string   `toml:"plugins"`             // lock file of skills that run as processes; "" has none
	Socket    string   `toml:"socket"`              // "" means socket.Default
	Secret    string   `toml:"secret"`              // file of the pairing secret; "" means SecretFile
	Keys      string   `toml:"keys"`                // file of the keys of secret arguments; "" means KeysFile
	Vault     string   `toml:"vault"`               // folder of the secrets that actions refer to; "" has none
	Live      bool     `toml:"live"`                // permits act
	Observe   bool     `toml:"observe"`             // decide and record, hold no action back
	Log       string   `toml:"log"`                 // "text" or "json", on standard error
	Identity  string   `toml:"identity"`            // opens the system prompt
	Agent     string   `toml:"agent"`               // the principal that asks
	Facts     []string `toml:"facts,omitempty"`     // files of facts.ctx, read before each turn
	// files of facts.policy and facts.work, likewise
	FactsPolicy []string `toml:"facts_policy,omitempty"`
	FactsWork   []string `toml:"facts_work,omitempty"`
	Mandatory   []string `toml:"mandatory,omitempty"` // skills without which nothing starts
	// TrustRules accepts rule files and this file without checking owner and
	// mode.
	TrustRules bool `toml:"trust_rules"`
	// the disk reserve in bytes; 0 means 64 MiB, less on a small disk
	Reserve   int64        `toml:"reserve"`
	Heartbeat llm.Duration `toml:"heartbeat"` // between two rounds of maintenance
	Grace     llm.Duration `toml:"grace"`     // for requests in progress at a stop
	Clients   int          `toml:"clients"`   // of the plain socket at a time

	Memory      Memory         `toml:"memory"`
	Budgets     Budgets        `toml:"budgets"`
	Approvals   Approvals      `toml:"approvals"`
	Operator    Operator       `toml:"operator"`
	Retain      Retain         `toml:"retain"`
	Checkpoints Checkpoints    `toml:"checkpoints"`
	Runs        Runs           `toml:"runs"`
	Notes       Notes          `toml:"notes"`
	Env         map[string]any `toml:"env"` // facts.env for rules
	Protected   Protected      `toml:"protected"`
	Shell       *Shell         `toml:"shell"` // nil: there is no shell tool
	Nrepl       Nrepl          `toml:"nrepl"`
	API         API            `toml:"api"`
	Telemetry   Telemetry      `toml:"telemetry"`
	Traces      Traces         `toml:"traces"`
	Control     Control        `toml:"control"`
	Consensus   int            `toml:"consensus"`           // how many models must want the same
	Providers   []llm.Config   `toml:"providers,omitempty"` // in the order they are asked
	Telegram    *Telegram      `toml:"telegram"`            // nil: no bot
	Signal      *Signal        `toml:"signal"`              // nil: no account
	Accounts    []Account      `toml:"accounts,omitempty"`  // who may talk to it in messengers

	source *source // nil without a file
}

// Memory bounds the memory of sessions and clients, in bytes; 0 is the default. See
// [cortex.Caps] and [fair.Options].
type Memory struct {
	Total     int `toml:"total"`
	Session   int `toml:"session"`   // the history of one
	Principal int `toml:"principal"` // the waiting requests of one sender
	Clients   int `toml:"clients"`   // requests and answers of socket clients; not part of the total
}

// Budgets bound the resources of one signal and everything that follows from it.
type Budgets struct {
	Depth        int          `toml:"depth"`  // of feedback
	Turns        int          `toml:"turns"`  // calls of models
	Tokens       int64        `toml:"tokens"` // in and out
	Cost         float64      `toml:"cost"`   // US dollars
	ContextBytes int          `toml:"context_bytes"`
	ThinkTimeout llm.Duration `toml:"think_timeout"` // of one call of a model
}

// Approvals configures who may answer, and how long a card waits.
type Approvals struct {
	TTL      llm.Duration         `toml:"ttl"`
	Classes  map[string][]string  `toml:"classes"`  // principals by approver class
	Escalate map[string]Escalates `toml:"escalate"` // by approver class
}

// Retain says how long the record is kept; see [cortex.Retain].
type Retain struct {
	Age   llm.Duration `toml:"age"`
	Bytes int64        `toml:"bytes"`
	Keep  llm.Duration `toml:"keep"` // younger records are kept regardless of bytes
	// the keys of secret arguments go after so long, and their records stay
	Secrets llm.Duration `toml:"secrets"`
}

// Runs says what runs of workflows may do, and what workflows may name; see [runs.Options].
type Runs struct {
	// Autonomy is how far an agent may let a run go on by itself; "" is
	// full_auto_stop_on_user_deps. A person may go beyond it.
	Autonomy  event.Autonomy `toml:"autonomy"`
	Packs     []string       `toml:"packs,omitempty"`     // files of contracts, snippets, features and capabilities
	Templates []string       `toml:"templates,omitempty"` // folders of workflows that others call as templates
}

// Notes says whether models have notes, and which. People have them in any case.
type Notes struct {
	On      bool     `toml:"on"`                // models see notes in their prompt, and may propose to change them
	Private []string `toml:"private,omitempty"` // tags that keep notes from models, beside those of [notes.NewPrivate]
}

// Checkpoints configures when the head of the record is signed; see [cortex.Checkpoints].
type Checkpoints struct {
	Every          uint64       `toml:"every"` // records
	After          llm.Duration `toml:"after"`
	Key            string       `toml:"key"`     // file; "" means one in the record's folder
	Outside        string       `toml:"outside"` // file in another place; "" means none
	AcceptRollback bool         `toml:"accept_rollback"`
}

// Escalates widens who may answer a card that has waited for long.
type Escalates struct {
	After llm.Duration `toml:"after"`
	To    string       `toml:"to"` // an approver class
}

// Protected are places that no action may touch, besides the daemon's own.
type Protected struct {
	Paths []string `toml:"paths,omitempty"`
	Hosts []string `toml:"hosts,omitempty"`
}

// Shell configures where commands run and what they see. They inherit nothing from
// the daemon.
type Shell struct {
	Workspace string            `toml:"workspace"` // commands start here; it must exist
	Bash      string            `toml:"bash,omitempty"`
	Home      string            `toml:"home,omitempty"`
	Path      string            `toml:"path,omitempty"`
	Lang      string            `toml:"lang,omitempty"`
	Env       map[string]string `toml:"env,omitempty"`
	Timeout   llm.Duration      `toml:"timeout,omitempty"`
	MaxOutput int               `toml:"max_output,omitempty"`
}

// API configures how other programs talk to the daemon in JSON over HTTP. Its socket always
// stands beside the plain one: see [socket.API].
type API struct {
	// Addr is a loopback address with a port, for programs that reach no Unix socket; ""
	// has none. Each request on it shows the token in TokenFile.
	Addr      string `toml:"addr"`
	TokenFile string `toml:"token_file"`
}

// Traces configures what the record keeps of what models are asked and answer; see
// [engine.Traces].
type Traces struct {
	Mode string   `toml:"mode"`           // "off", "digest" or "full"; "" means "digest"
	Mask []string `toml:"mask,omitempty"` // fields of calls that are kept as keyed hashes
}

// options are those of the engine.
func (t Traces) options() engine.Traces {
	mode := engine.TraceMode(t.Mode)
	if t.Mode == "off" {
		mode = engine.TraceOff
	}
	return engine.Traces{Mode: mode, Mask: t.Mask}
}

// Nrepl configures the socket for editors.
type Nrepl struct {
	On     bool   `toml:"on"`
	Socket string `toml:"socket"` // "" means socket.Nrepl of the plain one; setting it turns nREPL on
}

// Load reads a configuration from a file. Its error is [Faults], with the place of
// every error in the file, or says why the file cannot be read.
func Load(file string) (Config, error) {
	file, err := filepath.Abs(file)
	if err != nil {
		return Config{}, err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return Config{}, err
	}
	c := Config{source: &source{file: file}}
	if err := c.source.decode(data, &c); err != nil {
		return Config{}, err
	}
	return c, c.settle(filepath.Dir(file))
}

// settle makes paths absolute, as seen from dir.
func (c *Config) settle(dir string) error {
	var faults Faults
	each := func(key string, paths ...*string) {
		for _, p := range paths {
			switch {
			case strings.HasPrefix(*p, "~"):
				faults = append(faults,
					c.fault(key, "%s: ~ is not expanded here, expected a whole path or one relative to %s", *p, dir))
			case *p != "" && !filepath.IsAbs(*p):
				*p = filepath.Join(dir, *p)
			}
		}
	}
	each("dir", &c.Dir)
	each("plugins", &c.Plugins)
	each("socket", &c.Socket)
	each("secret", &c.Secret)
	each("keys", &c.Keys)
	each("vault", &c.Vault)
	each("nrepl.socket", &c.Nrepl.Socket)
	each("api.token_file", &c.API.TokenFile)
	each("telemetry.decisions", &c.Telemetry.Decisions)
	each("control.key_file", &c.Control.KeyFile)
	each("checkpoints.key", &c.Checkpoints.Key)
	each("checkpoints.outside", &c.Checkpoints.Outside)
	for i := range c.Rules {
		each("rules", &c.Rules[i])
	}
	for i := range c.Workflows {
		each("workflows", &c.Workflows[i])
	}
	for _, f := range c.factFiles() {
		for i := range f.files {
			each(f.key, &f.files[i])
		}
	}
	for i := range c.Runs.Packs {
		each("runs.packs", &c.Runs.Packs[i])
	}
	for i := range c.Runs.Templates {
		each("runs.templates", &c.Runs.Templates[i])
	}
	for i := range c.Protected.Paths {
		each("protected.paths", &c.Protected.Paths[i])
	}
	if s := c.Shell; s != nil {
		each("shell.workspace", &s.Workspace)
		each("shell.home", &s.Home)
	}
	if t := c.Telegram; t != nil {
		each("telegram.token_file", &t.TokenFile)
		if t.Webhook != nil {
			each("telegram.webhook.secret_file", &t.Webhook.SecretFile)
		}
	}
	if s := c.Signal; s != nil {
		each("signal.socket", &s.Socket)
	}
	for i := range c.Providers {
		p := &c.Providers[i]
		each("providers", &p.KeyFile, &p.Dir, &p.File)
	}
	return faults.orNil()
}

const (
	second = llm.Duration(time.Second)
	minute = llm.Duration(time.Minute)
)

// inForce is the configuration with the daemon's own defaults filled in.
func (c Config) inForce() Config {
	fill(&c.Socket, socket.Default())
	fill(&c.Log, "text")
	fill(&c.Identity, "Agent")
	fill(&c.Agent, "agent")
	fill(&c.Heartbeat, minute)
	fill(&c.Grace, 10*second)
	fill(&c.Clients, 256)
	fill(&c.Budgets.Depth, 10)
	fill(&c.Budgets.Turns, 32)
	fill(&c.Budgets.ContextBytes, 64<<10)
	fill(&c.Budgets.ThinkTimeout, minute)
	fill(&c.Approvals.TTL, 24*60*minute)
	fill(&c.Retain.Keep, 24*60*minute)
	fill(&c.Traces.Mode, "digest")
	fill(&c.Checkpoints.Every, 1000)
	fill(&c.Checkpoints.After, minute)
	guard := c.guarded()
	c.Guard = &guard
	c.Nrepl.On = c.Nrepl.On || c.Nrepl.Socket != ""
	if c.Nrepl.On {
		fill(&c.Nrepl.Socket, socket.Nrepl(c.Socket))
	}
	if c.Keys == "" && c.Dir != "" {
		c.Keys = KeysFile(c.Dir)
	}
	if c.Secret == "" {
		c.Secret, _ = SecretFile(c.Dir) // without a home there is none, and pairing is not possible
	}
	return c
}

func fill[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// KeysFile is the default file of the keys of secret arguments in the record in dir: it goes
// where the record goes.
func KeysFile(dir string) string { return filepath.Join(dir, "secrets.keys") }

// SecretFile is the default file of the pairing secret of the record in dir: in the
// user's configuration folder.
func SecretFile(dir string) (string, error) {
	id, err := socket.RecordID(dir)
	if err != nil {
		return "", err
	}
	return SecretFileOf(id)
}

// SecretFileOf is SecretFile by the name that [socket.RecordID] gives the record.
func SecretFileOf(record string) (string, error) {
	config, err := os.UserConfigDir()
	return filepath.Join(config, "cortex", "operator-"+record), err
}
