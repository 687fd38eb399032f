package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/cortex/approval"
)

// Successor adds to the error of an answer to a superseded approval which card
// takes its place and still waits; a person can answer that one. Other errors come
// back as they are.
func (e *Engine) Successor(ctx context.Context, err error) error {
	var over *approval.StateError
	if !errors.As(err, &over) || over.State != approval.Superseded {
		return err
	}
	old, lost := e.ledger.Approval(ctx, over.Token)
	if lost != nil {
		return err
	}
	for a, lost := range e.ledger.Pending(ctx) {
		if lost == nil && a.Decision > old.Decision && a.Session == old.Session && a.Requester == old.Requester &&
			a.Action.Digest() == old.Action.Digest() {
			return fmt.Errorf("%w; approval %s takes its place, and waits", err, a.Token)
		}
	}
	return err
}
