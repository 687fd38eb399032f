package rules

import (
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/rules/internal/condition"
	"github.com/opencortex-go/cortex/skills/rules/vocabulary"
)

// builder is one load: what its conditions may name, and what is wrong so far.
type builder struct {
	*condition.Language
	faults faults
	keys   map[string][]string // of each form, as [vocabulary.KeyNames]
}

func newBuilder(functions []facts.Function, costs int) *builder {
	return &builder{Language: condition.New(functions, costs), keys: vocabulary.KeyNames()}
}

// compile compiles a condition of a file; see [condition.Language.Compile]. what names
// what it is the condition of.
func (b *builder) compile(s *source, what string, v sexpr.Value, tools []string) (condition.Condition, bool) {
	return b.Language.Compile(fileFaults{&b.faults, s, what}, v, tools)
}

// compileTrigger compiles the condition of a whole skill or invariant.
func (b *builder) compileTrigger(s *source, what string, v sexpr.Value) (condition.Condition, bool) {
	return b.Language.CompileTrigger(fileFaults{&b.faults, s, what}, v)
}

// compileValue compiles a form of a file whose result is a value.
func (b *builder) compileValue(s *source, what string, v sexpr.Value, tools []string) (condition.Computed, bool) {
	return b.Language.CompileValue(fileFaults{&b.faults, s, what}, v, tools)
}

// fileFaults takes down what is wrong with the conditions of one file.
type fileFaults struct {
	faults *faults
	src    *source
	what   string
}

// What names the clause.
func (r fileFaults) What() string { return r.what }

// Name is the path of the file.
func (r fileFaults) Name() string { return r.src.path }

// Text is the file.
func (r fileFaults) Text() string { return r.src.text }

// Fail takes down one thing that is wrong.
func (r fileFaults) Fail(at sexpr.Pos, cause error, format string, args ...any) {
	r.faults.add(r.src, at, cause, format, args...)
}

// Enough says that so much is wrong that looking on does not help.
func (r fileFaults) Enough() bool { return r.faults.enough() }

// Partial says that a file could not be read.
func (r fileFaults) Partial() bool { return r.faults.broken }
