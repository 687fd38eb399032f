package plugins

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	skillpb "github.com/opencortex-go/cortex/plugins/proto"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// What people said yes to was one program's ask: a successor asks again.
func TestVerdict_AYesIsToOneProgram(t *testing.T) {
	ask := func(sum string) sexpr.Digest {
		v, err := (&Entry{Name: "a", SHA256: sum}).verdict(`(:text "sure?" :verdict "ask")`)
		require.NoError(t, err)
		return v.(skills.Ask).Slot.Key
	}
	one, two := strings.Repeat("0", 64), strings.Repeat("1", 64)
	assert.Equal(t, ask(one), ask(one))
	assert.NotEqual(t, ask(one), ask(two))
}

// An ask is for as many people as a card can hold, and no more.
func TestCheckJudgement_Quorum(t *testing.T) {
	for quorum, ok := range map[uint32]bool{0: true, 1: true, maxQuorum: true, maxQuorum + 1: false, 1 << 31: false} {
		j := &skillpb.Judgement{Verdict: &skillpb.Judgement_Ask{Ask: &skillpb.Ask{Reason: &skillpb.Reason{Text: "sure?"}, Quorum: quorum}}}
		assert.Equal(t, ok, new(Entry).checkJudgement(j) == nil, quorum)
	}
}

// A file beside a program is pinned like the program.
func TestPinnedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gate.py")
	require.NoError(t, os.WriteFile(path, []byte("pass"), 0o600))
	_, sum, err := takeFile(path)
	require.NoError(t, err)
	d, err := pinnedFile(path, sum)
	require.NoError(t, err)
	assert.Equal(t, data{"gate.py", []byte("pass")}, d)
	require.NoError(t, os.WriteFile(path, []byte("allow"), 0o600))
	_, err = pinnedFile(path, sum)
	assert.ErrorAs(t, err, new(*ChecksumError))
}

// Three failed answers in a row end a process; a good one in between forgives them.
func TestAnswered_StrikesEndAProcess(t *testing.T) {
	p := new(process)
	v := &supervisor{proc: p, changed: make(chan struct{})}
	for _, good := range []bool{false, false, true, false, false} {
		v.answered(p, good)
		require.False(t, v.ending)
	}
	v.answered(new(process), false) // of a process that has ended
	require.False(t, v.ending)
	v.answered(p, false)
	assert.True(t, v.ending)
}
