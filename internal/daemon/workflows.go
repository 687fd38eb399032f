package daemon

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	shipped "github.com/opencortex-go/cortex/examples/workflows"
	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/runs"
	"github.com/opencortex-go/cortex/runs/library"
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

// openRuns loads the workflows, and returns the runs of the engine's record.
func (d *daemon) openRuns() (*runs.Runs, error) {
	roots, err := d.cfg.workflows()
	if err != nil {
		return nil, err
	}
	d.flows = library.NewLive(roots, plans.Options{})
	d.sayWorkflows(d.flows.Now())
	return runs.New(runs.Options{Logs: d.engine.Hosts().Logs(), Library: d.flows, Driver: d.driver,
		Try: d.engine.Hosts().Try})
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
