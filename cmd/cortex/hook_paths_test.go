package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hookWorld is a home with a project in it, a host that stands in the project, and hooks that
// judge its calls: by themselves, or through a daemon beside a person who says no to every card.
type hookWorld struct {
	place
	home, project string
	standalone    bool
}

// no is what a model reads of a card that the person of a hookWorld answered.
const no = "a person was asked"

// newHookWorld makes the world, and stands in the project as a host does.
func newHookWorld(t *testing.T, standalone bool) hookWorld {
	pl := newPlace(t)
	dir, err := filepath.EvalSymlinks(pl.dir)
	require.NoError(t, err)
	w := hookWorld{pl, filepath.Join(dir, "home"), filepath.Join(dir, "home/src/app"), standalone}
	for name, text := range map[string]string{"src/main.go": "package main\n", ".env": "KEY=1\n", "notes.txt": "milk\n",
		".git/config": "", ".git/hooks/sample": "", ".claude/settings.json": "{}\n", "a.ipynb": "{}\n",
		"../../.ssh/authorized_keys": "key\n", "../../diary.txt": "mine\n", "../other/deep/er/x": "x\n",
		"../other/t.txt": "t\n"} {
		pl.write(filepath.Join("home/src/app", name), text)
	}
	if !standalone {
		var folders []string
		for _, name := range []string{"coding", "hosts"} {
			at, err := filepath.Abs("../../examples/skills/" + name)
			require.NoError(t, err)
			folders = append(folders, fmt.Sprintf("%q", at))
		}
		pl.alter("c.toml", `"rules"`, strings.Join(folders, ", "))
		pl.alter("c.toml", `"work"`, `"home/src/app/src"`) // of the daemon's own shell, whose home this is
		out, err := command(pl, "approvals", "pair", "--dir", "state", "--secret", "secret").CombinedOutput()
		require.NoError(t, err, string(out))
		cmd := command(pl, "serve", "--config", "c.toml", "--json", "--trust-rules")
		cmd.Env = append(cmd.Env, "HOME="+w.home)
		pl.started(cmd)
		w.refuses(t)
	}
	executable(t) // is found from the folder of this test
	t.Chdir(w.project)
	return w
}

// refuses has a person say no to every card, until the test ends.
func (w hookWorld) refuses(t *testing.T) {
	end, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-end:
				return
			default:
			}
			out, _ := command(w.place, "approvals", "list", "--dir", "state").Output()
			for line := range strings.Lines(string(out)) {
				if f := strings.Fields(line); len(f) > 0 {
					_ = command(w.place, "approvals", "deny", f[0], "--reason", no, "--dir", "state", "--secret",
						"secret").Run()
				}
			}
		}
	}()
	t.Cleanup(func() { close(end); <-done })
}

// hook runs one event through the program, with the variables that the host sets.
func (w hookWorld) hook(dialect string, event map[string]any, env ...string) (allowed bool, said string) {
	w.t.Helper()
	args := []string{"hook", "--dialect", dialect, "--standalone"}
	if !w.standalone {
		args = []string{"hook", "--dialect", dialect, "--no-start", "--socket", w.path("run/c.sock")}
	}
	in, err := json.Marshal(event)
	require.NoError(w.t, err)
	cmd := command(w.place, args...)
	cmd.Dir = w.project
	cmd.Env = append(append(cmd.Env, "HOME="+w.home, "CLAUDE_PROJECT_DIR=", "GEMINI_PROJECT_DIR="), env...)
	var out bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &out
	_ = cmd.Run() // some hosts read a denial in the exit code
	said = out.String()
	switch dialect {
	case "codex":
		return said == "", said
	case "claude":
		return strings.Contains(said, `"permissionDecision":"allow"`), said
	case "gemini":
		return strings.Contains(said, `"decision":"allow"`), said
	case "cursor":
		return strings.Contains(said, `"permission":"allow"`), said
	}
	return strings.Contains(said, `"permissionDecision":"allow"`), said
}

// asked reports whether a person was asked, or would have been where no one can be.
func asked(said string) bool {
	return strings.Contains(said, no) || strings.Contains(said, "without a daemon that could ask") ||
		strings.Contains(said, "people have been asked about this several times")
}

// claude asks about a call of a tool of Claude Code.
func (w hookWorld) claude(tool string, input map[string]any) (bool, string) {
	w.t.Helper()
	return w.hook("claude", map[string]any{"session_id": "s", "cwd": w.project, "hook_event_name": "PreToolUse",
		"tool_name": tool, "tool_input": input, "tool_use_id": tool + fmt.Sprint(input)[:min(80,
			len(fmt.Sprint(input)))]},
		"CLAUDE_PROJECT_DIR="+w.project)
}

// both runs a test with a daemon and without one.
func both(t *testing.T, f func(t *testing.T, w hookWorld)) {
	for _, standalone := range []bool{true, false} {
		t.Run(map[bool]string{true: "standalone", false: "daemon"}[standalone], func(t *testing.T) {
			f(t, newHookWorld(t, standalone))
		})
	}
}

