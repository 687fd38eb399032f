package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// errOurs says that a caller wants to run what the daemon runs.
var errOurs = wrong(http.StatusBadRequest, "this tool is a capability, which the daemon runs: call it by /v1/call")

// capability reports whether a tool is a capability that may be started.
func (s *Server) capability(tool string) bool {
	t, ok := s.opt.Engine.Rules().Policy().Tool(tool)
	return ok && form.IsTool(t)
}

// ours says why no caller may run a tool of this name itself: it is a capability, or rules that allow it are
// about what the engine does under that name.
func (s *Server) ours(tool string) error {
	if s.capability(tool) {
		return errOurs
	}
	t, ok := s.opt.Engine.Rules().Policy().Tool(tool)
	if skills.IsBuiltin(tool) || ok && t.Source.IsNil() && t.Tier == skills.TierAllow {
		return wrong(http.StatusBadRequest, "%s is a tool of Cortex itself, and rules judge it as that: give the tool of "+
			"the host another name", tool)
	}
	return nil
}

// call judges a call of a capability whole, and has the engine run it.
func (s *Server) call(ctx context.Context, from caller, q JudgeRequest) (Called, error) {
	if !s.capability(q.Action.Tool) {
		why := "no capability that may be started has this name"
		if text, tools, err := s.opt.Engine.Hosts().Bulletin(cortex.Signal{}); err == nil && len(tools) == 0 && text != "" {
			why = text
		}
		return Called{}, wrong(http.StatusNotFound, "%s: %s", q.Action.Tool, why)
	}
	asked, no, err := s.judged(ctx, from, q)
	if err != nil || no != nil {
		return Called{Decision: deref(no).Decision}, err
	}
	d := asked.d
	a, rc, err := s.opt.Engine.Hosts().Perform(ctx, d.ID)
	var not *cortex.NotAllowed
	switch {
	case errors.As(err, &not):
		out, err := decisionOf(not.Decision)
		return Called{Decision: out}, err
	case err != nil:
		return Called{}, err
	}
	out := Called{State: string(rc.State), Text: rc.Show(a.Tool()), Error: rc.Error}
	if out.Decision, err = decisionOf(d); err != nil {
		return out, err
	}
	args, err := sexpr.ToJSON(a.Args())
	if err != nil {
		return out, err
	}
	out.Decision.Decision, out.Approval, out.Reasons = "allow", "", []Reason{} // a card that was approved since counts
	out.Action, out.Digest = &Action{a.Tool(), args}, a.Digest().String()
	if !rc.Result.IsNil() {
		out.Result, err = sexpr.ToJSON(rc.Result)
	}
	return out, err
}

// offer is what a policy offers: it is made once for each.
type offer struct {
	mu     sync.Mutex
	policy sexpr.Digest // of the rules in force; zero before the first
	all    Capabilities
}

// capabilities are the tools that are capabilities, by name.
func (s *Server) capabilities() (Capabilities, error) {
	policy := s.opt.Engine.Rules().Policy()
	now := policy.Hash()
	s.offer.mu.Lock()
	defer s.offer.mu.Unlock()
	if s.offer.policy == now {
		return s.offer.all, nil
	}
	all := Capabilities{Capabilities: []Capability{}}
	for _, t := range policy.Tools() {
		if !form.IsTool(t) {
			continue
		}
		schema, err := t.Offered().JSONSchema()
		if err != nil {
			return all, err
		}
		all.Capabilities = append(all.Capabilities, Capability{t.Name, t.Doc, schema})
	}
	slices.SortFunc(all.Capabilities, func(a, b Capability) int { return strings.Compare(a.Name, b.Name) })
	text, err := json.Marshal(all.Capabilities)
	if err != nil {
		return all, err
	}
	all.Version = sexpr.DigestText("cortex/api/capabilities/1", string(text)).String()
	s.offer.policy, s.offer.all = now, all
	return all, nil
}

// beat is how often it is looked whether the capabilities have changed, while a caller waits for that.
const beat = 200 * time.Millisecond

// another waits, with ?since=VERSION&hold=SECONDS, until the capabilities are others.
func (s *Server) another(ctx context.Context, r *http.Request) error {
	since, hold := r.URL.Query().Get("since"), r.URL.Query().Get("hold")
	n, err := strconv.Atoi(hold)
	if hold != "" && (err != nil || n < 1) {
		return wrong(http.StatusBadRequest, "hold is %q, expected a number of seconds", hold)
	}
	ctx, cancel := context.WithTimeout(ctx, min(time.Duration(n)*time.Second, maxHold))
	defer cancel()
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		all, err := s.capabilities()
		if err != nil || all.Version != since {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// listed returns a page of the capabilities, by name.
func (s *Server) listed(_ context.Context, r *http.Request, room int) (any, string, error) {
	all, err := s.capabilities()
	if err != nil {
		return nil, "", err
	}
	from := r.URL.Query().Get("from")
	out := page[Capability]{room: room, list: []Capability{}}
	for _, c := range all.Capabilities {
		if c.Name < from {
			continue
		}
		if more, err := out.add(c); err != nil || !more {
			return Capabilities{all.Version, out.list}, "/v1/capabilities?from=" + url.QueryEscape(c.Name), err
		}
	}
	return Capabilities{all.Version, out.list}, "", nil
}
