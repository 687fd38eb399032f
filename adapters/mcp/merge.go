package mcp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/adapters/mcp/internal/merging"
)

// Merge is several servers behind one name, by their own names. Clients see their tools and
// prompts as SERVER__NAME; rules see the tool's own name. Where two servers have a resource
// under one address, the first by name is read.
type Merge map[string]Backend

// Check reports a name that cannot stand before those of tools.
func (m Merge) Check() error {
	for name := range m {
		odd := name == "" || strings.Contains(name, merging.Between) || strings.HasSuffix(name, "_")
		if odd || strings.ContainsFunc(name, func(r rune) bool {
			return r != '-' && r != '_' && r != '.' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
		}) {
			return fmt.Errorf("found a server called %q; expected letters, digits, ., - and single _, and no _ at "+
				"the end", name)
		}
	}
	return nil
}

// stands notes what clients reach from now on, since the names of tools depend on it.
func (p *Proxy) stands(behind Backend) {
	p.merged.Store(nil)
	if m, ok := behind.(Merge); ok {
		p.merged.Store(&m)
	}
}

// dial connects to all of them.
func (m Merge) dial(ctx context.Context, p *Proxy) (merging.Link, error) {
	names := slices.Sorted(maps.Keys(m))
	l := merging.New(merging.Options{Name: p.Name, Part: p.Part, Logger: p.Logger}, names)
	for _, name := range names {
		to, err := m[name].dial(ctx, p)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", name, err), l.Close())
		}
		l.Join(name, to)
	}
	return l, nil
}
