package proxying

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing/fstest"
	"time"

	"github.com/opencortex-go/cortex/cortex/journal"
	records "github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/gateways/card"
	"github.com/opencortex-go/cortex/gateways/client"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/internal/daemon"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/reason/lint"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/facts/secrets"
	"github.com/opencortex-go/cortex/skills/rules"
)

// operator reads a daemon for an operator's agent, over the plain socket: what that agent
// does not get here, the socket would refuse too.
type operator struct{ *client.Conn }

// Status implements [serve.Operator].
func (o operator) Status(ctx context.Context) (string, error) {
	r, err := o.Eval(ctx, sexpr.ListOf(sexpr.Sym("status")))
	if r.Out != "" {
		return r.Out, err
	}
	return r.Value.String(), err
}

// Cards implements [serve.Operator], without credentials, as messengers show them.
func (o operator) Cards(ctx context.Context) (string, error) {
	list, err := o.Approvals(ctx, false)
	if err != nil || len(list) == 0 {
		return "Nothing waits for people.", err
	}
	var b strings.Builder
	for _, a := range list {
		fmt.Fprintf(&b, "%s\n", card.New(a.Approval, a.Code, card.Options{Mask: secrets.NewMask()}).Text())
	}
	return b.String(), nil
}

// reach is how many records are looked through for each decision.
const reach = 20

// Decisions implements [serve.Operator].
func (o operator) Decisions(ctx context.Context, last int) (string, error) {
	newest, err := o.newest(ctx)
	if err != nil {
		return "", err
	}
	from, span := uint64(1), uint64(last)*reach
	if newest > span {
		from = newest - span
	}
	var lines []string
	mask := secrets.NewMask()
	err = o.Records(ctx, from, func(r journal.Record) error {
		if r.Kind == records.KindDecision {
			lines = append(lines, fmt.Sprintf("%d  %s  %s  %s", r.Seq, time.Unix(0, r.At).UTC().Format(time.DateTime),
				r.Session, mask(repl.Summary(r))))
		}
		return nil
	})
	lines = lines[max(0, len(lines)-last):]
	if err != nil || len(lines) == 0 {
		return "Nothing was decided lately.", err
	}
	return strings.Join(lines, "\n"), nil
}

// newest is the number of the newest record.
func (o operator) newest(ctx context.Context) (uint64, error) {
	r, err := o.Eval(ctx, sexpr.ListOf(sexpr.Sym("status")))
	if err != nil {
		return 0, err
	}
	return uint64(max(0, r.Value.GetInt("last"))), nil
}

// Explain implements [serve.Operator].
func (o operator) Explain(ctx context.Context, decision uint64) (string, error) {
	r, err := o.Explained(ctx, decision)
	return r.Out, err
}

// Check implements [serve.Operator]. What a rule file includes is not there.
func (operator) Check(_ context.Context, text string) (string, error) {
	root := rules.Root{FS: fstest.MapFS{"rules.lisp": {Data: []byte(text)}}}
	book, err := reason.Loader(rules.Loader{Functions: daemon.Functions()}).Load(root)
	var list rules.ErrorList
	if errors.As(err, &list) {
		return "The rules do not load:\n" + list.Error(), nil
	}
	if err != nil {
		return "", err
	}
	out := fmt.Sprintf("The rules load: %d skills, %d tools.", len(book.Skills("")), len(book.Tools()))
	for _, w := range book.Warnings() {
		out += "\nwarning: " + w.Error()
	}
	for _, f := range lint.Run(book) {
		out += fmt.Sprintf("\nwarning: %v", f)
	}
	return out, nil
}
