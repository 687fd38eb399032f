package condition

import (
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// program is a compiled condition. It is immutable and safe for concurrent use.
type program struct {
	code *vm.Program
	pool *machines
	// fixed, if set, stands for a condition that is the same for every case.
	fixed *bool
	first *firstTest // asked before the program is run; nil for none
}

// machine runs one program at a time. It is what a program is given: the names
// of a condition are read through it.
type machine struct {
	vm   vm.VM
	c    *skills.Case
	book *names
	// meter bounds what a calculator's form takes; rules are bounded by their
	// static cost and have none.
	meter *meter
}

// machines keeps idle machines, so that judging allocates nothing.
type machines struct {
	pool  sync.Pool
	names *names
}

func newMachines(n *names) *machines { return &machines{names: n} }

// memoryBudget bounds the elements of lists that one condition builds. The
// static cost is far below it.
const memoryBudget = 500_000

func (p *machines) get(c *skills.Case) *machine {
	m, ok := p.pool.Get().(*machine)
	if !ok {
		m = &machine{book: p.names}
		m.vm.MemoryBudget = memoryBudget
	}
	m.c = c
	return m
}

func (p *machines) put(m *machine) {
	m.c, m.meter = nil, nil
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

func (p *program) run(c *skills.Case) (any, error) { return p.runOn(c, nil) }

// runOn runs the program; a meter may stop it.
func (p *program) runOn(c *skills.Case, by *meter) (any, error) {
	m := p.pool.get(c)
	m.meter = by
	out, err := m.vm.Run(p.code, m)
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
		return nil, fmt.Errorf("%s: %s", place(at.Location), at.Message)
	}
	return nil, &Unjudged{Pos: place(at.Location), Err: at.Prev}
}
