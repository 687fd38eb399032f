package rules

import (
	"reflect"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
)

// builder is one load: what is known by name, and what is wrong so far.
type builder struct {
	operators map[string]operator
	functions map[string]*facts.Function
	members   map[string]map[string]member
	tools     map[string]*skills.Tool
	folded    map[string][]string // their names, by what the reader folds them to
	lists     map[string]*list
	emit      *emitter
	pool      *machines
	costs     int  // the most that a condition may cost
	recorded  bool // see Loader.Recorded
	faults    faults
}

// list is what deflist defines.
type list struct {
	name  string
	items []any
	text  string // of the definition, for ask keys
	src   *source
}

func newBuilder(functions []facts.Function, costs int) *builder {
	b := &builder{
		operators: operators(), members: members(), emit: newEmitter(), costs: costs,
		functions: map[string]*facts.Function{}, tools: map[string]*skills.Tool{}, folded: map[string][]string{},
		lists: map[string]*list{},
		pool:  newMachines(&names{tools: map[string]any{}}),
	}
	for i := range functions {
		f := &functions[i]
		b.functions[f.Name] = f
		b.emit.register(f.Name, f.Result.Kind == facts.Bool, caller(f))
	}
	return b
}

// addTool makes a tool known, or another definition of one that is.
func (b *builder) addTool(t *skills.Tool) {
	if b.tools[t.Name] == nil {
		f := fold(t.Name)
		b.folded[f] = append(b.folded[f], t.Name)
		b.pool.names.tools[t.Name] = t.Name
	}
	b.tools[t.Name] = t
}

// unfit says why a name cannot be given to something new; "" if it can. Nothing
// that a rule file defines stands in the place of something built in (weakness
// W13).
func (b *builder) unfit(name string) string {
	_, member := b.members[name]
	_, op := b.operators[name]
	_, fn := b.functions[name]
	switch {
	case name == "":
		return "the name is empty"
	case len(name) > maxName:
		return "the name is too long"
	case strings.Contains(name, "."):
		return "a name here has no dot: " + name
	case member, op, fn:
		return "the name " + name + " is built in and cannot be given to anything else"
	}
	switch name {
	case "it", "now", "t", "nil", "false", "null", "{}":
		return "the name " + name + " is built in and cannot be given to anything else"
	}
	return ""
}

// condition is a compiled condition with what its clause needs to know of it.
type condition struct {
	*program
	lists map[string]bool // the deflists it names
	form  sexpr.Value     // what it says, as a form
}

// always is the condition that holds for every case.
func (b *builder) always() condition {
	yes := true
	return condition{program: &program{fixed: &yes}, form: sexpr.T()}
}

// compile checks and compiles a condition: a form, or a string in expr's syntax.
// tools, if not nil, are the only ones that the action may be on. It reports
// false, having said why, if anything is wrong.
func (b *builder) compile(src *source, v sexpr.Value, tools []string) (condition, bool) {
	return b.lowered(&lowerer{b: b, src: src, tools: tools}, v)
}

// compileTrigger compiles the condition of a whole skill or invariant.
func (b *builder) compileTrigger(src *source, v sexpr.Value) (condition, bool) {
	return b.lowered(&lowerer{b: b, src: src, trigger: true}, v)
}

func (b *builder) lowered(l *lowerer, v sexpr.Value) (condition, bool) {
	before, src := b.faults.count(), l.src
	if v.Kind() == sexpr.String {
		form, ok := l.textForm(v)
		if !ok {
			return condition{}, false
		}
		v = form
	}
	t := l.form(v)
	c := l.truth(&t)
	if t.cost > b.costs {
		l.fail(v.Pos(), "at worst it takes %d steps, expected at most %d: go through fewer or shorter lists", t.cost, b.costs)
	}
	if b.faults.count() > before || t.bad {
		return condition{}, false
	}
	out := condition{program: &program{pool: b.pool}, lists: l.lists, form: v}
	if yes, ok := t.lit.(bool); ok {
		out.fixed = &yes
		return out, true
	}
	if t.lit != nil { // nil, the one other literal that is a condition
		out.fixed = new(bool)
		return out, true
	}
	p, err := b.emit.compile(c, reflect.Bool)
	if err != nil {
		b.faults.add(src, v.Pos(), err, "%s", err)
		return condition{}, false
	}
	out.code, out.first = p, firstOf(v)
	return out, true
}
