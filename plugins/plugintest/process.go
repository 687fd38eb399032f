package plugintest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	skillpb "github.com/opencortex-go/cortex/plugins/proto"
	"github.com/opencortex-go/cortex/skills"
)

// Process is a running skill and a plain gRPC connection to it, without sandbox and
// certificates, for tests. Close it.
type Process struct {
	Skill       skillpb.SkillClient
	Description *skillpb.Description // once [Process.Describe] has been called

	cmd      *exec.Cmd
	conn     *grpc.ClientConn
	dir      string
	line     string
	socket   string
	stderr   tail
	gone     chan struct{}
	why      error
	deadline time.Duration
	next     atomic.Uint64
}

// startTime is how long a start may take.
const startTime = 10 * time.Second

// Start starts a skill.
func Start(ctx context.Context, o Options) (*Process, error) {
	return o.filled().start(ctx, o.Program, o.Args, hosted)
}

// hosted is what tells a program that a host has started it.
const hosted = skillpb.Cookie + "=" + skillpb.Service

func (o Options) start(ctx context.Context, program string, args []string, env ...string) (_ *Process, err error) {
	p := &Process{gone: make(chan struct{}), deadline: o.Deadline}
	defer func() {
		if err != nil {
			err = errors.Join(p.explain(err), p.Close())
		}
	}()
	if p.dir, err = o.folder(); err != nil {
		return p, err
	}
	if program, err = findProgram(program); err != nil {
		return p, err
	}
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Stderr = p.dir, &p.stderr
	cmd.Env = append([]string{"PLUGIN_UNIX_SOCKET_DIR=" + p.dir, "PLUGIN_PROTOCOL_VERSIONS=1", "TMPDIR=" + p.dir}, env...)
	cmd.Env = append(cmd.Env, o.Env...)
	cmd.WaitDelay = time.Second
	r, w, err := os.Pipe()
	if err != nil {
		return p, err
	}
	defer func() { _ = w.Close() }()
	cmd.Stdout = w
	if err = cmd.Start(); err != nil {
		return p, errors.Join(err, r.Close())
	}
	p.cmd = cmd
	go func() { p.why = cmd.Wait(); close(p.gone) }()
	_ = w.Close()
	if p.line, err = hello(ctx, r); err != nil {
		return p, err
	}
	return p, p.connect()
}

func findProgram(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return "", err
	}
	return filepath.Abs(path)
}

// folder makes a working folder with a short name: a socket's path has at most
// 107 bytes.
func (o Options) folder() (string, error) {
	dir, err := os.MkdirTemp("", "skill-")
	if err != nil {
		return "", err
	}
	for _, f := range o.Files {
		text, err := os.ReadFile(f)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(f)), text, 0o400)
		}
		if err != nil {
			return dir, err
		}
	}
	return dir, nil
}

// hello reads the line in which a skill names its address, and drains the rest.
func hello(ctx context.Context, r *os.File) (string, error) {
	limit := time.Now().Add(startTime)
	if d, ok := ctx.Deadline(); ok && d.Before(limit) {
		limit = d
	}
	if err := r.SetReadDeadline(limit); err != nil {
		return "", err
	}
	in := bufio.NewReaderSize(r, 16<<10)
	raw, cut, err := in.ReadLine()
	line := string(raw)
	go func() { // ends when the process does
		_ = r.SetReadDeadline(time.Time{})
		_, _ = io.Copy(io.Discard, r)
		_ = r.Close()
	}()
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "", fmt.Errorf("it printed no line within %s, expected 1|1|unix|/path/of/socket|grpc", startTime)
	case err != nil:
		return "", fmt.Errorf("%w without printing a line, expected 1|1|unix|/path/of/socket|grpc", errEnded)
	case cut:
		return "", errors.New("its first line is longer than 16 KiB")
	}
	return line, nil
}

// errEnded says that a skill ended before it accepted a connection.
var errEnded = errors.New("it ended")

