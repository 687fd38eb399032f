package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing/fstest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/opencortex-go/cortex/plugins"
	skillpb "github.com/opencortex-go/cortex/plugins/proto"
	"github.com/opencortex-go/cortex/plugins/skill"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules"
)

// This program is also the skill that it measures, and the bare server beside it.
const bareEnv = "CORTEX_BENCH_BARE"

// guest serves, if this process was started to do so.
func guest() {
	if path := os.Getenv(bareEnv); path != "" {
		l, err := net.Listen("unix", path)
		if err == nil {
			s := grpc.NewServer()
			skillpb.RegisterSkillServer(s, bareServer{})
			err = s.Serve(l)
		}
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	if os.Getenv("CORTEX_SKILL") != "" {
		skill.Serve(skill.Skill{
			Name: os.Getenv("NAME"), Release: "1.0.0", Doc: "Passes.",
			Judge: func(context.Context, *skills.Action, sexpr.Value) (skills.Verdict, error) { return skills.Pass{}, nil },
		})
	}
}

// bareServer answers as the skill does, with nothing read and nothing checked.
type bareServer struct {
	skillpb.UnimplementedSkillServer
}

func (bareServer) Judge(_ context.Context, r *skillpb.JudgeRequest) (*skillpb.Judgement, error) {
	return &skillpb.Judgement{Id: r.GetId(), Digest: r.GetDigest(),
		Verdict: &skillpb.Judgement_Pass{Pass: &skillpb.Pass{}}}, nil
}

// bareCall starts the bare server and returns one call to it.
func bareCall(path string, a *skills.Action) (call func() error, stop func(), err error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.Command(exe)
	cmd.Env = []string{bareEnv + "=" + path, "GOMAXPROCS=1"}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	conn, err := grpc.NewClient("unix:"+path, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, nil, err
	}
	c := skillpb.NewSkillClient(conn)
	q := &skillpb.JudgeRequest{Id: "1", Action: a.Canonical(), Digest: a.Digest().String(), Facts: "{}"}
	call = func() error {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		_, err := c.Judge(ctx, q, grpc.WaitForReady(true))
		return err
	}
	return call, func() { _, _, _ = conn.Close(), cmd.Process.Kill(), cmd.Wait() }, call()
}

// pluginHost runs n skills, and returns one decision that asks them all.
func pluginHost(dir string, n int, a *skills.Action) (decide func() error, stop func(), err error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	program, err := os.ReadFile(exe)
	if err != nil {
		return nil, nil, err
	}
	sum := sha256.Sum256(program)
	l := plugins.Lock{Version: 1}
	for i := range n {
		name := fmt.Sprintf("p-%d", i)
		l.Skills = append(l.Skills, plugins.Entry{
			Name: name, Path: exe, SHA256: hex.EncodeToString(sum[:]), Protocol: skillpb.Protocol, Deadline: "2s",
			Env: map[string]string{"NAME": name, "GOMAXPROCS": "1"},
		})
	}
	lock := filepath.Join(dir, fmt.Sprintf("%d.lock", n))
	if err := l.Write(lock); err != nil {
		return nil, nil, err
	}
	book, err := rules.Loader{}.Load(rules.Root{FS: fstest.MapFS{"r.lisp": {
		Data: []byte(`(deftool shell :params (:cmd string) :required (:cmd) :tier :allow :effect :external)`)}}})
	if err != nil {
		return nil, nil, err
	}
	h := plugins.New(plugins.Options{Lock: lock, Sample: -1})
	p, _, err := h.Policy(context.Background(), book)
	if err != nil {
		return nil, nil, errors.Join(err, h.Close())
	}
	return func() error {
		d := reason.Decide(context.Background(), reason.Request{Policy: p, Action: a, Facts: &skills.Facts{Now: 1}})
		if d.Kind != reason.Allow {
			return fmt.Errorf("%s: %+v", d.Key, d.Reasons)
		}
		return nil
	}, func() { _ = h.Close() }, nil
}

// plugging measures decisions that ask skills in other processes.
func plugging(r *report) (err error) {
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	a, err := skills.NewAction("shell", sexpr.Plist("cmd", sexpr.Str("ls -l /tmp/somewhere/else")), "")
	if err != nil {
		return err
	}
	var bares [5]func() error
	for i := range bares {
		call, stop, err := bareCall(filepath.Join(dir, fmt.Sprintf("s%d", i)), a)
		if err != nil {
			return err
		}
		defer stop()
		bares[i] = call
	}
	one, stopOne, err := pluginHost(dir, 1, a)
	if err != nil {
		return err
	}
	defer stopOne()
	five, stopFive, err := pluginHost(dir, 5, a)
	if err != nil {
		return err
	}
	defer stopFive()
	if err := r.measure(row{what: "decision that asks one plugin", ours: each(one), theirs: each(bares[0]),
		rival: "one bare gRPC call over a Unix socket", limit: 1.2}); err != nil {
		return err
	}
	if err := r.measure(row{what: "decision that asks five neighbouring plugins", ours: each(five), theirs: each(one),
		rival: "ours with one", limit: 2.5}); err != nil {
		return err
	}
	// What five processes cost a machine with few cores, no matter who asks them.
	together := func() error {
		var calls [5]error
		var wg sync.WaitGroup
		for i := range calls {
			wg.Go(func() { calls[i] = bares[i]() })
		}
		wg.Wait()
		return errors.Join(calls[:]...)
	}
	return r.measure(row{what: "the same five", ours: each(five), theirs: each(together),
		rival: "five bare gRPC calls at once, to five processes"})
}
