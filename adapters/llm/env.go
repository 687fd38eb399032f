package llm

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"

	"github.com/opencortex-go/cortex/reason/model"
)

// The models that FromEnv asks for if the environment names none. Vendors
// withdraw models: name your own.
const (
	defaultOllamaModel    = "llama3.2"
	defaultOpenAIModel    = "gpt-5.4-mini"
	defaultAnthropicModel = "claude-sonnet-5-5"
)

// FromEnv makes the cascade that the environment describes, for programs without
// a configuration. It asks these, in this order, if they are set:
//
//	OLLAMA_HOST        as Ollama itself reads it; OLLAMA_MODEL
//	OPENAI_API_KEY     and OPENAI_BASE_URL, OPENAI_MODEL; a base URL alone is asked without a key
//	ANTHROPIC_API_KEY  and ANTHROPIC_BASE_URL, ANTHROPIC_MODEL
//
// With none of them the cascade is empty, without an error.
func FromEnv() ([]model.Provider, error) {
	configs, err := envConfigs()
	if err != nil {
		return nil, err
	}
	return NewAll(configs)
}

// NewAll makes providers in order. An error names every wrong setting of any of
// them.
func NewAll(configs []Config) ([]model.Provider, error) {
	var out []model.Provider
	var errs []error
	names := map[string]bool{}
	for _, cfg := range configs {
		if names[cfg.Name] && cfg.Name != "" {
			errs = append(errs, fmt.Errorf("model provider %q: the name is taken by one before it", cfg.Name))
			continue
		}
		names[cfg.Name] = true
		p, err := New(cfg)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, p)
	}
	if len(errs) > 0 {
		return nil, errors.Join(append(errs, CloseAll(out))...)
	}
	return out, nil
}

// CloseAll closes the providers that can be closed.
func CloseAll(providers []model.Provider) error {
	var errs []error
	for _, p := range providers {
		if c, ok := p.(interface{ Close() error }); ok {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(errs...)
}

func envConfigs() ([]Config, error) {
	var out []Config
	if host := os.Getenv("OLLAMA_HOST"); host != "" {
		u, err := ollamaURL(host)
		if err != nil {
			return nil, err
		}
		out = append(out, Config{Name: "ollama", Kind: OpenAI, URL: u,
			Model: cmp.Or(os.Getenv("OLLAMA_MODEL"), defaultOllamaModel), AllowHTTP: true})
	}
	if base := os.Getenv("OPENAI_BASE_URL"); base != "" || os.Getenv("OPENAI_API_KEY") != "" {
		cfg := Config{Name: "openai", Kind: OpenAI, URL: base, Model: cmp.Or(os.Getenv("OPENAI_MODEL"), defaultOpenAIModel)}
		if os.Getenv("OPENAI_API_KEY") != "" {
			cfg.KeyEnv = "OPENAI_API_KEY"
		}
		out = append(out, cfg)
	}
	if os.Getenv("ANTHROPIC_API_KEY") != "" {
		out = append(out, Config{Name: "anthropic", Kind: Anthropic, URL: anthropicBase(os.Getenv("ANTHROPIC_BASE_URL")),
			KeyEnv: "ANTHROPIC_API_KEY",
			Model:  cmp.Or(os.Getenv("ANTHROPIC_MODEL"), defaultAnthropicModel)})
	}
	return out, nil
}

// anthropicBase is the base URL as Anthropic's own clients read the variable:
// without the version.
func anthropicBase(s string) string {
	if s == "" || strings.HasSuffix(strings.TrimRight(s, "/"), "/v1") {
		return s
	}
	return strings.TrimRight(s, "/") + "/v1"
}

// ollamaURL reads the address as Ollama does: scheme and port may be missing, and
// 0.0.0.0, on which its server listens, is this machine.
func ollamaURL(host string) (string, error) {
	wrong := errors.New("OLLAMA_HOST: expected an address such as 127.0.0.1:11434")
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	u, err := url.Parse(host)
	if err != nil || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
		return "", wrong
	}
	name, port := u.Hostname(), u.Port()
	if port == "" {
		port = map[string]string{"http": "11434", "https": "443"}[u.Scheme]
	}
	switch name {
	case "", "0.0.0.0":
		name = "127.0.0.1"
	case "::":
		name = "::1"
	}
	u.Host = net.JoinHostPort(name, port)
	return u.JoinPath("v1").String(), nil
}
