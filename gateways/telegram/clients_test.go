//go:build clients

package telegram_test

import (
	"bufio"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/gateways/telegram/fake"
)

// TestGrammyTakesTheFakeForTelegram runs a bot of another library against the
// fake: what the fake asks of our gateway it must ask of everybody, and no more.
// make gateways runs it; GRAMMY is the folder that holds node_modules.
func TestGrammyTakesTheFakeForTelegram(t *testing.T) {
	s := fake.New()
	defer s.Close()
	bot := exec.CommandContext(t.Context(), "node", "testdata/grammy.mjs")
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
	s.Limit(1)
	s.Write("11", "-100", "hello")
	require.Equal(t, "limited 0", next())
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
