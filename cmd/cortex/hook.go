package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/opencortex-go/cortex/adapters/hooks"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/hooking"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
	"github.com/opencortex-go/cortex/examples/skills"
	"github.com/opencortex-go/cortex/internal/daemon"
	"github.com/opencortex-go/cortex/internal/socket"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/skills/rules"
)

// hookCmd stands in front of the tools of a coding agent.
type hookCmd struct {
	Call      hookCall      `cmd:"" default:"withargs" help:"Answer one event of a coding agent, read from standard input. Agents run this; hook install tells them to."`
	Install   hookInstall   `cmd:"" help:"Write the hook into the settings of a coding agent, and try it."`
	Uninstall hookUninstall `cmd:"" help:"Take the hook out of the settings of a coding agent."`
	Selftest  hookSelftest  `cmd:"" help:"Prove that an installed hook blocks: with the program killed, stuck, missing, or another one."`
}

// dialectFlag names a host.
type dialectFlag struct {
	Dialect string `name:"dialect" required:"" placeholder:"HOST" enum:"claude,codex,copilot,cursor,gemini" help:"The agent: claude, codex, copilot, cursor or gemini."`
}

func (f dialectFlag) host() hooks.Dialect {
	d, err := hooks.Named(f.Dialect)
	if err != nil {
		panic(err) // kong has checked it
	}
	return d
}

// hookCall answers one event. Whatever goes wrong is a denial in the host's dialect.
type hookCall struct {
	dialectFlag
	rulesFlag
	Standalone bool          `name:"standalone" help:"Judge in this process, without a daemon: no record, no budgets, and no person to ask."`
	Socket     string        `name:"socket" placeholder:"PATH" help:"The daemon's plain socket; its API is beside it."`
	NoStart    bool          `name:"no-start" help:"Start no daemon where there is none: block instead."`
	Wait       time.Duration `name:"wait" placeholder:"TIME" help:"How long the host waits for a hook; a person has a minute less to answer."`
	Sealed     bool          `name:"sealed" hidden:""`
}

// Run ends with the exit codes of the host alone.
func (c *hookCall) Run(p *program) error {
	d := c.host()
	ctx, stop := signal.NotifyContext(p.ctx, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer stop()
	var reply hooks.Reply
	judge, err := c.judge(d)
	if err != nil {
		reply = hooking.Block(d, err.Error())
	} else {
		reply = hooking.Run(ctx, hooking.Options{Dialect: d, Judge: judge, Wait: c.Wait}, p.In)
	}
	_, errOut := io.WriteString(p.Out, reply.Stdout)
	_, errErr := io.WriteString(p.Err, reply.Stderr)
	if err := errors.Join(errOut, errErr); err != nil {
		return quit(exitError) // unsealed, so the installed line blocks
	}
	if c.Sealed {
		return quit(hooking.Seal(reply.Code))
	}
	return quit(reply.Code)
}

// judge is who decides.
func (c *hookCall) judge(d hooks.Dialect) (hooking.Judge, error) {
	if c.Standalone {
		places, err := hooking.Places(c.Rules, os.Getenv)
		if err != nil {
			return nil, err
		}
		book, err := c.book()
		return hooking.Standalone{Dialect: d, Policy: book, Places: places, Now: time.Now(), Getenv: os.Getenv}, err
	}
	if len(c.Rules) > 0 {
		return nil, errNoRules
	}
	plain := opening.RecordFlag{Socket: c.Socket}.Address()
	judge := hooking.Daemon{Dialect: d, Socket: socket.API(plain)}
	if !c.NoStart {
		spawn, err := spawnOf(plain)
		if err != nil {
			return nil, err
		}
		judge.Start = spawn.Start
	}
	return judge, nil
}

var errNoRules = errors.New("--rules is for --standalone; a daemon has rules of its own: name them as rules in " +
	"cortex.toml, in the folder cortex of your settings (~/.config/cortex on Linux)")

// spawnOf is the daemon that a hook starts for the user.
func spawnOf(plain string) (s hooking.Spawn, err error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return s, err
	}
	config, err := os.UserConfigDir()
	if err != nil {
		return s, err
	}
	state := os.Getenv("XDG_STATE_HOME")
	if state == "" {
		state = filepath.Join(home, ".local", "state")
	}
	s = hooking.Spawn{State: filepath.Join(state, "cortex", "agents"),
		Config: filepath.Join(config, "cortex", "cortex.toml"),
		Rules:  map[string]fs.FS{"coding": skills.Coding(), "hosts": skills.Hosts()}, Socket: plain, API: socket.API(plain)}
	s.Program, err = thisProgram()
	return s, err
}

// book loads the rules that are named, or those that this program brings for coding agents.
func (c *hookCall) book() (*rules.Rulebook, error) {
	if len(c.Rules) > 0 {
		return c.load()
	}
	return reason.Loader(rules.Loader{Functions: daemon.Functions()}).Load(
		rules.Root{FS: skills.Coding()}, rules.Root{FS: skills.Hosts()}, rules.Root{FS: skills.Guard()})
}

