package engine

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/cortex/record"
)

// The keys for tickets are there before the first is signed, outlive the engine, and stand in
// no record; a rotation keeps one of the two, and goes on record.
func TestI4_TicketKeys(t *testing.T) {
	b := newBench(t, testRules, "", func(o *Options) { o.Dir = t.TempDir() })
	keys := func() logs.TicketKeys {
		before := b.j.Last()
		k, err := b.Hosts().Logs().TicketKeys()
		require.NoError(t, err)
		assert.Equal(t, before, b.j.Last(), "reading writes nothing")
		return k
	}
	first := keys()
	assert.NotZero(t, first.Current)
	assert.Nil(t, first.Previous)
	b.reopen()
	require.Equal(t, first, keys())

	require.NoError(t, b.Hosts().Logs().RotateTicketKeys(t.Context(), "ana", "cli"))
	second := keys()
	assert.NotEqual(t, first.Current, second.Current)
	assert.Equal(t, first.Current, *second.Previous)
	require.NoError(t, b.Hosts().Logs().RotateTicketKeys(t.Context(), "ana", "cli"))
	third := keys()
	assert.Equal(t, second.Current, *third.Previous, "what the first key had signed is good no more")
	b.reopen()
	require.Equal(t, third, keys())
	assert.Equal(t, 2, b.kinds()[record.KindRunKeys])
	require.NoError(t, b.Journal().Records(1, func(r Record) error {
		if r.Kind == record.KindRunKeys {
			assert.Equal(t, record.KeysRotated{By: "ana", Via: "cli"}, record.KeysRotatedFrom(r.Body))
			assert.Equal(t, 4, r.Body.Len(), "by and via, and nothing else")
		}
		return nil
	}))
	b.intact()
	got, err := b.Replay(t.Context(), ReplayOptions{})
	require.NoError(t, err)
	assert.Empty(t, got.Differences)

	require.NoError(t, b.j.Update(t.Context(), func(tx *journal.Tx) error { // a damaged entry signs nothing
		tx.Set(record.TableSetting.Key(record.SettingTickets), bytes.Repeat([]byte{1}, 33))
		return nil
	}))
	_, err = b.Hosts().Logs().TicketKeys()
	require.ErrorContains(t, err, "33 bytes")
	require.Error(t, b.Hosts().Logs().RotateTicketKeys(t.Context(), "ana", "cli"))
}

// Appends, reading and Named answer as a walk through the record does.
func TestWhereEventsStand(t *testing.T) {
	b := newBench(t, testRules, "")
	l := b.Hosts().Logs()
	n, entered := map[string]int{}, map[string][]logs.Place{}
	for i := range 12 {
		log := []string{"sess_a", "sess_ab", "sess_b"}[i%3]
		out, err := l.Append(t.Context(), logs.Write{Log: log, Family: "test"}, func(tx *logs.Tx) (err error) {
			for range i%4 + 1 {
				err = errors.Join(err, noting(log, n[log], fmt.Sprint("of ", i))(tx))
				n[log]++
			}
			return err
		})
		require.NoError(t, err)
		entered[log] = append(entered[log], out.Place)
	}
	first, stand := map[uint64]string{}, map[string][]logs.Place{}
	require.NoError(t, b.Journal().Records(1, func(r Record) error {
		e, err := record.EventsFrom(r.Body)
		if r.Kind != record.KindEvents || err != nil {
			return err
		}
		if e.First == 0 {
			first[r.Seq] = e.Log
		}
		stand[e.Log] = append(stand[e.Log], logs.Place{Record: r.Seq, Hash: r.Hash})
		return nil
	}))
	assert.Equal(t, stand, entered)
	assert.Len(t, first, 3)
	for log := range n {
		all, err := l.Read(t.Context(), log)
		require.NoError(t, err)
		var read []logs.Place
		for _, a := range all.Appends {
			read = append(read, a.Place)
		}
		assert.Equal(t, stand[log], read)
	}
	for seq := range b.j.Last() + 2 {
		log, err := l.Named(seq)
		if assert.Equal(t, first[seq], log, "record %d", seq); log == "" {
			require.ErrorIs(t, err, logs.ErrNoLog)
			continue
		}
		require.NoError(t, err)
	}
}

// What is deleted, gone or not sound has no place.
func TestWhereNothingStands(t *testing.T) {
	b := newBench(t, testRules, "", forRuns)
	l := b.Hosts().Logs()
	b.noted("old", 0, "", over)
	was := b.j.Last()
	require.NoError(t, l.Delete(t.Context(), "old", "ana", "cli"))
	_, err := l.Named(was)
	require.ErrorIs(t, err, logs.ErrNoLog)
	b.days(10)
	b.retain()
	b.noted("old", 0, "of a new life")
	_, err = l.Named(was)
	require.ErrorIs(t, err, logs.ErrNoLog)
	log, err := l.Named(b.j.Last())
	require.NoError(t, err)
	assert.Equal(t, "old", log)
}
