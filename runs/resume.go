package runs

import (
	"context"

	"github.com/opencortex-go/cortex/runs/tools"
)

func (r *Runs) resume(ctx context.Context, by Caller, c *tools.ResumeSession) (*tools.Candidates, error) {
	return nil, nil
}