// connect reads the line and dials.
func (p *Process) connect() error {
	parts := strings.Split(p.line, "|")
	if len(parts) < 5 || parts[0] != "1" || parts[2] != "unix" || parts[4] != "grpc" {
		return fmt.Errorf("its first line is %q, expected 1|1|unix|/path/of/socket|grpc", p.line)
	}
	if parts[1] != strconv.Itoa(skillpb.Protocol) {
		return fmt.Errorf("it speaks protocol %s of %s, and this suite tests %d", parts[1], skillpb.Service, skillpb.Protocol)
	}
	p.socket = parts[3]
	conn, err := grpc.NewClient("unix://"+p.socket, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDisableRetry(), grpc.WithDefaultCallOptions(grpc.MaxCallSendMsgSize(8<<20), grpc.WaitForReady(false)))
	if err != nil {
		return err
	}
	p.conn, p.Skill = conn, skillpb.NewSkillClient(conn)
	return nil
}

// Describe asks the skill for its description, once.
func (p *Process) Describe(ctx context.Context) (*skillpb.Description, error) {
	ctx, cancel := context.WithTimeout(ctx, p.deadline)
	defer cancel()
	d, err := p.Skill.Describe(ctx, &skillpb.DescribeRequest{Protocol: skillpb.Protocol, Host: "plugintest"})
	if err != nil {
		return nil, p.explain(fmt.Errorf("Describe: %w", err))
	}
	p.Description = d
	return d, nil
}

// Judge asks for a verdict on an action, with the facts as plist text; "" is nil.
func (p *Process) Judge(ctx context.Context, a *skills.Action, facts string) (*skillpb.Judgement, error) {
	if facts == "" {
		facts = "nil"
	}
	return p.judge(ctx, &skillpb.JudgeRequest{
		Action: a.Canonical(), Digest: a.Digest().String(), Facts: facts, Explanation: a.Explanation(),
	})
}

// judge asks with a new id, and returns an error if the answer violates the
// protocol.
func (p *Process) judge(ctx context.Context, r *skillpb.JudgeRequest) (*skillpb.Judgement, error) {
	ctx, cancel := context.WithTimeout(ctx, p.deadline)
	defer cancel()
	r.Id = "test-" + strconv.FormatUint(p.next.Add(1), 10)
	j, err := p.Skill.Judge(ctx, r)
	if err != nil {
		return nil, p.explain(fmt.Errorf("Judge of %s: %w", clip(r.GetAction()), err))
	}
	if err := p.checkJudgement(r, j); err != nil {
		return nil, p.explain(fmt.Errorf("Judge of %s: %w", clip(r.GetAction()), err))
	}
	return j, nil
}

// Wait waits until the process has ended by itself, some seconds at most.
func (p *Process) Wait(ctx context.Context) error {
	const most = 5 * time.Second
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	select {
	case <-p.gone:
		return nil
	case <-ctx.Done():
		return p.explain(fmt.Errorf("it had not ended after %s", most))
	}
}

// Close ends the process, and removes its folder.
func (p *Process) Close() error {
	if p.conn != nil {
		_ = p.conn.Close()
	}
	if p.cmd != nil {
		_ = p.cmd.Process.Kill()
		<-p.gone
	}
	if p.dir == "" {
		return nil
	}
	return os.RemoveAll(p.dir)
}

// explain adds the end of the process's stderr to an error. A process that is ending
// writes its last lines there after its other streams are closed.
func (p *Process) explain(err error) error {
	if errors.Is(err, errEnded) || status.Code(err) == codes.Unavailable {
		select {
		case <-p.gone:
		case <-time.After(time.Second):
		}
	}
	if said := p.stderr.String(); said != "" {
		return fmt.Errorf("%w\nits stderr ends with:\n%s", err, said)
	}
	return err
}

// tail keeps the end of the data written to it.
type tail struct {
	mu  sync.Mutex
	end []byte
}

func (t *tail) Write(b []byte) (int, error) {
	const most = 4 << 10
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end = append(t.end, b...)
	t.end = t.end[max(0, len(t.end)-most):]
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.end))
}

func clip(s string) string {
	const most = 200
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}
