package telemetry

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
)

// Masked returns a value as JSON in which every text has passed mask, and where, as JSON
// pointers (RFC 6901) below at, mask changed something.
func Masked(v sexpr.Value, at string, mask func(string) string) (json.RawMessage, []string, error) {
	raw, err := sexpr.ToJSON(v)
	if err != nil {
		return nil, nil, err
	}
	var tree any
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	if err := d.Decode(&tree); err != nil {
		return nil, nil, fmt.Errorf("JSON of a value: %w", err)
	}
	m := masker{mask: mask}
	out, err := json.Marshal(m.walk(tree, at))
	slices.Sort(m.at)
	return out, m.at, err
}

type masker struct {
	mask func(string) string
	at   []string
}

// pointer escapes a key for a JSON pointer.
var pointer = strings.NewReplacer("~", "~0", "/", "~1")

func (m *masker) walk(v any, at string) any {
	switch v := v.(type) {
	case string:
		return m.text(v, at)
	case []any:
		for i := range v {
			v[i] = m.walk(v[i], fmt.Sprintf("%s/%d", at, i))
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			name := m.text(k, at)
			out[name] = m.walk(x, at+"/"+pointer.Replace(name))
		}
		return out
	}
	return v
}

func (m *masker) text(s, at string) string {
	shown := m.mask(s)
	if shown != s {
		m.at = append(m.at, at)
	}
	return shown
}
