//go:build clients

package telegram_test

import (
	"os/exec"
	"testing"

	"github.com/opencortex-go/cortex/gateways/telegram/fake"
)

// TestGrammyTakesTheFakeForTelegram is run by make gateways; GRAMMY is the folder
// that holds node_modules.
func TestGrammyTakesTheFakeForTelegram(t *testing.T) {
	s := fake.New()
	defer s.Close()
	converse(t, s, exec.CommandContext(t.Context(), "node", "testdata/grammy.mjs"))
}
