package plugintest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	skillpb "github.com/opencortex-go/cortex/plugins/proto"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// with starts the skill, has it describe itself, and ends it after f.
func with(ctx context.Context, o Options, f func(*Process) error) error {
	p, err := Start(ctx, o)
	if err != nil {
		return err
	}
	if _, err = p.Describe(ctx); err == nil {
		err = f(p)
	}
	return errors.Join(err, p.Close())
}

func checkHandshake(ctx context.Context, o Options) error {
	return with(ctx, o, func(p *Process) error {
		if !strings.HasPrefix(p.socket, p.dir) {
			return fmt.Errorf("it listens on %s, expected a socket in PLUGIN_UNIX_SOCKET_DIR, %s", p.socket, p.dir)
		}
		h := grpc_health_v1.NewHealthClient(p.conn)
		a, err := h.Check(ctx, &grpc_health_v1.HealthCheckRequest{Service: "plugin"})
		if err == nil && a.GetStatus() != grpc_health_v1.HealthCheckResponse_SERVING {
			err = fmt.Errorf("it says %s", a.GetStatus())
		}
		if err != nil {
			return fmt.Errorf(`grpc.health.v1.Health must say SERVING for the service "plugin": %w`, err)
		}
		return nil
	})
}

func checkNoHost(ctx context.Context, o Options) error {
	p, err := o.start(ctx, o.Program, o.Args) // without the cookie
	if err == nil {
		return errors.Join(errors.New("it serves although no host has started it (CORTEX_SKILL is not set)"), p.Close())
	}
	if p.cmd == nil {
		return err
	}
	if p.line != "" || p.cmd.ProcessState.Success() || p.cmd.ProcessState.ExitCode() < 0 {
		return fmt.Errorf("expected an exit with an error, a line on stderr and none on stdout: %w", err)
	}
	if p.stderr.String() == "" {
		return errors.New("it ends without a word; expected a line on stderr that says what it is")
	}
	return nil
}

func checkDescribe(ctx context.Context, o Options) error {
	return with(ctx, o, func(p *Process) error {
		first := p.Description
		second, err := p.Describe(ctx)
		if err == nil && !proto.Equal(first, second) {
			err = errors.New("it describes itself in two ways")
		}
		return errors.Join(checkDescription(first), err)
	})
}

func checkProtocol(ctx context.Context, o Options) error {
	return with(ctx, o, func(p *Process) error {
		const other = 4711
		_, err := p.Skill.Describe(ctx, &skillpb.DescribeRequest{Protocol: other, Host: "plugintest"})
		if err == nil {
			return fmt.Errorf("it answers a host that speaks protocol %d", other)
		}
		text := status.Convert(err).Message()
		if !strings.Contains(text, "4711") || !strings.Contains(text, "1") ||
			!strings.Contains(text, p.Description.GetName()) {
			return fmt.Errorf("its refusal of protocol %d should name both protocols and itself, and is: %w", other, err)
		}
		return nil
	})
}

func checkHealth(ctx context.Context, o Options) error {
	return with(ctx, o, func(p *Process) error { return p.healthy(ctx) })
}

// healthy asks whether the skill is ready.
func (p *Process) healthy(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, p.deadline)
	defer cancel()
	a, err := p.Skill.Health(ctx, &skillpb.HealthRequest{Id: "h-1"})
	switch {
	case err != nil:
		return p.explain(fmt.Errorf("health: %w", err))
	case a.GetId() != "h-1":
		return fmt.Errorf("health: it answers the id %q, and was asked %q", a.GetId(), "h-1")
	case !a.GetReady():
		return fmt.Errorf("health: it is not ready: %s", a.GetText())
	}
	return nil
}

func checkExamples(ctx context.Context, o Options) error {
	return with(ctx, o, func(p *Process) error {
		var passes, stops bool
		for _, x := range p.Description.GetExamples() {
			j, err := p.judge(ctx, request(x))
			if err != nil {
				return fmt.Errorf("example %q: %w", x.GetName(), err)
			}
			if outcome(j) != x.GetOutcome() {
				return fmt.Errorf("example %q: it answers %s, and says itself that it answers %s", x.GetName(), outcome(j),
					x.GetOutcome())
			}
			passes = passes || x.GetOutcome() == skillpb.Outcome_OUTCOME_PASS
			stops = stops || x.GetOutcome() != skillpb.Outcome_OUTCOME_PASS
		}
		if !passes || !stops {
			return errors.New("expected at least one example that it passes, and one that it does not")
		}
		return nil
	})
}

// request is an example as a host asks about it.
func request(x *skillpb.Example) *skillpb.JudgeRequest {
	r := &skillpb.JudgeRequest{Action: x.GetAction(), Facts: x.GetFacts()}
	r.Digest = sexpr.DigestText("cortex/action/1", x.GetAction()).String()
	if r.Facts == "" {
		r.Facts = "nil"
	}
	return r
}

func checkShape(ctx context.Context, o Options) error {
	return with(ctx, o, func(p *Process) error {
		for _, tool := range append(p.Description.GetJudges(), "an-unknown-tool") {
			a, err := skills.NewAction(tool, sexpr.Plist("n", sexpr.Int64(1)), "because")
			if err != nil {
				return err
			}
			if _, err := p.Judge(ctx, a, "{}"); err != nil {
				return err
			}
		}
		return nil
	})
}

// raw sends and receives bytes as they are.
type raw struct{}

func (raw) Marshal(v any) ([]byte, error)      { return *v.(*[]byte), nil }
func (raw) Unmarshal(data []byte, v any) error { *v.(*[]byte) = data; return nil }
func (raw) Name() string                       { return "proto" }

// refuses sends bytes that must cause an error, within the deadline.
func (p *Process) refuses(ctx context.Context, method, what string, message []byte) error {
	ctx, cancel := context.WithTimeout(ctx, p.deadline)
	defer cancel()
	var answer []byte
	err := p.conn.Invoke(ctx, "/"+skillpb.Service+".Skill/"+method, &message, &answer, grpc.ForceCodec(raw{}))
	switch status.Code(err) {
	case codes.OK:
		return fmt.Errorf("%s: it answers a request with %s, expected an error", method, what)
	case codes.Unavailable, codes.DeadlineExceeded, codes.Canceled:
		return p.explain(fmt.Errorf("%s: it falls over at a request with %s: %w", method, what, err))
	}
	return nil
}

func checkUnknownFields(ctx context.Context, o Options) error {
	return with(ctx, o, func(p *Process) error {
		for method, m := range map[string]proto.Message{
			"Describe": &skillpb.DescribeRequest{Protocol: skillpb.Protocol, Host: "plugintest"},
			"Health":   &skillpb.HealthRequest{Id: "1"},
			"Judge":    request(p.example()),
		} {
			text, err := proto.Marshal(m)
			if err != nil {
				return err
			}
			text = protowire.AppendVarint(protowire.AppendTag(text, 99, protowire.VarintType), 1)
			if err := p.refuses(ctx, method, "a field 99", text); err != nil {
				return err
			}
		}
		return p.healthy(ctx)
	})
}

// example is one of the skill's own examples, or a neutral one if it has none.
func (p *Process) example() *skillpb.Example {
	if x := p.Description.GetExamples(); len(x) > 0 {
		return x[0]
	}
	return &skillpb.Example{Action: `(:args {} :target :tool :tool "none" :type :request)`}
}
