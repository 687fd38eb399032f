package plugins

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/opencortex-go/cortex/plugins/internal/sandbox"
	"github.com/opencortex-go/cortex/plugins/internal/wire"
	skillpb "github.com/opencortex-go/cortex/plugins/proto"
	"github.com/opencortex-go/cortex/sexpr"
)

// startTimeout is how long a start may take, examples and all.
const startTimeout = 10 * time.Second

// process is one running skill process, connected, admitted and healthy.
type process struct {
	entry  *Entry
	host   string
	guest  *guest
	client *plugin.Client
	skill  skillpb.SkillClient
	desc   *skillpb.Description
	dir    string
	out    *lineLog
	errs   *lineLog
	next   atomic.Uint64 // of the ids of requests
}

// supply is what a start needs besides the entry.
type supply struct {
	prog  *sandbox.Program
	files []sandbox.File
	base  string // folder for working folders; "" is the system's
	host  string // who we are, for the skill's messages
	log   *slog.Logger
}

// start runs a program as the entry says. The process must introduce itself, ask
// for nothing that is undecided, be healthy and decide its own examples as it
// says. Otherwise nothing of it is left.
func start(ctx context.Context, e *Entry, s supply) (*process, error) {
	p, err := spawn(ctx, e, s)
	if err != nil {
		return nil, err
	}
	if err = e.admit(p.desc); err == nil {
		err = p.healthy(ctx)
	}
	if err == nil {
		err = p.examples(ctx)
	}
	if err != nil {
		p.stop()
		return nil, err
	}
	return p, nil
}

// spawn starts a program and has it describe itself.
func spawn(ctx context.Context, e *Entry, s supply) (_ *process, err error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	p := &process{entry: e, host: s.host}
	defer func() {
		if x := recover(); x != nil { // go-plugin reads what a stranger wrote
			err = fmt.Errorf("panic while it was started: %v", x)
		}
		if err != nil {
			p.stop()
			err = p.withLastWords(err)
		}
	}()
	if p.dir, err = workFolder(s); err != nil {
		return nil, err
	}
	p.client = p.newClient(s)
	// Whatever go-plugin waits for while it starts ends with the process.
	defer context.AfterFunc(ctx, p.guest.end)()
	if err := p.connect(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("it was not ready in time: %w", err)
		}
		return nil, err
	}
	return p, nil
}

// withLastWords adds to an error what the process, which has ended, wrote to standard
// error: a program that cannot start says there why.
func (p *process) withLastWords(err error) error {
	if p.guest == nil || p.guest.stderr == nil {
		return err
	}
	if said := p.guest.stderr.lastWords(); said != "" {
		return fmt.Errorf("%w\nit wrote to standard error:\n%s", err, said)
	}
	return err
}

func workFolder(s supply) (string, error) {
	dir, err := os.MkdirTemp(s.base, "cx-skill-")
	if err != nil {
		return "", err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", err
	}
	// A socket's path has at most 107 bytes, and go-plugin adds some of its own.
	const most = 107 - len("/plugin-dir1234567890/plugin1234567890")
	if len(dir) > most {
		return dir, fmt.Errorf("the folder %s is too long for a socket's path; set a shorter one for working folders", dir)
	}
	for _, f := range s.files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Text, 0o400); err != nil {
			return dir, err
		}
	}
	return dir, nil
}

func (p *process) newClient(s supply) *plugin.Client {
	e := p.entry
	sp := sandbox.Spec{
		Program: s.prog, Args: e.Args, Dir: p.dir, Read: e.Read, Memory: e.Memory, Network: e.grants("network"),
	}
	if sp.Memory == 0 {
		sp.Memory = defaultMemory
	}
	p.guest = &guest{spec: sp, transport: e.transport(), log: s.log}
	p.out, p.errs = newLineLog(s.log), newLineLog(s.log)
	return plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  wire.Handshake(),
		VersionedPlugins: wire.Plugins(nil),
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		RunnerFunc: func(_ hclog.Logger, cmd *exec.Cmd, _ string) (runner.Runner, error) {
			p.guest.spec.Env = cmd.Env
			for k, v := range e.Env {
				p.guest.spec.Env = append(p.guest.spec.Env, k+"="+v)
			}
			p.guest.spec.Env = append(p.guest.spec.Env, "TMPDIR="+p.dir)
			return p.guest, nil
		},
		AutoMTLS:         e.transport() == TransportMTLS,
		SkipHostEnv:      true,
		SyncStdout:       p.out, // a Go guest's os.Stdout and os.Stderr come this way
		SyncStderr:       p.errs,
		StartTimeout:     startTimeout,
		Logger:           hclog.NewNullLogger(),
		UnixSocketConfig: &plugin.UnixSocketConfig{TempDir: p.dir},
		GRPCDialOptions: []grpc.DialOption{
			grpc.WithContextDialer(p.dial),
			grpc.WithMaxHeaderListSize(16 << 10),
			grpc.WithDisableRetry(),
			// fixed: it measures the line otherwise, with frames of its own
			grpc.WithInitialWindowSize(skillpb.MaxMessage), grpc.WithInitialConnWindowSize(skillpb.MaxMessage),
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(skillpb.MaxMessage),
				grpc.MaxCallSendMsgSize(skillpb.MaxMessage)),
		},
	})
}

// dial connects to the skill's socket, and makes sure that it is the process we
// started which listens there.
func (p *process) dial(ctx context.Context, _ string) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", p.guest.socket())
	if err != nil {
		return nil, err
	}
	if err := sandbox.CheckPeer(conn.(*net.UnixConn), p.guest.child.PID); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

