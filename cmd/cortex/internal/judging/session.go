package judging

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// kept holds what a stream has told so far: sessions by id, and what principals
// have spent in all of them. It grows with the stream.
type kept struct {
	sessions map[string]*keptSession
	spends   map[string][]skills.Spend
}

func newKept() *kept {
	return &kept{sessions: map[string]*keptSession{}, spends: map[string][]skills.Spend{}}
}

// facts makes of a request what rules may look up. What the line says of the
// session is kept if the stream is.
func (j *judging) facts(r *request) (*skills.Facts, error) {
	f := &skills.Facts{Now: j.clock().Unix()}
	if r.now == "" {
		r.now = time.Unix(f.Now, 0).UTC().Format(time.RFC3339)
	}
	var err error
	if f.Now, err = unixTime("now", r.now); err != nil {
		return nil, err
	}
	if f.Signal, err = r.signalFact(); err != nil {
		return nil, err
	}
	for name, into := range map[string]*sexpr.Value{"ctx": &f.Ctx, "env": &f.Env, "work": &f.Work, "policy": &f.Policy} {
		*into = r.facts[name]
		if !absent(*into) && !into.IsObject() {
			return nil, fmt.Errorf("facts.%s is a %s, expected an object", name, into.Kind())
		}
	}
	fresh, spends, err := j.session(r, f.Now)
	if err != nil {
		return nil, err
	}
	j.remember(f, fresh, spends)
	return f, nil
}

func (r *request) signalFact() (s perceive.Signal, err error) {
	for name, into := range map[string]*string{
		"sensor": &s.Sensor, "source": &s.Source, "session": &s.Session, "text": &s.Text, "from": &s.Principal,
	} {
		if *into, err = r.signal.text(name); err != nil {
			return s, fmt.Errorf("signal: %w", err)
		}
	}
	return s, nil
}

// session reads what the line itself says of its session.
func (j *judging) session(r *request, now int64) (s skills.Session, spends []skills.Spend, err error) {
	var user string
	for name, into := range map[string]*string{"id": &s.ID, "user": &user, "system": &s.System,
		"principal": &s.Principal} {
		if *into, err = r.session.text(name); err != nil {
			return s, nil, fmt.Errorf("session.%w", err)
		}
	}
	for _, v := range r.session["roles"].Items() {
		if v.Kind() != sexpr.String {
			return s, nil, fmt.Errorf("session.roles holds a %s, expected strings", v.Kind())
		}
		s.Roles = append(s.Roles, v.Text())
	}
	attached, err := sources(r.session["attached"])
	if err != nil {
		return s, nil, fmt.Errorf("session.%w", err)
	}
	if user != "" || attached != nil {
		s.Turns = append(s.Turns, skills.Turn{User: user, Attached: attached})
	}
	if w, ok := r.session["whole"]; ok && !absent(w) {
		if !w.IsSym("t") && !w.IsSym("false") {
			return s, nil, fmt.Errorf("session.whole is a %s, expected true or false", w.Kind())
		}
		s.Partial = !w.IsSym("t")
	}
	for i, c := range r.calls {
		turn, err := j.turn(c, now)
		if err != nil {
			return s, nil, fmt.Errorf("session.calls, element %d: %w", i+1, err)
		}
		s.Turns = append(s.Turns, turn)
		spends = append(spends, j.spent(turn.Call, s.ID)...)
	}
	return s, spends, nil
}

