package event

import "github.com/opencortex-go/cortex/plans/state"

// Blockers is what keeps a run from going on: 1 to 10, in order, see [state.Report].
type Blockers struct {
	List []state.Blocker `json:"blockers"`
}

// Check returns the first thing that is wrong with it.
func (b *Blockers) Check() error { return state.CheckReport(b.List) }
