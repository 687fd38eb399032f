package record

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/internal/crashtest"
)

// dump is all that a store says of a range.
func dump(t *testing.T, s journal.Store, lo, hi []byte) (out []string) {
	t.Helper()
	require.NoError(t, s.Scan(lo, hi, func(k, v []byte) bool {
		out = append(out, fmt.Sprintf("%q=%q", k, v))
		return true
	}))
	return out
}

// What is remembered is what is on disk, also where it is forgotten and read anew.
func TestLatelyIsTheStore(t *testing.T) {
	st, err := store.Open("", store.Options{})
	require.NoError(t, err)
	r := NewLately(st, 5, 'v')
	defer func() { assert.NoError(t, r.Close()) }()
	rng := rand.New(rand.NewPCG(1, 2))
	key := func() []byte { return fmt.Appendf(nil, "%c%d", "av"[rng.IntN(2)], rng.IntN(10)) }
	for range 2000 {
		if rng.IntN(3) == 0 {
			w := journal.Write{Key: key()}
			if rng.IntN(3) > 0 {
				w.Value = fmt.Appendf(nil, "%d", rng.IntN(100))
			}
			require.NoError(t, r.Commit([]journal.Write{w}))
		}
		k := key()
		want, err := st.Get(k)
		require.NoError(t, err)
		got, err := r.Get(k)
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.LessOrEqual(t, len(r.known), 5)
	}
}

// Anyone who gives sessions long names has fewer of them remembered, and not more memory.
func TestLatelyIsBoundedInBytes(t *testing.T) {
	st, err := store.Open("", store.Options{})
	require.NoError(t, err)
	r := NewLately(st, 100, 'v')
	defer func() { assert.NoError(t, r.Close()) }()
	most := 0
	for i := range 500 {
		key := fmt.Appendf(nil, "v%0*d", 1+i%1000, i)
		for range 2 {
			_, err := r.Get(key)
			require.NoError(t, err)
			require.NoError(t, r.Commit([]journal.Write{{Key: key, Value: key[:i/2]}}))
		}
		_, err = r.Get([]byte("v short"))
		require.NoError(t, err)
		bytes := 0
		for k, v := range r.known {
			bytes += len(k) + len(v)
		}
		require.Equal(t, bytes, r.bytes)
		most = max(most, bytes)
	}
	assert.LessOrEqual(t, most, 100*averageEntry)
	assert.Greater(t, most, 90*averageEntry)
}

// slowGet is a store whose Get waits between reading and returning.
type slowGet struct {
	journal.Store
	read, resume chan struct{}
}

func (s slowGet) Get(key []byte) ([]byte, error) {
	v, err := s.Store.Get(key)
	s.read <- struct{}{}
	<-s.resume
	return v, err
}

// What was read before a commit is not remembered after it.
func TestLatelyForgetsWhatACommitReplaced(t *testing.T) {
	st, err := store.Open("", store.Options{})
	require.NoError(t, err)
	slow := slowGet{st, make(chan struct{}), make(chan struct{})}
	r := NewLately(slow, 5, 'v')
	defer func() { assert.NoError(t, r.Close()) }()
	require.NoError(t, st.Commit([]journal.Write{{Key: []byte("v1"), Value: []byte("old")}}))
	got := make(chan string)
	go func() {
		v, _ := r.Get([]byte("v1"))
		got <- string(v)
	}()
	<-slow.read
	require.NoError(t, r.Commit([]journal.Write{{Key: []byte("v1"), Value: []byte("new")}}))
	close(slow.resume)
	assert.Equal(t, "old", <-got)
	v, err := r.Get([]byte("v1"))
	require.NoError(t, err)
	assert.Equal(t, "new", string(v))
}

// What is mirrored is what is on disk, whatever was written in between.
func TestMirrorIsTheStore(t *testing.T) {
	crashtest.Long(t)
	st, err := store.Open("", store.Options{})
	require.NoError(t, err)
	require.NoError(t,
		st.Commit([]journal.Write{{Key: []byte("g1"), Value: []byte("old")}, {Key: []byte("a1"), Value: []byte("x")}}))
	m, err := NewOpenTables(st, 'g', 'q')
	require.NoError(t, err)
	defer func() { assert.NoError(t, m.Close()) }()
	rng := rand.New(rand.NewPCG(1, 2))
	key := func() []byte { return fmt.Appendf(nil, "%c%d", "agqz"[rng.IntN(4)], rng.IntN(30)) }
	for range 400 {
		var writes []journal.Write
		for range 1 + rng.IntN(4) {
			w := journal.Write{Key: key()}
			if rng.IntN(3) > 0 {
				w.Value = fmt.Appendf(nil, "%d", rng.IntN(100))
			}
			writes = append(writes, w)
		}
		require.NoError(t, m.Commit(writes))
		k := key()
		want, err := st.Get(k)
		require.NoError(t, err)
		got, err := m.Get(k)
		require.NoError(t, err)
		require.Equal(t, want, got)
		lo, hi := key(), key()
		if bytes.Compare(lo, hi) > 0 {
			lo, hi = hi, lo
		}
		require.Equal(t, dump(t, st, lo, hi), dump(t, m, lo, hi), "%s to %s", lo, hi)
		for _, table := range []string{"a", "g", "q", "z"} {
			require.Equal(t, dump(t, st, []byte(table), After([]byte(table))), dump(t, m, []byte(table), After([]byte(table))))
		}
		require.Equal(t, dump(t, st, lo, nil), dump(t, m, lo, nil))
	}
}
