package skill

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"sync"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/opencortex-go/cortex/plugins/internal/wire"
	skillpb "github.com/opencortex-go/cortex/plugins/proto"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Serve is the main function of a skill process: it serves the skill until its
// host ends it, or ends itself, and then ends the process. It does not return.
//
// slog's default logger writes lines that a host understands. A panic in one of
// the skill's functions fails the call and is logged; the process goes on.
func Serve(s Skill) {
	os.Exit(serve(s))
}

// How a skill process ends.
const (
	exitDone  = 0
	exitAlone = 1 // it has no host to serve
	exitWrong = 2 // the skill is not one that a host could load
)

// drain is how long calls that are under way may still take after SIGTERM.
const drain = time.Second

func serve(s Skill) int {
	stderr := os.Stderr // go-plugin puts a pipe of its own in its place
	d, err := s.description()
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "the skill %s cannot be served: %s\n", s.Name, err)
		return exitWrong
	}
	if os.Getenv(skillpb.Cookie) != skillpb.Service {
		_, _ = fmt.Fprintf(stderr,
			"%s %s is a skill for Cortex: %s\nA host starts it, with %s=%s in its environment; see docs/plugins.md.\n",
			s.Name, s.Release, s.Doc, skillpb.Cookie, skillpb.Service)
		return exitAlone
	}
	log := slog.New(hostHandler(stderr))
	slog.SetDefault(log)
	g := &guestServer{skill: s, description: d, log: log}
	go watchParent(stderr)
	go g.watchSignals()
	wire.Serve(g, g.newServer)
	return exitDone
}

// hostHandler writes records as a host reads them: with @level and @message.
func hostHandler(stderr *os.File) slog.Handler {
	return slog.NewJSONHandler(stderr, &slog.HandlerOptions{
		Level: slog.LevelDebug,
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) == 0 {
				switch a.Key {
				case slog.LevelKey:
					a.Key = "@level"
				case slog.MessageKey:
					a.Key = "@message"
				case slog.TimeKey:
					a.Key = "@timestamp"
				}
			}
			return a
		},
	})
}

// watchParent ends the process when its host has died. Linux does that by itself
// where the host asks for it; others do not.
func watchParent(stderr *os.File) {
	parent := os.Getppid()
	for range time.Tick(500 * time.Millisecond) {
		if os.Getppid() != parent {
			_, _ = fmt.Fprintln(stderr, "the host is gone")
			os.Exit(exitAlone)
		}
	}
}

// guestServer answers a host's calls with the skill's functions.
type guestServer struct {
	skillpb.UnimplementedSkillServer
	skill       Skill
	description *skillpb.Description
	log         *slog.Logger

	mu     sync.Mutex
	server *grpc.Server
	ending bool
	calls  sync.WaitGroup
}

func (g *guestServer) newServer(o []grpc.ServerOption) *grpc.Server {
	s := grpc.NewServer(append(o, grpc.MaxRecvMsgSize(skillpb.MaxMessage), grpc.MaxSendMsgSize(skillpb.MaxMessage),
		grpc.MaxConcurrentStreams(256), grpc.MaxHeaderListSize(16<<10),
		// fixed: it measures the line otherwise, with frames of its own
		grpc.InitialWindowSize(skillpb.MaxMessage), grpc.InitialConnWindowSize(skillpb.MaxMessage),
		grpc.NumStreamWorkers(1))...) // most calls come one by one: the worker's stack has grown already
	g.mu.Lock()
	defer g.mu.Unlock()
	g.server = s
	return s
}

// watchSignals ends the process when it is told to, after the calls that are
// under way. go-plugin's own way would wait for its log stream, which has no end.
func (g *guestServer) watchSignals() {
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM)
	<-told
	g.mu.Lock()
	g.ending = true
	server := g.server
	g.mu.Unlock()
	done := make(chan struct{})
	go func() { g.calls.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(drain):
	}
	if server != nil {
		// The answers of the last calls are on their way out: closing waits for
		// them, but not for the stream.
		stopped := make(chan struct{})
		go func() { server.GracefulStop(); close(stopped) }()
		select {
		case <-stopped:
		case <-time.After(drain / 10):
		}
	}
	os.Exit(exitDone)
}

