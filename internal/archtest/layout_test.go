package archtest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
)

// The drawing in docs/insides.md stands between these.
const (
	drawnFrom = "<!-- layout: drawn by make generate -->\n"
	drawnTo   = "<!-- layout: end -->"
)

// docs/insides.md draws the packages of the program, and of a skill in Go, in layers: a
// package imports only what stands above it. What a package reaches through another of
// its imports is left out of its line.
func TestLayoutIsDrawn(t *testing.T) {
	drawing := "\n" + drawn(list(t, "-deps", "./cmd/cortex", "./plugins/skill")) + "\n"
	assert.LessOrEqual(t, strings.Count(drawing, "\n"), 175, "the drawing is to fit a screen or two")
	insides := page(t, "insides.md")
	old := between(t, insides, drawnFrom, drawnTo)
	if *update {
		insides = strings.Replace(insides, drawnFrom+old, drawnFrom+drawing, 1)
		require.NoError(t, os.WriteFile("../../docs/insides.md", []byte(insides), 0o644))
		old = drawing
	}
	assert.Equal(t, drawing, old, "the drawing in docs/insides.md is stale: run make generate")
}

// drawn returns a line for each package of this module: its name, and what it imports.
// It takes packages in the order of `go list -deps`, where imports come first.
func drawn(packages []Package) string {
	own := map[string]Package{}
	layer := map[string]int{} // 0 for a package that imports none of this module
	var lines [][]string      // by layer
	for _, p := range packages {
		if !strings.HasPrefix(p.ImportPath, module) || strings.HasPrefix(p.ImportPath, module+"examples/") {
			continue
		}
		own[p.ImportPath] = p
		var direct []string
		at := 0
		for _, imp := range p.Imports {
			if _, ok := own[imp]; !ok {
				continue
			}
			at = max(at, layer[imp]+1)
			through := func(other string) bool { return slices.Contains(own[other].Deps, imp) }
			if !slices.ContainsFunc(p.Imports, through) {
				direct = append(direct, strings.TrimPrefix(imp, module))
			}
		}
		layer[p.ImportPath] = at
		for len(lines) <= at {
			lines = append(lines, nil)
		}
		line := fmt.Sprintf("%-36s %s", strings.TrimPrefix(p.ImportPath, module), strings.Join(direct, "  "))
		lines[at] = append(lines[at], strings.TrimRight(line, " "))
	}
	var b strings.Builder
	for n, of := range lines {
		slices.Sort(of)
		for i, line := range of {
			mark := "  "
			if i == 0 {
				mark = fmt.Sprintf("%2d", n)
			}
			fmt.Fprintf(&b, "    %s  %s\n", mark, line)
		}
	}
	return b.String()
}

// A program with a store of its own opens the engine on it, and links no other.
func TestTheEngineLinksNoDatabase(t *testing.T) {
	assert.NotContains(t, modules(t, "./cortex/engine"), "github.com/cockroachdb/pebble/v2")
}

// A package that a reader can keep in mind: tests and generated code apart, it has at
// most 3,500 lines.
func TestPackagesAreOfASize(t *testing.T) {
	for _, p := range list(t, "./...") {
		lines := 0
		for _, name := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			require.NoError(t, err)
			if !bytes.Contains(text, []byte("\n// Code generated ")) && !bytes.HasPrefix(text, []byte("// Code generated ")) {
				lines += bytes.Count(text, []byte("\n"))
			}
		}
		assert.LessOrEqual(t, lines, 3500, "%s has become a hall: it needs rooms", p.ImportPath)
	}
}

// An embedder sees at one glance what there is: further calls belong to the groups of
// calls, such as Operations.
func TestTheEngineIsSeenAtAGlance(t *testing.T) {
	assert.LessOrEqual(t, reflect.TypeFor[*cortex.Engine]().NumMethod(), 20)
	cmd := exec.Command("go", "doc", "./cortex")
	cmd.Dir = "../.."
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	assert.LessOrEqual(t, bytes.Count(out, []byte("\n")), 80, "what `go doc ./cortex` prints")
}
