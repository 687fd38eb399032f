package plugintest_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"

	skillpb "github.com/opencortex-go/cortex/plugins/proto"
	"github.com/opencortex-go/cortex/plugins/skill"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// The test program is also the skills that the suite is held against: good ones
// and bad ones, as FLAW says.
func TestMain(m *testing.M) {
	switch flaw := os.Getenv("FLAW"); {
	case flaw == "":
		os.Exit(m.Run())
	case strings.HasPrefix(flaw, "raw-"):
		serveRaw(flaw)
	default:
		skill.Serve(flawed(flaw))
	}
}

// flawed is a skill by way of skill.Serve.
func flawed(flaw string) skill.Skill {
	var calls atomic.Int64
	s := skill.Skill{
		Name: "sample", Release: "1.2.3", Doc: "A sample.", Judges: []string{"shell"}, Clauses: []string{"no"},
		Examples: []skill.Example{
			{Name: "left", Want: "pass", Action: `(:tool "shell" :args (:cmd "ls"))`},
			{Name: "stopped", Want: "reject", Action: `(:tool "shell" :args (:cmd "no"))`},
		},
	}
	s.Judge = func(ctx context.Context, a *skills.Action, facts sexpr.Value) (skills.Verdict, error) {
		cmd, _ := a.Native()["cmd"].(string)
		switch {
		case cmd == "panic":
			panic("as told \xff\x00")
		case cmd == "nil":
			return nil, nil
		case cmd == "error":
			return nil, errors.New("an error \xff\x00" + strings.Repeat("x", 5000))
		case cmd == "wait":
			fmt.Fprintln(os.Stderr, "by way of go-plugin")
			<-ctx.Done()
			return nil, ctx.Err()
		case cmd == "term":
			return term(ctx)
		case cmd == "long":
			return skills.Deny{Reason: skills.Reason{Key: "no", Text: strings.Repeat("é", 3000), Detail: "\xff\x00"}}, nil
		case cmd == "clause":
			return skills.Deny{Reason: skills.Reason{Key: "other", Text: "no"}}, nil
		case cmd == "untold":
			return skills.Deny{Reason: skills.Reason{Key: "no"}}, nil
		case cmd == "many":
			return skills.Ask{Reason: skills.Reason{Text: "sure?"}, Slot: skills.Slot{Quorum: 17}}, nil
		case cmd == "ask":
			return skills.Ask{Reason: skills.Reason{Text: "sure?"}, Slot: skills.Slot{Class: "boss", Quorum: 2, NotUser: true}},
				nil
		case cmd == "set":
			return skills.Rewrite{Set: sexpr.Plist("timeout", sexpr.Int64(30)), Reason: skills.Reason{Text: "bounded"}}, nil
		case cmd == "set-nothing":
			return skills.Rewrite{Set: sexpr.Str("x"), Reason: skills.Reason{Text: "bounded"}}, nil
		case cmd == "allow":
			return skills.Allow{Reason: skills.Reason{Text: "fine"}}, nil
		case cmd == "facts":
			return skills.Pass{Note: facts.String() + a.Explanation()}, nil
		case cmd == "no":
			return skills.Deny{Reason: skills.Reason{Key: "no", Text: "no"}}, nil
		case flaw == "flaps":
			return skills.Pass{Note: strconv.FormatInt(calls.Add(1), 10)}, nil
		case flaw == "exits" && cmd == "":
			os.Exit(0)
		case flaw == "hangs" && strings.HasPrefix(cmd, "echo"):
			<-ctx.Done()
		}
		return skills.Pass{}, nil
	}
	switch flaw {
	case "one-sided":
		s.Examples = s.Examples[:1]
	case "wrong-example":
		s.Examples[0].Want = "ask"
	case "sick":
		s.Ready = func(context.Context) error { return errors.New("a cold") }
	case "no-doc":
		s.Doc = ""
	case "bad-name":
		s.Name = "A Name"
	case "bad-sight":
		s.Sees = []string{"everything"}
	}
	return s
}

