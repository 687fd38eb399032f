package condition

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules/internal/look"
	"github.com/opencortex-go/cortex/skills/rules/internal/value"
)

// program is a compiled condition. It is immutable and safe for concurrent use.
type program struct {
	code *vm.Program
	pool *machines
	// fixed, if set, stands for a condition that is the same for every case.
	fixed *bool
	first *firstTest // asked before the program is run; nil for none
	spots []spot     // of its pieces that stand in definitions
}

// machine runs one program at a time. The program is given its view: the names of a
// condition are read through it.
type machine struct {
	vm   vm.VM
	view look.View
}

// machines keeps idle machines, so that judging allocates nothing.
type machines struct {
	pool  sync.Pool
	tools map[string]any // see [look.View]
}

func newMachines(tools map[string]any) *machines { return &machines{tools: tools} }

// memoryBudget bounds the elements of lists that one condition builds. The
// static cost is far below it.
const memoryBudget = 500_000

func (p *machines) get(c *skills.Case) *machine {
	m, ok := p.pool.Get().(*machine)
	if !ok {
		m = &machine{view: look.View{Tools: p.tools}}
		m.vm.MemoryBudget = memoryBudget
	}
	m.view.Case = c
	return m
}

func (p *machines) put(m *machine) {
	m.view.Case = nil
	clear(m.vm.Variables)
	clear(m.vm.Stack[:cap(m.vm.Stack)])
	p.pool.Put(m)
}

// Unjudged is the error of a condition that could not be judged: something it
// reads is not there, not known or of the wrong kind. Its text may be shown to a
// model.
type Unjudged struct {
	Pos sexpr.Pos // of the form that could not be judged
	Err error     // why
	// File is the file of a definition that the form stands in, and Used says where
	// that is used; both are "" if it stands in none.
	File, Used string
	// Hint is advice for the author of the rule, or "".
	Hint string
}

// Error says why.
func (u *Unjudged) Error() string { return u.Err.Error() }

// Unwrap returns why.
func (u *Unjudged) Unwrap() error { return u.Err }

// Holds answers whether the condition holds. The error is an *[Unjudged], or
// something else if the program itself failed, which is a mistake of ours.
func (p *program) Holds(c *skills.Case) (bool, error) {
	if p.fixed != nil {
		return *p.fixed, nil
	}
	if p.first.fails(c) {
		return false, nil
	}
	out, err := p.run(c)
	if err != nil {
		return false, err
	}
	b, ok := out.(bool)
	if !ok {
		return false, fmt.Errorf("the condition gave a %T", out)
	}
	return b, nil
}

func (p *program) run(c *skills.Case) (any, error) {
	m := p.pool.get(c)
	out, err := m.vm.Run(p.code, &m.view)
	p.pool.put(m)
	if err == nil {
		return out, nil
	}
	var at *file.Error
	if !errors.As(err, &at) {
		return nil, err
	}
	var crash runtime.Error
	if at.Prev == nil || errors.As(at.Prev, &crash) {
		return nil, fmt.Errorf("%s: %s", p.spotOf(at.Location).pos, at.Message)
	}
	s := p.spotOf(at.Location)
	u := &Unjudged{Pos: s.pos, Err: at.Prev, File: s.file, Used: strings.TrimPrefix(s.used, ", ")}
	var h *value.Hinted
	if errors.As(at.Prev, &h) {
		u.Hint = h.Hint
	}
	return nil, u
}
