package author

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/reason/nearby"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules"
)

// Faults says how faults are planted.
type Faults struct {
	Most int    // at most so many, chosen by Seed; 0: all
	Seed uint64 // of the choice
	// Search is how many actions are tried, of each fault that no example catches, to
	// tell whether it makes any difference; 0: 2 000.
	Search int
}

// Mutation is how many faults the examples catch.
type Mutation struct {
	Planted    int // that load
	Refused    int // that do not load, and count for nothing
	Caught     int
	Equivalent []Survivor // of which the search found no action that is decided otherwise
	Survived   []Survivor
}

// Survivor is a fault that no example catches.
type Survivor struct {
	Mutant
	// Witness is a proposal that is decided otherwise; nil if none was found.
	Witness            sexpr.Value
	Decided, Otherwise string // the decisions on it, without the fault and with it
}

// Score is the part of the faults that make a difference which the examples catch, in
// percent, rounded down.
func (m *Mutation) Score() int { return Percent(m.Caught, m.Planted-len(m.Equivalent)) }

// Mutate plants faults in rules, one at a time, and runs the examples.
func Mutate(ctx context.Context, l rules.Loader, opt Faults, roots ...rules.Root) (*Mutation, error) {
	l.Judge = nil
	book, err := l.Load(roots...)
	if err != nil {
		return nil, err
	}
	out := &Mutation{}
	for _, m := range chosen(mutants(book), opt) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		mutated, err := l.Load(inMemory(book, m, roots)...)
		if err != nil {
			out.Refused++
			continue
		}
		out.Planted++
		if caught(ctx, mutated) {
			out.Caught++
			continue
		}
		if s := survivor(ctx, book, mutated, m, opt); s.Witness.IsNil() {
			out.Equivalent = append(out.Equivalent, s)
		} else {
			out.Survived = append(out.Survived, s)
		}
	}
	return out, nil
}

// caught reports that some example does not hold.
func caught(ctx context.Context, book *rules.Rulebook) bool {
	return slices.ContainsFunc(book.Examples(), func(e *rules.Example) bool {
		return len(e.Wrong(reason.DecideExample(ctx, e).Found())) > 0
	})
}

// mutants are all faults of all files, by file and place.
func mutants(book *rules.Rulebook) (out []Mutant) {
	for _, f := range book.Files() {
		forms, err := (sexpr.Reader{Code: true}).ReadAll(f.Path, string(f.Data))
		if err != nil {
			continue // it was loaded, so it can be read
		}
		for i, v := range forms {
			for _, c := range plant(v) {
				m := Mutant{Root: f.Root, File: f.Path, Pos: c.at.Pos(), What: c.what, Was: c.at.String(), form: v}
				if c.new != nil {
					m.Is = c.new.String()
				}
				next := slices.Clone(forms)
				next[i] = c.out
				m.data = written(next)
				out = append(out, m)
			}
		}
	}
	return out
}

func written(forms []sexpr.Value) []byte {
	var b bytes.Buffer
	for _, v := range forms {
		b.WriteString(v.String() + "\n")
	}
	return b.Bytes()
}

// chosen draws some of the mutants, and keeps their order.
func chosen(all []Mutant, opt Faults) []Mutant {
	if opt.Most == 0 || opt.Most >= len(all) {
		return all
	}
	order := rand.New(rand.NewPCG(opt.Seed, 1)).Perm(len(all))[:opt.Most] //nolint:gosec // a choice, no secret
	slices.Sort(order)
	out := make([]Mutant, opt.Most)
	for i, n := range order {
		out[i] = all[n]
	}
	return out
}

// inMemory are the roots that a book was loaded from, with one file as a mutant has it.
func inMemory(book *rules.Rulebook, m Mutant, roots []rules.Root) []rules.Root {
	out := make([]rules.Root, len(roots))
	for i, r := range roots {
		files := memory{}
		out[i] = rules.Root{FS: files, Files: slices.Clone(r.Files)}
		for _, f := range book.Files() {
			if f.Root != i {
				continue
			}
			files[f.Path] = f.Data
			if i == m.Root && f.Path == m.File {
				files[f.Path] = m.data
			}
			if r.Files == nil && !strings.Contains(f.Path, "/") && strings.HasSuffix(f.Path, ".lisp") {
				out[i].Files = append(out[i].Files, f.Path)
			}
		}
		if out[i].Files == nil {
			out[i].Files = []string{}
		}
	}
	return out
}

// survivor looks for an action that a mutant decides otherwise: those of the examples,
// and what lies near them.
func survivor(ctx context.Context, book, mutated *rules.Rulebook, m Mutant, opt Faults) Survivor {
	s := Survivor{Mutant: m}
	most := opt.Search
	if most == 0 {
		most = 2_000
	}
	search := nearby.Search{Values: append(nearby.Literals(m.form), listed(book, m.form)...), Most: 60}
	changed := mutated.Examples()
	if len(changed) != len(book.Examples()) {
		return s
	}
	for i, e := range book.Examples() {
		differs := func(a *skills.Action) bool {
			most--
			req := reason.Request{Facts: e.Facts, Lookup: e.Lookup, NoTrace: true, Action: a, Policy: e.Policy}
			was := reason.Decide(ctx, req)
			req.Policy = changed[i].Policy
			is := reason.Decide(ctx, req)
			if verdictOf(was) == verdictOf(is) {
				return false
			}
			s.Decided, s.Otherwise = verdictOf(was), verdictOf(is)
			s.Witness = sexpr.Plist("tool", sexpr.Str(a.Tool()), "args", a.Args())
			return true
		}
		d := reason.DecideExample(ctx, e)
		if d.Proposed == nil || differs(d.Proposed) {
			continue
		}
		_, _, ok := search.First(d.Proposed.Args(), func(edit nearby.Edit) bool {
			a, err := skills.NewAction(d.Proposed.Tool(), edit.Args, d.Proposed.Explanation())
			return err == nil && most > 0 && differs(a)
		})
		if ok || most <= 0 {
			break
		}
	}
	return s
}

// verdictOf is what two decisions are compared by.
func verdictOf(d *reason.Decision) string {
	f := d.Found()
	return strings.TrimSpace(f.Kind + " " + f.Key + " " + f.Args.String())
}
