package rules

import (
	"fmt"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/facts/origin"
)

const (
	policyDomain = "cortex/policy/1"
	// version names what rule files mean. A change that could flip a decision
	// changes it.
	version = "rules/1"
)

// hashOf names a rulebook by all that decides. Every part has its length in
// front, so that no two lists of parts run into each other.
func hashOf(files []File, functions []facts.Function, tools []*skills.Tool, l Limits) sexpr.Digest {
	var b strings.Builder
	part := func(s string) { fmt.Fprintf(&b, "%d %s\n", len(s), s) }
	part(version)
	part(facts.Version)
	part(origin.Version())
	for i := range functions {
		f := &functions[i]
		part(fmt.Sprintf("%s %s %d %d", f.Signature(), f.Result, f.Cost, f.PerItem))
	}
	for _, t := range tools {
		part(fmt.Sprintf("%s %s %s %s %t %t %v %q %v", t.Name, t.Signature(), t.Tier, t.Effect, t.Idempotent, t.Trusted,
			t.Fields, t.Secret, t.Spends))
	}
	part(fmt.Sprint(l.Reader.Bytes, l.Reader.Depth, l.Reader.Atoms, l.Reader.String, l.Files, l.Cost))
	for _, f := range files {
		part(fmt.Sprint(f.Root))
		part(f.Path)
		part(string(f.Data))
		if f.OnTop {
			part("on top")
		}
	}
	return sexpr.DigestText(policyDomain, b.String())
}
