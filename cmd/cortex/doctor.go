package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/hooking"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/cortex/store/fsck"
	"github.com/opencortex-go/cortex/gateways/client"
	"github.com/opencortex-go/cortex/internal/daemon"
	"github.com/opencortex-go/cortex/internal/socket"
	"github.com/opencortex-go/cortex/plugins"
	"github.com/opencortex-go/cortex/reason/lint"
)

// doctorCmd looks at an installation. It changes nothing.
type doctorCmd struct {
	recordFlag
	Config  string   `name:"config" placeholder:"FILE" help:"The daemon's settings: what they name is looked at, too."`
	Rules   []string `name:"rules" sep:"none" placeholder:"PATH" help:"A rule file, or a folder of them; may be repeated."`
	Plugins string   `name:"plugins" placeholder:"FILE" help:"The lock file of skills that run as processes of their own. Each is started."`
}

// finding is one thing that was looked at.
type finding struct {
	State string `json:"state"` // ok, warn or bad
	What  string `json:"what"`
	Text  string `json:"text"`
	Mend  string `json:"mend,omitempty"`
}

// examination collects findings.
type examination struct{ findings []finding }

func (x *examination) ok(what, format string, args ...any) {
	x.findings = append(x.findings, finding{"ok", what, fmt.Sprintf(format, args...), ""})
}

func (x *examination) warn(what, mend, format string, args ...any) {
	x.findings = append(x.findings, finding{"warn", what, fmt.Sprintf(format, args...), mend})
}

func (x *examination) bad(what, mend, format string, args ...any) {
	x.findings = append(x.findings, finding{"bad", what, fmt.Sprintf(format, args...), mend})
}

// Run exits with 1 if anything is bad. Warnings leave it at 0.
func (c *doctorCmd) Run(p *program) error {
	x := &examination{}
	x.ok("program", "%s", version())
	x.settings(c)
	if c.Dir != "" {
		x.folder(c.Dir)
		x.record(p, c.Dir)
		x.waits(p, c.Dir)
	}
	x.daemon(p, c)
	if len(c.Rules) > 0 {
		x.rules(c.Rules, c.Plugins)
	}
	if c.Plugins != "" {
		x.plugins(p, c.Plugins)
	}
	x.hooks()
	x.surroundings()
	return x.tell(p)
}

// settings looks at a configuration, and takes from it what no flag has said.
func (x *examination) settings(c *doctorCmd) {
	if c.Config == "" {
		return
	}
	cfg, err := daemon.Load(c.Config)
	if err == nil {
		err = cfg.Check()
	}
	var faults daemon.Faults
	switch {
	case errors.As(err, &faults):
		for _, f := range faults {
			x.bad("settings", "change it there", "%s", f)
		}
	case err != nil:
		x.bad("settings", "", "%v", err)
	default:
		x.ok("settings", "%s says nothing wrong", c.Config)
		x.guard("what the settings name", cfg.GuardState())
	}
	if c.Dir == "" && c.Socket == "" {
		c.Dir, c.Socket = cfg.Dir, cfg.Socket
	}
	if len(c.Rules) == 0 {
		c.Rules = cfg.Rules
	}
	if c.Plugins == "" {
		c.Plugins = cfg.Plugins
	}
	x.secret(cfg)
}

// secret looks at the file of the pairing secret, and at who can read it.
func (x *examination) secret(cfg daemon.Config) {
	path := cfg.Secret
	if path == "" && cfg.Dir != "" {
		path, _ = daemon.SecretFile(cfg.Dir) // "" without a home
	}
	operator, err := cfg.Operator.UID()
	switch {
	case err != nil: // the settings' fault, which has been told
		return
	case operator == nil:
		x.warn("operator", "[operator] user = \"ANOTHER ACCOUNT\" in the settings, and give it the secret's file",
			"the daemon's own account answers approvals: what a tool started can read the secret")
	}
	if path == "" || operator == nil && cfg.Secret == "" {
		return
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrPermission) && operator != nil:
		x.ok("secret", "this account cannot read %s", path)
	case errors.Is(err, fs.ErrNotExist):
		x.warn("secret", "cortex approvals pair --secret "+path, "%s is not there: approvals cannot be answered", path)
	case err != nil:
		x.bad("secret", "", "%v", err)
	case info.Mode().Perm()&0o077 != 0:
		x.bad("secret", "chmod 600 "+path, "%s can be read by others (%s)", path, info.Mode().Perm())
	case operator != nil && !daemon.Owns(*operator, info):
		x.bad("secret", "chown "+cfg.Operator.User+" "+path,
			"%s does not belong to %s: its owner can answer in their place", path, cfg.Operator.User)
	default:
		x.ok("secret", "%s is the owner's alone", path)
	}
}

