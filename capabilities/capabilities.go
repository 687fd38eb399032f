package capabilities

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Capabilities are the capabilities of one record. They go into the engine's options; after that they
// are safe for concurrent use.
type Capabilities struct {
	// Mask hides secrets in the words that the pinned parsers of inputs are shown (skills/facts/secrets has
	// one). Set it before the engine opens; nil asks no parser, and an input that is missing stays so.
	Mask func(text string) string

	control Control // nil for none
	host    engine.Hosts
	logs    *logs.Logs
	book    atomic.Pointer[book]     // what may be started now
	known   atomic.Pointer[registry] // as it was read last
	plans   sync.Map                 // *form.Capability by its hash
	// answering has the logs of runs whose start waits in this process, until its receipt is seen.
	answering sync.Map
	index
}

var _ engine.Capabilities = (*Capabilities)(nil)

// New returns capabilities that an engine is to be opened with: see [engine.Options]. One engine
// at a time has them.
func New() *Capabilities { return &Capabilities{} }

// Attach implements [engine.Capabilities].
func (c *Capabilities) Attach(h engine.Hosts) error {
	c.host, c.logs, c.index.runs = h, h.Logs(), nil
	c.known.Store(nil)
	c.answering.Clear()
	if c.control != nil {
		c.control.Open(c.logs)
	}
	return nil
}

// Tools implements [engine.Capabilities]: it reads the registry, and returns a tool for each capability
// that may be started. If the registry cannot be read, there are none.
func (c *Capabilities) Tools() ([]act.Tool, error) {
	b, err := c.read()
	if err != nil {
		b = unread()
	}
	c.book.Store(b)
	var out []act.Tool
	for i, v := range b.versions {
		if i == 0 || b.versions[i-1].ID != v.ID {
			out = append(out, act.Tool{Schema: v.Tool(), Actuator: starter{c}})
		}
	}
	return out, err
}

// read is the book of what the registry says.
func (c *Capabilities) read() (*book, error) {
	r, err := c.registry(context.Background())
	if err != nil {
		return nil, err
	}
	var all []*version
	for _, e := range r.entries {
		if e.State != InForce && e.State != OnTrial {
			continue
		}
		v, err := c.load(e.Plan)
		if err != nil {
			return nil, err
		}
		all = append(all, newVersion(v, e.Plan, e.State == OnTrial))
	}
	return newBook(all, c.answer).under(c.control != nil), nil
}

// load reads a plan that the registry pins, once: a plan never changes.
func (c *Capabilities) load(plan string) (*form.Capability, error) {
	if v, ok := c.plans.Load(plan); ok {
		return v.(*form.Capability), nil
	}
	of, err := sexpr.ParseDigest(plan)
	if err != nil {
		return nil, err
	}
	_, text, err := c.logs.Content(of)
	if err != nil {
		return nil, err
	}
	v, err := form.Load([]byte(text))
	if err == nil {
		c.plans.Store(plan, v)
	}
	return v, err
}

// Policy implements [engine.Capabilities].
func (c *Capabilities) Policy(p skills.Policy) (skills.Policy, string, error) {
	b := c.book.Load()
	if b == nil || b.text == "" {
		return p, "", nil
	}
	with, err := b.policy(p)
	return with, b.text, err
}

// Recorded implements [engine.Capabilities].
func (c *Capabilities) Recorded(p skills.Policy, text string) (skills.Policy, error) {
	if text == textUnread {
		return unread().policy(p)
	}
	var all []*version
	text, plane := strings.CutPrefix(text, controlled+"\n")
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) != 4 {
			return nil, fmt.Errorf("recorded capabilities: the line %q, expected an id, a version, a plan and a state", line)
		}
		v, err := c.load(f[2])
		if err != nil {
			return nil, fmt.Errorf("capability %s %s: %w", f[0], f[1], err)
		}
		all = append(all, newVersion(v, f[2], State(f[3]) == OnTrial))
	}
	return newBook(all, nil).under(plane).policy(p)
}

// answer answers the look-ups of stages.
func (c *Capabilities) answer(function, argument string) (string, error) {
	ctx := context.Background()
	switch function {
	case lookupOnce:
		key, err := sexpr.ParseDigest(argument)
		if err != nil {
			return "", err
		}
		h, err := c.holder(ctx, key)
		return h.String(), err
	case lookupRecent:
		return c.recent(ctx, argument)
	case lookupParse:
		return c.extract(argument)
	case lookupControl:
		return c.rule(argument)
	}
	return "", fmt.Errorf("unknown look-up %q", function)
}

// Family implements [engine.Capabilities].
func (c *Capabilities) Family() string { return family }
