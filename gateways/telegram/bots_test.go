package telegram_test

import (
	"bufio"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/gateways/telegram/telegramtest"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/internal/oracle"
)

// TestPythonTelegramBotTakesTheFakeForTelegram runs a bot of another library
// against the fake: what the fake asks of our gateway it must ask of everybody,
// and no more. TestGrammyTakesTheFakeForTelegram does the same with one more.
func TestPythonTelegramBotTakesTheFakeForTelegram(t *testing.T) {
	crashtest.Long(t)
	oracle.File(t, "/usr/lib/python3/dist-packages/telegram/__init__.py", "python3-python-telegram-bot")
	s := telegramtest.New()
	defer s.Close()
	converse(t, s, exec.CommandContext(t.Context(), "/usr/bin/python3", "testdata/ptb.py"))
}

// TestGrammyTakesTheFakeForTelegram is run by make gateways.
func TestGrammyTakesTheFakeForTelegram(t *testing.T) {
	oracle.Node(t, "grammy")
	s := telegramtest.New()
	defer s.Close()
	converse(t, s, exec.CommandContext(t.Context(), oracle.Find(t, "node"), "testdata/grammy.mjs"))
}

// talk is a bot of testdata that runs, and what it says.
type talk struct {
	t     *testing.T
	s     *telegramtest.Server
	lines *bufio.Scanner
}

func (k *talk) hears(line string) {
	k.t.Helper()
	require.True(k.t, k.lines.Scan(), "the bot has ended")
	require.Equal(k.t, line, k.lines.Text())
}

// converse is a person who writes to a bot and presses its button, while somebody
// else polls, the service fails and is asked too fast; and once more, through a
// webhook.
func converse(t *testing.T, s *telegramtest.Server, bot *exec.Cmd) {
	t.Helper()
	bot.Env = append(os.Environ(), "TOKEN="+telegramtest.Token, "URL="+s.URL, "SECRET="+secret)
	bot.Stderr = os.Stderr
	out, err := bot.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, bot.Start())
	k := &talk{t: t, s: s, lines: bufio.NewScanner(out)}
	k.hears("started cortex_test_bot")

	require.Eventually(t, s.Waiting, 30*time.Second, time.Millisecond, "the bot polls")
	code, _ := call(t, s, "getUpdates", `{}`)
	require.Equal(t, http.StatusOK, code, "who comes last reads")
	k.hears("conflict 409")

	s.Limit(1, 1)
	s.Fail(1)
	s.Write("11", "-100", "hello")
	k.hears("limited 1")
	k.hears("failed 500")
	k.hears("sent 11 -100")
	k.press("hello", 1)

	k.hears("conflict 409") // it polled although a webhook is set
	require.True(t, k.lines.Scan())
	url, ok := strings.CutPrefix(k.lines.Text(), "hooked ")
	require.True(t, ok, k.lines.Text())
	resp, err := http.Post(url, "application/json",
		strings.NewReader(`{"update_id":1,"message":{"message_id":1,"date":1,"from":{"id":66,"is_bot":false,"first_name":"x"},"chat":{"id":66,"type":"private"},"text":"no secret"}}`))
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusUnauthorized, resp.StatusCode)
	s.Write("11", "-100", "hooked")
	k.hears("sent 11 -100")
	k.press("hooked", 2)
	k.hears("stopped")
	require.NoError(t, bot.Wait())
	require.Eventually(t, func() bool {
		return s.Pending() == 0
	}, 30*time.Second, time.Millisecond, "what the bot has handled is confirmed")
	require.Empty(t, s.Shown("66"), "requests without the secret were not answered")
}

// press answers the newest of so many cards, and sees it closed.
func (k *talk) press(text string, cards int) {
	k.t.Helper()
	shown := k.s.Shown("-100")
	require.Len(k.t, shown, cards)
	c := shown[cards-1]
	require.Equal(k.t, "card for "+text, c.Text)
	require.True(k.t, c.Open)
	require.Equal(k.t, "one", c.Nonce)
	k.s.Press("11", "-100", c.ID, "one", true)
	k.hears("pressed 11 a:one")
	require.Len(k.t, k.s.Notices(), cards)
	require.Equal(k.t, "got a:one", k.s.Notices()[cards-1])
	c = k.s.Shown("-100")[cards-1]
	require.Equal(k.t, "closed", c.Text)
	require.False(k.t, c.Open, "an edit without buttons takes them off")
}