// begin checks a request before anything is done with it, and counts the call.
func (g *guestServer) begin(m proto.Message) error {
	us := fmt.Sprintf("the skill %s (release %q, protocol %d)", g.skill.Name, g.skill.Release, skillpb.Protocol)
	if err := wire.CheckKnown(m.ProtoReflect(), us, "the host"); err != nil {
		return status.Error(codes.InvalidArgument, err.Error())
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ending {
		return status.Error(codes.Unavailable, "the skill is ending")
	}
	g.calls.Add(1)
	return nil
}

// guard runs one of the skill's functions. Its panic is an error of this call.
func (g *guestServer) guard(what string, f func() error) (err error) {
	defer g.calls.Done()
	defer func() {
		if x := recover(); x != nil {
			g.log.Error("panic in "+what, "panic", fmt.Sprint(x), "stack", string(debug.Stack()))
			err = status.Error(codes.Internal, "panic in "+what+": "+fits(fmt.Sprint(x)))
		}
	}()
	if err = f(); err == nil {
		return nil
	}
	if _, ok := status.FromError(err); ok {
		return err
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return status.FromContextError(err).Err() // the host counts it as a late answer
	}
	return status.Error(codes.Unknown, fits(err.Error()))
}

// Describe says what the skill is.
func (g *guestServer) Describe(_ context.Context, r *skillpb.DescribeRequest) (*skillpb.Description, error) {
	if err := g.begin(r); err != nil {
		return nil, err
	}
	defer g.calls.Done()
	if r.GetProtocol() != skillpb.Protocol {
		return nil, status.Errorf(codes.FailedPrecondition,
			"the host (%s) speaks protocol %d of %s, and the skill %s %s speaks %d",
			fits(r.GetHost()), r.GetProtocol(), skillpb.Service, g.skill.Name, g.skill.Release, skillpb.Protocol)
	}
	return g.description, nil
}

// Judge gives one verdict.
func (g *guestServer) Judge(ctx context.Context, r *skillpb.JudgeRequest) (j *skillpb.Judgement, err error) {
	if err := g.begin(r); err != nil {
		return nil, err
	}
	err = g.guard("Judge", func() error {
		a, err := requested(r.GetAction(), r.GetDigest(), r.GetExplanation())
		if err != nil {
			return err
		}
		facts, err := seenFacts(r.GetFacts())
		if err != nil {
			return err
		}
		v, err := g.skill.Judge(ctx, a, facts)
		if err != nil {
			return err
		}
		if j, err = judgement(r, v); err != nil {
			return err
		}
		if c := wire.ReasonOf(j).GetClause(); c != "" && !wire.HasClause(g.skill.Clauses, c) {
			return fmt.Errorf("its verdict names the clause %q, which is none of its Clauses", c)
		}
		return nil
	})
	return j, err
}

// Prompt and Augment give texts for a model.
func (g *guestServer) Prompt(ctx context.Context, r *skillpb.PromptRequest) (*skillpb.PromptAnswer, error) {
	text, err := g.say(ctx, r, "Prompt", r.GetFacts(), g.skill.Prompt)
	return &skillpb.PromptAnswer{Id: r.GetId(), Text: text}, err
}

// Augment is documented with Prompt.
func (g *guestServer) Augment(ctx context.Context, r *skillpb.AugmentRequest) (*skillpb.AugmentAnswer, error) {
	text, err := g.say(ctx, r, "Augment", r.GetFacts(), g.skill.Augment)
	return &skillpb.AugmentAnswer{Id: r.GetId(), Text: text}, err
}

func (g *guestServer) say(ctx context.Context, m proto.Message, what, facts string,
	f func(context.Context, sexpr.Value) (string, error)) (text string, err error) {
	if f == nil {
		return "", status.Error(codes.Unimplemented, "the skill "+g.skill.Name+" has no "+what)
	}
	if err := g.begin(m); err != nil {
		return "", err
	}
	err = g.guard(what, func() error {
		v, err := seenFacts(facts)
		if err == nil {
			text, err = f(ctx, v)
		}
		return err
	})
	return text, err
}

// Call runs one of the skill's own tools.
func (g *guestServer) Call(ctx context.Context, r *skillpb.CallRequest) (*skillpb.CallAnswer, error) {
	if g.skill.Call == nil {
		return nil, status.Error(codes.Unimplemented, "the skill "+g.skill.Name+" has no tools")
	}
	if err := g.begin(r); err != nil {
		return nil, err
	}
	out := &skillpb.CallAnswer{Id: r.GetId()}
	err := g.guard("Call", func() error {
		a, err := requested(r.GetAction(), r.GetDigest(), "")
		if err != nil {
			return err
		}
		v, err := g.skill.Call(ctx, r.GetId(), a)
		if err != nil {
			out.Error, out.Unknown = fits(err.Error()), errors.Is(err, ErrUnknown)
			return nil
		}
		out.Result, err = sexpr.Canonical(v)
		return err
	})
	return out, err
}

// Health says whether the skill can judge now.
func (g *guestServer) Health(ctx context.Context, r *skillpb.HealthRequest) (*skillpb.HealthAnswer, error) {
	if err := g.begin(r); err != nil {
		return nil, err
	}
	out := &skillpb.HealthAnswer{Id: r.GetId(), Ready: true}
	err := g.guard("Ready", func() error {
		if g.skill.Ready == nil {
			return nil
		}
		if err := g.skill.Ready(ctx); err != nil {
			out.Ready, out.Text = false, fits(err.Error())
		}
		return nil
	})
	return out, err
}

// requested reads an action, and makes sure that it is the one that is meant.
func requested(text, digest, explanation string) (*skills.Action, error) {
	bare, err := wire.ReadAction(text)
	if err != nil {
		return nil, status.Error(codes.InvalidArgument, "the action: "+fits(err.Error()))
	}
	if bare.Digest().String() != digest {
		return nil, status.Error(codes.InvalidArgument, "the digest "+strconv.Quote(fits(digest))+" is another action's")
	}
	if explanation == "" {
		return bare, nil
	}
	return skills.NewAction(bare.Tool(), bare.Args(), explanation)
}

func seenFacts(text string) (sexpr.Value, error) {
	v, err := sexpr.Read("facts", text)
	if err == nil && !v.IsObject() && !v.IsNil() {
		err = errors.New("no plist")
	}
	if err != nil {
		return v, status.Error(codes.InvalidArgument, "the facts: "+fits(err.Error()))
	}
	return v, nil
}