// settingsFlag names a host's settings: those of the project in this folder, or the user's.
type settingsFlag struct {
	dialectFlag
	Project bool `name:"project" xor:"place" help:"In the settings of the project in this folder."`
	User    bool `name:"user" xor:"place" help:"In the user's settings, for all projects; the default."`
}

func (f settingsFlag) settings() (s hooking.Settings, err error) {
	s.Dialect = f.host()
	project := ""
	if f.Project {
		if project, err = os.Getwd(); err != nil {
			return s, err
		}
	}
	if s.File, err = hooking.FileOf(s.Dialect, project, os.Getenv); err != nil {
		return s, err
	}
	s.Program, err = thisProgram()
	return s, err
}

// thisProgram is the path of this program as it was started: a link that the next version moves
// stays a link.
func thisProgram() (string, error) {
	real, err := os.Executable()
	if err != nil {
		return "", err
	}
	if named, err := exec.LookPath(os.Args[0]); err == nil {
		a, errA := os.Stat(named)
		b, errB := os.Stat(real)
		if errA == nil && errB == nil && os.SameFile(a, b) {
			real = named
		}
	}
	return filepath.Abs(real)
}

// hookInstall writes the hook, and proves it.
type hookInstall struct {
	settingsFlag
	rulesFlag
	Standalone bool          `name:"standalone" help:"Let each hook judge by itself, without a daemon."`
	Socket     string        `name:"socket" placeholder:"PATH" help:"The daemon's plain socket, which the hook is to use whatever its environment says."`
	NoStart    bool          `name:"no-start" help:"Let hooks start no daemon where there is none."`
	Wait       time.Duration `name:"wait" placeholder:"TIME" default:"10m" help:"How long the agent waits for a hook; a person has a minute less to answer."`
}

// Run exits 1 if the hook does not block, or does not judge. It stays then: what it does not judge, it blocks.
func (c *hookInstall) Run(p *program) error {
	s, err := c.settings()
	if err != nil {
		return err
	}
	s.Wait = c.Wait
	if c.Standalone {
		s.Args = append(s.Args, "--standalone")
	} else {
		plain, err := filepath.Abs(opening.RecordFlag{Socket: c.Socket}.Address())
		if err != nil {
			return err
		}
		s.Args = append(s.Args, "--socket", plain)
	}
	if c.NoStart {
		s.Args = append(s.Args, "--no-start")
	}
	if len(c.Rules) > 0 && !c.Standalone {
		return errNoRules
	}
	for _, r := range c.Rules {
		if r, err = filepath.Abs(r); err != nil {
			return err
		}
		s.Args = append(s.Args, "--rules", r)
	}
	backup, err := s.Install()
	if err != nil {
		return err
	}
	p.Warnf("the hook is in %s\n", s.File)
	if backup != "" {
		p.Warnf("the file as it was is %s\n", backup)
	}
	return p.selftest(s)
}

// hookUninstall takes the hook out.
type hookUninstall struct{ settingsFlag }

// Run does nothing where there is no hook.
func (c *hookUninstall) Run(p *program) error {
	s, err := c.settings()
	if err != nil {
		return err
	}
	command, err := s.Installed()
	if err != nil {
		return err
	}
	if command == "" {
		p.Warnf("there is no hook of Cortex in %s\n", s.File)
		return nil
	}
	if _, err := s.Uninstall(); err != nil {
		return err
	}
	p.Warnf("the hook is out of %s\n", s.File)
	return nil
}

// hookSelftest proves that an installed hook blocks.
type hookSelftest struct{ settingsFlag }

// Run exits 1 if the host would have run the tool in one of the trials, and if the hook does not judge.
func (c *hookSelftest) Run(p *program) error {
	s, err := c.settings()
	if err != nil {
		return err
	}
	return p.selftest(s)
}

func (p *program) selftest(s hooking.Settings) error {
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	found, err := s.Look(here, os.Getenv)
	switch {
	case err != nil:
		return err
	case found.Command == "":
		return fmt.Errorf("there is no hook of Cortex in %s; cortex hook install --dialect %s writes one", s.File,
			s.Dialect.Name())
	case found.Bad != "":
		return fmt.Errorf("%s: %s", s.File, found.Bad)
	}
	trials, err := s.Selftest(p.ctx, found.Command)
	if err != nil {
		return err
	}
	bad := 0
	for _, t := range trials {
		if !t.OK() {
			bad++
		}
	}
	if p.JSON {
		err = p.Print(map[string]any{"ok": bad == 0, "file": s.File, "trials": trials})
	} else {
		for _, t := range trials {
			p.Printf("%-34s %s\n", t.What, t.Word())
		}
	}
	if err == nil && bad > 0 {
		return fmt.Errorf("%d of %d trials failed: %s", bad, len(trials), trials.Wrong())
	}
	return err
}
