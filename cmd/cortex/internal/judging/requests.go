package judging

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/lines"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/skills"
)

// Requests reads every line of in and gives it to f as what [reason.Decide] is asked,
// with the policy and its id as it was given. The tools of the policy tell what the calls
// before it took from budgets. now is the time of those that give none. It stops at the
// first line that cannot be read.
func Requests(ctx context.Context, policy skills.Policy, in io.Reader, now time.Time,
	f func(id json.RawMessage, req reason.Request) error) error {
	j := &judging{policy: policy, clock: func() time.Time { return now }}
	all := lines.New(in)
	for n := 1; ctx.Err() == nil; n++ {
		line, err := all.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("line %d: %w", n, err)
		case blank(line):
			continue
		}
		r, err := readRequest(line)
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		facts, err := j.facts(r)
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if err := f(r.id, reason.Request{Policy: policy, Proposal: r.action, Facts: facts}); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}
