// Package workflows holds the workflows that ship with Cortex. `cortex serve` offers them to
// agents beside those of its own folders; copy one and make it yours.
package workflows

import (
	"embed"
	"io/fs"
)

//go:embed *.lisp
var files embed.FS

// Files returns the workflows, one a file.
func Files() fs.FS { return files }
