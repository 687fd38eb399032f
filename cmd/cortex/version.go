package main

import (
	"runtime"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
)

// versionCmd prints what this program is.
type versionCmd struct{}

// Run prints the version of the module as the toolchain recorded it, or "devel".
func (versionCmd) Run(p *program) error {
	if p.JSON {
		return p.Print(map[string]string{"version": opening.Version(), "go": runtime.Version(), "os": runtime.GOOS,
			"arch": runtime.GOARCH})
	}
	p.Printf("cortex %s (%s, %s/%s)\n", opening.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}