// pathTools are the ways in which Claude Code may come to a path: a call, and whether it writes.
var pathTools = map[string]struct {
	call   func(path string) (string, map[string]any)
	writes bool
}{
	"Read": {func(p string) (string, map[string]any) { return "Read", map[string]any{"file_path": p} }, false},
	"Grep": {func(p string) (string, map[string]any) { return "Grep", map[string]any{"pattern": "x", "path": p} },
		false},
	"Glob": {func(p string) (string, map[string]any) { return "Glob", map[string]any{"pattern": "*", "path": p} },
		false},
	"names": {func(p string) (string, map[string]any) { return "Glob", map[string]any{"pattern": p} }, false},
	"LS":    {func(p string) (string, map[string]any) { return "LS", map[string]any{"path": p} }, false},
	"cat":   {func(p string) (string, map[string]any) { return bash("cat " + p) }, false},
	"<":     {func(p string) (string, map[string]any) { return bash("sort < " + p) }, false},
	"Write": {func(p string) (string, map[string]any) {
		return "Write", map[string]any{"file_path": p, "content": "x/../y ~/z"}
	}, true},
	"Edit": {func(p string) (string, map[string]any) {
		return "Edit", map[string]any{"file_path": p, "old_string": "a", "new_string": "b"}
	}, true},
	"NotebookEdit": {func(p string) (string, map[string]any) {
		return "NotebookEdit", map[string]any{"notebook_path": p, "new_source": "1"}
	}, true},
	">":   {func(p string) (string, map[string]any) { return bash("echo x > " + p) }, true},
	"cp":  {func(p string) (string, map[string]any) { return bash("cp notes.txt " + p) }, true},
	"sed": {func(p string) (string, map[string]any) { return bash("sed -i s/a/b/ " + p) }, true},
}

// A patch is as good as what it touches.
func TestI1_APatchIsWhereItsPathsLead(t *testing.T) {
	both(t, func(t *testing.T, w hookWorld) {
		for name, to := range map[string]string{"keys": "../../.ssh", "config.txt": ".env", "gh": ".git/hooks",
			"docs": "src"} {
			require.NoError(t, os.Symlink(to, name))
		}
		for path, want := range map[string]bool{"keys/authorized_keys": false, "config.txt": false,
			"gh/pre-push":  false,
			"docs/main.go": true, "src/new.go": true} {
			in, _ := naming["codex"](t, w, w.project, "", w.project)
			in["tool_name"] = "apply_patch"
			in["tool_input"] = map[string]any{"command": "*** Begin Patch\n*** Add File: " + path +
				"\n+x\n*** End Patch\n"}
			in["tool_use_id"] = path
			allowed, said := w.hook("codex", in)
			assert.Equal(t, want, allowed, "%s: %s", path, said)
			assert.True(t, allowed || asked(said), "%s: %s", path, said)
		}
	})
}

// A pattern that the shell expands is where the links that it matches lead.
func TestI1_APatternIsWhereItsLinksLead(t *testing.T) {
	both(t, func(t *testing.T, w hookWorld) {
		require.NoError(t, os.Symlink("src", "docs"))
		for _, line := range []string{"cat *.txt", "wc -l docs/*.go"} {
			allowed, said := w.claude(bash(line))
			assert.True(t, allowed, "%s: %s", line, said)
		}
		require.NoError(t, os.Symlink("../../diary.txt", "diary.txt"))
		require.NoError(t, os.Symlink("../.env", "src/settings.go"))
		require.NoError(t, os.Symlink("../../.ssh", "aa"))
		for _, line := range []string{"cat *.txt", "head -5 d*.txt", "wc -l src/*.go", "wc -l docs/*.go",
			"cat a?/authorized_keys",
			"cat {diary,notes}.txt"} {
			allowed, said := w.claude(bash(line))
			assert.False(t, allowed, line)
			assert.True(t, asked(said), "%s: %s", line, said)
		}
	})
}

func bash(line string) (string, map[string]any) { return "Bash", map[string]any{"command": line} }