// folder looks at who may enter the record's folder, and how much room it has.
func (x *examination) folder(dir string) {
	info, err := os.Stat(dir)
	if err != nil {
		x.bad("folder", "cortex serve makes it", "%v", err)
		return
	}
	if info.Mode().Perm()&0o077 != 0 {
		x.bad("folder", "chmod 700 "+dir, "others may enter %s (%s)", dir, info.Mode().Perm())
	} else {
		x.ok("folder", "%s is the owner's alone", dir)
	}
	const little, much = 64 << 20, 1 << 30
	free, err := daemon.FreeSpace(dir)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
	case err != nil:
		x.bad("space", "", "%v", err)
	case free < little:
		x.bad("space", "make room there: without it every action is denied", "%d MiB are free in %s", free>>20, dir)
	case free < much:
		x.warn("space", "make room there", "%d MiB are free in %s", free>>20, dir)
	default:
		x.ok("space", "%d GiB are free in %s", free>>30, dir)
	}
}

// record opens the record, unless another process has.
func (x *examination) record(p *program, dir string) {
	if exists(dir) != nil {
		x.warn("record", "cortex serve makes it", "there is none in %s yet", dir)
		return
	}
	j, err := journalIn(p)(dir)
	if errors.Is(err, store.ErrInUse) {
		x.ok("record", "a process holds it")
		return
	}
	if err != nil {
		x.bad("record", mending(p, dir, err), "%v", err)
		return
	}
	defer func() { _ = j.Close() }()
	head := j.Head()
	x.ok("record", "%d records; the newest is %s", head.Seq, head)
	if head.Seq == 0 {
		return
	}
	newest, err := j.Read(head.Seq)
	if err != nil {
		x.bad("record", mending(p, dir, err), "%v", err)
		return
	}
	x.clock(newest)
}

// mending names a command that helps where a record does not open.
func mending(p *program, dir string, err error) string {
	switch {
	case errors.Is(err, store.ErrFormat):
		return "use the version of cortex that wrote it"
	case errors.Is(err, journal.ErrFull):
		return "make room there"
	case errors.Is(err, fs.ErrPermission):
		return "let it belong to the user that this runs as"
	case !errors.Is(err, store.ErrCorrupt) && !errors.As(err, new(*journal.Damage)):
		return ""
	}
	r, err := fsck.Check(p.ctx, dir, fsck.Options{})
	switch {
	case err != nil:
		return "a backup: it cannot be checked either: " + firstLine(err)
	case r.Loss.Commits > 0 || r.Loss.Records > 0:
		return "a backup; cortex fsck --dir " + dir + " says what neither place has: " + r.Loss.String()
	case len(r.Faults) > 0:
		return "cortex fsck --repair --dir " + dir
	}
	return "a backup: both places are whole, and have the same; cortex journal verify --dir " + dir + " names the record"
}

func firstLine(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return text
}

// waits looks for what waits for a person, in a record that no process holds.
func (x *examination) waits(p *program, dir string) {
	if exists(dir) != nil {
		return
	}
	e, err := engineIn(p)(dir)
	if err != nil {
		return // why, record has said
	}
	failed, err := e.Compensations().Failed(p.ctx)
	st, statusErr := e.Status(p.ctx)
	if err = errors.Join(err, statusErr, e.Close()); err != nil {
		x.bad("compensations", "", "%v", err)
		return
	}
	x.failed(int64(len(failed)))
	x.compared(st.Scrub.Compared, dir)
}

