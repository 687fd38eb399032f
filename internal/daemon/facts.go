package daemon

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/sexpr"
)

// maxFacts bounds a file of facts, in bytes.
const maxFacts = 256 << 10

// factFiles are the files of one part of the blackboard, with their setting.
type factFiles struct {
	key, part string
	files     []string
}

func (c *Config) factFiles() []factFiles {
	return []factFiles{{"facts", "", c.Facts}, {"facts_policy", "policy", c.FactsPolicy},
		{"facts_work", "work", c.FactsWork}}
}

// seeds are the files of facts: one plist each. What stands there may be what a rule allows by, so they are
// held to what rule files are held to, and no action may touch them.
func (c *Config) seeds() (out []engine.Seed, err error) {
	var faults Faults
	for _, f := range c.factFiles() {
		for _, file := range f.files {
			from, name := c.folder(filepath.Dir(file)), filepath.Base(file)
			s := engine.Seed{Name: name, Part: f.part,
				Read: func(context.Context) (sexpr.Value, error) { return readFacts(from, name) }}
			if _, err := s.Read(context.Background()); err != nil {
				faults = append(faults, c.fault(f.key, "%v", err))
			}
			out = append(out, s)
		}
	}
	return out, faults.orNil()
}

func readFacts(from fs.FS, name string) (sexpr.Value, error) {
	f, err := from.Open(name)
	if err != nil {
		return sexpr.Value{}, err
	}
	defer func() { _ = f.Close() }() // opened only for reading
	text, err := io.ReadAll(io.LimitReader(f, maxFacts+1))
	if err == nil && len(text) > maxFacts {
		err = fmt.Errorf("%s: more than %d bytes of facts", name, maxFacts)
	}
	if err != nil {
		return sexpr.Value{}, err
	}
	v, err := sexpr.Read(name, string(text))
	if err == nil && !v.IsNil() && !v.IsObject() {
		err = fmt.Errorf("%s: facts are one plist, such as (:shift \"day\" :limit 100), not a %s", name, v.Kind())
	}
	return v, err
}
