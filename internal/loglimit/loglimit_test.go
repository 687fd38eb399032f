package loglimit_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/opencortex-go/cortex/internal/loglimit"
)

func TestWhatRepeatsIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := slog.New(loglimit.New(slog.NewTextHandler(&out, nil)))
		lines := func() []string { defer out.Reset(); return strings.Split(strings.TrimSpace(out.String()), "\n") }
		for range 1000 {
			log.With("socket", "a").Warn("turned away", "pid", 7)
		}
		log.Error("another message")
		all := lines()
		assert.Len(t, all, 21)
		assert.Contains(t, all[20], "another message")
		time.Sleep(time.Second)
		log.Warn("turned away", "pid", 8)
		assert.Contains(t, lines()[0], "pid=8 left_out=980")
		log.Warn("turned away", "pid", 9)
		assert.NotContains(t, lines()[0], "left_out", "they are told once")
	})
}
