package plugins

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/opencortex-go/cortex/skills"
)

// asker answers a plugin's questions: from a process, or from the record.
type asker interface {
	// begin starts asking. The answer is waited for by calling what it returns,
	// once or never; a failure without a waiting decision counts for nothing.
	begin(ctx context.Context, e *Entry, q question, deadline time.Time) (wait func() (string, error))
	// now asks and waits.
	now(ctx context.Context, e *Entry, q question, deadline time.Time) (string, error)
}

// gate is a plugin's place among the gates of a policy, for one tool. Neighbours
// are the gates that follow it with no gate of another kind between them; they
// are asked at the same time as long as none before them may rewrite.
type gate struct {
	entry      *Entry
	ask        asker          // nil in a policy from the record
	tools      skills.ToolSet // whose secrets are hidden from the plugin
	budget     time.Duration
	neighbours []*gate
}

// Key names the plugin, so that a failure is gate/<name>/failed.
func (g *gate) Key() string { return g.entry.Name }

func (g *gate) function() string { return "plugin/" + g.entry.Name }

// Judge asks the plugin, unless the decision holds its answer already.
func (g *gate) Judge(ctx context.Context, c *skills.Case) (skills.Verdict, error) {
	q, err := g.entry.question(c, g.tools)
	g.entry.reads(c)
	if err != nil {
		return nil, err
	}
	var text string
	if g.ask == nil {
		text, err = g.recorded(c, q)
	} else {
		text, err = c.Witness(g.function(), q.input(), func() (string, error) { return g.answer(ctx, c, q) })
	}
	if err != nil {
		return nil, err
	}
	return g.entry.verdict(text)
}

func (g *gate) recorded(c *skills.Case, q question) (string, error) {
	if c.Lookup() == nil {
		return "", errors.New("nothing is on record")
	}
	text, err := c.Lookup()(g.function(), q.input())
	if err != nil && !g.entry.grants(seesSecrets) { // before there was that sight, every skill saw them
		all := *g.entry
		all.Grants = append(slices.Clone(all.Grants), seesSecrets)
		if old, failed := all.question(c, g.tools); failed == nil && old.input() != q.input() {
			return c.Lookup()(g.function(), old.input())
		}
	}
	return text, err
}

// question is what the plugin would be asked about a case.
func (e *Entry) question(c *skills.Case, tools skills.ToolSet) (question, error) {
	hide := e.covered(tools, c.Action())
	facts, err := e.seen(c.Facts(), hide)
	if err != nil {
		return question{}, err
	}
	a, err := hide.action(c.Action())
	if err != nil {
		return question{}, err
	}
	q := question{action: a.Canonical(), digest: a.Digest().String(), facts: facts}
	if e.grants("explanation") {
		q.explanation = a.Explanation()
	}
	return q, nil
}

// pending are answers that were asked for before their gate's turn, by gate. They
// hang on the case's memo, which a rewrite clears.
type pending map[*gate]func() (string, error)

const memoKey = "plugins/pending"

// answer waits for the plugin's answer. The first of a row of neighbours asks for
// all of them: what comes after a reject is never waited for, and no decision learns of
// it.
func (g *gate) answer(ctx context.Context, c *skills.Case, q question) (string, error) {
	p, _ := c.Shared(memoKey).(pending)
	if wait, asked := p[g]; asked {
		return wait()
	}
	deadline := c.Deadline(time.Now().Add(g.budget))
	if len(g.neighbours) > 0 {
		if p == nil {
			p = pending{}
			c.Share(memoKey, p)
		}
		for _, n := range g.neighbours {
			if nq, err := n.entry.question(c, n.tools); err == nil && !c.Witnessed(n.function(), nq.input()) {
				p[n] = n.ask.begin(ctx, n.entry, nq, deadline)
			}
		}
	}
	return g.ask.now(ctx, g.entry, q, deadline)
}