// turn reads one element of session.calls. A tool that the rules declare has the
// name they give it, so that history is counted under one name.
func (j *judging) turn(m members, now int64) (skills.Turn, error) {
	if t, ok, err := m.words(); ok || err != nil {
		return t, err
	}
	c := &skills.Call{Args: m["args"], Result: m["result"]}
	if c.Result.IsSym("null") {
		c.Result = sexpr.Nil()
	}
	var err error
	if c.Tool, err = m.text("tool"); err != nil || c.Tool == "" {
		return skills.Turn{}, fmt.Errorf("a call names its tool, as a string")
	}
	if t := j.declared(c.Tool); t != nil {
		c.Tool = t.Name
	}
	if !absent(c.Args) && !c.Args.IsObject() {
		return skills.Turn{}, fmt.Errorf("args is a %s, expected an object", c.Args.Kind())
	}
	if c.At, err = m.time("at", now); err != nil {
		return skills.Turn{}, err
	}
	if c.Decision, err = m.text("decision"); err != nil {
		return skills.Turn{}, err
	}
	if c.Decision == "" {
		c.Decision = reason.Allow.String()
	}
	if !slices.Contains([]string{"allow", "ask", "deny"}, c.Decision) {
		return skills.Turn{}, fmt.Errorf("decision is %.20q, expected allow, ask or deny", c.Decision)
	}
	c.Error = failure(m["error"])
	c.Happened = c.Decision == reason.Allow.String() // a call that failed may have done something all the same
	if h, ok := m["happened"]; ok {
		if !h.IsSym("t") && !h.IsSym("false") && !h.IsNil() {
			return skills.Turn{}, fmt.Errorf("happened is a %s, expected true or false", h.Kind())
		}
		c.Happened = h.IsSym("t")
	}
	_, told := m["result"]
	c.Cut, c.Untold = m["cut"].IsSym("t"), !told && c.Happened && c.Error == ""
	return skills.Turn{Call: c}, nil
}

// declared finds the tool of this name, or the only one that equals it when case
// is ignored.
func (j *judging) declared(name string) *skills.Tool {
	if t, ok := j.policy.Tool(name); ok {
		return t
	}
	for _, t := range j.policy.Tools() { // no two names differ by case alone
		if strings.EqualFold(t.Name, name) {
			return t
		}
	}
	return nil
}

// failure says why a call failed, "" if it did not.
func failure(v sexpr.Value) string {
	switch {
	case absent(v) || v.IsSym("false"):
		return ""
	case v.Kind() == sexpr.String && v.Text() != "":
		return v.Text()
	}
	return v.String()
}

// spent is what a call took from budgets, by the rulebook's word. An amount that
// cannot be told counts as without bound, so that no budget has room left.
func (j *judging) spent(c *skills.Call, session string) []skills.Spend {
	if c == nil || !c.Happened {
		return nil
	}
	tool := j.declared(c.Tool)
	if tool == nil || len(tool.Spends) == 0 {
		return nil
	}
	action, err := skills.NewAction(c.Tool, c.Args, "")
	if err == nil {
		action, err = skills.Conform(action, j.policy)
	}
	var out []skills.Spend
	for _, s := range tool.Spends {
		amount := math.Inf(1)
		if err == nil {
			if a, err := s.Of(action); err == nil {
				amount = a
			}
		}
		out = append(out, skills.Spend{Budget: s.Budget, Amount: amount, Session: session, Tool: c.Tool, At: c.At})
	}
	return out
}

// remember puts what a line tells behind what the stream told before, and makes the whole
// the session of the facts. Without a stream the line is all there is.
func (j *judging) remember(f *skills.Facts, s skills.Session, spends []skills.Spend) {
	if j.kept == nil || s.ID == "" {
		f.Session, f.Spends = s, spends
		f.Recall = &recall{run: j, of: &keptSession{Session: s}, turns: s.Turns, spends: spends}
		return
	}
	old := j.kept.sessions[s.ID]
	if old == nil {
		old = &keptSession{Session: skills.Session{ID: s.ID}}
		j.kept.sessions[s.ID] = old
	}
	old.add(&s)
	all := append(j.kept.spends[old.Principal], spends...)
	j.kept.spends[old.Principal] = all
	f.Session, f.Spends = old.Session, slices.Clip(all)
	f.Session.Turns = slices.Clip(old.Turns)
	f.Recall = &recall{run: j, of: old, turns: f.Session.Turns, spends: f.Spends}
}
