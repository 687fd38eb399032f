package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/oracle"
	"github.com/opencortex-go/cortex/sexpr/syntax"
)

const editors = "../../contrib/editors"

// project is a folder with two rule files, which an editor is to open: a name of one is
// used in the other behind letters beyond ASCII, a line is indented too little, and a
// parameter is misspelt.
func project(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"tools.lisp": `(deftool pay
  :doc "Pays an invoice."
  :params (:to string :amount (number 0 100000))
  :required (:to :amount)
  :tier :allow)
(deflist known "ACME" "Ünïcode 🙂")
`, "a.lisp": `; Ünïcode 🙂
(include "tools.lisp")
(defskill payments
:trigger (= action.tool "pay")
  :gate
  ((deny stranger #| 🙂 |# :when (not (in action.args.to known))
     :reason "not a payee that is known 🙂")
   (ask large :when (> action.args.amuont 200) :reason "more than 200 needs a yes")))
`} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

// what every editor is to find in the project.
const (
	misspelt = "pay has no amuont; did you mean amount?"
	indented = "\n  :trigger (= action.tool"
)

// edits runs an editor, with the program that is tested in its path.
func edits(t *testing.T, dir string, program string, args ...string) string {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	abs, err := filepath.Abs(editors)
	require.NoError(t, err)
	cmd.Env = append(os.Environ(), "CORTEX_VIM="+filepath.Join(abs, "vim"), "HOME="+t.TempDir())
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}

func TestEmacs(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a second of processor time")
	}
	emacs := oracle.Find(t, "emacs")
	folder, err := filepath.Abs(filepath.Join(editors, "emacs"))
	require.NoError(t, err)
	t.Run("eglot", func(t *testing.T) {
		dir := project(t)
		out := edits(t, dir, emacs, "--batch", "-L", folder, "-l", filepath.Join(folder, "test/eglot.el"), dir)
		for _, want := range []string{"mode cortex-mode", misspelt,
			`(deflist known "ACME" "Ünïcode 🙂")`, "definition tools.lisp:6",
			"completes t", "action.args.to payees)", indented} {
			assert.Contains(t, out, want)
		}
	})
	t.Run("indents as cortex rules fmt does", func(t *testing.T) {
		args := []string{"--batch", "-L", folder, "-l", filepath.Join(folder, "test/indent.el")}
		out := edits(t, ".", emacs, append(args, shippedRules(t)...)...)
		assert.NotContains(t, out, ".lisp:")
	})
}

func TestVim(t *testing.T) {
	vim := oracle.Find(t, "vim")
	dir := project(t)
	edits(t, dir, vim, "-N", "-u", "NONE", "-i", "NONE", "-es", "-S", absolute(t, editors+"/vim/test/vim.vim"))
	found, err := os.ReadFile(filepath.Join(dir, "found"))
	require.NoError(t, err)
	for _, want := range []string{"filetype cortex\nsyntax cortexDefinition\nwrong 8:24 " + misspelt + "\n", indented} {
		assert.Contains(t, string(found), want)
	}
}

func TestNeovim(t *testing.T) {
	nvim := oracle.Find(t, "nvim")
	out := edits(t, project(t), nvim, "--headless", "-u", "NONE", "-i", "NONE", "-c",
		"luafile "+absolute(t, editors+"/vim/test/nvim.lua"))
	for _, want := range []string{"filetype cortex", "wrong 8:24 " + misspelt,
		`hover ` + "```lisp" + ` (deflist known "ACME" "Ünïcode 🙂")`,
		"definition tools.lisp", "action.args.to payees)", indented} {
		assert.Contains(t, out, want)
	}
}