func (p *process) connect(ctx context.Context) error {
	rpc, err := p.client.Client()
	if err != nil {
		return err
	}
	raw, err := rpc.Dispense(wire.Name)
	if err != nil {
		return err
	}
	p.skill = raw.(skillpb.SkillClient)
	d, err := p.skill.Describe(ctx, &skillpb.DescribeRequest{Protocol: skillpb.Protocol, Host: p.host})
	if err != nil {
		return fmt.Errorf("describing itself: %w", legible(err))
	}
	p.desc = d // so that an error can say which release it is
	return p.known(d)
}

// healthy asks whether the skill can judge now.
func (p *process) healthy(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	id := p.id()
	a, err := p.skill.Health(ctx, &skillpb.HealthRequest{Id: id})
	if err != nil {
		return fmt.Errorf("health: %w", legible(err))
	}
	if err := p.known(a); err != nil {
		return err
	}
	if a.GetId() != id {
		return errors.New("health: an answer to another question")
	}
	if !a.GetReady() {
		return fmt.Errorf("health: not ready: %s", wire.Printable(a.GetText()))
	}
	return nil
}

// examples has the skill decide the cases that it brought along.
func (p *process) examples(ctx context.Context) error {
	for i, x := range p.desc.GetExamples() {
		name := x.GetName()
		if name == "" {
			name = strconv.Itoa(i + 1)
		}
		q, err := exampleQuestion(x)
		if err != nil {
			return fmt.Errorf("example %s: %w", wire.Printable(name), err)
		}
		j, err := p.judge(ctx, time.Second, q)
		if err != nil {
			return fmt.Errorf("example %s: %w", wire.Printable(name), err)
		}
		if got := outcome(j); got != x.GetOutcome() {
			return fmt.Errorf("example %s: it answers %s, and says itself that it answers %s", wire.Printable(name), word(got),
				word(x.GetOutcome()))
		}
	}
	return nil
}

// judge asks for one verdict. Every way in which there is none is an error.
func (p *process) judge(ctx context.Context, deadline time.Duration, q question) (*skillpb.Judgement, error) {
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	return p.judgeUntil(ctx, deadline, q)
}

// judgeUntil is judge with a ctx that ends by itself; deadline is for the error.
func (p *process) judgeUntil(ctx context.Context, deadline time.Duration, q question) (*skillpb.Judgement, error) {
	id := p.id()
	j, err := p.skill.Judge(ctx, &skillpb.JudgeRequest{
		Id: id, Action: q.action, Digest: q.digest, Facts: q.facts, Explanation: q.explanation,
	})
	switch {
	case err != nil:
		return nil, failed(err, deadline)
	case late(ctx):
		return nil, overdue(deadline)
	case j.GetId() != id:
		return nil, errors.New("it answered another question")
	case j.GetDigest() != q.digest:
		return nil, errors.New("it judged another action")
	}
	if err := p.known(j); err != nil {
		return nil, err
	}
	return j, p.entry.checkJudgement(j)
}

// late reports whether the time is up: an answer can overtake the timer that ends
// the wait for it where the machine is busy.
func late(ctx context.Context) bool {
	end, bounded := ctx.Deadline()
	return ctx.Err() != nil || bounded && !time.Now().Before(end)
}

// id names a request within this process.
func (p *process) id() string { return strconv.FormatUint(p.next.Add(1), 10) }

// stop ends the process, and waits until nothing of it is left.
func (p *process) stop() {
	if p.guest != nil {
		p.guest.close() // first: go-plugin waits for an answer that may never come
	}
	if p.client != nil {
		p.client.Kill()
		_, _ = p.out.Close(), p.errs.Close()
	}
	if p.dir != "" {
		_ = os.RemoveAll(p.dir)
	}
}

// overdue says that the time was up.
func overdue(deadline time.Duration) error { return fmt.Errorf("no answer within %s", deadline) }

// failed says why a call brought no answer, in words that are the same whenever
// the same happens: they are recorded, and replayed.
func failed(err error, deadline time.Duration) error {
	switch status.Code(err) {
	case codes.DeadlineExceeded:
		return overdue(deadline)
	case codes.Unavailable, codes.Canceled:
		return errors.New("it ended before it answered")
	case codes.ResourceExhausted:
		return fmt.Errorf("an answer of more than %d bytes", skillpb.MaxMessage)
	case codes.Unimplemented:
		return errors.New("it does not implement the call")
	}
	return legible(err)
}

// legible is what a skill's error says, cut and without what has no spelling.
func legible(err error) error {
	s := status.Convert(err)
	return fmt.Errorf("%s: %s", s.Code(), wire.Printable(wire.Clip(s.Message(), 500)))
}

// question is what a skill is asked, as it travels.
type question struct {
	action, digest, facts, explanation string
}

// input is the question as one text, by which the answer is found again.
func (q question) input() string { return q.action + "\n" + q.facts + "\n" + q.explanation }

func exampleQuestion(x *skillpb.Example) (question, error) {
	a, err := wire.ReadAction(x.GetAction())
	if err != nil {
		return question{}, err
	}
	facts := x.GetFacts()
	if facts == "" {
		facts = "{}"
	}
	v, err := sexpr.Read("facts", facts)
	if err == nil {
		facts, err = sexpr.Canonical(v)
	}
	return question{action: a.Canonical(), digest: a.Digest().String(), facts: facts}, err
}
