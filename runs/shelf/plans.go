package shelf

import (
	"sync"

	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/runs/event"
)

// maxPlans is how many compiled plans are held.
const maxPlans = 64

// planCache holds compiled plans by their hash. A plan never changes.
type planCache struct {
	mu    sync.Mutex
	plans map[event.WorkflowHash]*plans.Plan
}

// Plan returns a plan that a log pinned.
func (s *Shelf) Plan(hash event.WorkflowHash) (*plans.Plan, error) {
	s.plans.mu.Lock()
	p := s.plans.plans[hash]
	s.plans.mu.Unlock()
	if p != nil {
		return p, nil
	}
	text, err := s.Content(hash)
	if err != nil {
		return nil, err
	}
	if p, err = plans.Load([]byte(text)); err != nil {
		return nil, err
	}
	s.plans.mu.Lock()
	defer s.plans.mu.Unlock()
	if s.plans.plans == nil || len(s.plans.plans) >= maxPlans {
		s.plans.plans = map[event.WorkflowHash]*plans.Plan{}
	}
	s.plans.plans[hash] = p
	return p, nil
}