// A path is where it leads: every tool x every kind of link x with a daemon and without one. What a
// repository brings along as a link is not asked about by its name.
func TestI1_APathIsWhereItLeads(t *testing.T) {
	both(t, func(t *testing.T, w hookWorld) {
		for name, to := range map[string]string{"keys": "../../.ssh", "diary": "../../diary.txt", "config.txt": ".env",
			"one": "two", "two": "../../.ssh", "gone": "../../none.txt", "later": ".git/hooks/pre-commit",
			"deep": "../other/deep/er",
			"l1":   "l2", "l2": "l1", "gh": ".git/hooks", "x": ".claude/settings.json", "docs": "src",
			"plain.txt": "notes.txt"} {
			require.NoError(t, os.Symlink(to, name))
		}
		require.NoError(t, os.Link(".env", "hard.txt"))
		for what, c := range map[string]struct {
			path   string
			writes bool // it is listed for what is written alone
			free   bool // it leads nowhere that matters
		}{
			"a folder outside":                    {path: "keys/authorized_keys"},
			"a new file in a folder outside":      {path: "keys/new"},
			"a file outside":                      {path: "diary"},
			"a listed file inside":                {path: "config.txt"},
			"a link behind a link":                {path: "one/authorized_keys"},
			"dangling":                            {path: "gone"},
			".. behind a link":                    {path: "deep/../../t.txt"},
			"a loop":                              {path: "l1"},
			"dangling, to what runs later":        {path: "later", writes: true},
			"a folder of what runs later":         {path: "gh/pre-push", writes: true},
			"a listed file in a folder of a host": {path: "x", writes: true},
			"within the project":                  {path: "docs/main.go", free: true},
			"a plain file within the project":     {path: "plain.txt", free: true},
			"no link":                             {path: "notes.txt", free: true},
			"a hard link, which the page excepts": {path: "hard.txt", free: true}, // making one asks
		} {
			for _, name := range slices.Sorted(maps.Keys(pathTools)) {
				tool := pathTools[name]
				if c.writes && !tool.writes || name == "NotebookEdit" && c.free ||
					testing.Short() && !slices.Contains([]string{"Read", "Write", "Grep", "cat", ">"}, name) {
					continue
				}
				allowed, said := w.claude(tool.call(c.path))
				if c.free {
					assert.True(t, allowed, "%s, %s: %s", name, what, said)
					continue
				}
				assert.False(t, allowed, "%s, %s", name, what)
				assert.True(t, asked(said) || what == "a loop" && strings.Contains(said, "cannot be told"),
					"%s, %s: %s", name, what, said)
			}
		}
	})
}

// A search pattern is a path as well: one that spells a part of a listed name asks, and one that leads
// out of the project does; a search over everything does not.
func TestI1_ASearchPatternIsAPath(t *testing.T) {
	both(t, func(t *testing.T, w hookWorld) {
		require.NoError(t, os.Symlink("../../.ssh", "keys"))
		glob := func(p string) (string, map[string]any) { return "Glob", map[string]any{"pattern": p} }
		grep := func(p string) (string, map[string]any) { return "Grep", map[string]any{"pattern": "KEY", "glob": p} }
		type call func(string) (string, map[string]any)
		for i, c := range []struct {
			by   call
			text string
			free bool
		}{
			{grep, ".env", false}, {grep, "*.pem", false}, {grep, "{*.go,.e*}", false}, {grep, "[.]env", false},
			{grep, "*.go,.env", false}, {grep, "@(.env)", false}, {grep, "keys/*", false}, {grep, "**/.ssh/**", false},
			{glob, "{src,/etc}/*", false}, {glob, "**/id_*", false}, {glob, "../**", false}, {glob, "keys/*", false},
			{grep, "*.go", true}, {grep, "*.{ts,tsx}", true}, {grep, "*", true}, {grep, "!*.pem", true}, {glob,
				"**/*.json",
				true},
			{glob, "src/**", true}, {glob, "**/*", true},
			{bash, "grep -rn KEY --include='.e*' .", false}, {bash, "grep -rn KEY --include='*.pem' .", false},
			{bash, "find . -name 'id_*' -exec cat {} +", false}, {bash, "find . -name '*env' | xargs cat", false},
			{bash, `find . -regex '.*\.pem' -exec cat {} +`, false}, {bash,
				`find . -regex '.*\(env\|x\)' -exec cat {} +`,
				false},
			{bash, "find . -path './.e*' -exec cat {} +", false}, {bash, "rg KEY -g '.e*'", false}, {bash,
				"rg KEY --iglob=.ENV", false},
			{bash, "fd -e pem", false}, {bash, `fd '\.env'`, false}, {bash, "git grep KEY -- '.e*'", false},
			{bash, "git grep KEY -- ':(icase).ENV'", false}, {bash, "git show HEAD:id_rsa", false},
			{bash, "git log -p -- '*.pem'", false}, {bash, "git show HEAD:certs/server.pem", false},
			{bash, "grep -rn KEY --include='*.go' .", true}, {bash, "grep -rn KEY .", true}, {bash,
				"find . -type f | xargs grep KEY", true},
			{bash, "find . -name '*.go' -exec wc -l {} +", true}, {bash, `find . -regex '.*\.\(go\|ts\)'`, true},
			{bash, "rg -g '!*.pem' KEY", true}, {bash, "fd main", true}, {bash, "git log -p -- '*.go'", true},
			{bash, "git show HEAD:src/main.go", true}, {bash, "find . -name 'main*' -not -path './node_modules/*'",
				true},
		} {
			if testing.Short() && w.standalone && i%5 > 0 {
				continue // each start loads the rules
			}
			tool, input := c.by(c.text)
			allowed, said := w.claude(tool, input)
			assert.Equal(t, c.free, allowed, "%s %s: %s", tool, c.text, said)
			assert.True(t, allowed || asked(said), "%s %s: %s", tool, c.text, said)
		}
	})
}
