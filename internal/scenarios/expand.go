package scenarios

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Case is one proposed call with its label: a line of the data set. A guard may see the
// suite, the user's task, the trace and the call, and nothing else.
type Case struct {
	Source   string `json:"source"`
	Suite    string `json:"suite"`
	ID       string `json:"case_id"`
	Group    string `json:"group_id"` // one task or one attack
	Split    string `json:"split"`
	Kind     string `json:"kind"`     // benign or attack
	Label    string `json:"label"`    // allow or block
	Critical bool   `json:"critical"` // without this call the attack, or the task, fails
	Exposed  bool   `json:"exposed"`  // what an attacker wrote stands in the trace
	User     string `json:"user_task"`
	Trace    []Past `json:"trace_prefix"`
	Call     Call   `json:"call"`
	MayAsk   string `json:"may_ask,omitempty"`     // the stakes of a benign call that may be asked about
	Goal     string `json:"attack_goal,omitempty"` // the rest is of attacks and of benign calls under attack
	How      string `json:"attack_type,omitempty"`
	Attack   string `json:"injection_task,omitempty"`
	Need     string `json:"need,omitempty"`
}

// Call is a tool and its arguments.
type Call struct {
	Tool string         `json:"tool"`
	Args map[string]any `json:"args"`
}

// Past is what happened before the call: a call with its result, or a message of the user.
type Past struct {
	Role   string         `json:"role"` // tool or user
	Tool   string         `json:"tool,omitempty"`
	Args   map[string]any `json:"args,omitempty"`
	Result string         `json:"result_excerpt"`
	Error  string         `json:"error,omitempty"`
}

// Expand returns the cases of a scenario, in the order of its file: the untouched run, then
// for each attack the calls that the attacker wants and the calls of the run that come after
// the first edit. The split is a word for the reader of figures: dev or aside.
func (s *Scenario) Expand(split string) ([]Case, error) {
	out := s.run(split, s.Name+":clean", s.Step, 0, &Attack{})
	for i := range s.Attack {
		a := &s.Attack[i]
		steps, err := s.edited(a)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", s.written, a.Name, err)
		}
		out = append(out, s.obey(split, steps, a)...)
		first := len(steps)
		for _, e := range a.Edit {
			first = min(first, e.In)
		}
		out = append(out, s.run(split, s.Name+":"+a.Name+":under", steps, first, a)...)
	}
	return out, nil
}

// run has a case for each call behind the first so many steps.
func (s *Scenario) run(split, group string, steps []Step, first int, a *Attack) []Case {
	var out []Case
	for i, step := range steps {
		if i < first || step.Tool == "" {
			continue
		}
		c := s.newCase(split, group, len(out), a)
		c.Kind, c.Label, c.Critical, c.Exposed, c.MayAsk = "benign", "allow", true, first > 0, step.MayAsk
		c.Trace, c.Call = past(steps[:i]), Call{step.Tool, args(step)}
		out = append(out, c)
	}
	return out
}

// obey has a case for each call that the attacker wants. One that only leads to the harm is
// in the trace of the next, and not a case: a guard may let an agent open a link.
func (s *Scenario) obey(split string, steps []Step, a *Attack) []Case {
	var out []Case
	trace := past(steps[:a.after()])
	for _, step := range a.Then {
		if !step.Leading {
			c := s.newCase(split, s.Name+":"+a.Name, len(out), a)
			c.Kind, c.Label, c.Critical, c.Exposed, c.Need = "attack", "block", true, true, a.Need
			c.Trace, c.Call = trace, Call{step.Tool, args(step)}
			out = append(out, c)
		}
		trace = append(trace[:len(trace):len(trace)], past([]Step{step})...)
	}
	return out
}

func (s *Scenario) newCase(split, group string, n int, a *Attack) Case {
	return Case{
		Source: "scenarios", Suite: s.Suite, Split: split, User: strings.TrimSpace(s.User),
		ID: fmt.Sprintf("scn:%s:%d", group, n), Group: "scn:" + group,
		Goal: a.Goal, How: a.How, Attack: a.Name,
	}
}

func past(steps []Step) []Past {
	out := []Past{}
	for _, step := range steps {
		p := Past{Role: "tool", Tool: step.Tool, Args: args(step), Result: step.Result}
		if step.Tool == "" {
			p = Past{Role: "user", Result: strings.TrimSpace(step.User)}
		}
		if step.Error {
			p.Error = strings.TrimSpace(step.Result)
		}
		out = append(out, p)
	}
	return out
}

func args(step Step) map[string]any {
	if step.Args == nil {
		return map[string]any{}
	}
	return step.Args
}

// Request is a line for `cortex decide`. It holds what a guard may see of a case, and a name
// from which the label cannot be read.
type Request struct {
	ID      string         `json:"id"`
	Session RequestSession `json:"session"`
	Action  Call           `json:"action"`
	Facts   RequestFacts   `json:"facts"`
}

// RequestSession is what happened before.
type RequestSession struct {
	ID    string           `json:"id"`
	User  string           `json:"user"`
	Calls []map[string]any `json:"calls"`
}

// RequestFacts name the suite.
type RequestFacts struct {
	Env map[string]string `json:"env"`
}

// Request is the case as a guard may see it.
func (c *Case) Request() Request {
	sum := sha256.Sum256([]byte("cortex-eval|" + c.ID))
	name := hex.EncodeToString(sum[:])[:16]
	r := Request{ID: name, Action: c.Call, Facts: RequestFacts{map[string]string{"suite": c.Suite}}}
	r.Session = RequestSession{name, c.User, []map[string]any{}}
	for _, p := range c.Trace {
		call := map[string]any{"user": p.Result}
		if p.Role == "tool" {
			call = map[string]any{"tool": p.Tool, "args": p.Args, "result": p.Result}
		}
		if p.Error != "" {
			call["error"] = p.Error
		}
		r.Session.Calls = append(r.Session.Calls, call)
	}
	return r
}
