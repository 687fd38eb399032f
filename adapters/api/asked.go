package api

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/internal/project"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// facts are what the daemon knows of a question: the caller's session, the agent as the
// principal, and the folder that the kernel says it is in.
func (s *Server) facts(x *conversation, from caller, named []string) *cortex.Facts {
	env := s.opt.Engine.Hosts().Env()
	if from.cwd != "" {
		env = env.With("cwd", sexpr.Str(from.cwd))
	}
	home, err := os.UserHomeDir()
	// The home of the daemon's own shell is not that of a host.
	if _, ok := env.Get("home"); err == nil && (!ok || hooks[x.kind]) {
		env = env.With("home", sexpr.Str(home))
	}
	_, stands := from.host(x.kind)
	switch {
	case x.kind == "cursor": // one process for all of its windows
		stands = ""
	case len(named) == 0 && !hooks[x.kind]: // a program that speaks for itself works where it stands
		named = []string{stands}
	}
	if len(named) > 0 && named[0] != "" || hooks[x.kind] {
		env = project.Env(env, project.Of(named, stands, home))
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return &cortex.Facts{Env: env, Session: skills.Session{ID: x.name, Principal: s.opt.Agent, Partial: x.partial}}
}

// asked is a question with its decision.
type asked struct {
	x      *conversation
	action *skills.Action // as the caller put it
	d      *cortex.Decision
}

// spelt says why the caller may not run what was judged: rules find a tool in any case, and what the caller has
// under another spelling may be another tool.
func (a *asked) spelt() error {
	if a.d.Action == nil || a.d.Would || a.d.Action.Tool() == a.action.Tool() {
		return nil
	}
	return wrong(http.StatusBadRequest, "the rules know no tool %q; they know %q, which is another name: "+
		"declare the tool as the host spells it", a.action.Tool(), a.d.Action.Tool())
}

// asked decides on a question, unless the id of the call is another's.
func (s *Server) asked(ctx context.Context, from caller, q Question, call string) (a asked, err error) {
	if a.x, err = s.session(ctx, q.Session, from); err != nil {
		return a, wrongInput(err)
	}
	args := sexpr.EmptyObject()
	if text := bytes.TrimSpace(q.Action.Args); len(text) > 0 {
		if text[0] != '{' {
			return a, wrong(http.StatusBadRequest, "action.args: found %.20s, expected an object", text)
		}
		if args, err = sexpr.FromJSON(q.Action.Args); err != nil {
			return a, wrong(http.StatusBadRequest, "action.args: %w", err)
		}
	}
	if a.action, err = skills.NewAction(q.Action.Tool, args, q.Explanation); err != nil {
		return a, wrong(http.StatusBadRequest, "action: %w", err)
	}
	if err = a.x.free(call, a.action.Digest()); err != nil {
		return a, err
	}
	a.d, err = s.opt.Engine.Decide(ctx, a.action, s.facts(a.x, from, q.Project))
	return a, err
}

func wrongInput(err error) error {
	if _, known := errors.AsType[*status](err); known || errors.Is(err, errOwner) {
		return err
	}
	return wrong(http.StatusBadRequest, "%w", err)
}

// before returns a question that a caller has put before, by the record of its decision.
func (s *Server) before(x *conversation, seq uint64) (asked, error) {
	d, session, err := s.opt.Engine.Hosts().Decision(seq)
	switch {
	case err != nil:
		return asked{}, wrong(http.StatusNotFound, "record: %w", err)
	case session != x.name:
		return asked{}, wrong(http.StatusConflict, "record %d is a decision in another session", seq)
	}
	rec, err := s.opt.Engine.Journal().Read(seq)
	if err != nil {
		return asked{}, err
	}
	args, _ := rec.Body.Get("args")
	action, err := skills.NewAction(rec.Body.GetText("tool"), args, "")
	return asked{x, action, d}, err
}
