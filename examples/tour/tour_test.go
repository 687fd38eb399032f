package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/crashtest"
)

// The tour is the same every time, and as it was recorded but for tokens, digests and
// times. To record it again after a change that is meant: go run ./examples/tour
// -write examples/tour/transcript.txt, and with -short -write
// examples/tour/short.txt; then read the difference.
func TestTheTourIsAsRecorded(t *testing.T) {
	crashtest.Long(t)
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), &out, parts{}, false, ""))
	text, encore, whole := strings.Cut(out.String(), "\nAll of this is as it was recorded.\n")
	assert.True(t, whole)
	assert.Contains(t, encore, "A gate in Python was not asked", "it was not built here")
	assert.Regexp(t, `approval  \| [a-z2-7]{16} is pending`, text, "tokens are shown")
	assert.Regexp(t, `digest    sha256:[0-9a-f]{64}\n`, text, "and digests")
	for _, stays := range []string{"hunter2", os.TempDir(), "CARD-", "DIGEST"} {
		assert.NotContains(t, out.String(), stays)
	}
}

// The short form shows the five outcomes, plans, what the guard stops and lets through, and that the record is checked.
func TestTheShortTourIsAsRecorded(t *testing.T) {
	crashtest.Long(t)
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), &out, parts{}, true, ""))
	for _, stays := range []string{"ALLOW ",
		"rewritten by", "PREVIOUS PROPOSAL REJECTED", "ASK ", "is approved", "DENY self",
		"DENY menu.publish/step/put", "- step keep: ", "- step put: ",
		"menu.publish 1.0.0: partial_failure", "candidate  mined.shell", "mined.shell-e8640d0c 0.1.0: ok",
		"ALLOW household/reminds", "DENY guard-alien/written", "DENY household/strange-payee",
		"verify    | ok", "replay    |", "tamper    |"} {
		assert.Contains(t, out.String(), stays)
	}
	assert.NotContains(t, out.String(), "CARD-")
}

func TestADifferenceIsAnError(t *testing.T) {
	crashtest.Long(t)
	assert.NoError(t, same(transcript, transcript))
	for name, got := range map[string]string{
		"another line": strings.Replace(transcript, "ALLOW", "DENY", 1),
		"a line less":  transcript[:strings.LastIndex(strings.TrimSpace(transcript), "\n")],
		"a line more":  transcript + "more\n",
		"nothing":      "",
	} {
		assert.ErrorContains(t, same(got, transcript), "differs from the recorded tour", name)
	}
}

func TestTheTourStopsWhenToldTo(t *testing.T) {
	crashtest.Long(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.Error(t, run(ctx, &bytes.Buffer{}, parts{}, false, ""))
}

func TestColoursChangeNothingElse(t *testing.T) {
	crashtest.Long(t)
	var out bytes.Buffer
	n, err := colours{&out}.Write([]byte("   rules     | DENY a/b: no\n"))
	require.NoError(t, err)
	assert.Equal(t, 28, n)
	assert.Equal(t, "   rules     | \x1b[31mDENY\x1b[0m a/b: no\n", out.String())
}
