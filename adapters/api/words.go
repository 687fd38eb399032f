package api

import (
	"context"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/perceive"
)

// source is the channel of what callers say.
const source = "api"

// promptName names words that may be a tool's, as a text that was read.
const promptName = "a message of unknown origin"

func (s *Server) words(ctx context.Context, from caller, in Words) (Heard, error) {
	x, err := s.session(ctx, in.Session, from)
	if err != nil {
		return Heard{}, wrongInput(err)
	}
	speaks, err := s.speaks(x, from)
	if err != nil {
		return Heard{}, err
	}
	if !speaks {
		s.opt.Logger.Warn("words that may come from a tool do not count as the user's", "session", x.name,
			"pid", from.peer.pid)
		seq, err := s.opt.Engine.Hosts().Read(ctx, x.name, source, promptName, in.Text)
		return Heard{Record: seq}, err
	}
	seq, err := s.opt.Engine.Hosts().Hear(ctx, s.signal(x, from, in))
	return Heard{Record: seq, User: true}, err
}

// signal is a person's message in a session, which the keys of its messages belong to.
func (s *Server) signal(x *conversation, from caller, in Words) cortex.Signal {
	sig := cortex.Signal{Type: perceive.Event, Sensor: perceive.UserInput, Source: source, Principal: from.user,
		Session: x.name, Text: in.Text}
	if in.Key != "" {
		sig.Key = x.name + "/" + in.Key
	}
	return sig
}

func (s *Server) read(ctx context.Context, from caller, in Words) (Heard, error) {
	x, err := s.session(ctx, in.Session, from)
	if err != nil {
		return Heard{}, wrongInput(err)
	}
	seq, err := s.opt.Engine.Hosts().Read(ctx, x.name, source, in.Name, in.Text)
	return Heard{Record: seq}, err
}

// submit has the daemon's own model answer.
func (s *Server) submit(ctx context.Context, from caller, in Words) (Reply, error) {
	x, err := s.session(ctx, in.Session, from)
	if err != nil {
		return Reply{}, wrongInput(err)
	}
	sig := s.signal(x, from, in)
	speaks, err := s.speaks(x, from)
	if err != nil {
		return Reply{}, err
	}
	if !speaks {
		return Reply{}, wrong(409, "a call of this session is open: what comes now may be a tool's words")
	}
	out, err := s.opt.Engine.Submit(ctx, sig)
	if err != nil {
		return Reply{}, err
	}
	return Reply{Signal: out.Signal, Text: out.Text, Notice: out.Notice, Approval: out.Approval}, nil
}
