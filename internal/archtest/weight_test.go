package archtest

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The modules that anyone who only judges actions has to link. A longer list is a
// decision, not an accident: say why in docs/rationale.md.
var judging = []string{
	"github.com/Masterminds/semver/v3",    // ranges of versions
	"github.com/alecthomas/participle/v2", // the grammar
	"github.com/bmatcuk/doublestar/v4",    // globs
	"github.com/expr-lang/expr",           // conditions
	"github.com/opencortex-go/cortex",
	"golang.org/x/text", // provenance folds the words of the user
	"mvdan.cc/sh/v3",    // command lines
}

func TestJudgingLinksFewModules(t *testing.T) {
	assert.Equal(t, judging, modules(t, "./reason", "./skills/rules"))
	assert.Contains(t, modules(t, "./cortex"),
		"github.com/cockroachdb/pebble/v2", "cortex's list shows that this one can grow")
}

// modules returns the modules that packages link, sorted.
func modules(t *testing.T, packages ...string) []string {
	t.Helper()
	args := append([]string{"list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}"}, packages...)
	cmd := exec.Command("go", args...)
	cmd.Dir = "../.."
	out, err := cmd.Output()
	require.NoError(t, err)
	all := strings.Fields(string(out))
	slices.Sort(all)
	return slices.Compact(all)
}

// What judges does not look at the host: same action, same facts, same decision.
// The one way out is facts.Lookup, which the engine provides and records.
func TestJudgingDoesNotLookAtTheHost(t *testing.T) {
	host := func(imp string) bool {
		switch imp {
		case "net/url", "net/netip", "net/mail", "net/textproto", // they only parse
			"golang.org/x/text/unicode/norm": // and this folds
			return false
		}
		first, _, _ := strings.Cut(imp, "/")
		return slices.Contains([]string{"os", "net", "syscall", "plugin", "unsafe", "golang.org"}, first) ||
			slices.Contains([]string{"math/rand", "math/rand/v2", "crypto/rand"}, imp)
	}
	for _, p := range list(t,
		"./sexpr",
		"./perceive", "./skills", "./skills/provenance/...", "./skills/facts/...", "./skills/rules/...", "./reason") {
		for _, imp := range p.Imports {
			assert.False(t, host(imp), "%s imports %s", p.ImportPath, imp)
		}
		if strings.HasSuffix(p.ImportPath, "/perceive") {
			assert.NotContains(t, p.Imports, "time", "perceive reads no clock")
		}
	}
	for _, p := range list(t, "./act") {
		assert.True(t, slices.ContainsFunc(p.Imports, host), "act is what does, so this test would see it")
	}
}

// Files for other systems keep the order, too.
func TestImportOrderOfOtherSystems(t *testing.T) {
	for _, system := range []string{"darwin", "windows"} {
		t.Run(system, func(t *testing.T) {
			t.Setenv("GOOS", system)
			t.Setenv("CGO_ENABLED", "0")
			require.Equal(t, system, os.Getenv("GOOS"))
			for _, p := range list(t, "./...") {
				for _, imp := range p.Imports {
					assert.True(t, allowed(p.ImportPath, imp), "%s imports %s", p.ImportPath, imp)
				}
			}
		})
	}
}

// Programs and tests compile where Cortex runs with less: without sockets and plugins.
func TestOtherSystemsCompile(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles all packages twice")
	}
	for _, system := range []string{"darwin", "windows"} {
		t.Run(system, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "go", "vet", module+"...")
			cmd.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
		})
	}
}

// allowed reports whether the order lets one package import another.
func allowed(from, imp string) bool {
	if !strings.HasPrefix(imp, module) {
		return true
	}
	a, b := rank(from), rank(imp)
	return a >= 0 && (b < a || a == b && shares(from, imp))
}

// The fence itself: what it must let through, and what it must not.
func TestTheOrderIsAFence(t *testing.T) {
	tests := []struct {
		from, imp string
		ok        bool
	}{
		{"reason", "skills/rules", true},
		{"skills/facts/secrets", "skills/facts", true},
		{"cortex", "cortex/store", true},
		{"cortex", "cortex/engine", true},
		{"cortex/engine", "cortex/internal/session", true},
		{"cortex/internal/session", "cortex/internal/ledger", true},
		{"cortex/internal/ledger", "cortex/approval", true},
		{"cortex/store", "cortex/journal", true},
		{"cortex/store/fsck", "cortex/store/internal/wal", true},
		{"cmd/cortex", "plugins", true},
		{"examples/tour", "examples/tour/part", true},
		{"skills/rules", "reason", false},
		{"skills/rules", "skills/facts/secrets", true}, // by order; TestJudgingIsLight forbids it
		{"skills/facts", "skills/facts/secrets", false},
		{"skills", "skills/facts", false},
		{"perceive", "skills", false},
		{"reason", "act", false},
		{"act", "cortex", false},
		{"cortex/journal", "cortex/store", false},
		{"cortex/journal", "cortex", false},
		{"cortex/journal", "cortex/record", false},
		{"cortex/record", "cortex/approval", false},
		{"cortex/internal/clock", "cortex/internal/history", false},
		{"cortex/internal/ledger", "cortex/internal/session", false},
		{"cortex/internal/session", "cortex/engine", false},
		{"cortex/engine", "cortex", false},
		{"cortex", "plugins", false},
		{"plugins", "gateways/repl", false},
		{"cortex", "cmd/cortex", false},
		{"new", "sexpr", false},
		{"sexpr", "new", true}, // until it has a place, TestImportOrder reports "new" itself
	}
	for _, tt := range tests {
		assert.Equal(t, tt.ok, allowed(module+tt.from, module+tt.imp), "%s imports %s", tt.from, tt.imp)
	}
	assert.True(t, allowed(module+"sexpr", "github.com/cockroachdb/pebble/v2"), "others are TestOnlyImporters' business")
}
