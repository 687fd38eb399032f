package daemon

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	shipped "github.com/opencortex-go/cortex/examples/workflows"
	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/runs"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/library"
	"github.com/opencortex-go/cortex/runs/observe"
)

// workflows are the folders of workflows: what ships, and those of the configuration. A workflow
// may call the output of a step trusted, and then rules read it; so their files are held to what
// rule files are held to.
func (c *Config) workflows() ([]library.Root, error) {
	var faults Faults
	roots := []library.Root{{FS: shipped.Files(), Kind: plans.KindBundled}}
	for _, name := range c.Workflows {
		info, err := os.Stat(name)
		if err == nil && !info.IsDir() {
			err = fmt.Errorf("%s is not a folder", name)
		}
		if err != nil {
			faults = append(faults, c.fault("workflows", "%v", err))
			continue
		}
		roots = append(roots, library.Root{FS: c.folder(name), Kind: plans.KindUser, Name: filepath.Base(name)})
	}
	return roots, faults.orNil()
}

// folder is a folder whose files other users may not write, unless the operator takes them as they are.
func (c *Config) folder(name string) fs.FS {
	if c.TrustRules {
		return os.DirFS(name)
	}
	return trustedFS{name, os.Geteuid()}
}

// registry is what workflows may name: what ships, and the packs and templates of the configuration,
// whose files are held to what rule files are held to.
func (c *Config) registry() (*plans.Registry, error) {
	var faults Faults
	reg := plans.NewRegistry()
	add := func(key, name string, add func(name string, text []byte) error) {
		text, err := fs.ReadFile(c.folder(filepath.Dir(name)), filepath.Base(name))
		if err == nil {
			err = add(name, text)
		}
		if err != nil {
			faults = append(faults, c.fault(key, "%v", err))
		}
	}
	for _, name := range c.Runs.Packs {
		add("runs.packs", name, reg.Add)
	}
	for _, dir := range c.Runs.Templates {
		entries, err := os.ReadDir(dir)
		if err != nil {
			faults = append(faults, c.fault("runs.templates", "%v", err))
		}
		for _, e := range entries {
			if library.Counts(e.Name()) {
				add("runs.templates", filepath.Join(dir, e.Name()), reg.AddTemplate)
			}
		}
	}
	switch c.Runs.Autonomy {
	case "", event.Guided, event.StopOnAsk, event.NeverStop:
	default:
		faults = append(faults, c.fault("runs.autonomy", "%q: expected %s, %s or %s", c.Runs.Autonomy, event.Guided,
			event.StopOnAsk, event.NeverStop))
	}
	return reg, faults.orNil()
}

// ceiling is how far an agent may let a run go on by itself.
func (c *Config) ceiling(string) event.Autonomy { return cmp.Or(c.Runs.Autonomy, event.StopOnAsk) }

// openRuns loads the workflows, and returns the runs of the engine's record.
func (d *daemon) openRuns() (*runs.Runs, error) {
	roots, err := d.cfg.workflows()
	if err != nil {
		return nil, err
	}
	reg, err := d.cfg.registry()
	if err != nil {
		return nil, err
	}
	d.flows = library.NewLive(roots, plans.Options{Registry: reg})
	d.sayWorkflows(d.flows.Now())
	return runs.New(runs.Options{Logs: d.engine.Hosts().Logs(), Library: d.flows, Driver: d.driver,
		Try: d.engine.Hosts().Try, Ceiling: d.cfg.ceiling, Observe: observe.Git})
}

// sayWorkflows logs what can be started, and what is wrong with the rest.
func (d *daemon) sayWorkflows(l *library.Library) {
	d.log.Info("workflows", "number", l.Len(), "broken", len(l.Broken()))
	for _, b := range l.Broken() {
		d.log.Warn("a workflow cannot be started", "source", b.Source, "errors", b.Errors)
	}
	for _, err := range l.Unread() {
		d.log.Warn("a workflow cannot be read", "error", err)
	}
}
