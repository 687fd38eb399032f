package desk

import (
	"context"
	"fmt"

	"github.com/opencortex-go/cortex/capabilities/mine"
	"github.com/opencortex-go/cortex/cortex/approval"
)

// Learn enters candidates that were mined.
type Learn struct {
	Candidates []mine.Candidate `json:"candidates"`
}

// learn enters candidates in the record. It offers them to no model.
func learn(ctx context.Context, d *Desk, who *approval.Approver, p Learn) (any, string, error) {
	n, err := d.Capabilities.Learnt(ctx, p.Candidates, who.Name)
	return map[string]int{"entered": n}, fmt.Sprintf("%d candidates entered in the record\n", n), err
}
