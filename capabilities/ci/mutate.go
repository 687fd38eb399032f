package ci

import (
	"fmt"
	"math/rand/v2"

	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// The mutations that are no alternatives: see [form.Mutations].
const (
	missingSlot = "missing_slot"
	wrongType   = "wrong_type"
	hostile     = "hostile"
)

// makeUp returns as many cases as a plan asks for, made up out of its unit cases that end well, in turn
// of mutations. The hash of the plan is the seed.
func makeUp(v *form.Capability) (all []made) {
	var good []*form.Test
	for i := range v.Tests {
		if v.Tests[i].Expect.Status == "ok" {
			good = append(good, &v.Tests[i])
		}
	}
	kinds := v.Fuzz.Mutations
	if len(kinds) == 0 {
		kinds = form.Mutations(v.Inputs)
	}
	random := rand.New(rand.NewChaCha8([32]byte(v.Hash())))
	for n, missed := 0, 0; len(good) > 0 && len(all) < v.Fuzz.Count && missed < len(kinds)*len(good); n++ {
		m := made{test: good[n/len(kinds)%len(good)], mutation: kinds[n%len(kinds)]}
		inputs, ok := mutate(random, v, m)
		if !ok { // no input of this case can be changed so
			missed++
			continue
		}
		m.inputs, missed = inputs, 0
		all = append(all, m)
	}
	return all
}

// mutate changes the inputs of a case. It is false if the plan has no input for that.
func mutate(random *rand.Rand, v *form.Capability, m made) (sexpr.Value, bool) {
	pick := func(fits func(f *form.Field) bool) *form.Field {
		var fields []*form.Field
		for i := range v.Inputs {
			if _, given := m.test.Inputs.Get(v.Inputs[i].Name); given && fits(&v.Inputs[i]) {
				fields = append(fields, &v.Inputs[i])
			}
		}
		if len(fields) == 0 {
			return nil
		}
		return fields[random.IntN(len(fields))]
	}
	switch m.mutation {
	case missingSlot:
		f := pick(func(f *form.Field) bool { return f.Required && f.From == "" })
		if f == nil {
			return sexpr.Value{}, false
		}
		return without(m.test.Inputs, f.Name), true
	case wrongType:
		f := pick(func(f *form.Field) bool { return f.Type.Kind != skills.KindAny })
		if f == nil {
			return sexpr.Value{}, false
		}
		return m.test.Inputs.With(f.Name, wrong(f.Type)), true
	case hostile:
		f := pick(func(f *form.Field) bool { return f.Type.Kind == skills.KindString })
		if f == nil {
			return sexpr.Value{}, false
		}
		return m.test.Inputs.With(f.Name, sexpr.Str(hostiles[random.IntN(len(hostiles))])), true
	}
	f := pick(func(f *form.Field) bool { return "alt_"+f.Name == m.mutation })
	if f == nil {
		return sexpr.Value{}, false
	}
	other, ok := another(random, f.Type)
	return m.test.Inputs.With(f.Name, other), ok
}

func without(object sexpr.Value, key string) sexpr.Value {
	out := sexpr.EmptyObject()
	for kv := object.Items(); len(kv) > 1; kv = kv[2:] {
		if kv[0].Text() != key {
			out = out.With(kv[0].Text(), kv[1])
		}
	}
	return out
}

// wrong is a value of no such type.
func wrong(t skills.Type) sexpr.Value {
	if t.Kind == skills.KindList || t.Kind == skills.KindObject {
		return sexpr.Str("not a structure")
	}
	return sexpr.ListOf(sexpr.ListOf(sexpr.Int64(1)))
}

// hostiles try to be more than one value.
var hostiles = []string{
	"a; touch /tmp/x", "$(id)", "`id`", "a b", "-rf", "--output=/etc/passwd", "../../etc/passwd", "a'b\"c", "a\nb",
	"a\tb", "*", "~root", "a|b", "a>b", "a&b", "${HOME}", "\u202eexe.txt", "%2e%2e%2f", "{{work.x}}", "",
}

// another is another value of a type. It is false for types whose values mean something to the outside.
func another(random *rand.Rand, t skills.Type) (sexpr.Value, bool) {
	switch t.Kind {
	case skills.KindString, skills.KindAny:
		return sexpr.Str(fmt.Sprintf("other%d", random.IntN(1e6))), true
	case skills.KindBoolean:
		return sexpr.Bool(random.IntN(2) == 1), true
	case skills.KindInteger, skills.KindNumber:
		lo, hi := t.Lo, t.Hi
		if !t.Bounded {
			lo, hi = 1, 1000
		}
		return sexpr.Int64(int64(lo) + random.Int64N(int64(hi)-int64(lo)+1)), true
	case skills.KindEnum:
		return sexpr.Str(t.Enum[random.IntN(len(t.Enum))]), true
	case skills.KindHost:
		return sexpr.Str(fmt.Sprintf("other%d.example.net", random.IntN(1e6))), true
	case skills.KindURL:
		return sexpr.Str(fmt.Sprintf("https://other%d.example.net/", random.IntN(1e6))), true
	case skills.KindPath:
		return sexpr.Str(fmt.Sprintf("other%d", random.IntN(1e6))), true
	case skills.KindList, skills.KindObject, skills.KindCommand, skills.KindSQL:
	}
	return sexpr.Value{}, false
}
