package main

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/gateways/gatewaytest"
	"github.com/opencortex-go/cortex/gateways/telegram/telegramtest"
)

// canary is a text that looks like a credential of the kind that cards hide.
func canary(n int) string { return fmt.Sprintf("ghp_canary%03d%s", n, strings.Repeat("a1B2", 7)) }

// shows runs a command and returns all it prints, also where it finds fault.
func (pl place) shows(args ...string) string {
	out, _ := command(pl, args...).CombinedOutput() // its exit code says what it found
	require.NotEmpty(pl.t, out, args)
	return string(out)
}

// holding returns the files below a folder that hold a text.
func (pl place) holding(folder, text string) (files []string) {
	pl.t.Helper()
	require.NoError(pl.t, filepath.WalkDir(pl.path(folder), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), text) {
			files = append(files, path)
		}
		return err
	}))
	return files
}

// Twenty secrets of the daemon's own, four in files and sixteen in its environment, are in
// nothing that it writes: a dump of all goroutines is the last of it.
func TestThreat12_TwentyCanariesOfTheDaemonsOwn(t *testing.T) {
	key, token, hook := canary(1), "1:"+canary(2), canary(3)
	// it tells what it was sent
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		// the client will tell
		_, _ = fmt.Fprintf(w, `{"error": {"message": "wrong key: %s"}}`, r.Header.Get("Authorization"))
	}))
	defer model.Close()
	s := telegramtest.New() // which knows another token
	defer s.Close()
	pl := withTelegram(t, s, token)
	pl.write("hook", hook)
	pl.write("key", key)
	pl.alter("c.toml", "[[providers]]", fmt.Sprintf("[[providers]]\nname = \"model\"\nkind = \"openai\"\nmodel = "+
		"\"m\"\nurl = %q\nkey_file = \"key\"\n[[providers]]", model.URL))
	pl.alter("c.toml", "[[accounts]]", fmt.Sprintf("[telegram.webhook]\nlisten = %q\nurl = "+
		"\"https://x.example/\"\nsecret_file = \"hook\"\n[[accounts]]", freeAddress(t)))
	pl.write("script.lisp", `(:form (:type :request :payload (:tool "shell" :args (:cmd "env"))) :when ("environment"))
(:reply "seen" :repeat t)`)
	pl.shows("approvals", "pair", "--dir", "state", "--secret", "secret")
	paired, err := os.ReadFile(pl.path("secret"))
	require.NoError(t, err)
	own := []string{key, token[2:], hook, strings.TrimSpace(string(paired))}
	for i := range 16 {
		own = append(own, canary(4+i))
		t.Setenv(fmt.Sprintf("CANARY_SECRET_%d", i), own[len(own)-1])
	}
	require.Len(t, own, 20)

	d := pl.start()
	d.says("a gateway has stopped and is tried again")
	assert.Equal(t, "seen", say(t, d.dial(), "s", "show the environment").Text)
	said := pl.shows("repl", "--socket", "run/c.sock", "(status)") + pl.shows("repl", "--socket", "run/c.sock",
		"(journal)") +
		pl.shows("doctor", "--config", "c.toml") + pl.shows("serve", "--config", "c.toml", "--check-config")
	require.Contains(t, said, `:kind "rulebook"`, "the daemon answered")
	d.signal(syscall.SIGQUIT)
	d.end()
	require.Contains(t, d.log.String(), "goroutine ", "it dumped its goroutines")
	require.Contains(t, d.log.String(), "provider=model", "the model's server refused")
	for _, secret := range own {
		assert.NotContains(t, said+d.log.String(), secret)
		assert.Empty(t, append(pl.holding("state", secret), pl.holding("work", secret)...))
	}
	assert.NotEmpty(t, pl.holding("state", "PATH="), "the tool's environment is on the record")
}

// Thirty credentials in an action's arguments are neither on a card nor in the log, and ciphertext in the record.
func TestThreat12_ThirtyCanariesInArguments(t *testing.T) {
	s := telegramtest.New()
	defer s.Close()
	pl := withTelegram(t, s, telegramtest.Token)
	var planted []string
	for i := range 30 {
		planted = append(planted, canary(i))
	}
	pl.write("script.lisp", fmt.Sprintf(
		`(:form (:type :request :payload (:tool "shell" :args (:cmd "true far %s"))) :repeat t)`, strings.Join(planted, " ")))
	d := pl.start()
	s.Write(annNumber, annNumber, "go")
	chat := func() []gatewaytest.Message { return s.Shown(annNumber) }
	card := shown(t, chat, "true far")
	listed := pl.shows("approvals", "list", "--dir", "state")
	s.Press(annNumber, annNumber, card.ID, card.Nonce, true)
	said := card.Text + listed + shown(t, chat, "approved by ann").Text
	d.signal(syscall.SIGQUIT)
	d.end()
	for _, secret := range planted {
		assert.NotContains(t, said+d.log.String(), secret)
		assert.Empty(t, pl.holding("state", secret))
	}
	assert.Contains(t, card.Text, "[secret ")
	assert.Contains(t, listed, "[secret ")
}
