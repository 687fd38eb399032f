package logs_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
)

// A log is restored whole, each part as an append of its own, or not at all.
func TestRestoreIsWholeOrNothing(t *testing.T) {
	b := newBench(t, storetest.NewSteadyDisk())
	part := func(first, n int, more ...func(*logs.Tx) error) func(*logs.Tx) error {
		return func(tx *logs.Tx) (err error) {
			tx.Origin("sess_z")
			for i := range n {
				err = errors.Join(err, enter(event(first+i))(tx))
			}
			for _, f := range more {
				err = errors.Join(err, f(tx))
			}
			return err
		}
	}
	rests := func(tx *logs.Tx) error {
		of, err := tx.Keep("text/plain", "plan")
		return errors.Join(err, tx.Pin(of, "evt_0"))
	}
	refused := func(*logs.Tx) error { return errors.New("no") }
	last := b.j.Last()
	for want, parts := range map[string][]func(*logs.Tx) error{
		"part 1: no":     {part(0, 2), part(2, 1, refused)},
		"repeats":        {part(0, 2), part(0, 2)},
		"a part of thes": {part(0, 2), part(1, 2)},
		"without events": {part(0, 2), part(2, 0)},
	} {
		require.ErrorContains(t, b.Restore(t.Context(), write, parts...), want)
		assert.Equal(t, last, b.j.Last(), "nothing was written")
	}
	require.NoError(t, b.Restore(t.Context(), write, part(0, 2, rests), part(2, 3)))
	got := b.read("sess_a")
	require.Equal(t, logs.Healthy, got.Health.Condition, got.Health.Err)
	assert.Len(t, got.Events, 5)
	require.Len(t, got.Appends, 2)
	assert.Equal(t, uint64(2), got.Appends[1].First)
	assert.Equal(t, "sess_z", got.Head.Origin)
	assert.Equal(t, "ann", got.Head.Owner)

	require.ErrorIs(t, b.Restore(t.Context(), write, part(0, 2)), logs.ErrThere)
	require.NoError(t, b.Delete(t.Context(), "sess_a", "ana", "cli"))
	require.ErrorIs(t, b.Restore(t.Context(), write, part(0, 2)), logs.ErrThere, "its bytes are there still")
}
