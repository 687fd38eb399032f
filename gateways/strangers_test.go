package gateways

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// However much strangers write, the log names a few of them in a minute, and
// counts the others.
func TestStrangersDoNotFillTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := slog.New(slog.NewTextHandler(&out, nil))
		var s strangers
		for range 1000 {
			s.heard(log, "memory", Update{User: "9", Chat: "9"})
		}
		assert.Equal(t, strangersNamed, strings.Count(out.String(), "\n"))
		time.Sleep(strangersWhile) // in the bubble
		s.heard(log, "memory", Update{User: "9", Chat: "9"})
		assert.Contains(t, out.String(), "messages=980")
		assert.Equal(t, strangersNamed+2, strings.Count(out.String(), "\n"))
	})
}
