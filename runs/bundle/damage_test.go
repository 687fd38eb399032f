package bundle

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/tools"
	"github.com/opencortex-go/cortex/sexpr"
)

// Of a damaged log an export has what is before the damage, and says so; nothing goes on from it.
func TestTheSoundBeginningOfADamagedLog(t *testing.T) {
	kept := func(of event.Digest) []byte {
		d, err := sexpr.ParseDigest(string(of))
		require.NoError(t, err)
		return record.TableKept.Key(d)
	}
	for name, c := range map[string]struct {
		harm func(tx *journal.Tx, log string, third logs.Append)
		want logs.Fault
	}{
		"events that no index points to": {func(tx *journal.Tx, log string, third logs.Append) {
			tx.Delete(record.TableEvents.Key(log, third.First))
		}, logs.NotContiguous},
		"content that is not there": {func(tx *journal.Tx, _ string, third logs.Append) {
			tx.Delete(record.TableKept.Key(third.Pins[0].Content))
		}, logs.Missing},
		"content that is another": {func(tx *journal.Tx, _ string, third logs.Append) {
			at, err := tx.Get(kept(event.DigestOf([]byte(`{"goal":"get it done","place":"the shop"}`))))
			require.NoError(t, err)
			require.NotNil(t, at)
			tx.Set(record.TableKept.Key(third.Pins[0].Content), at)
		}, logs.Malformed},
	} {
		t.Run(name, func(t *testing.T) {
			here, there := newWorld(t), newWorld(t)
			id := here.lively("r1")
			whole, err := Read(here.export(id))
			require.NoError(t, err)
			got, err := here.l.Read(t.Context(), string(id))
			require.NoError(t, err)
			third := got.Appends[2]
			require.NoError(t, here.j.Update(t.Context(), func(tx *journal.Tx) error {
				c.harm(tx, string(id), third)
				return nil
			}))
			text := here.export(id)
			b, err := Read(text)
			require.NoError(t, err)
			assert.Equal(t, &Damage{logs.CorruptTail, c.want, third.First}, b.Session.Damage)
			assert.Equal(t, whole.Session.Events[:third.First], b.Session.Events)
			assert.Equal(t, whole.Session.Manifest[:4], b.Session.Manifest)
			before := there.dump()
			_, err = Import(t.Context(), there.l, "bob", text)
			assert.Equal(t, IntegrityFailed, code(t, err))
			assert.Equal(t, before, there.dump())
		})
	}
}

// A log of which nothing is sound has no bundle.
func TestALogWithoutASoundBeginning(t *testing.T) {
	w := newWorld(t)
	id := w.lively("r1")
	whole, err := Read(w.export(id))
	require.NoError(t, err)
	plan, err := sexpr.ParseDigest(string(one(whole.Session.Plans)))
	require.NoError(t, err)
	require.NoError(t, w.j.Update(t.Context(), func(tx *journal.Tx) error {
		tx.Delete(record.TableKept.Key(plan))
		return nil
	}))
	_, err = Export(t.Context(), w.l, id, Producer{App: "test"}, w.at())
	require.Equal(t, tools.SessionNotHealthy, code(t, err))
}
