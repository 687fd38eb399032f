package act

import (
	"context"
	"fmt"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Vault has secrets by name. An action refers to one as (:vault "name"), in an argument that
// its tool declares as :secret. Rules judge the reference, people approve it, and the record
// holds it; the value goes to the actuator alone. It must be safe for concurrent use.
type Vault interface {
	// Secret returns the secret of this name. The error goes to the log, and not to models.
	Secret(ctx context.Context, name string) (string, error)
}

// unlock returns the call for an allowed action, with the secrets that it refers to.
func (d *Dispatcher) unlock(ctx context.Context, in Intent, a *skills.Action, tool Tool) (Call, error) {
	call := Call{Action: a, Key: in.Key, Session: in.Session, Approval: in.Approval, Asker: in.Asker,
		Decision: in.Decision}
	schema := in.Tool
	if schema == nil {
		schema = tool.Schema
	}
	args := a.Args()
	for kv := args.Items(); len(kv) > 1; kv = kv[2:] {
		name, refers := skills.VaultName(kv[1])
		if !refers || !schema.Hides(kv[0].Text(), sexpr.Nil()) {
			continue
		}
		secret, err := d.secret(ctx, name)
		if err != nil {
			d.log().Warn("a secret of the vault cannot be had", "name", name, "tool", a.Tool(), "error", err)
			return call, fmt.Errorf("the vault has no secret %q for this; nothing was done", name)
		}
		args = args.With(kv[0].Text(), sexpr.Str(secret))
		call.secrets = call.secrets.With(sexpr.Str(secret))
	}
	if len(call.secrets) == 0 && sexpr.Equal(args, a.Args()) {
		return call, nil
	}
	full, err := skills.NewAction(a.Tool(), args, a.Explanation())
	if err != nil { // it would quote the secret
		return call, fmt.Errorf("a secret of the vault is no text that an argument can hold; nothing was done")
	}
	call.Action = full
	return call, nil
}

func (d *Dispatcher) secret(ctx context.Context, name string) (string, error) {
	if d.Vault == nil {
		return "", fmt.Errorf("there is no vault")
	}
	return d.Vault.Secret(ctx, name)
}

// redacted is the receipt without the secrets that the call was given.
func (c Call) redacted(r Receipt) Receipt {
	if len(c.secrets) > 0 {
		r.Result, r.Text, r.Error = c.secrets.Cover(r.Result), c.secrets.Redact(r.Text), c.secrets.Redact(r.Error)
	}
	return r
}
