package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/opencortex-go/cortex/gateways/telegram/telegramtest"
	"github.com/opencortex-go/cortex/plugins"
)

// settings are the daemon's. The model is one behind the usual API, on this
// machine; it is the tour itself.
const settings = `
dir = "state"
rules = ["rules"]
plugins = "skills.lock"
socket = "run/cortex.sock"
secret = "secret"
live = true
heartbeat = "1h" # so that a slow machine records no more than a fast one
identity = "a household assistant"
agent = "agent"

[env]
workspace = %q

[shell]
workspace = "work"
path = %q

[[providers]]
name = "recorded"
kind = "openai"
url = %q
model = "recorded"
no_tools = true

[telegram]
token_file = "telegram-token"
url = %q

[[accounts]]
name = "carla"
classes = ["operator"]
telegram = {user = %s}
`

// parts are what was built before; "" is built now.
type parts struct{ cortex, skills string }

// build compiles what is not there already: cortex, and the skill that is a
// process of its own.
func (made parts) build(ctx context.Context, h house) (program, error) {
	p := program{house: h}
	for _, b := range []struct {
		path   *string
		folder string // where it lies, if it is there
		name   string
		pkg    string
	}{
		{&p.path, filepath.Dir(made.cortex), "cortex", "cmd/cortex"},
		{&p.guard, made.skills, "shell-guard", "examples/skills/shellguard"},
	} {
		if b.folder == "" || b.folder == "." {
			b.folder = h.path("bin")
			cmd := exec.CommandContext(ctx, "go", "build", "-o", filepath.Join(b.folder, b.name),
				"github.com/opencortex-go/cortex/"+b.pkg)
			if out, err := cmd.CombinedOutput(); err != nil {
				return p, fmt.Errorf("go build: %w\n%s", err, out)
			}
		}
		path, err := filepath.Abs(filepath.Join(b.folder, b.name))
		if err != nil {
			return p, err
		}
		*b.path = path
	}
	return p, nil
}

// program is cortex, as it stands in this repository.
type program struct {
	path  string
	guard string // the skill in Go
	house house
}

// pin writes the lock file, so that the daemon runs this skill and no other.
func (p program) pin() error {
	out, code, err := p.run("plugins", "lock", p.guard)
	if err != nil || code != 0 {
		return fmt.Errorf("cortex plugins lock: %w: %s", err, out)
	}
	return p.patient()
}

// patient gives the skills time: a machine that has much to do fails no tour.
func (p program) patient() error {
	file := p.house.path("skills.lock")
	l, err := plugins.ReadLock(file)
	if err != nil {
		return err
	}
	for i := range l.Skills {
		l.Skills[i].Deadline = "10s"
	}
	return l.Write(file)
}

// command is cortex with arguments, in the house, without anything of the user's.
func (p program) command(args ...string) *exec.Cmd {
	cmd := exec.Command(p.path, args...)
	cmd.Dir = p.house.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.house.dir, "TMPDIR=" + p.house.dir}
	return cmd
}

// run runs a command of cortex to its end and returns what it printed. Its exit
// code is the caller's to judge.
func (p program) run(args ...string) (out string, code int, err error) {
	b, err := p.command(args...).CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return strings.TrimSpace(string(b)), exit.ExitCode(), nil
	}
	return strings.TrimSpace(string(b)), 0, err
}

// served is cortex serve, running.
type served struct {
	cmd    *exec.Cmd
	log    bytes.Buffer
	Socket string `json:"socket"`
	Skills int    `json:"skills"`
	Live   bool   `json:"live"`
}

// serve pairs an operator and starts the daemon of the tour. The bot's token lies
// in a file that only its owner may read.
func (p program) serve(model, telegram string) (*served, error) {
	text := fmt.Sprintf(settings, p.house.path("work"), p.house.path("bin")+":/usr/local/bin:/usr/bin:/bin", model,
		telegram, carla)
	if err := p.house.write("telegram-token", telegramtest.Token+"\n", 0o600); err != nil {
		return nil, err
	}
	if err := p.house.write("cortex.toml", text, 0o600); err != nil {
		return nil, err
	}
	if out, code, err := p.run("approvals", "pair", "--dir", "state", "--secret", "secret"); err != nil || code != 0 {
		return nil, fmt.Errorf("cortex approvals pair: %w: %s", err, out)
	}
	return p.start("--config", "cortex.toml")
}

// start starts a daemon; it returns when clients are served.
func (p program) start(args ...string) (*served, error) {
	d := &served{cmd: p.command(append([]string{"serve", "--json"}, args...)...)}
	d.cmd.Stderr = &d.log
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := d.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, d)
	}
	if err != nil || d.Socket == "" {
		return nil, errors.Join(fmt.Errorf("cortex serve did not become ready: %s", line), err, d.kill())
	}
	return d, nil
}

// stop asks the daemon to stop, as an operator would, and waits until it has.
func (d *served) stop() error {
	if err := d.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	if err := d.cmd.Wait(); err != nil {
		return fmt.Errorf("cortex serve: %w\n%s", err, d.log.String())
	}
	d.cmd = nil
	return nil
}

// kill ends a daemon that is still there when something went wrong, and says what
// it logged.
func (d *served) kill() error {
	if d.cmd == nil {
		return nil
	}
	_ = d.cmd.Process.Kill() // it may have ended by itself
	_ = d.cmd.Wait()
	d.cmd = nil
	return errors.New("the daemon logged:\n" + d.log.String())
}