// term has the process told to end while it judges, and answers all the same.
func term(ctx context.Context) (skills.Verdict, error) {
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM)
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		return nil, err
	}
	if err := self.Signal(syscall.SIGTERM); err != nil {
		return nil, err
	}
	select {
	case <-told:
		return skills.Pass{Note: "after SIGTERM"}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// rawSkill is a gRPC server of its own, which does what skill.Serve would not.
type rawSkill struct {
	skillpb.UnimplementedSkillServer
	flaw string
}

func serveRaw(flaw string) {
	signal.Ignore(syscall.SIGTERM)
	socket := filepath.Join(os.Getenv("PLUGIN_UNIX_SOCKET_DIR"), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		panic(err)
	}
	s := grpc.NewServer(grpc.MaxRecvMsgSize(1 << 30))
	skillpb.RegisterSkillServer(s, &rawSkill{flaw: flaw})
	if flaw != "raw-no-health" {
		h := health.NewServer()
		h.SetServingStatus("plugin", grpc_health_v1.HealthCheckResponse_SERVING)
		grpc_health_v1.RegisterHealthServer(s, h)
	}
	switch flaw {
	case "raw-silent":
		select {}
	case "raw-other-line":
		fmt.Println("listening on " + socket)
	case "raw-other-protocol":
		fmt.Println("1|2|unix|" + socket + "|grpc")
	default:
		fmt.Println("1|1|unix|" + socket + "|grpc")
	}
	_ = s.Serve(l)
}

func (s *rawSkill) Describe(context.Context, *skillpb.DescribeRequest) (*skillpb.Description, error) {
	return &skillpb.Description{
		Protocol: 1, Name: "raw", Release: "1", Doc: "Raw.",
		Examples: []*skillpb.Example{{Name: "x", Action: `(:args {} :target :tool :tool "x" :type :request)`,
			Outcome: skillpb.Outcome_OUTCOME_PASS}},
	}, nil
}

func (s *rawSkill) Health(_ context.Context, r *skillpb.HealthRequest) (*skillpb.HealthAnswer, error) {
	if s.flaw == "raw-wrong-id" {
		return &skillpb.HealthAnswer{Id: "x", Ready: true}, nil
	}
	return &skillpb.HealthAnswer{Id: r.GetId(), Ready: true}, nil
}

func (s *rawSkill) Judge(_ context.Context, r *skillpb.JudgeRequest) (*skillpb.Judgement, error) {
	j := &skillpb.Judgement{Id: r.GetId(), Digest: r.GetDigest(), Verdict: &skillpb.Judgement_Pass{Pass: &skillpb.Pass{}}}
	reason := &skillpb.Reason{Text: "no"}
	switch s.flaw {
	case "raw-wrong-id":
		j.Id = "x"
	case "raw-wrong-digest":
		j.Digest = "x"
	case "raw-no-verdict":
		j.Verdict = nil
	case "raw-no-reason":
		j.Verdict = &skillpb.Judgement_Reject{Reject: &skillpb.Reject{}}
	case "raw-long":
		reason.Text = strings.Repeat("x", 2001)
		j.Verdict = &skillpb.Judgement_Reject{Reject: &skillpb.Reject{Reason: reason}}
	case "raw-clause":
		reason.Clause = "c"
		j.Verdict = &skillpb.Judgement_Reject{Reject: &skillpb.Reject{Reason: reason}}
	case "raw-quorum":
		j.Verdict = &skillpb.Judgement_Ask{Ask: &skillpb.Ask{Reason: reason, Quorum: 17}}
	case "raw-set":
		j.Verdict = &skillpb.Judgement_Rewrite{Rewrite: &skillpb.Rewrite{Reason: reason, Set: "("}}
	case "raw-future":
		j.ProtoReflect().SetUnknown([]byte{0x98, 0x06, 0x01})
	}
	return j, nil
}
