package judging

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/opencortex-go/cortex/adapters/api/client"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// host and unnamed are the kind of program that a daemon is told, and the session of
// requests that name none.
const (
	host    = "decide"
	unnamed = "decide"
)

// Ask has a daemon answer every line of in, instead of judging here. The daemon knows what
// was said and called in a session, and all facts: a request that brings its own is a bad
// line. Ask stops where no daemon answers.
func Ask(ctx context.Context, in io.Reader, out io.Writer, daemon *client.Client) (*Stats, error) {
	s := new(Stats)
	err := s.each(ctx, in, out, func(line []byte, bad error) (answer, error) {
		var r *request
		if bad == nil {
			r, bad = readRequest(line)
		}
		var q client.Request
		if bad == nil {
			q, bad = r.question()
		}
		if bad != nil {
			return s.bad(r, line, bad), nil
		}
		from := time.Now()
		d, err := daemon.Decide(ctx, q)
		var refused *client.Refused
		switch {
		case errors.As(err, &refused):
			return s.bad(r, line, err), nil
		case err != nil:
			return answer{}, err
		}
		return s.told(r, d, time.Since(from)), nil
	})
	return s, err
}

// question is what a daemon is asked by a request.
func (r *request) question() (q client.Request, err error) {
	if err := r.bringsNothing(); err != nil {
		return q, err
	}
	a, _, err := skills.Propose(r.action, nil)
	if err != nil {
		return q, fmt.Errorf("action: %w", err)
	}
	q = client.Request{Session: unnamed, Host: host, Tool: a.Tool(), Explanation: a.Explanation()}
	id, err := r.session.text("id")
	if id != "" {
		q.Session = id
	}
	if err != nil {
		return q, fmt.Errorf("session.%w", err)
	}
	q.Args, err = sexpr.ToJSON(a.Args())
	return q, err
}

// bringsNothing reports what a request has that a daemon knows by itself.
func (r *request) bringsNothing() error {
	const text = "a request to a daemon has no %s, which the daemon knows; expected action, session.id and id alone"
	session := slices.Sorted(maps.Keys(r.session))
	session = slices.DeleteFunc(session, func(key string) bool { return key == "id" })
	switch {
	case len(session) > 0:
		return fmt.Errorf(text, "session."+session[0])
	case len(r.calls) > 0:
		return fmt.Errorf(text, "session.calls")
	case len(r.facts) > 0:
		return fmt.Errorf(text, "facts")
	case len(r.signal) > 0:
		return fmt.Errorf(text, "signal")
	case r.now != "":
		return fmt.Errorf(text, "now")
	}
	return nil
}

// told is the answer line of what a daemon decided.
func (s *Stats) told(r *request, d client.Ruling, took time.Duration) answer {
	kinds := map[string]reason.Kind{"allow": reason.Allow, "ask": reason.Ask, "deny": reason.Deny}
	s.add(kinds[d.Kind], took)
	a := answer{ID: r.id, Decision: d.Kind, judged: &judged{Key: d.Key, Reasons: []why{}, Digest: d.Digest,
		Policy: d.Policy, Micros: micros(took), Record: d.Record, Token: d.Token}}
	for _, w := range d.Reasons {
		a.Reasons = append(a.Reasons, why{Key: w.Key, Text: w.Text, Retryable: w.Retryable})
	}
	if d.Tool != "" {
		tool, err := sexpr.FromJSON(d.Args)
		if err == nil {
			a.Action, _ = sexpr.ToJSON(sexpr.Plist("tool", sexpr.Str(d.Tool), "args", tool))
		}
	}
	return a
}
