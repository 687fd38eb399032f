package llm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/reason/model"
)

// The kinds of providers.
const (
	OpenAI    = "openai"           // any endpoint with OpenAI's chat completions
	Responses = "openai-responses" // any endpoint with OpenAI's responses
	Anthropic = "anthropic"        // Anthropic's messages
	Exec      = "exec"             // a program
	Scripted  = "scripted"         // a file of replies, see [model.Scripted]
)

// Config is one provider, as a table [[providers]] of the configuration. Zero
// fields mean the defaults.
type Config struct {
	Name string `toml:"name"` // for rules and messages; no other provider has it
	Kind string `toml:"kind"` // one of the constants

	// Of openai, openai-responses and anthropic.

	URL   string `toml:"url"`   // "https://host/v1"; "" means the vendor's own
	Model string `toml:"model"` // as the endpoint names it
	// KeyEnv is the environment variable that holds the key, KeyFile a file of
	// one line; neither means that no key is sent. They are read once, by New.
	KeyEnv  string `toml:"key_env"`
	KeyFile string `toml:"key_file"`
	// Key must stay empty: the field exists so that a key in a configuration is an
	// error that does not show it.
	Key string `toml:"key"`
	// KeyHeader carries the key: "" means Authorization: Bearer, for anthropic
	// x-api-key.
	KeyHeader string            `toml:"key_header"`
	Headers   map[string]string `toml:"headers"` // further headers; not secret
	// Options go into every request unchanged, such as temperature.
	Options map[string]any `toml:"options"`
	NoTools bool           `toml:"no_tools"` // the endpoint lacks tool calls: they come as forms in text
	// Stream has the endpoint send each answer in pieces while the model writes it, so
	// that no proxy takes a long answer for a dead connection. The provider puts the
	// pieces together; a stream that breaks off is an error.
	Stream bool `toml:"stream"`
	// MaxTokens of one answer; 0 leaves it to the endpoint, for anthropic 4096.
	MaxTokens int `toml:"max_tokens"`
	// Retries after a lost connection, status 429 or 5xx; 0 means 2, less than
	// 0 none.
	Retries int `toml:"retries"`
	// AllowHTTP lets the key go to another machine without encryption.
	AllowHTTP bool `toml:"allow_http"`
	// Proxy uses the proxies of HTTP_PROXY, HTTPS_PROXY and NO_PROXY.
	Proxy bool `toml:"proxy"`

	// Of exec.

	Command []string `toml:"command"` // the program and its arguments
	Env     []string `toml:"env"`     // names of the environment variables it is given
	Dir     string   `toml:"dir"`     // where it runs; "" means the temporary folder
	Format  string   `toml:"format"`  // "json" (also "") or "text", see docs/models.md

	// Of scripted.

	File string `toml:"file"` // the replies

	// Of all.

	// Timeout of one try; all tries together take at most twice as long. 0
	// leaves both to the engine, which bounds a call by its ThinkTimeout.
	Timeout Duration `toml:"timeout"`
	// MaxBytes of one answer; 0 means 4 MiB.
	MaxBytes int64 `toml:"max_bytes"`
	// Prices in US dollars for a million tokens, if the provider does not report
	// an answer's cost.
	PriceIn  float64 `toml:"price_in"`
	PriceOut float64 `toml:"price_out"`
	// Failures in a row pause the provider for Pause; 0 means 5 and 30 s, less
	// than 0 failures never.
	Failures int      `toml:"failures"`
	Pause    Duration `toml:"pause"`
}

// Duration is a time.Duration that configurations write as "90s".
type Duration time.Duration

// UnmarshalText reads "90s" or "1m30s".
func (d *Duration) UnmarshalText(text []byte) error {
	x, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is not a duration, expected one such as \"90s\"", text)
	}
	*d = Duration(x)
	return nil
}

// MarshalText writes it as UnmarshalText reads it.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

const (
	defaultTimeout  = time.Minute // if no other limit is set
	defaultRetries  = 2
	defaultMaxBytes = 4 << 20
)

// New returns the provider that a Config describes. An error names every wrong
// setting, and never holds a key. New does not call the provider. Close a provider
// that is an io.Closer when it is no longer needed.
func New(cfg Config) (model.Provider, error) {
	if err := cfg.check(); err != nil {
		return nil, fmt.Errorf("model provider %q: %w", cfg.Name, err)
	}
	cfg.defaults()
	p, err := cfg.provider()
	if err != nil {
		return nil, fmt.Errorf("model provider %q: %w", cfg.Name, err)
	}
	return p, nil
}