// compared tells when the two places of the record were last read whole, and compared.
func (x *examination) compared(at time.Time, dir string) {
	switch {
	case at.Unix() <= 0:
		x.warn("places", "a daemon does it in the background; now: cortex fsck --dir "+dir,
			"log and tables have not been compared yet")
	case time.Since(at) > 8*24*time.Hour:
		x.warn("places", "a daemon does it in the background; now: cortex fsck --dir "+dir,
			"log and tables were last compared %s", at.UTC().Format(time.DateTime))
	default:
		x.ok("places", "log and tables were last compared %s", at.UTC().Format(time.DateTime))
	}
}

// failed lists compensations that failed.
func (x *examination) failed(n int64) {
	if n > 0 {
		x.bad("compensations", "cortex approvals list shows them, and outcome settles them",
			"%d failed: what they were to make up for waits for a person", n)
	}
}

// clock compares the clock with the newest record.
func (x *examination) clock(newest journal.Record) {
	if ahead := time.Until(time.Unix(0, newest.At)); ahead > 5*time.Second {
		x.bad("clock", "set the clock", "it is %s before the newest record", ahead.Round(time.Second))
		return
	}
	x.ok("clock", "it is behind no record")
}

// daemon asks a daemon how it is, if one is there.
func (x *examination) daemon(p *program, c *doctorCmd) {
	socket := c.socket()
	if c.Socket == "" && c.Dir != "" {
		if of, err := daemon.SocketOf(c.Dir); err == nil {
			socket = of
		}
	}
	d, err := dial(p.ctx, socket)
	var gone *noDaemon
	switch {
	case errors.As(err, &gone):
		x.warn("daemon", "cortex serve starts one", "none serves %s", socket)
		return
	case err != nil:
		x.bad("daemon", "", "%s: %v", socket, err)
		return
	}
	defer func() { _ = d.Close() }()
	x.socket(socket)
	if v := d.Handshake().Version; v != version() {
		x.warn("daemon", "start it again", "it is %s, and this program is %s", v, version())
	}
	h, err := d.Health(p.ctx)
	switch {
	case err != nil:
		x.bad("daemon", "", "%v", err)
	case h.Status != "healthy":
		x.bad("daemon", "", "%s: %s", h.Status, h.Text)
	case h.Killed:
		x.warn("daemon", "(kill-switch nil) in cortex repl", "the kill switch is on: every action is denied")
	default:
		x.ok("daemon", "%s, %s; %d approvals wait", h.Status, daemon.Mode(h.Live, false), h.Pending)
	}
	x.asked(p, d, c.Dir)
}

// guard tells whether the rules against injected instructions are loaded.
func (x *examination) guard(of, state string) {
	if strings.HasPrefix(state, "on ") {
		x.ok("guard", "%s: %s", of, state)
	} else if state != "" {
		x.warn("guard", "leave out --no-guard and guard = false", "%s: %s", of, state)
	}
}

// asked asks a daemon whether it has the guard, what it found when it checked its record
// in the background, and what failed.
func (x *examination) asked(p *program, d *client.Conn, dir string) {
	s, err := d.Status(p.ctx)
	x.guard("the daemon", s.Guard)
	x.failed(s.Failed)
	if dir == "" {
		dir = "DIR"
	}
	switch {
	case err != nil:
		x.bad("check", "", "%v", err)
	case s.Damage != "":
		x.bad("check", "stop the daemon, then cortex fsck --dir "+dir, "%s", s.Damage)
	case s.Checked > 0:
		x.ok("check", "the daemon found its record as it was written up to %d", s.Checked)
	default:
		x.ok("check", "the daemon has not begun to check its record")
	}
	if !s.Compared.IsZero() {
		x.ok("places", "log and tables were last compared %s", s.Compared.UTC().Format(time.DateTime))
	} else {
		x.ok("places", "the daemon has not compared log and tables yet")
	}
}

