package plugins

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/opencortex-go/cortex/plugins/internal/wire"
	skillpb "github.com/opencortex-go/cortex/plugins/proto"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Tools returns the tools of the plugins that a person has granted tools, as the
// lock pins them. Nothing is started: running one while its plugin does not run
// does nothing, and says so.
func (h *Host) Tools() ([]skills.RemoteTool, error) {
	lock, err := ReadLock(h.opt.Lock)
	if err != nil {
		return nil, err
	}
	var all []skills.RemoteTool
	for i := range lock.Skills {
		e := &lock.Skills[i]
		if !e.grants("tools") {
			continue
		}
		for _, form := range e.Tools {
			all = append(all, skills.RemoteTool{
				Plugin: e.Name, Form: form,
				Run: func(ctx context.Context, key string, a *skills.Action) (sexpr.Value, error) {
					return h.run(ctx, e, key, a)
				},
			})
		}
	}
	return all, nil
}

// run has a plugin do what was allowed: the very program that brought the tool.
func (h *Host) run(ctx context.Context, e *Entry, key string, a *skills.Action) (sexpr.Value, error) {
	if !h.begin() {
		return sexpr.Value{}, notDone(errClosed)
	}
	defer h.calls.Done()
	r := h.find(e)
	if r == nil {
		return sexpr.Value{}, notDone(fmt.Errorf("the skill %s has been replaced", e.Name))
	}
	p, err := r.sup.process(ctx)
	if err != nil {
		return sexpr.Value{}, notDone(err)
	}
	v, err := p.call(ctx, key, a)
	if ctx.Err() == nil { // anyone who stops a tool does not hold it against the plugin
		r.sup.answered(p, !errors.Is(err, errNoAnswer))
	}
	return v, err
}

// errNoAnswer is in the error of a call that brought no answer that counts: then
// it is not known whether anything was done.
var errNoAnswer = errors.New("it gave no answer that counts")

func notDone(err error) error { return fmt.Errorf("%w: %w", skills.ErrNotDone, err) }

func (p *process) call(ctx context.Context, key string, a *skills.Action) (sexpr.Value, error) {
	out, err := p.skill.Call(ctx, &skillpb.CallRequest{Id: key, Action: a.Canonical(), Digest: a.Digest().String()})
	switch {
	case status.Code(err) == codes.Unimplemented:
		return sexpr.Value{}, notDone(errors.New("it does not implement the call"))
	case ctx.Err() != nil:
		return sexpr.Value{}, fmt.Errorf("%w: %w", errNoAnswer, context.Cause(ctx))
	case status.Code(err) == codes.DeadlineExceeded: // gRPC's clock may run ahead of the context's
		return sexpr.Value{}, fmt.Errorf("%w: %w", errNoAnswer, context.DeadlineExceeded)
	case err != nil:
		return sexpr.Value{}, fmt.Errorf("%w: %w", errNoAnswer, failed(err, 0))
	case out.GetId() != key:
		return sexpr.Value{}, fmt.Errorf("%w: it answered another call", errNoAnswer)
	}
	if err := p.known(out); err != nil {
		return sexpr.Value{}, fmt.Errorf("%w: %w", errNoAnswer, err)
	}
	why := errors.New(wire.Printable(wire.Clip(out.GetError(), wire.MaxText)))
	switch {
	case out.GetUnknown():
		return sexpr.Value{}, why
	case out.GetError() != "":
		return sexpr.Value{}, notDone(why)
	case out.GetResult() == "":
		return sexpr.Value{}, nil
	}
	v, err := sexpr.Read("result", out.GetResult())
	if err == nil {
		err = sexpr.CheckJSON(v)
	}
	if err != nil {
		return sexpr.Value{}, fmt.Errorf("%w: its result cannot be read: %w", errNoAnswer, err)
	}
	return v, nil
}
