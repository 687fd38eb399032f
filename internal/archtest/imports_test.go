package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/opencortex-go/cortex/"

// order is the order of packages: each may import those on the lines before its
// own. A folder stands for everything in it that is not named itself.
var order = [][]string{
	{"internal/spell"},
	{"internal/orders"},
	{"internal/fair"},
	{"internal/loglimit"},
	{"sexpr"},
	{"internal/project"},
	{"internal/plist"},
	{"internal/socket"},
	{"perceive"},
	{"skills/provenance"},
	{"skills"},
	{"skills/facts"},
	{"skills/facts/origin"},
	{"skills/facts/secrets"},
	{"skills/facts/sql"},
	{"skills/rules"},
	{"plans"},
	{"capabilities/form"},
	{"reason"},
	{"reason/model"},
	{"act"},
	{"cortex/journal"},
	{"cortex/store"},
	{"cortex/record"},
	{"cortex/approval"},
	{"cortex/admission"},
	{"cortex/internal/hooks"},
	{"cortex/keyfile"},
	{"cortex/internal/clock"},
	{"cortex/internal/veil"},
	{"cortex/internal/thoughts"},
	{"cortex/traces"},
	{"cortex/internal/history"},
	{"cortex/internal/policy"},
	{"cortex/integrity"},
	{"cortex/logs"},
	{"cortex/retention"},
	{"cortex/internal/ledger"},
	{"cortex/internal/drive"},
	{"cortex/internal/session"},
	{"cortex/engine"},
	{"cortex"},
	{"runs"},
	{"capabilities/mine"},
	{"capabilities"},
	{"notes"},
	{"plugins", "gateways", "adapters"},
	{"examples/skills", "examples/workflows"}, // what ships is in the program
	{"internal/telemetry"},                    // and what is below it
	{"internal/daemon"},
	{"examples"},
	{"cmd"},
	// for tests alone
	{"cortex/cortextest"},
	{"internal/archtest",
		"internal/hostile", "internal/oracle", "internal/linearize",
		"internal/mutants", "internal/shelljudge", "internal/crashtest", "internal/canary"},
	{"internal/agents"},                                 // runs programs
	{"internal/optiontables"},                           // makes a file
	{"internal/scenarios", "internal/scenarios/expand"}, // makes a data set for the bench
}

// Package is what `go list` says of one.
type Package struct {
	ImportPath, Dir, Doc string
	GoFiles              []string
	Imports, Deps        []string
}

