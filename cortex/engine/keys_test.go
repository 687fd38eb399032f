package engine

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/perceive"
)

// A dedupe key stands for one message: with another text it is an error, also while the first is being answered,
// and nothing is recorded.
func TestAKeyWithAnotherTextIsAnError(t *testing.T) {
	b := newBench(t, testRules, `(:repeat t :reply "done")`)
	submit := func(text string) error {
		_, err := b.Submit(t.Context(), Signal{Text: text, Session: "s1", Principal: "ann", Key: "k"})
		return err
	}
	require.NoError(t, submit("pay ann"))
	require.NoError(t, submit("pay ann"))
	last := b.Journal().Last()
	require.ErrorIs(t, submit("pay bob"), ErrOtherMessage)
	_, err := b.Hosts().Hear(t.Context(), Signal{Text: "pay bob", Session: "s1", Principal: "ann", Key: "k"})
	require.ErrorIs(t, err, ErrOtherMessage)
	assert.Equal(t, last, b.Journal().Last())

	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			if i%2 == 0 {
				assert.NoError(t, submit("pay ann"))
			} else {
				assert.ErrorIs(t, submit("pay bob"), ErrOtherMessage)
			}
		})
	}
	wg.Wait()
	assert.Equal(t, last, b.Journal().Last())

	// A message that no person sent keeps to the first, as a messenger's update that is delivered again must.
	for _, text := range []string{"a", "b"} {
		_, err := b.Hosts().Hear(t.Context(), Signal{Text: text, Session: "s1", Sensor: perceive.TextRead, Key: "read"})
		require.NoError(t, err)
	}
	assert.Equal(t, last+1, b.Journal().Last())
}
