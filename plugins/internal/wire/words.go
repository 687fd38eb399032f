package wire

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	skillpb "github.com/opencortex-go/cortex/plugins/proto"
)

// Rights and Sights are the words of a lock, and what they are on the wire.
var (
	Rights = map[string]skillpb.Right{
		"allow": skillpb.Right_RIGHT_ALLOW, "rewrite": skillpb.Right_RIGHT_REWRITE,
		"tools": skillpb.Right_RIGHT_TOOLS, "network": skillpb.Right_RIGHT_NETWORK,
	}
	Sights = map[string]skillpb.Sight{
		"now": skillpb.Sight_SIGHT_NOW, "signal": skillpb.Sight_SIGHT_SIGNAL, "session": skillpb.Sight_SIGHT_SESSION,
		"turns": skillpb.Sight_SIGHT_TURNS, "spends": skillpb.Sight_SIGHT_SPENDS, "ctx": skillpb.Sight_SIGHT_CTX,
		"env": skillpb.Sight_SIGHT_ENV, "work": skillpb.Sight_SIGHT_WORK, "policy": skillpb.Sight_SIGHT_POLICY,
		"explanation": skillpb.Sight_SIGHT_EXPLANATION, "secrets": skillpb.Sight_SIGHT_SECRETS,
	}
)

// Limits of what a skill says.
const (
	MaxText    = 2000 // bytes of one text in a reason
	MaxQuorum  = 16   // people whom one ask may want
	MaxEntries = 256  // entries of a list in a description; plugins in a lock
)

// NameForm is the form of the names of skills and clauses.
var NameForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// HasClause reports whether a skill with these clauses has this one.
func HasClause(clauses []string, name string) bool {
	return name == MainClause || slices.Contains(clauses, name)
}

// MainClause is the clause of verdicts that name none.
const MainClause = "main"

// CheckDescription refuses a description that no entry could be made of.
func CheckDescription(d *skillpb.Description) error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if d.GetProtocol() != skillpb.Protocol {
		bad("it speaks protocol %d of %s, and this host speaks %d", d.GetProtocol(), skillpb.Service, skillpb.Protocol)
	}
	if !NameForm.MatchString(d.GetName()) {
		bad("it calls itself %q, and names are like shell-guard", Clip(d.GetName(), 80))
	}
	for _, c := range d.GetClauses() {
		if !NameForm.MatchString(c) {
			bad("clause %q: names are like no-root", Clip(c, 80))
		}
	}
	for what, n := range map[string]int{
		"judges": len(d.GetJudges()), "sees": len(d.GetSees()), "rights": len(d.GetRights()),
		"clauses": len(d.GetClauses()), "examples": len(d.GetExamples()), "tools": len(d.GetTools()),
	} {
		if n > MaxEntries {
			bad("%d entries in %s, at most %d", n, what, MaxEntries)
		}
	}
	if slices.Contains(d.GetSees(), 0) || slices.Contains(d.GetRights(), 0) {
		bad("a sight or right without a name")
	}
	return errors.Join(errs...)
}
