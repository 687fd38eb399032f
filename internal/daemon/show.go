package daemon

import (
	"reflect"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/opencortex-go/cortex/adapters/llm"
)

// hidden replaces values that may be secret.
const hidden = "(not shown)"

// Text is the configuration in force as an equivalent file: every setting with its
// value, and for each provider the settings that differ from the default. It hides
// keys, the values of headers, and the part of an address after a ?.
func (c Config) Text() (string, error) {
	c = c.inForce()
	providers := struct {
		Providers []map[string]any `toml:"providers"`
	}{shown(c.Providers)}
	c.Providers = nil
	text, err := toml.Marshal(c)
	if err != nil || len(providers.Providers) == 0 {
		return string(text), err
	}
	more, err := toml.Marshal(providers)
	return string(text) + "\n" + string(more), err
}

// Table is the content of Text, for programs.
func (c Config) Table() (table map[string]any, err error) {
	text, err := c.Text()
	if err == nil {
		err = toml.Unmarshal([]byte(text), &table)
	}
	return table, err
}

// shown are the settings of providers that differ from the default.
func shown(providers []llm.Config) (out []map[string]any) {
	for _, p := range providers {
		table := map[string]any{}
		v := reflect.ValueOf(p)
		for i := range v.NumField() {
			if name := setting(v.Type().Field(i)); name != "" && !v.Field(i).IsZero() {
				table[name] = v.Field(i).Interface()
			}
		}
		if p.Key != "" { // it has no place there, and New says so
			table["key"] = hidden
		}
		if base, _, cut := strings.Cut(p.URL, "?"); cut {
			table["url"] = base + "?" + hidden
		}
		if len(p.Headers) > 0 {
			headers := map[string]string{}
			for name := range p.Headers {
				headers[name] = hidden
			}
			table["headers"] = headers
		}
		out = append(out, table)
	}
	return out
}
