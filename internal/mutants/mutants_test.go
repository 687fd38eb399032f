package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/crashtest"
)

// Every mutant of the tables can be applied to the code as it is today, and the tests
// that it names stand in the package.
func TestTablesApply(t *testing.T) {
	all, err := read(os.DirFS("table"))
	require.NoError(t, err)
	assert.GreaterOrEqual(t, len(all), 110)
	root, known := filepath.Join("..", ".."), map[string]map[string]bool{}
	for _, m := range all {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m.file)))
		if !assert.NoError(t, err, m.at) {
			continue
		}
		changed, _, err := m.apply(string(text))
		assert.NoError(t, err)
		_, err = parser.ParseFile(token.NewFileSet(), m.file, changed, 0)
		assert.NoError(t, err, m.at)
		for _, x := range m.tests {
			if known[x.pkg] == nil {
				known[x.pkg] = testsIn(t, filepath.Join(root, filepath.FromSlash(x.pkg)))
			}
			for _, name := range x.names {
				name, _, _ = strings.Cut(name, "/")
				assert.True(t, known[x.pkg][name], "%s: %s has no test %s", m.at, x.pkg, name)
			}
		}
	}
}

// testsIn are the names of the tests of a folder.
func testsIn(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	require.NoError(t, err)
	names := map[string]bool{}
	for _, f := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), f, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				names[f.Name.Name] = true
			}
		}
	}
	return names
}

// guarded is a module with one check, one line that changes nothing, and their test.
var guarded = fstest.MapFS{
	"go.mod": {Data: []byte("module guarded\n\ngo 1.26\n")},
	"gate/gate.go": {Data: []byte(`package gate

// Allowed is true for small numbers.
func Allowed(n int) bool {
	if n > 10 {
		return false
	}
	return n >= 0
}
`)},
	"gate/gate_test.go": {Data: []byte(`package gate

import "testing"

func TestAllowed(t *testing.T) {
	if !Allowed(10) || Allowed(11) {
		t.Error("the limit is 10")
	}
}

func TestSkipped(t *testing.T) { t.Skip() }

func TestBroken(t *testing.T) { t.Fail() }
`)},
}

// The harness finds the mutant that no test sees, lists the one that changes nothing,
// and says what is wrong with a table. The tree is as before.
func TestHarness(t *testing.T) {
	crashtest.Long(t)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, guarded))
	const head = "== gate/gate.go\n"
	cases := []struct{ mutant, says string }{
		{"A large number is allowed.\ntests: TestAllowed\n-\tif n > 10 {\n+\tif n > 11 {\n",
			"killed    gate/gate.go:5 A large number is allowed. (TestAllowed)"},
		{"A number below 0 is allowed.\ntests: TestAllowed\n-\treturn n >= 0\n+\treturn true\n",
			"SURVIVED  gate/gate.go:8 A number below 0 is allowed. (t:9)"},
		{"The negative control.\ntests: TestAllowed\nsurvives because it says the same.\n-\tif n > 10 {\n+\tif 10 < n {\n",
			"explained gate/gate.go:5 The negative control. (it says the same.)"},
		// In the long form alone:
		{"x\ntests: TestAllowed\nsurvives because x\n-\tif n > 10 {\n+\tif n > 9 {\n", "SEEN      gate/gate.go:5"},
		{"x\ntests: TestAllowed\n-\tif n > 10 {\n+\tif n > ten {\n", "does not compile gate/gate.go:5"},
		{"x\ntests: TestAllowed\n-\tif n > 12 {\n+\tif n > 11 {\n", "does not apply gate/gate.go:0"},
		{"x\ntests: TestNone\n-\tif n > 10 {\n+\tif n > 11 {\n", "cannot be judged gate/gate.go:5"},
		{"x\ntests: TestSkipped\n-\tif n > 10 {\n+\tif n > 11 {\n", "cannot be judged gate/gate.go:5"},
		{"x\ntests: TestBroken\n-\tif n > 10 {\n+\tif n > 11 {\n", "cannot be judged gate/gate.go:5"},
	}
	ends := "7 of 9 are not in order"
	if testing.Short() {
		cases, ends = cases[:3], "1 of 3 are not in order"
	}
	table := "What it is about.\n"
	for _, c := range cases {
		table += "\n" + head + c.mutant
	}
	all, err := parse("t", table)
	require.NoError(t, err)
	var out bytes.Buffer
	assert.ErrorContains(t, try(t.Context(), dir, all, time.Minute, &out), ends)
	lines := strings.Split(out.String(), "\n")
	for i, c := range cases {
		assert.True(t, strings.HasPrefix(lines[i], c.says), lines[i])
	}
	assert.NoError(t, try(t.Context(), dir, []mutant{all[0], all[2]}, time.Minute, io.Discard))
	text, err := os.ReadFile(filepath.Join(dir, "gate", "gate.go"))
	require.NoError(t, err)
	assert.Equal(t, string(guarded["gate/gate.go"].Data), string(text))
}

// What a table says is taken as it stands, and a table that says too little is refused.
func TestParse(t *testing.T) {
	all, err := parse("t.txt", "About.\n\n== a/b.go\nIt breaks.\ntests: TestA TestB/sub\ntests: ./c/d TestC\n \tif x "+
		"{\n-\t\treturn err\n+\t\treturn nil\n\n== e.go\nMore.\n-x\n+y\n")
	require.NoError(t, err)
	require.Len(t, all, 2)
	assert.Equal(t, mutant{at: "t.txt:3", file: "a/b.go", breaks: "It breaks.",
		tests: []test{{"a", []string{"TestA", "TestB/sub"}}, {"c/d", []string{"TestC"}}},
		old:   "\tif x {\n\t\treturn err\n", new: "\tif x {\n\t\treturn nil\n"}, all[0])
	assert.Equal(t, []test{{pkg: "."}}, all[1].tests)
	assert.Equal(t, "^TestA$|^TestB$/^sub$", pattern(all[0].tests[0].names))
	_, line, err := all[0].apply("\n\tif x {\n\t\treturn err\n\t}\n")
	require.NoError(t, err)
	assert.Equal(t, 3, line)
	for text, says := range map[string]string{
		"== a.go\n-x\n+y\n":           "lacks",
		"== a.go\nOne.\n":             "lacks",
		"== a.go\nOne.\n-x\n+x\n":     "lacks",
		"== a.go\nOne.\nTwo.\n-x\n":   "a second sentence",
		"== a.go\nOne.\n-x\nreturn\n": "a second sentence",
	} {
		_, err := parse("t.txt", text)
		assert.ErrorContains(t, err, says, text)
	}
	_, _, err = all[1].apply("x\nx\n")
	assert.ErrorContains(t, err, "more than once")
	_, _, err = all[1].apply("xx\n")
	assert.ErrorContains(t, err, "do not stand")
	assert.Len(t, some(all, "e.go"), 1)
	assert.True(t, strings.HasPrefix(some(all, "TestC")[0].at, "t.txt:3"))
}
