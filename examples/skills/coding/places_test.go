package coding_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/project"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// spelled are paths that a pattern of the table matches, one for each way through its braces.
func spelled(glob string) (out []string) {
	open := strings.IndexByte(glob, '{')
	if open < 0 {
		glob = strings.NewReplacer("/[!w]*/**", "/skills/x", "/w[!o]*/**", "/wx/x", "/work[!t]*/**", "/workflows/x",
			"/**", "/x", "/*", "/y").Replace(strings.TrimPrefix(glob, "**/"))
		return []string{glob}
	}
	depth, from := 0, open+1
	var middles []string
	for i := open; ; i++ {
		switch c := glob[i]; {
		case c == '{':
			depth++
		case c == ',' && depth == 1:
			middles, from = append(middles, glob[from:i]), i+1
		case c == '}':
			if depth--; depth == 0 {
				for _, m := range append(middles, glob[from:i]) {
					out = append(out, spelled(glob[:open]+m+glob[i+1:])...)
				}
				return out
			}
		}
	}
}

// kindOf asks what becomes of a call, with the places that a daemon and a standalone hook put out of bounds.
func kindOf(t *testing.T, policy skills.Policy, tool string, args ...any) (reason.Kind, string) {
	a, err := skills.NewAction(tool, sexpr.Plist(args...), "")
	require.NoError(t, err)
	d := reason.Decide(t.Context(), reason.Request{Policy: policy, Action: a, Facts: workspace,
		Places: &reason.Places{Paths: project.OutOfBounds("/home/dev", func(string) string { return "" })}})
	return d.Kind, d.Key
}

// Each place of the table x each way to write it. Reading what lies in the project is allowed.
func TestI1_NoPlaceIsWrittenUnasked(t *testing.T) {
	book, paths := rulebook(t), 0
	write := func(path string) {
		paths++
		shell := strings.ReplaceAll(path, " ", `\ `)
		from := shell // from src
		if !filepath.IsAbs(path) {
			from = "../" + shell
		}
		for what, args := range map[string][]any{
			"write-file":  {"path", sexpr.Str(path), "content", sexpr.Str("x")},
			"edit-file":   {"path", sexpr.Str(path), "old", sexpr.Str("a"), "new", sexpr.Str("b")},
			"delete-file": {"path", sexpr.Str(path)}} {
			kind, _ := kindOf(t, book, what, args...)
			assert.NotEqual(t, reason.Allow, kind, "%s %s", what, path)
		}
		for _, line := range []string{"echo x > " + shell, "echo x >> " + shell, "echo x | tee " + shell,
			"cp notes.txt " + shell, "mv notes.txt " + shell, "sed -i s/a/b/ " + shell,
			"rm -f " + shell, "cd src && echo x > " + from} {
			kind, _ := kindOf(t, book, "shell", "cmd", sexpr.Str(line))
			assert.NotEqual(t, reason.Allow, kind, line)
		}
	}
	for _, p := range project.Places() {
		for _, at := range p.Home {
			if !filepath.IsAbs(at) {
				at = "/home/dev/" + at
			}
			write(at)
			write(at + "/x")
			kind, key := kindOf(t, book, "write-file", "path", sexpr.Str(at), "content", sexpr.Str("x"))
			assert.Equal(t, p.Kind == project.Guard, kind == reason.Deny && key == reason.KeyProtection, "%s: %s", at, key)
		}
		if p.Glob == "" {
			continue
		}
		for _, path := range spelled(p.Glob) {
			write(path)
			write("web/" + path)
			kind, key := kindOf(t, book, "read-file", "path", sexpr.Str(path))
			assert.Equal(t, reason.Allow, kind, "reading %s: %s", path, key)
			kind, key = kindOf(t, book, "shell", "cmd", sexpr.Str("cat "+path+" && git add "+path))
			assert.Equal(t, reason.Allow, kind, "reading %s: %s", path, key)
		}
	}
	t.Logf("%d paths", paths)
	assert.Greater(t, paths, 200)
}

// What is named like a place and is none is written as before.
func TestNamesLikePlacesAreWritten(t *testing.T) {
	book := rulebook(t)
	for _, path := range []string{"docs/coding-agents.md", "CLAUDE.md.tmpl", "src/gemini.go", "bin/run.sh", "profile.go",
		"systemd/app.service.txt", ".claude/worktrees/x/src/a.go", ".codex/worktrees/x/a.go", ".github/ISSUE_TEMPLATE/x.md",
		".config/app.toml", ".gitignore", ".editorconfig"} {
		kind, key := kindOf(t, book, "write-file", "path", sexpr.Str(path), "content",
			sexpr.Str("see ~/.claude/settings.json"))
		assert.Equal(t, reason.Allow, kind, "%s: %s", path, key)
		kind, key = kindOf(t, book, "shell", "cmd", sexpr.Str("echo x > "+path))
		assert.Equal(t, reason.Allow, kind, "%s: %s", path, key)
	}
}