// socket looks at who may connect.
func (x *examination) socket(path string) {
	for _, path := range []string{path, socket.Approvals(path)} {
		info, err := os.Stat(path)
		if err != nil {
			x.bad("socket", "", "%v", err)
			continue
		}
		if info.Mode().Perm()&0o007 != 0 {
			x.bad("socket", "chmod 600 "+path, "everybody may connect to %s (%s)", path, info.Mode().Perm())
			continue
		}
		x.ok("socket", "%s (%s)", path, info.Mode().Perm())
	}
}

// rules loads rule files as the daemon would, and says where no skill of a lock judges code.
func (x *examination) rules(paths []string, lock string) {
	book, err := rulesFlag{Rules: paths}.load()
	switch {
	case err != nil:
		x.bad("rules", "cortex rules check shows each fault in its place", "%v", err)
	case book.Empty():
		x.warn("rules", "write some; examples/skills has some", "there are none, so every action is denied")
	default:
		if n := lint.Guesses(book); n > 0 {
			x.warn("guesses", "cortex rules lint shows them", "%d guesses of drafted declarations are not reviewed", n)
		}
		x.ok("rules", "%d skills, %d gates", len(book.Skills("")), book.Len())
	}
	for _, tool := range daemon.Unjudged(book, lock) {
		x.warn("code", "lock the skill that judges it; see docs/plugins.md", "no skill judges %s, so its tool's tier decides",
			tool)
	}
}

// plugins starts what a lock pins and says what holds it in.
func (x *examination) plugins(p *program, lock string) {
	l, err := plugins.ReadLock(lock)
	if err != nil {
		x.bad("plugins", "", "%v", err)
		return
	}
	for _, e := range l.Skills {
		x.plugin(p, lock, e)
	}
	if len(l.Skills) == 0 {
		x.warn("plugins", "cortex plugins lock PROGRAM", "%s pins none", lock)
	}
}

// plugin starts one, alone: what is wrong with it is not the others' matter.
func (x *examination) plugin(p *program, lock string, e plugins.Entry) {
	fence, err := plugins.Try(p.ctx, e, filepath.Dir(lock), plugins.Options{Host: "cortex " + version()})
	switch {
	case err != nil:
		x.bad("plugin "+e.Name, "cortex plugins lock, or agree, as it says", "%v", err)
	case len(fence.Holes()) > 0:
		x.warn("plugin "+e.Name, "a newer kernel, or user namespaces that are allowed, close it", "ready, but %s",
			strings.Join(fence.Holes(), ", "))
	default:
		x.ok("plugin "+e.Name, "ready, %s", fenced(fence))
	}
}

// hooks looks at the hooks of coding agents, of the user and of the project in this folder.
func (x *examination) hooks() {
	here, err := os.Getwd()
	if err != nil {
		x.bad("hooks", "", "%v", err)
		return
	}
	found, err := hooking.Look(here, os.Getenv)
	if err != nil {
		x.bad("hooks", "", "%v", err)
	}
	for _, f := range found {
		what := "hook " + f.Dialect
		if f.Bad != "" {
			x.bad(what, "cortex hook install --dialect "+f.Dialect, "%s: %s", f.File, f.Bad)
			continue
		}
		x.ok(what, "%s is as install writes it", f.File)
		x.warn(what, "no setting prevents it; docs/hosts tells more", "%s", f.Limit)
	}
}

// surroundings looks for programs that tools need.
func (x *examination) surroundings() {
	if path, err := exec.LookPath("bash"); err != nil {
		x.warn("bash", "install it", "it is not there, so the shell tool cannot run")
	} else {
		x.ok("bash", "%s", path)
	}
}

// tell prints the findings, the worst last.
func (x *examination) tell(p *program) error {
	bad := 0
	for _, f := range x.findings {
		if f.State == "bad" {
			bad++
		}
	}
	if p.JSON {
		if err := p.Print(map[string]any{"findings": x.findings, "bad": bad}); err != nil {
			return err
		}
	} else {
		for _, f := range x.findings {
			p.Printf("%-4s  %s: %s\n", f.State, f.What, f.Text)
			if f.Mend != "" {
				p.Printf("      to mend it: %s\n", f.Mend)
			}
		}
	}
	if bad > 0 {
		return quit(exitError)
	}
	return nil
}
