package main

import (
	"context"
	"errors"
	"strings"

	"github.com/opencortex-go/cortex/reason"
)

// model is the scripted model, telling what it reads and answers.
type model struct {
	*reason.Scripted
	tour *tour
}

// Complete tells what was recorded since, what the model was told about a refusal,
// and its answer.
func (m model) Complete(ctx context.Context, p reason.Prompt) (reason.Completion, error) {
	m.tour.recite(ctx)
	if n := len(p.Messages); n > 0 && strings.HasPrefix(p.Messages[n-1].Text, "PREVIOUS PROPOSAL REJECTED") {
		m.tour.say("feedback", "to the model: "+p.Messages[n-1].Text)
	}
	c, err := m.Scripted.Complete(ctx, p)
	if err != nil { // the script ran out, or was not shown what it expects
		m.tour.err = errors.Join(m.tour.err, err)
		return c, err
	}
	m.tour.say("model", c.Text)
	return c, nil
}
