package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/gateways/telegram/telegramtest"
	"github.com/opencortex-go/cortex/internal/oracle"
)

// docs/gateways.md is followed line by line, as a new user would, against the
// fake in place of Telegram. Only the test waits: a person sees what happens.
func TestTheGatewaysPageCanBeFollowed(t *testing.T) {
	bash := oracle.Find(t, "bash")
	page, err := os.ReadFile("../../docs/gateways.md")
	require.NoError(t, err)
	s := telegramtest.New()
	defer s.Close()
	script := "set -e\nuntil_so() { until eval \"$1\" 2>/dev/null; do read -t 0.05 <> <(:) || true; done; }\n" +
		strings.Join(commands(string(page)), "")
	for old, text := range map[string]string{
		"'123456:ABC-DEF'":                     "'" + telegramtest.Token + "'",
		"token_file = \"telegram-token\"\nEND": "token_file = \"telegram-token\"\nurl = \"" + s.URL + "\"\nEND",
		"2> log &\n":                           "2> log &\nuntil_so 'grep -q ^ready: out'\n",
		"# now write to the bot":               "until_so 'grep -q allow-list log'",
		"# now approve the card":               "until_so 'test -s work/list'; until_so 'test -f closed'",
	} {
		require.Contains(t, script, old)
		script = strings.ReplaceAll(script, old, text)
	}
	pl := newPlace(t)
	require.NoError(t, os.Symlink(executable(t), pl.path("cortex")))
	cmd := exec.Command(bash, "-c", script)
	cmd.Dir = pl.path("work")
	cmd.Env = append(command(pl).Env, "PATH="+pl.dir+string(filepath.ListSeparator)+os.Getenv("PATH"), "HOME="+pl.dir)
	out := &logged{}
	cmd.Stdout, cmd.Stderr = out, out
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	defer func() { _ = cmd.Process.Kill() }() // unless it has ended

	read := func(name string) string {
		text, _ := os.ReadFile(pl.path("work/bot/" + name)) // it may not be there yet
		return string(text)
	}
	eventually := func(what string, so func() bool) {
		t.Helper()
		require.Eventually(t, so, 60*time.Second, 5*time.Millisecond, what+"\n"+out.String()+read("log"))
	}
	s.Write(annNumber, annNumber, "/start")
	eventually("the second daemon", func() bool {
		return strings.Contains(read("cortex.toml"), "[[accounts]]") && strings.HasPrefix(read("out"), "ready:")
	})
	s.Write(annNumber, annNumber, "hello")
	s.Write(annNumber, annNumber, "note the milk")
	var card string
	eventually("a card", func() bool {
		for _, m := range s.Shown(annNumber) {
			if m.Open {
				s.Press(annNumber, annNumber, m.ID, m.Nonce, true)
				card = m.ID
			}
		}
		return card != ""
	})
	eventually("the card to be closed", func() bool {
		for _, m := range s.Shown(annNumber) {
			if m.ID == card && strings.HasSuffix(m.Text, "approved by ann") && !m.Open {
				return os.WriteFile(pl.path("work/bot/closed"), nil, 0o600) == nil
			}
		}
		return false
	})
	require.NoError(t, <-ended, "%s\n%s", out, read("log"))
	for _, want := range []string{"user=" + annNumber + " chat=" + annNumber,
		"token_file = ", "milk\n", "consumed", "every one as it was written"} {
		assert.Contains(t, out.String(), want)
	}
	assert.NotContains(t, out.String()+read("log"), telegramtest.Token)
}

// The standing grant of the page is a rule file that is sound, and whose examples
// hold: until its end, and for nothing else.
func TestTheGatewaysPageHasAStandingGrant(t *testing.T) {
	page, err := os.ReadFile("../../docs/gateways.md")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(page), "```lisp\n")
	require.True(t, ok)
	text, _, _ := strings.Cut(rest, "```")
	require.Contains(t, text, "(defexample")
	pl := newPlace(t)
	pl.write("grant/r.lisp", "(deftool shell :params (:cmd command) :required (:cmd) :tier :ask :effect :local)\n"+text)
	out, err := command(pl, "rules", "check", "grant").CombinedOutput()
	assert.NoError(t, err, string(out))
	pl.alter("grant/r.lisp", "1798761600", "1") // and the examples can fail
	out, err = command(pl, "rules", "check", "grant").CombinedOutput()
	assert.Error(t, err, string(out))
}
