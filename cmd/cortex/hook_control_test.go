package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/adapters/hooks"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/hooking"
)

// homeWithHook is a home, and in it a hook that a host would run, by itself or through a daemon.
func homeWithHook(t *testing.T, dialect string, args ...string) (run func(...string) (string, error), file string) {
	built, pl := executable(t), newPlace(t) // before the home is another one: it may be built
	self, err := filepath.EvalSymlinks(built)
	require.NoError(t, err)
	if !testing.Short() { // by the name cortex alone, the binary of the tests is the program
		self, err = exec.LookPath("cortex")
		require.NoError(t, err)
	}
	home := pl.path("home")
	require.NoError(t, os.MkdirAll(filepath.Join(home, "src/app"), 0o700))
	t.Setenv("HOME", home)
	d, err := hooks.Named(dialect)
	require.NoError(t, err)
	s := hooking.Settings{Dialect: d, Program: self, Args: args}
	s.File, err = hooking.FileOf(d, "", func(string) string { return "" })
	require.NoError(t, err)
	_, err = s.Install()
	require.NoError(t, err)
	return func(args ...string) (string, error) {
		cmd := command(pl, args...)
		cmd.Dir = filepath.Join(home, "src/app")
		cmd.Env = append(cmd.Env, "HOME="+home, "XDG_CONFIG_HOME=", "XDG_STATE_HOME=", "CLAUDE_CONFIG_DIR=", "CODEX_HOME=")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}, s.File
}

// A hook that blocks everything, and one that the host does not run, are found by doctor and selftest; one that judges
// is found to judge.
func TestDoctorAndSelftestRunAHookAsItsHostDoes(t *testing.T) {
	double := func(text string) string {
		return strings.Replace(text, `"hooks"`, `"hooks": {}, "hooks"`, 1)
	}
	last := func(text string) string {
		return strings.TrimSuffix(strings.TrimSpace(text), "}") + `, "hooks": {}}`
	}
	add := func(more string) func(string) string {
		return func(text string) string { return strings.Replace(text, "{", "{"+more+",", 1) }
	}
	alone := []string{"--standalone"}
	for what, c := range map[string]struct {
		dialect       string
		args          []string
		change        func(string) string // of the file with the hook
		beside, text  string              // another file below the home
		doctor, trial string              // what they say
		good          bool
	}{
		"as it is, claude":  {dialect: "claude", args: alone, doctor: "it judges", trial: "allowed", good: true},
		"as it is, codex":   {dialect: "codex", args: alone, doctor: "it judges", trial: "allowed", good: true},
		"as it is, gemini":  {dialect: "gemini", args: alone, doctor: "it judges", trial: "allowed", good: true},
		"as it is, cursor":  {dialect: "cursor", args: alone, doctor: "it judges", trial: "allowed", good: true},
		"as it is, copilot": {dialect: "copilot", args: alone, doctor: "it judges", trial: "allowed", good: true},
		"rules without --standalone": {dialect: "claude", args: []string{"--rules", "/r"},
			doctor: "it blocks every call", trial: "NOT JUDGED"},
		"rules that are not there": {dialect: "claude", args: []string{"--standalone", "--rules", "/r/none"},
			doctor: "it blocks every call", trial: "NOT JUDGED"},
		"broken settings of the daemon": {dialect: "claude", args: []string{"--socket", "/nowhere/c.sock"},
			beside: ".config/cortex/cortex.toml", text: "no settings", doctor: "bad   settings", trial: "NOT JUDGED"},
		"hooks twice": {dialect: "claude", args: alone, change: double,
			doctor: `has "hooks" twice`, trial: `has "hooks" twice`},
		"hooks twice, the last empty": {dialect: "gemini", args: alone, change: last,
			doctor: `has "hooks" twice`, trial: `has "hooks" twice`},
		"disableAllHooks": {dialect: "claude", args: alone, change: add(`"disableAllHooks": true`),
			doctor: "has disableAllHooks", trial: "has disableAllHooks"},
		"disableAllHooks in the project": {dialect: "claude", args: alone,
			beside: "src/app/.claude/settings.local.json", text: `{"disableAllHooks": true}`,
			doctor: "has disableAllHooks", trial: "has disableAllHooks"},
		"disableAllHooks, and not in the project": {dialect: "claude", args: alone,
			change: add(`"disableAllHooks": true`), beside: "src/app/.claude/settings.json",
			text: `{"disableAllHooks": false}`, doctor: "it judges", trial: "allowed", good: true},
		"hooksConfig": {dialect: "gemini", args: alone, change: add(`"hooksConfig": {"enabled": false}`),
			doctor: "hooksConfig.enabled", trial: "hooksConfig.enabled"},
		"hooksConfig of the project": {dialect: "gemini", args: alone,
			beside: "src/app/.gemini/settings.json", text: `{"hooksConfig": {"disabled": ["cortex"]}}`, doctor: "hooksConfig.disabled", trial: "hooksConfig.disabled"},
		"features of Codex": {dialect: "codex", args: alone, beside: ".codex/config.toml",
			text: "[features]\nhooks = false\n", doctor: "under [features]", trial: "under [features]"},
		"another spelling": {dialect: "claude", args: alone,
			change: func(text string) string { return strings.Replace(text, `"hooks"`, `"Hooks"`, 1) },
			doctor: "", trial: "there is no hook of Cortex"},
	} {
		t.Run(what, func(t *testing.T) {
			if testing.Short() && c.good && c.dialect != "codex" {
				t.Skip("each start loads the rules")
			}
			run, file := homeWithHook(t, c.dialect, c.args...)
			if c.change != nil {
				text, err := os.ReadFile(file)
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(file, []byte(c.change(string(text))), 0o600))
			}
			if c.beside != "" {
				at := filepath.Join(os.Getenv("HOME"), c.beside)
				require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o700))
				require.NoError(t, os.WriteFile(at, []byte(c.text), 0o600))
			}
			said, err := run("doctor")
			assert.Contains(t, said, c.doctor)
			if c.good {
				assert.NotContains(t, said, "bad   hook")
			} else if c.doctor != "" {
				assert.Error(t, err, said)
			} else {
				assert.NotContains(t, said, "is as install writes it")
			}
			said, err = run("hook", "selftest", "--dialect", c.dialect)
			assert.Contains(t, said, c.trial)
			assert.Equal(t, c.good, err == nil, said)
		})
	}
}

// Rules of one's own are for a hook that judges by itself, and install says so before it writes anything.
func TestInstallRefusesRulesForADaemon(t *testing.T) {
	run, file := homeWithHook(t, "claude")
	was, err := os.ReadFile(file)
	require.NoError(t, err)
	said, err := run("hook", "install", "--dialect", "claude", "--rules", ".")
	assert.Error(t, err)
	assert.Contains(t, said, "--rules is for --standalone")
	now, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(was), string(now))
}
