package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/checkup"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
	"github.com/opencortex-go/cortex/plugins"
)

// pluginsCmd keeps skills.lock: which programs may judge, and what each may do.
type pluginsCmd struct {
	List  pluginsList  `cmd:"" help:"Show the lock: programs, rights, and what waits for a person."`
	Lock  pluginsLock  `cmd:"" help:"Pin programs by their bytes. What they ask for waits until somebody agrees."`
	Agree pluginsAgree `cmd:"" help:"Grant what a skill asks for, or refuse parts of it."`
	Check pluginsCheck `cmd:"" help:"Start every skill of the lock, run its examples, and say what holds it in."`
}

type lockFlag struct {
	File string `name:"lock" placeholder:"FILE" default:"skills.lock" help:"The lock file."`
}

// pluginsList shows a lock file.
type pluginsList struct{ lockFlag }

// Run exits 3 when something waits for a person.
func (c *pluginsList) Run(p *program) error {
	l, err := plugins.ReadLock(c.File)
	if err != nil {
		return err
	}
	if p.JSON {
		if l.Skills == nil {
			l.Skills = []plugins.Entry{}
		}
		return p.Print(l.Skills)
	}
	waits := false
	for _, e := range l.Skills {
		p.Printf("%-20s %6d  %s  %s\n", e.Name, e.Priority, e.SHA256[:12], e.Path)
		for _, x := range []struct {
			what  string
			words []string
		}{{"granted", e.Grants}, {"refused", e.Refuses}, {"asks for", e.Pending}} {
			if len(x.words) > 0 {
				p.Printf("%-20s %s: %s\n", "", x.what, strings.Join(x.words, ", "))
			}
		}
		waits = waits || len(e.Pending) > 0
	}
	if waits {
		return quit(exitPending)
	}
	return nil
}

// pluginsLock pins programs.
type pluginsLock struct {
	lockFlag
	MTLS     bool     `name:"mtls" help:"Have certificates made for each start, for skills in Go. Otherwise the kernel says who listens on the skill's socket, where it can."`
	With     []string `sep:"none" placeholder:"FILE" help:"A file that the skill finds in its working folder, pinned like itself; may be repeated."`
	Env      []string `sep:"none" placeholder:"NAME=VALUE" help:"What stands in its environment, which is empty otherwise; may be repeated."`
	Programs []string `arg:"" help:"The programs."`
}

// Run starts each program, fenced in and without rights, and pins what it is and
// what it says of itself. Exit code 3 says that somebody must agree first.
func (c *pluginsLock) Run(p *program) error {
	l, err := plugins.ReadLock(c.File)
	if err != nil {
		return err
	}
	waits := false
	for _, path := range c.Programs {
		e, err := c.entry(path)
		if err != nil {
			return err
		}
		e, d, err := plugins.Describe(p.ctx, e, filepath.Dir(c.File), plugins.Options{Host: "cortex " + opening.Version()})
		if err != nil {
			return err
		}
		if err := l.Add(e, d); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		added, _ := l.Entry(d.GetName())
		p.Printf("%s %s, %s\n", added.Name, added.Release, added.SHA256)
		if len(added.Pending) > 0 {
			waits = true
			p.Printf("  asks for %s: `cortex plugins agree %s` grants it\n", strings.Join(added.Pending, ", "), added.Name)
		}
	}
	if err := l.Write(c.File); err != nil {
		return err
	}
	if waits {
		return quit(exitPending)
	}
	return nil
}

// entry is what the command line says of a program. Paths are written as seen
// from the lock's folder.
func (c *pluginsLock) entry(path string) (e plugins.Entry, err error) {
	if e.Path, err = fromLock(c.File, path); err != nil {
		return e, err
	}
	for _, f := range c.With {
		if f, err = fromLock(c.File, f); err != nil {
			return e, err
		}
		e.Files = append(e.Files, plugins.File{Path: f})
	}
	for _, x := range c.Env {
		name, value, ok := strings.Cut(x, "=")
		if !ok {
			return e, fmt.Errorf("--env %s, expected NAME=VALUE", x)
		}
		if e.Env == nil {
			e.Env = map[string]string{}
		}
		e.Env[name] = value
	}
	if c.MTLS {
		e.Transport = plugins.TransportMTLS
	}
	return e, nil
}

func fromLock(lock, path string) (string, error) {
	dir, err := filepath.Abs(filepath.Dir(lock))
	if err != nil {
		return "", err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if rel, err := filepath.Rel(dir, abs); err == nil && filepath.IsLocal(rel) {
		return rel, nil
	}
	return abs, nil
}

// pluginsAgree answers what skills ask for.
type pluginsAgree struct {
	lockFlag
	Refuse []string `placeholder:"WORD" help:"What is refused: allow, rewrite, tools, network, or a part of the facts. The skill runs without."`
	Name   string   `arg:"" help:"The skill."`
}

// Run changes the lock. A daemon that watches it loads the skill.
func (c *pluginsAgree) Run(p *program) error {
	l, err := plugins.ReadLock(c.File)
	if err != nil {
		return err
	}
	if err := l.Agree(c.Name, c.Refuse...); err != nil {
		return err
	}
	if err := l.Write(c.File); err != nil {
		return err
	}
	e, _ := l.Entry(c.Name)
	p.Printf("%s: granted %s\n", e.Name, listed(e.Grants))
	if len(e.Refuses) > 0 {
		p.Printf("%s: refused %s\n", e.Name, listed(e.Refuses))
	}
	return nil
}

func listed(list []string) string {
	if len(list) == 0 {
		return "nothing"
	}
	return strings.Join(slices.Sorted(slices.Values(list)), ", ")
}

// pluginsCheck starts what a lock pins.
type pluginsCheck struct{ lockFlag }

// Run exits 1 when a skill of the lock would not be loaded.
func (c *pluginsCheck) Run(p *program) error {
	h := plugins.New(plugins.Options{Lock: c.File, Host: "cortex " + opening.Version()})
	defer func() { _ = h.Close() }()
	book, err := rulesFlag{}.load()
	if err != nil {
		return err
	}
	if _, _, err := h.Policy(p.ctx, book); err != nil {
		return err
	}
	for _, s := range h.States() {
		p.Printf("%s: ready, %s\n", s.Name, checkup.Fenced(s.Fence))
	}
	return nil
}
