package hooking

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/adapters/hooks"
)

// The host that is in PATH is named, and compared with what its page requires.
func TestTheHostInPathIsNamed(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	for _, c := range []struct {
		dialect, prints, want string
		good, bad             bool
	}{
		{"claude", "", "Claude Code is not in PATH; 2.1.330 was tried", false, false},
		{"claude", "2.1.330 (Claude Code)", "is Claude Code 2.1.330, which was tried", true, false},
		{"claude", "2.1.294 (Claude Code)", "is Claude Code 2.1.294, and the hook needs 2.1.295 or newer", false, true},
		{"claude", "2.0.999", "and the hook needs 2.1.295 or newer", false, true},
		{"claude", "2.1.295", "is Claude Code 2.1.295; 2.1.330 was tried", false, false},
		{"claude", "10.0.0", "is Claude Code 10.0.0; 2.1.330 was tried", false, false},
		{"claude", "hello", "does not tell its version", false, false},
		{"codex", "codex-cli 0.170.1", "is Codex 0.170.1; 0.169.0 was tried", false, false},
		{"gemini", "0.61.0", "is Gemini CLI 0.61.0, which was tried", true, false},
		{"cursor", "3.2.1\nabc\nx64", "is Cursor 3.2.1; none was tried", false, false},
		{"copilot", "", "Copilot is not in PATH; none was tried", false, false},
	} {
		if c.prints != "" {
			require.NoError(t, os.WriteFile(filepath.Join(dir, c.dialect),
				[]byte("#!/bin/sh\n[ \"$1\" = --version ] && printf '%s\\n' '"+c.prints+"'\n"), 0o700))
		}
		text, good, bad := Host(t.Context(), named(t, c.dialect))
		assert.Contains(t, text, c.want)
		assert.Equal(t, []bool{c.good, c.bad}, []bool{good, bad}, text)
	}
}

// The pages name the versions that doctor compares with.
func TestThePagesNameTheVersionsThatWereTried(t *testing.T) {
	pages := map[string]string{"claude": "claude-code"}
	for _, d := range hooks.Dialects() {
		page := d.Name()
		if other := pages[page]; other != "" {
			page = other
		}
		text, err := os.ReadFile("../../../../docs/hosts/" + page + ".md")
		require.NoError(t, err)
		h := triedOf(d)
		if h.version == "" {
			assert.Contains(t, string(text), "**Not tried with "+h.title)
			continue
		}
		assert.Contains(t, string(text), "Tried with "+h.title+" "+h.version+".")
		if h.least != "" {
			assert.Contains(t, string(text), "needs "+h.least+" or newer")
		}
	}
}
