package desk

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/opencortex-go/cortex/runs"
	"github.com/opencortex-go/cortex/runs/bundle"
)

func export(ctx context.Context, d *Desk, _ runs.Person, p Named) (any, string, error) {
	session, err := d.find(ctx, p)
	if err != nil {
		return nil, "", err
	}
	b, err := bundle.Export(ctx, d.Runs.Logs(), session, d.Producer, time.Now())
	if err != nil {
		return nil, "", err
	}
	text, err := b.Text()
	if err != nil {
		return nil, "", err
	}
	return json.RawMessage(text), fmt.Sprintf("%s: a bundle of %d bytes\n", p.Run, len(text)), nil
}

// Import enters a run from a bundle.
type Import struct {
	Bundle json.RawMessage `json:"bundle"`
}

func enter(ctx context.Context, d *Desk, who runs.Person, p Import) (any, string, error) {
	in, err := bundle.Import(ctx, d.Runs.Logs(), who.Principal, p.Bundle)
	if err != nil {
		return nil, "", err
	}
	text := fmt.Sprintf("imported as %s: cortex run show; steps of the engine begin after cortex run release\n",
		in.Session)
	return in, text, nil
}