// The extension's own code and vscode-languageclient talk to the program; then the
// extension is packaged. The editor itself is not there: see its test folder.
func TestVSCode(t *testing.T) {
	modules := oracle.Node(t, "vscode-languageclient")
	node, npm := oracle.Find(t, "node"), oracle.Find(t, "npm")
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(editors+"/vscode")))
	require.NoError(t, os.Symlink(filepath.Join(modules, "node_modules"), filepath.Join(dir, "node_modules")))
	record := t.TempDir()
	rules := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(rules, "a.lisp"),
		[]byte("(deftool look :params (:at string) :tier :allow)"), 0o600))
	_, err := makeRecord(record, rules, "")
	require.NoError(t, err)
	t.Setenv("CORTEX_RECORD", record)
	out := edits(t, dir, node, "--test", "test/extension.test.js")
	assert.Contains(t, out, "\n# fail 0\n")
	assert.Contains(t, out, "\n# skipped 0\n")

	require.NoError(t, os.Remove(filepath.Join(dir, "node_modules")))
	edits(t, dir, npm, "install", "--omit=dev", "--no-audit", "--no-fund", "--ignore-scripts", "--silent")
	out = edits(t, dir, node, filepath.Join(modules, "node_modules/@vscode/vsce/vsce"), "package", "-o", "out.vsix")
	assert.Contains(t, out, "Packaged")
	info, err := os.Stat(filepath.Join(dir, "out.vsix"))
	require.NoError(t, err)
	assert.Positive(t, info.Size())
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	require.NoError(t, err)
	return abs
}

func shippedRules(t *testing.T) []string {
	t.Helper()
	var out []string
	require.NoError(t, filepath.WalkDir("../../examples", func(path string, d fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".lisp" && d.Name() != "script.lisp" {
			out = append(out, path)
		}
		return err
	}))
	require.NotEmpty(t, out)
	return out
}

// The grammar for tree-sitter draws every shipped rule file, and its own examples, as the
// tree that this project's reader makes.
func TestTreeSitter(t *testing.T) {
	cc := oracle.Find(t, "cc")
	oracle.File(t, "/usr/include/tree_sitter/api.h", "libtree-sitter-dev")
	folder := absolute(t, editors+"/tree-sitter")
	parse := filepath.Join(t.TempDir(), "parse")
	out, err := exec.Command(cc, "-o", parse, "-I"+folder+"/src", folder+"/test/parse.c", folder+"/src/parser.c",
		folder+"/src/scanner.c", "-ltree-sitter").CombinedOutput()
	require.NoError(t, err, string(out))

	files, want := shippedRules(t), []string(nil)
	for _, path := range files {
		src, err := os.ReadFile(path)
		require.NoError(t, err)
		want = append(want, sketched(string(src), syntax.Read(string(src))))
	}
	corpus, err := os.ReadFile(folder + "/test/corpus/notation.txt")
	require.NoError(t, err)
	parts := regexp.MustCompile(`(?s)=====+\n[^\n]*\n=====+\n(.*?)\n---\n(.*?)\n(?:\n|$)`).FindAllStringSubmatch(string(
		corpus), -1)
	require.Len(t, parts, strings.Count(string(corpus), "\n---\n"))
	for i, m := range parts {
		path := filepath.Join(t.TempDir(), fmt.Sprint(i))
		require.NoError(t, os.WriteFile(path, []byte(m[1]), 0o600))
		files, want = append(files, path), append(want,
			strings.ReplaceAll(strings.Join(strings.Fields(m[2]), " "), "( ", "("))
		assert.Equal(t, want[len(want)-1], sketched(m[1], syntax.Read(m[1])))
	}
	drawn, err := exec.Command(parse, files...).Output()
	require.NoError(t, err)
	got := strings.Split(strings.TrimSpace(string(drawn)), "\n")
	require.Len(t, got, len(files))
	for i := range files {
		assert.Equal(t, want[i], got[i], files[i])
	}
}

// sketched draws a tree as tree-sitter does.
func sketched(src string, n *syntax.Node) string {
	names := map[syntax.Kind]string{
		syntax.Root: "source_file", syntax.List: "list", syntax.Quote: "quote", syntax.String: "string",
		syntax.Comment: "comment",
		syntax.Block:   "block_comment", syntax.Bad: "ERROR", syntax.Atom: "symbol",
	}
	name := names[n.Kind]
	var b bytes.Buffer
	if v, ok := n.Value(src); ok && n.Kind == syntax.Atom {
		switch v.Kind().String() {
		case "keyword":
			name = "keyword"
		case "integer", "float":
			name = "number"
		}
	}
	b.WriteString("(" + name)
	for _, k := range n.Kids {
		b.WriteString(" " + sketched(src, k))
	}
	if n.Kind == syntax.String {
		text := n.Text(src)
		for i := 1; i < len(text)-1; i++ {
			if text[i] != '\\' {
				continue
			}
			b.WriteString(" (escape)")
			i++
		}
	}
	return b.String() + ")"
}
