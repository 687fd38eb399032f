package library

import (
	"sync/atomic"

	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/runs"
	"github.com/opencortex-go/cortex/runs/tools"
)

// Live is a library that can be loaded again. Each call is answered from the one that was loaded
// last, and a run keeps the plan that it began with. It is safe for concurrent use.
type Live struct {
	roots []Root
	opt   plans.Options
	now   atomic.Pointer[Library]
}

// NewLive loads the workflows of the roots.
func NewLive(roots []Root, opt plans.Options) *Live {
	l := &Live{roots: roots, opt: opt}
	l.Reload()
	return l
}

// Reload loads them again, and returns what is in force from now on.
func (l *Live) Reload() *Library {
	next := Load(l.roots, l.opt)
	l.now.Store(next)
	return next
}

// Now is the library in force.
func (l *Live) Now() *Library { return l.now.Load() }

// Find is [Library.Find].
func (l *Live) Find(id string) (*runs.Workflow, error) { return l.Now().Find(id) }

// List is [Library.List].
func (l *Live) List(c *tools.ListWorkflows) tools.Workflows { return l.Now().List(c) }

// Inspect is [Library.Inspect].
func (l *Live) Inspect(c *tools.InspectWorkflow) (tools.Inspected, error) { return l.Now().Inspect(c) }
