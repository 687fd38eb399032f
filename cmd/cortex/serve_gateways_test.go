package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/gateways/gatewaytest"
	signalfake "github.com/opencortex-go/cortex/gateways/signal/signaltest"
	"github.com/opencortex-go/cortex/gateways/telegram/telegramtest"
	"github.com/opencortex-go/cortex/sexpr"
)

// The person of these tests, and somebody who is not on the list.
const (
	annNumber = "11111111"
	annUUID   = "3e1f0c6a-8a54-4a5e-9a0f-3b6a3e5d9c10"
)

// messengers adds settings for people to a place, and a model that wants what
// needs a yes.
func messengers(t *testing.T, settings string) place {
	pl := newPlace(t)
	pl.write("script.lisp", `(:form (:type :request :payload (:tool "shell" :args (:cmd "echo done >> far"))) :when ("far") :repeat t)
(:reply "pong" :when ("ping") :repeat t)
(:reply "as you wish" :repeat t)`)
	text, err := os.ReadFile(pl.path("c.toml"))
	require.NoError(t, err)
	pl.write("c.toml", string(text)+settings)
	return pl
}

// withTelegram is a place with a bot at the fake.
func withTelegram(t *testing.T, s *telegramtest.Server, token string) place {
	pl := messengers(t, fmt.Sprintf(`
[telegram]
token_file = "token"
url = %q
[[accounts]]
name = "ann"
classes = ["operator"]
telegram = {user = %s}
`, s.URL, annNumber))
	pl.write("token", token+"\n")
	return pl
}

// shown waits for a message in a chat.
func shown(t *testing.T, list func() []gatewaytest.Message, part string) gatewaytest.Message {
	t.Helper()
	var found gatewaytest.Message
	require.Eventually(t, func() bool {
		for _, m := range list() {
			if strings.Contains(m.Text, part) {
				found = m
				return true
			}
		}
		return false
	}, 30*time.Second, 5*time.Millisecond, part)
	return found
}

// effects is how often the approved command ran.
func (pl place) effects() int {
	text, err := os.ReadFile(pl.path("work/far"))
	if os.IsNotExist(err) {
		return 0
	}
	require.NoError(pl.t, err)
	return strings.Count(string(text), "done\n")
}

// The daemon dies with kill -9 between the ask and the answer: the card is still
// pending and still the same, the press counts once, one effect happens, and the
// card is closed.
func TestRow093_ADaemonThatDiesBetweenAskAndAnswer(t *testing.T) {
	s := telegramtest.New()
	defer s.Close()
	pl := withTelegram(t, s, telegramtest.Token)
	chat := func() []gatewaytest.Message { return s.Shown(annNumber) }

	d := pl.start()
	assert.Equal(t, []string{"telegram"}, d.ready.Gateways)
	s.Write("666", "666", "echo far") // a stranger
	s.Write(annNumber, annNumber, "ping")
	shown(t, chat, "pong")
	s.Write(annNumber, annNumber, "do it far away")
	card := shown(t, chat, "echo done")
	require.True(t, card.Open, card.Text)
	before := pl.list()
	d.signal(syscall.SIGKILL)
	d.end()

	d = pl.start()
	assert.Equal(t, 1, d.ready.Pending)
	assert.Equal(t, before, pl.list(), "the same card, with the same digest, is pending")
	s.Press("666", "666", card.ID, card.Nonce, true)
	s.Press("666", annNumber, card.ID, card.Nonce, true)
	s.Press(annNumber, annNumber, card.ID, "AAAAAAAAAAAAAAAAAAAAAAAAAA", true)
	s.Press(annNumber, annNumber, card.ID, card.Nonce, true)
	s.Press(annNumber, annNumber, card.ID, card.Nonce, true)
	closed := shown(t, chat, "approved by ann")
	assert.Equal(t, card.ID, closed.ID)
	assert.False(t, closed.Open)
	require.Eventually(t, func() bool {
		return s.Pending() == 0 && len(s.Notices()) >= 3
	}, 30*time.Second, 5*time.Millisecond)
	d.signal(syscall.SIGTERM)
	assert.Equal(t, 0, d.end(), d.log.String())
	assert.Equal(t, 1, pl.effects())
	cards := 0
	for _, m := range chat() {
		if strings.Contains(m.Text, "echo done") {
			cards++
		}
	}
	assert.Equal(t, 1, cards, "there was no second card")
	assert.Empty(t, s.Shown("666"), "a stranger is not answered")
	assert.NotContains(t, d.log.String(), telegramtest.Token)
}

// list is what cortex approvals list says of the record.
func (pl place) list() string {
	pl.t.Helper()
	out, err := command(pl, "approvals", "list", "--json", "--dir", "state").Output()
	require.NoError(pl.t, err)
	return string(out)
}

