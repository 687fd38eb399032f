package client

import (
	"context"

	"github.com/opencortex-go/cortex/internal/orders"
)

// Notes carries out what a person orders about notes, with its fields as JSON.
func (c Calls) Notes(ctx context.Context, verb string, params []byte) (orders.Answer, error) {
	return c.order(ctx, "notes", verb, params)
}
