package hooking

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/adapters/hooks"
)

// Settings that hosts read in another way than they stand there, or not at all, get a word that says what is wrong and
// what would be right, from each command, and stay as they are.
func TestOddSettingsGetAClearWord(t *testing.T) {
	for text, want := range map[string]string{
		`{"hooks": null}`: `"hooks" is not an object, expected one such as {}`,
		`{"hooks": []}`:   `"hooks" is not an object, expected one such as {}`,
		"\uFEFF{}":        "begins with a byte order mark",
		"":                "is empty, which is not JSON",
		" \n":             "is empty, which is not JSON",
		`{"hooks": {}, "model": "x", "hooks": {}}`:             `has "hooks" twice`,
		`{"hooks": {"PreToolUse": [], "PreToolUse": []}}`:      `has "PreToolUse" twice under "hooks"`,
		`{"hooks": {"x": [{"command": "a", "command": "b"}]}}`: `has "command" twice under "hooks"`,
	} {
		s := Settings{Dialect: named(t, "claude"), File: filepath.Join(t.TempDir(), "s.json"), Program: "/usr/bin/cortex"}
		require.NoError(t, os.WriteFile(s.File, []byte(text), 0o600))
		_, err := s.Install()
		assert.ErrorContains(t, err, want, text)
		_, err = s.Uninstall()
		assert.ErrorContains(t, err, want, text)
		_, err = s.Look(t.TempDir(), os.Getenv)
		assert.ErrorContains(t, err, want, text)
		now, err := os.ReadFile(s.File)
		require.NoError(t, err)
		assert.Equal(t, text, string(now))
	}
}

// A pipe in the place of a file would wait for a writer. It is refused at once.
func TestAPipeIsRefusedAtOnce(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "transcript.jsonl")
	if exec.Command("mkfifo", pipe).Run() != nil {
		t.Skip("there are no pipes with names here")
	}
	began := time.Now()
	_, err := Settings{Dialect: named(t, "claude"), File: pipe}.Look(t.TempDir(), os.Getenv)
	assert.ErrorContains(t, err, "is not a regular file")
	for _, d := range hooks.Dialects() {
		_, err := transcript(d, hooks.Event{Session: "s", Transcript: pipe})
		if name := d.Name(); name == "claude" || name == "codex" || name == "gemini" {
			assert.ErrorContains(t, err, "is not a regular file", name)
		}
		assert.Empty(t, sessionFolder(hooks.Event{Transcript: pipe}))
	}
	assert.Less(t, time.Since(began), 5*time.Second)
}

// Of a long transcript the end is read, from the beginning of a line on.
func TestTheEndOfALongTranscript(t *testing.T) {
	file := filepath.Join(t.TempDir(), "t")
	line := strings.Repeat("x", 1<<20-1) + "\n"
	require.NoError(t, os.WriteFile(file, []byte(strings.Repeat(line, 33)+"end\n"), 0o600))
	text, whole, err := tail(file)
	require.NoError(t, err)
	assert.False(t, whole)
	assert.True(t, strings.HasSuffix(string(text), "\nend\n"))
	assert.Len(t, text, 31<<20+4)
	require.NoError(t, os.WriteFile(file, []byte("a\nb\n"), 0o600))
	text, whole, err = tail(file)
	require.NoError(t, err)
	assert.True(t, whole)
	assert.Equal(t, "a\nb\n", string(text))
}
