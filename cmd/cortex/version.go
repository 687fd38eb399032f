package main

import (
	"runtime"
	"runtime/debug"
)

// versionCmd prints what this program is.
type versionCmd struct{}

// Run prints the version of the module as the toolchain recorded it, or "devel".
func (versionCmd) Run(p *program) error {
	if p.JSON {
		return p.Print(map[string]string{"version": version(), "go": runtime.Version(), "os": runtime.GOOS,
			"arch": runtime.GOARCH})
	}
	p.Printf("cortex %s (%s, %s/%s)\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}

// version is the module's, or "devel".
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}
