package telegram_test

import (
	"bufio"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/gateways/telegram/fake"
	"github.com/opencortex-go/cortex/internal/judge"
)

// TestPythonTelegramBotTakesTheFakeForTelegram runs a bot of another library
// against the fake: what the fake asks of our gateway it must ask of everybody,
// and no more. TestGrammyTakesTheFakeForTelegram does the same with one more.
func TestPythonTelegramBotTakesTheFakeForTelegram(t *testing.T) {
	judge.File(t, "/usr/lib/python3/dist-packages/telegram/__init__.py", "python3-python-telegram-bot")
	s := fake.New()
	defer s.Close()
	converse(t, s, exec.CommandContext(t.Context(), "/usr/bin/python3", "testdata/ptb.py"))
}

// converse is a person who writes to a bot of testdata and presses its button.
func converse(t *testing.T, s *fake.Server, bot *exec.Cmd) {
	t.Helper()
	bot.Env = append(os.Environ(), "TOKEN="+fake.Token, "URL="+s.URL)
	bot.Stderr = os.Stderr
	out, err := bot.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, bot.Start())
	lines := bufio.NewScanner(out)
	next := func() string {
		require.True(t, lines.Scan(), "the bot has ended")
		return lines.Text()
	}
	require.Equal(t, "started cortex_test_bot", next())
	s.Limit(1, 1)
	s.Write("11", "-100", "hello")
	require.Equal(t, "limited 1", next())
	require.Equal(t, "sent 11 -100", next())
	shown := s.Shown("-100")
	require.Len(t, shown, 1)
	require.Equal(t, "card for hello", shown[0].Text)
	require.True(t, shown[0].Open)
	require.Equal(t, "one", shown[0].Nonce)

	s.Press("11", "-100", shown[0].ID, "one", true)
	require.Equal(t, "pressed 11 a:one", next())
	require.Equal(t, []string{"got a:one"}, s.Notices())
	shown = s.Shown("-100")
	require.Equal(t, "closed", shown[0].Text)
	require.False(t, shown[0].Open, "an edit without buttons takes them off")
	require.Equal(t, "stopped", next())
	require.NoError(t, bot.Wait())
	require.Zero(t, s.Pending(), "what the bot has handled is confirmed")
}
