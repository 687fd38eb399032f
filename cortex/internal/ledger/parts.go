package ledger

import (
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// The parts of the blackboard that the engine keeps, as rules name them: facts.ctx, facts.work and
// facts.policy. facts.env never changes while an engine runs.
const (
	PartCtx    = "ctx"
	PartWork   = "work"
	PartPolicy = "policy"
)

// Facts of the parts stand in one plist: those of ctx by their names, others as "facts.policy.freeze".
const factsPrefix = "facts."

// fullName is the name of a fact of a part, as the plist and the record have it.
func fullName(part, name string) string {
	if part == "" || part == PartCtx {
		return strings.TrimPrefix(name, factsPrefix+PartCtx+".")
	}
	return factsPrefix + part + "." + name
}

// part is the plist of one part, with short names.
func part(facts sexpr.Value, name string) sexpr.Value {
	prefix := factsPrefix + name + "."
	var out []sexpr.Value
	whole := true
	for kv := facts.Items(); len(kv) > 1; kv = kv[2:] {
		key := kv[0].Text()
		short, of := strings.CutPrefix(key, prefix)
		if name == PartCtx {
			of = !strings.HasPrefix(key, factsPrefix+PartWork+".") && !strings.HasPrefix(key, factsPrefix+PartPolicy+".")
		}
		if of {
			out = append(out, sexpr.Key(short), kv[1])
		}
		whole = whole && of && short == key
	}
	if whole {
		return facts
	}
	return sexpr.ListOf(out...)
}

// lay lays out the parts of a board.
func (b *board) lay() {
	b.ctx, b.work, b.policy = part(b.facts, PartCtx), part(b.facts, PartWork), part(b.facts, PartPolicy)
}

// parts are parts of the board.
type parts uint8

const (
	ofCtx parts = 1 << iota
	ofPolicy
	ofWork
)

var partNames = [...]string{PartCtx, PartPolicy, PartWork}

// names are the names of parts, for the record.
func (p parts) names() (out []string) {
	for i, name := range partNames {
		if p&(1<<i) != 0 {
			out = append(out, name)
		}
	}
	return out
}

func partsFrom(names []string) (p parts) {
	for i, name := range partNames {
		if slices.Contains(names, name) {
			p |= 1 << i
		}
	}
	return p
}

// fields are where the facts of a question's parts stand, in the order of partNames.
func (q *Question) fields() [len(partNames)]*sexpr.Value {
	return [...]*sexpr.Value{&q.Facts.Ctx, &q.Facts.Policy, &q.Facts.Work}
}

// supply gives the question the parts of the board that its caller did not bring. The work of a step is
// its run's to say.
func (q *Question) supply(b *board) {
	q.took = 0
	from := [...]sexpr.Value{b.ctx, b.policy, b.work}
	for i, to := range q.fields() {
		if to.IsNil() && q.usual()&(1<<i) != 0 {
			*to = from[i]
			q.took |= 1 << i
		}
	}
	if q.took != 0 {
		q.board = b
	}
}

// usual are the parts that a question takes from the board whose caller brings no facts.
func (q *Question) usual() parts {
	if q.Step() == (record.Step{}) {
		return ofCtx | ofPolicy | ofWork
	}
	return ofCtx | ofPolicy
}

// untake takes away what the board supplied, so that it is supplied anew.
func (q *Question) untake() {
	for i, f := range q.fields() {
		if q.took&(1<<i) != 0 {
			*f = sexpr.Value{}
		}
	}
	q.board, q.took = nil, 0
}

// Blackboard fills in facts.ctx, facts.work and facts.policy as they are now.
func (l *Ledger) Blackboard(f *skills.Facts) {
	b := l.board.Load()
	f.Ctx, f.Work, f.Policy = b.ctx, b.work, b.policy
}