func list(t *testing.T, patterns ...string) []Package {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,Doc,GoFiles,Imports,Deps"}, patterns...)...)
	cmd.Dir = "../.."
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	var all []Package
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p Package
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// rank returns the line of order that a package stands on, by its longest
// prefix, or -1.
func rank(path string) int {
	rel, best, at := strings.TrimPrefix(path, module), 0, -1
	for i, line := range order {
		for _, name := range line {
			if (rel == name || strings.HasPrefix(rel, name+"/")) && len(name) > best {
				best, at = len(name), i
			}
		}
	}
	return at
}

// Imports go one way. What the order does not name has no place yet.
func TestImportOrder(t *testing.T) {
	packages := list(t, "./...")
	require.NotEmpty(t, packages)
	for _, p := range packages {
		from := rank(p.ImportPath)
		if !assert.GreaterOrEqual(t, from, 0, "%s stands nowhere in the order of imports", p.ImportPath) {
			continue
		}
		for _, imp := range p.Imports {
			if !strings.HasPrefix(imp, module) {
				continue
			}
			to := rank(imp)
			within := from == to && shares(p.ImportPath, imp)
			assert.True(t, to < from || within, "%s imports %s, which stands behind it or beside it", p.ImportPath, imp)
		}
	}
}

// shares reports whether two packages are of one named folder: examples/tour and
// its own parts, but not two plugins of each other.
func shares(a, b string) bool {
	first := func(s string) string {
		return strings.SplitN(strings.TrimPrefix(s, module), "/", 2)[0]
	}
	return first(a) == first(b)
}

// Anyone who only judges actions links no store, no plugins, no network and none of
// the heavy functions.
func TestJudgingIsLight(t *testing.T) {
	heavy := []string{
		"net", "net/http", "github.com/cockroachdb/", "github.com/hashicorp/", "github.com/zricethezav/",
		"github.com/alecthomas/kong", "google.golang.org/", module + "act", module + "cortex", module + "reason/model",
		module + "skills/facts/secrets", module + "skills/facts/sql", "github.com/pingcap/",
	}
	for _, p := range list(t, "./reason", "./skills/rules") {
		for _, dep := range p.Deps {
			i := slices.IndexFunc(heavy, func(h string) bool {
				return dep == h || strings.HasPrefix(dep, strings.TrimSuffix(h, "/")+"/") && h != "net"
			})
			assert.Less(t, i, 0, "%s links %s", p.ImportPath, dep)
		}
	}
}

// R37: nothing about capabilities leaves the process but by the control plane's package.
func TestOnlyTheControlPlaneSpeaksHTTP(t *testing.T) {
	speaks := func(imp string) bool { return imp == "net" || strings.HasPrefix(imp, "net/http") }
	for _, p := range list(t, "./capabilities/...") {
		assert.Equal(t, p.ImportPath == module+"capabilities/control", slices.ContainsFunc(p.Imports, speaks), p.ImportPath)
	}
	assert.NotContains(t, list(t, "./capabilities")[0].Deps, "net/http")
}

// Someone who writes a skill in Go links no host.
func TestSkillsLinkNoHost(t *testing.T) {
	host := []string{module + "plugins", module + "plugins/internal/sandbox", module + "reason", module + "cortex",
		module + "cortex/engine"}
	for _, p := range list(t, "./plugins/skill", "./examples/skills/shellguard") {
		assert.Contains(t, p.Deps, module+"plugins/internal/wire")
		for _, dep := range p.Deps {
			assert.NotContains(t, host, dep, "%s links %s", p.ImportPath, dep)
		}
	}
}

// The engine is given its store, and links none. Package cortex gives it one.
func TestTheEngineLinksNoStore(t *testing.T) {
	stores := func(pkg string) (linked []string) {
		for _, dep := range list(t, pkg)[0].Deps {
			if strings.HasPrefix(dep+"/", module+"cortex/store/") || strings.HasPrefix(dep, "github.com/cockroachdb/") {
				linked = append(linked, dep)
			}
		}
		return linked
	}
	assert.Empty(t, stores("./cortex/engine"), "the engine, or a package that it imports, links a store")
	assert.Subset(t, stores("./cortex"), []string{module + "cortex/store", "github.com/cockroachdb/pebble/v2"},
		"cortex links one, so this test would see it")
}

// What is for tests gets into no program, and no other package needs it.
func TestNoProgramLinksTestHelpers(t *testing.T) {
	helpers := []string{module + "cortex/cortextest", module + "cortex/store/storetest", module + "internal/crashtest"}
	for _, p := range list(t, "./...") {
		if slices.Contains(helpers, p.ImportPath) || strings.HasPrefix(p.ImportPath, module+"cortex/store/internal/image") {
			continue
		}
		for _, helper := range helpers {
			assert.NotContains(t, p.Deps, helper, "%s links %s", p.ImportPath, helper)
		}
	}
	assert.Contains(t, list(t, "./cortex/cortextest")[0].Deps, module+"cortex/store/storetest",
		"cortextest links one, so this test would see it")
}

// Some imports belong to a few packages alone, most to one. Of two that fit, the longer
// one counts: most of the store needs Pebble's file systems, and no Pebble.
func TestOnlyImporters(t *testing.T) {
	const pebble = "github.com/cockroachdb/pebble"
	withPebble := []string{"cortex/store", "cortex/store/fsck", "cortex/store/internal/tables"}
	only := map[string][]string{
		pebble: withPebble,
		pebble + "/v2/vfs": append(withPebble, "cortex/store/storetest", "cortex/store/internal/folder",
			"cortex/store/internal/guard", "cortex/store/internal/image", "cortex/store/internal/wal"),
		"github.com/expr-lang/expr":          {"skills/rules/internal/condition"},
		"github.com/alecthomas/participle":   {"sexpr"},
		"github.com/hashicorp/go-plugin":     {"plugins", "plugins/internal/wire"},
		"github.com/zricethezav/gitleaks/v8": {"skills/facts/secrets"},
		"github.com/Masterminds/semver":      {"skills/facts/internal/version"},
		"github.com/pingcap":                 {"skills/facts/sql/mysql"},
		"filippo.io/age":                     {"cortex/keyfile"},
		"github.com/parquet-go":              {"cmd/cortex/internal/columns"},
		"github.com/getkin/kin-openapi":      {}, // tests alone: it costs every start 8 ms
		"github.com/oasdiff/yaml":            {"reason/author/openapi"},
		"github.com/modelcontextprotocol":    {"adapters/mcp", "adapters/mcp/serve"},
		"github.com/google/jsonschema-go":    {"runs/tools/schema"},
		"github.com/tailscale/hujson":        {"cmd/cortex/internal/hooking", "cmd/cortex/internal/proxying"},
		"github.com/gowebpki/jcs":            {"plans/canon"},
		"github.com/niklasfasching/go-org":   {"notes/org"},
		"github.com/yuin/goldmark":           {"notes/markdown"},
		"go.yaml.in/yaml":                    {"notes/markdown"},
		"github.com/alecthomas/kong":         {"cmd/cortex"},
		"github.com/reeflective/readline":    {"cmd/cortex/internal/prompt"},
		"github.com/tmaxmax/go-sse":          {"adapters/llm"},
	}
	for _, p := range list(t, "./...") {
		for _, imp := range p.Imports {
			longest := ""
			for lib := range only {
				if strings.HasPrefix(imp, lib) && len(lib) > len(longest) {
					longest = lib
				}
			}
			if longest != "" {
				assert.Contains(t, only[longest], strings.TrimPrefix(p.ImportPath, module), "only these may import %s", imp)
			}
		}
	}
}

// Every package says what it is.
func TestPackageComments(t *testing.T) {
	for _, p := range list(t, "./...") {
		if len(p.GoFiles) > 0 {
			assert.NotEmpty(t, p.Doc, "%s has no package comment", p.ImportPath)
		}
	}
}