// The same over signal-cli, with a reaction.
func TestServeSignalGoesOnAfterKill(t *testing.T) {
	pl := messengers(t, "")
	s, err := signalfake.Listen("unix", pl.path("signal.sock"))
	require.NoError(t, err)
	defer s.Close()
	s.Meet(annUUID)
	text, err := os.ReadFile(pl.path("c.toml"))
	require.NoError(t, err)
	pl.write("c.toml", string(text)+fmt.Sprintf(`
[signal]
socket = "signal.sock"
uuid = %q
[[accounts]]
name = "ann"
classes = ["operator"]
signal = {uuid = %q}
`, signalfake.UUID, annUUID))
	chat := func() []gatewaytest.Message { return s.Shown(annUUID) }

	d := pl.start()
	s.Write(annUUID, annUUID, "do it far away")
	card := shown(t, chat, "echo done")
	before := pl.list()
	d.signal(syscall.SIGKILL)
	d.end()

	d = pl.start()
	assert.Equal(t, before, pl.list())
	s.Press(annUUID, annUUID, card.ID, "", true)
	shown(t, chat, "approved by ann")
	d.signal(syscall.SIGTERM)
	assert.Equal(t, 0, d.end(), d.log.String())
	assert.Equal(t, 1, pl.effects())
}

// A wrong token, and a service that cannot be reached, leave the daemon as it is:
// it says so, and everything else works. The token is nowhere to be seen.
func TestServeOutlivesItsMessengers(t *testing.T) {
	s := telegramtest.New()
	const wrong = "123456:a-token-that-was-revoked"
	pl := withTelegram(t, s, wrong)
	d := pl.start()
	d.says("a gateway has stopped and is tried again")
	c := d.dial()
	assert.Equal(t, "pong", say(t, c, "s", "ping").Text)
	form, err := sexpr.Read("form", "(status)")
	require.NoError(t, err)
	out, err := c.Eval(t.Context(), form)
	require.NoError(t, err)
	assert.Contains(t, fmt.Sprint(out), "telegram is in trouble: ")
	cmdline, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", d.ready.PID))
	require.NoError(t, err)
	for _, text := range []string{d.log.String(), fmt.Sprint(out), string(cmdline)} {
		assert.NotContains(t, text, wrong)
	}
	d.signal(syscall.SIGTERM)
	assert.Equal(t, 0, d.end(), d.log.String())

	s.Close() // and now the service is gone
	d = pl.start()
	d.says("updates cannot be read and are asked for again")
	assert.Equal(t, "pong", say(t, d.dial(), "s", "ping").Text)
	d.signal(syscall.SIGTERM)
	assert.Equal(t, 0, d.end(), d.log.String())
	assert.NotContains(t, d.log.String(), wrong)
}

// freeAddress is a port that was free a moment ago.
func freeAddress(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // a test's
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return l.Addr().String()
}

// Updates that Telegram brings by itself.
func TestServeWebhook(t *testing.T) {
	s := telegramtest.New()
	defer s.Close()
	pl := withTelegram(t, s, telegramtest.Token)
	const secret = "a-secret-of-the-webhook-0123456789"
	pl.write("secret-of-hook", secret)
	address := freeAddress(t)
	pl.alter("c.toml", "[[accounts]]", fmt.Sprintf("[telegram.webhook]\nlisten = %q\nurl = %q\nsecret_file = "+
		"\"secret-of-hook\"\n[[accounts]]", address, "http://"+address+"/"))
	d := pl.start()
	s.Write(annNumber, annNumber, "ping")
	shown(t, func() []gatewaytest.Message { return s.Shown(annNumber) }, "pong")
	resp, err := http.Post("http://"+address+"/",
		"application/json", strings.NewReader(`{"update_id":1}`)) //nolint:gosec,noctx // a test's
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.Equal(t, http.StatusUnauthorized, resp.StatusCode)
	d.signal(syscall.SIGTERM)
	assert.Equal(t, 0, d.end(), d.log.String())
	assert.NotContains(t, d.log.String(), secret)
	assert.Len(t, pl.records("signal"), 1)
}

// Secrets that others can read, and lists that contradict themselves, keep the
// daemon from starting, and nothing of a secret is shown.
func TestServeChecksItsMessengers(t *testing.T) {
	s := telegramtest.New()
	defer s.Close()
	pl := withTelegram(t, s, telegramtest.Token)
	out, err := command(pl, "serve", "--config", "c.toml", "--check-config").CombinedOutput()
	require.NoError(t, err, string(out))
	assert.NotContains(t, string(out), telegramtest.Token)
	assert.Contains(t, string(out), "token_file = ")

	require.NoError(t, os.Chmod(pl.path("token"), 0o640)) //nolint:gosec // on purpose
	code, said := pl.fails("--config", "c.toml")
	assert.Equal(t, exitError, code)
	assert.Contains(t, said, "others can read")
	assert.Contains(t, said, "chmod 600")
	require.NoError(t, os.Chmod(pl.path("token"), 0o600))
	pl.write("token", "nonsense-without-a-colon")
	_, said = pl.fails("--config", "c.toml")
	assert.Contains(t, said, "as BotFather gives it")
	assert.NotContains(t, said, "nonsense")
}
