package checkup

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/hooking"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
	"github.com/opencortex-go/cortex/internal/daemon"
	"github.com/opencortex-go/cortex/internal/project"
	"github.com/opencortex-go/cortex/plugins"
	"github.com/opencortex-go/cortex/reason/lint"
)

// rules loads rule files as the daemon would, and says where no skill of a lock judges code.
func (x *examination) rules(paths []string, lock string, cfg *daemon.Config) {
	book, err := opening.Rules(paths)
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
	for _, text := range cfg.Unanswerable(book) {
		x.warn("approvers", daemon.MendClass, "%s", text)
	}
	for _, tool := range daemon.Unjudged(book, lock) {
		x.warn("code", "lock the skill that judges it; see docs/plugins.md", "no skill judges %s, so its tool's tier decides",
			tool)
	}
}

// plugins starts what a lock pins and says what holds it in.
func (x *examination) plugins(p *patient, lock string) {
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
func (x *examination) plugin(p *patient, lock string, e plugins.Entry) {
	fence, err := plugins.Try(p.ctx, e, filepath.Dir(lock), plugins.Options{Host: "cortex " + opening.Version()})
	switch {
	case err != nil:
		x.bad("plugin "+e.Name, "cortex plugins lock, or agree, as it says", "%v", err)
	case len(fence.Holes()) > 0:
		x.warn("plugin "+e.Name, "a newer kernel, or user namespaces that are allowed, close it", "ready, but %s",
			strings.Join(fence.Holes(), ", "))
	default:
		x.ok("plugin "+e.Name, "ready, %s", Fenced(fence))
	}
}

// hooks looks at the hooks of coding agents, of the user and of the project in this folder, and at the settings of the
// daemon that they start, unless settings are those that were named.
func (x *examination) hooks(p *patient, settings string) {
	here, err := os.Getwd()
	if err != nil {
		x.bad("hooks", "", "%v", err)
		return
	}
	home, _ := os.UserHomeDir()
	if held := project.Holds(here, home); held != "" {
		x.warn("project", "start the agent in the folder of a project", "%s is never one, as it is or holds %s: hooks ask "+
			"about every call there", here, held)
	} else {
		x.ok("project", "%s may be one, if the agent names it: that is what hooks let it work on", here)
	}
	found, err := hooking.Look(here, os.Getenv)
	if err != nil {
		x.bad("hooks", "", "%v", err)
	}
	if config, err := os.UserConfigDir(); err == nil && len(found) > 0 {
		usual := filepath.Join(config, "cortex", "cortex.toml")
		if _, err := os.Stat(usual); err == nil && usual != settings {
			x.load(usual)
		}
	}
	for _, f := range found {
		what := "hook " + f.Dialect.Name()
		if f.Bad != "" {
			x.bad(what, "cortex hook install --dialect "+f.Dialect.Name(), "%s: %s", f.File, f.Bad)
			continue
		}
		x.ok(what, "%s is as install writes it", f.File)
		x.judges(p, what, f)
		host, good, bad := hooking.Host(p.ctx, f.Dialect)
		switch {
		case bad:
			x.bad(what, "install a newer one; docs/hosts tells more", "%s", host)
		case good:
			x.ok(what, "%s", host)
		default:
			x.warn(what, "cortex hook selftest, and a call that is denied, show whether it heeds the hook", "%s", host)
		}
		x.warn(what, "no setting prevents it; docs/hosts tells more", "%s", f.Limit)
	}
}

// judges runs a hook for a command that does nothing. It starts no daemon.
func (x *examination) judges(p *patient, what string, f hooking.Finding) {
	t, err := f.Control(p.ctx, f.Passive())
	switch {
	case err != nil:
		x.bad(what, "", "%v", err)
	case t.Absent():
		x.warn(what, "the agent's first call starts one, unless the hook has --no-start", "no daemon runs that could judge")
	case !t.Judged:
		x.bad(what, "cortex hook selftest --dialect "+f.Dialect.Name(), "it blocks every call: %s", t.Said)
	default:
		x.ok(what, "it judges: %s is %s", t.What, t.Word())
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

// Fenced says what holds a skill in.
func Fenced(f plugins.Fence) string {
	if holes := f.Holes(); len(holes) > 0 {
		return "but " + strings.Join(holes, ", ")
	}
	return "fenced in completely"
}
