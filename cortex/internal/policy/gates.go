package policy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Gate is a gate written in Go. It judges among the skills of the rule files and the
// plugins, by priority and then by name. Its verdicts count as those of a rule: an allow
// answers a tier that asks, and overrides neither an ask nor a denial.
//
// The engine records its answers with the decision. A replay does not call the gate, and
// reports which gates are missing or have another version (Replayed.Gates). Gates alone do
// not make a rulebook: without rules everything is denied.
type Gate struct {
	// Name is like fraud-check: small letters, digits and dashes. No other gate, skill
	// or plugin has it. Reasons are named Name/clause.
	Name string
	// Version is a part of the policy's digest, as are all fields but Timeout and Judge.
	// Change it whenever Judge may answer differently: approvals given under the old
	// version then no longer hold.
	Version  string
	Priority int      // larger is asked earlier
	Tools    []string // whose actions it judges; none means all
	// Timeout bounds one answer. 0 means 100 ms; the most is 10 s. The engine stops
	// waiting for a call that takes longer. While 64 such calls are still under way, it
	// does not call the gate: the answer is an error.
	Timeout time.Duration
	// Judge answers for one case; see [skills.Verdict]. A verdict other than a pass has a
	// Reason.Text, and its Reason.Key is a clause's name or "". An error, a panic, a nil
	// verdict and no answer in time all deny the action. Several goroutines may call Judge
	// at the same time. Judge must keep no state, must not change the case, and must not
	// use the case after it has returned.
	Judge func(ctx context.Context, c *skills.Case) (skills.Verdict, error)
}

const (
	gateTimeout    = 100 * time.Millisecond
	maxGateTimeout = 10 * time.Second
	maxGateCalls   = 64 // under way at a time, of one gate
)

var gateName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// Valid returns one error with all faults of a gate.
func (g *Gate) Valid() error {
	var errs []error
	if !gateName.MatchString(g.Name) {
		errs = append(errs, errors.New("its name is not like fraud-check: small letters, digits and dashes, at most 63"))
	}
	if g.Version == "" {
		errs = append(errs, errors.New("it has no Version"))
	}
	if g.Judge == nil {
		errs = append(errs, errors.New("it has no Judge"))
	}
	if g.Timeout < 0 || g.Timeout > maxGateTimeout {
		errs = append(errs, fmt.Errorf("its Timeout is %s, expected at most %s", g.Timeout, maxGateTimeout))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("cortex: Options.Gates: %q: %w", g.Name, err)
	}
	return nil
}

// withGates puts gates among the skills of a rulebook. A gate without a Judge gives its
// recorded answer.
func withGates(book skills.Policy, gates []Gate) (skills.Policy, error) {
	if len(gates) == 0 {
		return book, nil
	}
	text, err := sexpr.Canonical(gatesValue(gates))
	if err != nil {
		return nil, fmt.Errorf("cortex: Options.Gates: %w", err)
	}
	more := make([]*skills.Skill, len(gates))
	for i, g := range gates {
		g.Timeout = cmp.Or(g.Timeout, gateTimeout)
		more[i] = &skills.Skill{
			Name: g.Name, Priority: g.Priority, Tools: g.Tools,
			Gates: []skills.Gate{&goGate{Gate: g, calls: make(chan struct{}, maxGateCalls)}},
		}
	}
	hash := sexpr.DigestText("cortex/gates/1", book.Hash().String()+"\n"+text)
	return skills.Join(book, hash, more, nil)
}

// gatesValue is the form in which a policy's digest and record name its gates, in the order
// of their names.
func gatesValue(gates []Gate) sexpr.Value {
	out := slices.Clone(gates)
	slices.SortFunc(out, func(a, b Gate) int { return cmp.Compare(a.Name, b.Name) })
	vs := make([]sexpr.Value, len(out))
	for i, g := range out {
		vs[i] = sexpr.Plist("name", sexpr.Str(g.Name), "version", sexpr.Str(g.Version),
			"priority", sexpr.Int64(int64(g.Priority)), "tools", record.Texts(g.Tools))
	}
	return sexpr.ListOf(vs...)
}

// GatesFrom reads what gatesValue wrote. These gates give their recorded answers.
func GatesFrom(v sexpr.Value) []Gate {
	var out []Gate
	for _, g := range v.Items() {
		out = append(out, Gate{Name: g.GetText("name"), Version: g.GetText("version"),
			Priority: int(g.GetInt("priority")), Tools: record.TextsFrom(g, "tools")})
	}
	return out
}
