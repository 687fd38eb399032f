package api

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/sexpr"
)

func (s *Server) status(ctx context.Context, _ caller, _ struct{}) (Status, error) {
	st, err := s.opt.Engine.Status(ctx)
	mode := "dry"
	switch {
	case st.Observe:
		mode = "observe"
	case st.Live:
		mode = "live"
	}
	return Status{Version: s.opt.Version, Mode: mode, Killed: st.Killed, Pending: st.Pending, Doubts: st.Doubts,
		Record: st.Last, Policy: st.Policy.String()}, err
}

// cards returns a page of the cards of the caller's sessions that wait, oldest first. Pages go by the record of the
// decision that made a card.
func (s *Server) cards(ctx context.Context, r *http.Request, room int) (any, string, error) {
	var first uint64
	if given := r.URL.Query().Get("from"); given != "" {
		var err error
		if first, err = strconv.ParseUint(given, 10, 63); err != nil {
			return nil, "", wrong(http.StatusBadRequest, "from is %.40q, expected the number of a record", given)
		}
	}
	from := connOf(r).from
	out := page[Card]{room: room, list: []Card{}}
	for a, err := range s.opt.Engine.Pending(ctx) {
		if err != nil {
			return nil, "", err
		}
		if a.Decision < first || !s.talks.mine(a.Session, from) {
			continue
		}
		c, err := cardOf(a)
		if err != nil {
			return nil, "", err
		}
		if more, err := out.add(c); err != nil || !more {
			return out.list, fmt.Sprintf("/v1/cards?from=%d", a.Decision), err
		}
	}
	return out.list, "", nil
}

// card returns one card, with ?hold=SECONDS when people have answered it.
func (s *Server) card(w http.ResponseWriter, r *http.Request) {
	token, hold := r.PathValue("token"), r.URL.Query().Get("hold")
	endpoint(s, func(ctx context.Context, from caller, _ struct{}) (Card, error) {
		if _, err := s.ownCard(ctx, from, token); err != nil {
			return Card{}, err
		}
		if n, err := strconv.Atoi(hold); err == nil && n > 0 {
			_, _ = s.answered(ctx, token, n) // the card says how it stands either way
		} else if hold != "" {
			return Card{}, wrong(http.StatusBadRequest, "hold is %q, expected a number of seconds", hold)
		}
		a, err := s.ownCard(ctx, from, token)
		if err != nil {
			return Card{}, err
		}
		return cardOf(a)
	})(w, r)
}

// ownCard returns a card of the caller's own sessions.
func (s *Server) ownCard(ctx context.Context, from caller, token string) (*cortex.Approval, error) {
	a, err := s.opt.Engine.Approvals().Get(ctx, token)
	if err != nil || !s.talks.mine(a.Session, from) {
		return nil, wrong(http.StatusNotFound, "no card %.40q of a session of this caller", token)
	}
	return a, nil
}

// withdraw takes back a card of the caller's own session.
func (s *Server) withdraw(ctx context.Context, from caller, in WithdrawRequest) (struct{}, error) {
	var none struct{}
	x, err := s.session(ctx, in.Session, from)
	if err != nil {
		return none, wrongInput(err)
	}
	a, err := s.opt.Engine.Approvals().Get(ctx, in.Token)
	if err != nil || a.Session != x.name {
		return none, wrong(http.StatusNotFound, "no card %.40q of this session", in.Token)
	}
	return none, s.opt.Engine.Withdraw(ctx, in.Token, s.opt.Agent)
}

func cardOf(a *cortex.Approval) (Card, error) {
	args, err := sexpr.ToJSON(a.Action.Args())
	if err != nil {
		return Card{}, err
	}
	at := func(unix int64) string { return time.Unix(unix, 0).UTC().Format(time.RFC3339) }
	q, _ := a.Question()
	steps, err := stepsOf(a)
	if err != nil {
		return Card{}, err
	}
	return Card{
		Token:   a.Token,
		Kind:    q.Kind,
		Choices: q.Choices,
		State:   string(a.State),
		Action:  &Action{a.Action.Tool(), args},
		Digest:  a.Action.Digest().String(),
		Session: a.Session,
		Reasons: reasonsOf(a, ""),
		Steps:   steps,
		Created: at(a.Created),
		Expires: at(a.Expires),
		By:      a.By,
		Why:     a.Why,
	}, nil
}

// stepsOf are the steps of a card's plan: what the yes is about, with exactly its bytes, and what is allowed.
func stepsOf(a *cortex.Approval) (out []Step, err error) {
	for _, of := range a.Plan {
		s := Step{Name: of.Step, Reasons: reasonsOf(a, of.Step), Note: of.Note}
		for _, slot := range a.Slots {
			if slot.Of != nil && slot.Of.Step == of.Step {
				of, s.Asks = *slot.Of, true
			}
		}
		if of.Action != nil {
			args, err := sexpr.ToJSON(of.Action.Args())
			if err != nil {
				return nil, err
			}
			s.Action, s.Digest = &Action{of.Action.Tool(), args}, of.Action.Digest().String()
		}
		out = append(out, s)
	}
	return out, nil
}

// reasonsOf are the reasons of the asks about a step; about the card's own action for "".
func reasonsOf(a *cortex.Approval, step string) (out []Reason) {
	for _, s := range a.Slots {
		if s.Of == nil && step == "" || s.Of != nil && s.Of.Step == step {
			out = append(out, Reason{s.Reason.Key, s.Reason.Text, s.Reason.Retryable})
		}
	}
	return out
}