func (c *Config) provider() (model.Provider, error) {
	switch c.Kind {
	case OpenAI:
		return newHTTP(*c, openAI{c})
	case Responses:
		return newHTTP(*c, responses{openAI{c}})
	case Anthropic:
		return newHTTP(*c, anthropic{c})
	case Exec:
		return newExec(*c)
	}
	return newScripted(*c)
}

func (c *Config) defaults() {
	if c.MaxBytes == 0 {
		c.MaxBytes = defaultMaxBytes
	}
	if c.Retries == 0 {
		c.Retries = defaultRetries
	}
	c.Retries = max(c.Retries, 0)
	if c.Kind == Anthropic && c.MaxTokens == 0 {
		c.MaxTokens = 4096
	}
}

// Limits are the provider's own, for [model.Limited].
func (c *Config) Limits() model.Limits {
	l := model.Limits{Timeout: time.Duration(c.Timeout), Failures: c.Failures, Pause: time.Duration(c.Pause)}
	if c.Retries > 0 && c.Kind != Exec && c.Kind != Scripted {
		l.Timeout *= 2
	}
	return l
}

// within bounds one try.
func (c *Config) within(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := time.Duration(c.Timeout)
	if limit == 0 {
		if _, bounded := ctx.Deadline(); bounded {
			return context.WithCancel(ctx)
		}
		limit = defaultTimeout
	}
	return context.WithTimeout(ctx, limit)
}

// cost is what tokens cost at the configured prices.
func (c *Config) cost(u model.Usage) float64 {
	const million = 1e6
	return (float64(u.TokensIn)*c.PriceIn + float64(u.TokensOut)*c.PriceOut) / million
}

// check reports every setting that is wrong by itself.
func (c *Config) check() error {
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !isName(c.Name) {
		wrong("name: expected letters, digits and - _ . alone")
	}
	if c.Key != "" {
		wrong("key: a key does not belong into a configuration; put it into an environment variable or a file, and name " +
			"that with key_env or key_file")
	}
	for _, f := range []struct {
		name string
		v    float64
	}{
		{"timeout", float64(c.Timeout)}, {"pause", float64(c.Pause)}, {"max_bytes", float64(c.MaxBytes)},
		{"max_tokens", float64(c.MaxTokens)},
		{"price_in", c.PriceIn}, {"price_out", c.PriceOut},
	} {
		if !(f.v >= 0) || math.IsInf(f.v, 0) {
			wrong("%s: %v, expected 0 or more", f.name, f.v)
		}
	}
	for name, d := range map[string]Duration{"timeout": c.Timeout, "pause": c.Pause} {
		if d > 0 && time.Duration(d) < time.Millisecond { // TOML's bare number
			wrong("%s: %d has no unit, expected a time such as \"90s\"", name, d)
		}
	}
	uses, known := settings(c.Kind)
	if !known {
		wrong("kind: %q is unknown, expected one of openai, openai-responses, anthropic, exec, scripted", c.Kind)
		return errors.Join(errs...)
	}
	for _, f := range c.given() {
		if !slices.Contains(uses, f) {
			wrong("%s: has no meaning for the kind %s", f, c.Kind)
		}
	}
	return errors.Join(errs...)
}

// settings are the specific settings of a kind.
func settings(kind string) (names []string, known bool) {
	switch kind {
	case OpenAI, Responses, Anthropic:
		return []string{"url", "model", "key_env", "key_file", "key_header", "headers", "options", "no_tools", "stream",
			"max_tokens", "retries", "allow_http", "proxy"}, true
	case Exec:
		return []string{"command", "env", "dir", "format"}, true
	case Scripted:
		return []string{"file"}, true
	}
	return nil, false
}

// given are the non-zero settings that are specific to some kind.
func (c *Config) given() []string {
	var out []string
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"url", c.URL != ""}, {"model", c.Model != ""}, {"key_env", c.KeyEnv != ""}, {"key_file", c.KeyFile != ""},
		{"key_header", c.KeyHeader != ""}, {"headers", c.Headers != nil}, {"options", c.Options != nil},
		{"no_tools", c.NoTools}, {"stream", c.Stream},
		{"max_tokens", c.MaxTokens != 0}, {"retries", c.Retries != 0}, {"allow_http", c.AllowHTTP}, {"proxy", c.Proxy},
		{"command", c.Command != nil}, {"env", c.Env != nil}, {"dir", c.Dir != ""}, {"format", c.Format != ""},
		{"file", c.File != ""},
	} {
		if f.set {
			out = append(out, f.name)
		}
	}
	return out
}

// isName reports whether rules and messages can use this name for a provider.
func isName(s string) bool {
	return s != "" && len(s) <= 64 && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_' && r != '.'
	})
}
