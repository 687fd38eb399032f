package capabilities

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// version is a version of a capability that may be started.
type version struct {
	*form.Capability
	hash  string // of its canonical form
	trial bool   // every start asks
	cues  []cue
}

func newVersion(v *form.Capability, hash string, trial bool) *version {
	return &version{v, hash, trial, cuesOf(&v.Offer)}
}

// book holds the versions that may be started: of each capability at most one in force, and at most
// one on trial. It never changes.
type book struct {
	versions []*version // by id, the one in force first
	text     string     // names them, one a line: what a policy's hash covers
	plane    bool       // a control plane rules on starts
	// live answers the look-ups of stages; nil for a book that was recorded, whose decisions hold the answers.
	live func(function, argument string) (string, error)
}

// ask asks what lies outside of a decision.
func (b *book) ask(c *skills.Case, function, argument string) (string, error) {
	if b.live != nil {
		return b.live(function, argument)
	}
	if ask := c.Lookup(); ask != nil {
		return ask(function, argument)
	}
	return "", fmt.Errorf("%s is not answered here", function)
}

// newBook returns the book of some versions.
func newBook(versions []*version, live func(function, argument string) (string, error)) *book {
	b := &book{versions: slices.Clone(versions), live: live}
	slices.SortFunc(b.versions, func(x, y *version) int {
		if x.ID == y.ID && x.trial != y.trial {
			if x.trial {
				return 1
			}
			return -1
		}
		return cmp.Compare(x.ID, y.ID)
	})
	var text strings.Builder
	for _, v := range b.versions {
		fmt.Fprintf(&text, "%s %s %s %s\n", v.ID, v.Version, v.hash, v.state())
	}
	b.text = text.String()
	return b
}

// under says whether a control plane rules on starts. A book that starts nothing asks nothing.
func (b *book) under(plane bool) *book {
	if b.plane = plane && len(b.versions) > 0; b.plane {
		b.text = controlled + "\n" + b.text
	}
	return b
}

// org reports whether a capability is more than one project's.
func (v *version) org() bool { return v.Scope == form.ScopeOrg }

func (v *version) state() State {
	if v.trial {
		return OnTrial
	}
	return InForce
}

// planArg is the argument of a start that names the plan by its hash.
const planArg = "plan"

// of returns the versions of a capability, the one in force first.
func (b *book) of(id string) (out []*version) {
	for _, v := range b.versions {
		if v.ID == id {
			out = append(out, v)
		}
	}
	return out
}

// version returns the version that an action starts. It is false if the action names none that may be
// started.
func (b *book) version(a *skills.Action) (*version, bool) {
	hash := a.Args().GetText(planArg)
	for _, v := range b.of(a.Tool()) {
		if v.hash == hash {
			return v, true
		}
	}
	return nil, false
}

// inputsOf are the inputs that a start brings.
func inputsOf(a *skills.Action) sexpr.Value {
	var kept []sexpr.Value
	for kv := a.Args().Items(); len(kv) > 1; kv = kv[2:] {
		if kv[0].Text() != planArg {
			kept = append(kept, kv[0], kv[1])
		}
	}
	return sexpr.ListOf(kept...)
}

// domain separates the hash of a policy with capabilities from other hashes.
const domain = "cortex/capabilities/1"

// priority puts the stages of a capability before every rule.
const priority = math.MaxInt32

// policy is p with the gates that judge the starts of what is in the book.
func (b *book) policy(p skills.Policy) (skills.Policy, error) {
	var more []*skills.Skill
	known := tools{p, b}
	for i, v := range b.versions {
		if i > 0 && b.versions[i-1].ID == v.ID {
			continue
		}
		s, err := b.skill(v.ID, known)
		if err != nil {
			return nil, err
		}
		more = append(more, s)
	}
	if b.text == textUnread {
		more = append(more, refusing(p))
	}
	more = append(more, b.bulletin())
	with, err := skills.Join(p, sexpr.DigestText(domain, p.Hash().String()+"\n"+b.text), more, nil)
	if err != nil {
		return nil, err
	}
	return &offering{with, b}, nil
}

// tools are those of a policy, with capabilities as the book has them: a replay knows only what a
// caller sees of them.
type tools struct {
	skills.ToolSet
	book *book
}

// Tool implements [skills.ToolSet].
func (t tools) Tool(name string) (*skills.Tool, bool) {
	if known := t.book.of(name); len(known) > 0 {
		return known[0].Tool(), true
	}
	return t.ToolSet.Tool(name)
}

// skill is a capability as a policy knows it: its stages, in their order.
func (b *book) skill(id string, tools skills.ToolSet) (*skills.Skill, error) {
	s := &skills.Skill{Name: "capability/" + id, Priority: priority, Tools: []string{id}}
	most := 0
	for _, v := range b.of(id) {
		most = max(most, len(v.Steps))
		s.Doc = cmp.Or(s.Doc, v.Doc)
	}
	s.Trigger = func(c *skills.Case) (bool, error) { return c.Action() != nil && c.Action().Tool() == id, nil }
	stage := func(name string, judge func(*skills.Case, *version) (skills.Verdict, error)) {
		s.Gates = append(s.Gates, &stageGate{b, id, name, judge})
	}
	s.Gates = append(s.Gates, &pinGate{b, id})
	stage("compat", compat)
	stage("needs", b.needs(tools))
	stage("score", b.score)
	for _, v := range b.of(id) {
		clauses, err := clausesOf(v.Capability)
		if err != nil {
			return nil, err
		}
		for _, g := range clauses {
			s.Gates = append(s.Gates, &clauseGate{g, v})
		}
	}
	if b.plane {
		stage("control", ruled(b))
	}
	stage("once", b.once)
	stage("trial", onTrial)
	for i := range most {
		s.Gates = append(s.Gates, &stepGate{b, id, i, tools})
	}
	stage("plan", listed)
	return s, nil
}
