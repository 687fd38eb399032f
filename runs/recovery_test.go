package runs

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/runs/recap"
)

// isPacked says that a recovery shows the newest of these notes, whole and without a hole, and counts
// the others. notes are the oldest first.
func isPacked(t *testing.T, recovery string, notes []string) {
	t.Helper()
	assert.LessOrEqual(t, len(recovery), 24576)
	_, text, ok := strings.Cut(recovery, "**WHAT WAS DONE SO FAR** (newest first)\n\n")
	require.True(t, ok)
	shown := 0
	for i := len(notes) - 1; i >= 0 && strings.HasPrefix(text, notes[i]); i-- {
		shown++
		text = strings.TrimPrefix(strings.TrimPrefix(text, notes[i]), recap.Between)
	}
	assert.Positive(t, shown, "the newest is shown")
	if shown < len(notes) {
		assert.True(t, strings.HasPrefix(text, fmt.Sprintf("\n\nOlder notes that are not shown: %d.", len(notes)-shown)),
			"%d of %d are shown, then: %.80q", shown, len(notes), text)
	}
}

func TestT72_RecoveryKeepsToItsBudget(t *testing.T) {
	b := newBench(t, Options{}, rounds(61))
	rep, notes := b.start("acme.long", ""), []string(nil)
	for i := range 60 {
		notes = append(notes, fmt.Sprintf("step %d ", i)+strings.Repeat("note ", 160))
		rep = b.notes(rep.ContinueToken, notes[i])
	}
	again := b.read(rep.ContinueToken)
	isPacked(t, again.Recovery, notes)
	assert.Greater(t, len(again.Recovery), 22000, "the room is used")
}

func TestT72_NotesOfAnySize(t *testing.T) {
	seeds := uint64(6)
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 1))
		b := newBench(t, Options{}, rounds(41))
		rep, notes := b.start("acme.long", ""), []string(nil)
		sizes := []int{1, 30, 700, 4000}
		for i := range 40 {
			notes = append(notes, fmt.Sprintf("%d:", i)+strings.Repeat("n", r.IntN(sizes[r.IntN(len(sizes))])))
			rep = b.notes(rep.ContinueToken, notes[i])
		}
		isPacked(t, b.read(rep.ContinueToken).Recovery, notes)
	}
}

const withReferences = `{"id":"acme.refs","name":"n","description":"d","version":"1.0.0",` +
	`"references":[{"id":"r","title":"The guide","source":"docs/guide.md","purpose":"p","authoritative":true}],` +
	`"functionDefinitions":[{"name":"probeService","definition":"Ask it."},{"name":"noteService","definition":"Write it down."},` +
	`{"name":"unnamed","definition":"Never."},{"name":"own","definition":"Of the step."}],"steps":[` +
	`{"id":"one","title":"First","prompt":"Do one.","functionReferences":["own"]},{"id":"two","title":"Second","prompt":"Do two."},` +
	`{"id":"three","title":"Third","prompt":"Do three."}]}`

func TestT72_BackAtAnEarlierPlace(t *testing.T) {
	b := newBench(t, Options{}, withReferences)
	first := b.start("acme.refs", "")
	atRoot := b.read(first.ContinueToken)
	assert.NotContains(t, atRoot.Recovery, "YOU WENT BACK")
	assert.NotContains(t, atRoot.Recovery, "FUNCTIONS")
	assert.Contains(t, atRoot.Recovery, "The guide: docs/guide.md")

	left := b.notes(first.ContinueToken, "left: called noteService() once, and own()")
	right := b.notes(atRoot.ContinueToken, "right: probeService and xunnamed")
	b.notes(right.ContinueToken, "right goes on")
	back := b.read(first.ContinueToken)
	assert.Contains(t, back.Recovery, "2 way(s) go on")
	assert.Contains(t, back.Recovery, "right goes on"+recap.Between+"right: probeService",
		"the preferred way, newest first")
	assert.NotContains(t, back.Recovery, "left:")
	_, functions, ok := strings.Cut(back.Recovery, "**FUNCTIONS:**")
	require.True(t, ok)
	assert.Contains(t, functions, "- `probeService`: Ask it.\n- `noteService`: Write it down.",
		"those of the preferred way first, then of others")
	assert.NotContains(t, functions, "unnamed")
	assert.NotContains(t, functions, "`own`", "it is in the prompt")
	assert.Contains(t, back.Pending.Prompt, "`own`")

	b.notes(left.ContinueToken, "left goes on") // now it is the preferred one
	back = b.read(first.ContinueToken)
	assert.Contains(t, back.Recovery, "left goes on"+recap.Between+"left: called")
	assert.NotContains(t, back.Recovery, "right goes on")
	log := b.log(first)
	assert.Equal(t, fold.InProgress, log.Status(false))
}

// The longest notes that there may be, on both sides of the place, and references that no longer fit.
func TestT72_ReferencesGoFirst(t *testing.T) {
	var refs []string
	for i := range 12 {
		refs = append(refs, fmt.Sprintf(`{"id":"r%d","title":"The guide","source":"%s","purpose":"p",`+
			`"authoritative":true}`, i, strings.Repeat("g", 500)))
	}
	pointed := `"references":[` + strings.Join(refs, ",") + `],"steps"`
	b := newBench(t, Options{}, strings.Replace(rounds(41), `"steps"`, pointed, 1))
	rep, middle := b.start("acme.long", ""), ""
	assert.Equal(t, 12, strings.Count(b.read(rep.ContinueToken).Recovery, "The guide"))
	for i := range 30 {
		if rep = b.notes(rep.ContinueToken, fmt.Sprintf("%02d", i)+strings.Repeat("a", 4094)); i == 14 {
			middle = rep.ContinueToken
		}
	}
	back := b.read(middle)
	assert.LessOrEqual(t, len(back.Recovery), 24576)
	assert.True(t, strings.HasPrefix(back.Recovery, "**YOU WENT BACK**"), "what followed comes first")
	assert.Contains(t, back.Recovery, "\n\n29aaaa", "the newest of what followed is shown whole")
	assert.Contains(t, back.Recovery, "\n\n14aaaa")
	assert.NotContains(t, back.Recovery, "The guide")
	assert.True(t, strings.HasSuffix(back.Recovery, "References are not shown."))
	assert.NotContains(t, back.Recovery, "TRUNCATED")
}
