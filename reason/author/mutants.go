package author

import (
	"slices"

	"github.com/opencortex-go/cortex/sexpr"
)

// Mutant is a rulebook with one fault planted in it.
type Mutant struct {
	Root int
	File string
	Pos  sexpr.Pos   // of the form that is changed
	What string      // "and for or", "without a conjunct", ...
	Was  string      // the form
	Is   string      // what stands in its place; "" for nothing
	form sexpr.Value // the definition that holds it, as it was
	data []byte      // the whole file
}

// others are operators that an author may have meant, each with what is written by
// mistake.
func others() map[string]string {
	return map[string]string{
		"and": "or", "or": "and", "=": "/=", "/=": "=", "<": "<=", "<=": "<", ">": ">=", ">=": ">",
		"some": "every", "every": "some", "none": "some", "every-or-empty": "every", "none-or-empty": "none",
	}
}

// kindsFor are the kinds that a clause may be mistaken for.
func kindsFor() map[string]string {
	return map[string]string{"deny": "ask", "reject": "ask", "ask": "deny", "allow": "deny"}
}

// change is one fault: another form in the place of one.
type change struct {
	at   sexpr.Value
	what string
	new  *sexpr.Value // nil: nothing
	out  sexpr.Value  // the form that was walked, with the fault in it
}

// plant returns the faults of one definition.
func plant(v sexpr.Value) (out []change) {
	if v.Len() < 2 || v.Items()[0].Kind() != sexpr.Symbol {
		return nil
	}
	switch v.Items()[0].Text() {
	case "deflist":
		return halves(v, 2)
	case "defcondition":
		return inside(v, v.Len()-1, conditions)
	case "defskill":
		return append(member(v, "trigger", conditions), member(v, "gate", clauses)...)
	case "definvariant":
		return append(member(v, "when", conditions), member(v, "holds", conditions)...)
	}
	return nil
}

// replaced is a fault that puts one form in the place of the whole.
func replaced(v sexpr.Value, what string, by sexpr.Value) change { return change{v, what, &by, by} }

// inside plants faults in one item of a form.
func inside(v sexpr.Value, i int, plant func(sexpr.Value) []change) (out []change) {
	for _, c := range plant(v.Items()[i]) {
		items := slices.Clone(v.Items())
		items[i] = c.out
		c.out = sexpr.ListOf(items...)
		out = append(out, c)
	}
	return out
}

// member plants faults in the value of a key.
func member(v sexpr.Value, key string, plant func(sexpr.Value) []change) []change {
	for i := 0; i+1 < v.Len(); i++ {
		if v.Items()[i].IsKey(key) {
			return inside(v, i+1, plant)
		}
	}
	return nil
}

// without leaves an item of a form out.
func without(v sexpr.Value, i int, what string) change {
	return change{v.Items()[i], what, nil, sexpr.ListOf(slices.Delete(slices.Clone(v.Items()), i, i+1)...)}
}

// clauses plants faults in a gate.
func clauses(v sexpr.Value) (out []change) {
	for i, c := range v.Items() {
		out = append(out, without(v, i, "without a clause"))
		if i > 0 {
			items := slices.Clone(v.Items())
			items[i-1], items[i] = items[i], items[i-1]
			swapped := replaced(v, "clauses in another order", sexpr.ListOf(items...))
			swapped.at, swapped.new = c, &items[i]
			out = append(out, swapped)
		}
		out = append(out, inside(v, i, clause)...)
	}
	return out
}

// clause plants faults in one clause.
func clause(v sexpr.Value) (out []change) {
	if v.Len() < 2 {
		return nil
	}
	if kind, ok := kindsFor()[v.Items()[0].Text()]; ok && !hasKey(v, "approvers", "quorum", "not-user") {
		items := slices.Clone(v.Items())
		items[0] = sexpr.Sym(kind)
		out = append(out, replaced(v, kind+" for "+v.Items()[0].Text(), sexpr.ListOf(items...)))
	}
	out = append(out, member(v, "when", conditions)...)
	return append(out, member(v, "set", constants)...)
}

func hasKey(v sexpr.Value, keys ...string) bool {
	return slices.ContainsFunc(v.Items(), func(x sexpr.Value) bool {
		return x.Kind() == sexpr.Keyword && slices.Contains(keys, x.Text())
	})
}

// conditions plants faults in a condition: its negation, and those of its parts.
func conditions(v sexpr.Value) []change {
	if v.Kind() == sexpr.String {
		return nil // in expr's syntax
	}
	return append([]change{replaced(v, "negated", sexpr.ListOf(sexpr.Sym("not"), v))}, parts(v)...)
}

// parts plants faults in the parts of a condition.
func parts(v sexpr.Value) (out []change) {
	items := v.Items()
	switch {
	case v.Kind() == sexpr.Int:
		return constants(v)
	case len(items) == 0 || items[0].IsSym("quote"):
		return nil
	case items[0].Kind() != sexpr.Symbol:
		return halves(v, 0)
	}
	if op, ok := others()[items[0].Text()]; ok {
		swapped := slices.Clone(items)
		swapped[0] = sexpr.Sym(op)
		out = append(out, replaced(v, op+" for "+items[0].Text(), sexpr.ListOf(swapped...)))
	}
	if items[0].IsSym("not") && len(items) == 2 {
		out = append(out, replaced(v, "without its not", items[1]))
	}
	for i := 1; i < len(items); i++ {
		if items[0].IsSym("and") || items[0].IsSym("or") {
			out = append(out, fewer(v, i)...)
		}
		out = append(out, inside(v, i, parts)...)
	}
	return out
}

// fewer leaves one part of an and or an or out.
func fewer(v sexpr.Value, i int) []change {
	what := "without a conjunct"
	if v.Items()[0].IsSym("or") {
		what = "without an alternative"
	}
	switch v.Len() {
	case 2:
		return nil
	case 3:
		c := replaced(v, what, v.Items()[3-i])
		c.at, c.new = v.Items()[i], nil
		return []change{c}
	}
	return []change{without(v, i, what)}
}

// halves leaves out the first and the second half of a list of constants; from is where
// they begin.
func halves(v sexpr.Value, from int) []change {
	all := v.Items()[from:]
	if len(all) < 2 {
		return nil
	}
	head, middle := v.Items()[:from:from], len(all)/2
	return []change{
		replaced(v, "the first half of a list left out", sexpr.ListOf(append(head, all[middle:]...)...)),
		replaced(v, "the second half of a list left out", sexpr.ListOf(append(head, all[:middle]...)...)),
	}
}

// constants moves integers by one.
func constants(v sexpr.Value) (out []change) {
	if v.Kind() == sexpr.Int {
		return []change{
			replaced(v, "one less", sexpr.Int64(v.Int()-1)), replaced(v, "one more", sexpr.Int64(v.Int()+1)),
		}
	}
	for i := range v.Items() {
		out = append(out, inside(v, i, constants)...)
	}
	return out
}
