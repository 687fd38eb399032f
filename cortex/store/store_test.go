package store

import (
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/opencortex-go/cortex/cortex/journal"
)

// The benign goroutines of the testing package aside, a store that was closed
// leaves none behind.
func leakFree(t *testing.T) {
	t.Helper()
	ignore := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, ignore) })
}

func MustOpen(t *testing.T, dir string, opt Options) journal.Store {
	t.Helper()
	s, err := Open(dir, opt)
	require.NoError(t, err)
	return s
}

func Set(key, value string) journal.Write {
	return journal.Write{Key: []byte(key), Value: []byte(value)}
}

func All(t *testing.T, s journal.Store, lo, hi []byte) []string {
	t.Helper()
	var out []string
	require.NoError(t, s.Scan(lo, hi, func(k, v []byte) bool {
		out = append(out, fmt.Sprintf("%s=%s", k, v))
		return true
	}))
	return out
}

func TestStoreKeepsWhatWasCommitted(t *testing.T) {
	for _, dir := range []string{"", t.TempDir() + "/made/on/the/way"} {
		t.Run("dir="+dir, func(t *testing.T) {
			leakFree(t)
			s := MustOpen(t, dir, Options{})
			require.NoError(t, s.Commit([]journal.Write{Set("b", "2"), Set("a", "1"), Set("c", "3"), Set("b", "two"),
				{Key: []byte("c")}, Set("e", "")}))

			got, err := s.Get([]byte("b"))
			require.NoError(t, err)
			assert.Equal(t, "two", string(got))
			got, err = s.Get([]byte("c"))
			require.NoError(t, err)
			assert.Nil(t, got, "deleted")
			got, err = s.Get([]byte("e"))
			require.NoError(t, err)
			assert.Equal(t, []byte{}, got, "empty is not absent")

			assert.Equal(t, []string{"a=1", "b=two", "e="}, All(t, s, nil, nil))
			assert.Equal(t, []string{"a=1", "b=two"}, All(t, s, []byte("a"), []byte("c")))
			assert.Empty(t, All(t, s, []byte("c"), []byte("a")), "bounds the wrong way round")
			var first []string
			require.NoError(t, s.Scan(nil, nil, func(k, _ []byte) bool { first = append(first, string(k)); return false }))
			assert.Equal(t, []string{"a"}, first)
			require.NoError(t, s.Err())
			require.NoError(t, s.Close())
			require.NoError(t, s.Close(), "twice")

			require.ErrorIs(t, s.Err(), ErrClosed)
			require.ErrorIs(t, s.Commit([]journal.Write{Set("a", "1")}), ErrClosed)
			_, err = s.Get([]byte("a"))
			require.ErrorIs(t, err, ErrClosed)
			require.ErrorIs(t, s.Scan(nil, nil, nil), ErrClosed)
			if dir == "" {
				return
			}
			s = MustOpen(t, dir, Options{})
			assert.Equal(t, []string{"a=1", "b=two", "e="}, All(t, s, nil, nil))
			require.NoError(t, s.Close())
		})
	}
}

func TestScanSeesOneMoment(t *testing.T) {
	leakFree(t)
	s := MustOpen(t, "", Options{})
	require.NoError(t, s.Commit([]journal.Write{Set("a", "1"), Set("c", "1")}))
	var seen []string
	require.NoError(t, s.Scan(nil, nil, func(k, v []byte) bool {
		seen = append(seen, string(k)+string(v))
		require.NoError(t, s.Commit([]journal.Write{Set("b", "2"), Set("c", "2"), Set("d", "2")}))
		return true
	}))
	assert.Equal(t, []string{"a1", "c1"}, seen)
	assert.Equal(t, []string{"a=1", "b=2", "c=2", "d=2"}, All(t, s, nil, nil))
	require.NoError(t, s.Close())
}

func TestScanLetsPanicsOfItsCallerPass(t *testing.T) {
	leakFree(t)
	s := MustOpen(t, "", Options{})
	require.NoError(t, s.Commit([]journal.Write{Set("a", "1")}))
	assert.PanicsWithValue(t, "mine", func() { _ = s.Scan(nil, nil, func(_, _ []byte) bool { panic("mine") }) })
	require.NoError(t, s.Err(), "a caller's panic is not a fault of the disk")
	require.NoError(t, s.Close(), "nothing stayed open")
}

func TestCloseWaitsForReaders(t *testing.T) {
	leakFree(t)
	s := MustOpen(t, "", Options{})
	require.NoError(t, s.Commit([]journal.Write{Set("a", "1"), Set("b", "2")}))
	closed := make(chan error)
	var seen []string
	require.NoError(t, s.Scan(nil, nil, func(k, _ []byte) bool {
		if seen = append(seen, string(k)); len(seen) == 1 {
			go func() { closed <- s.Close() }()
			for s.Err() == nil { // until Close has begun
				runtime.Gosched()
			}
		}
		select {
		case err := <-closed:
			t.Error("closed under a reader", err)
		default:
		}
		return true
	}))
	assert.Equal(t, []string{"a", "b"}, seen)
	require.NoError(t, <-closed)
}

func TestOneStoreForOneFolder(t *testing.T) {
	leakFree(t)
	dir := t.TempDir()
	s := MustOpen(t, dir, Options{})
	_, err := Open(dir, Options{})
	require.ErrorIs(t, err, ErrInUse)
	require.NoError(t, s.Close())
	s = MustOpen(t, dir, Options{})
	require.NoError(t, s.Close())
}

func TestOpenRefusesWhatIsNoFolder(t *testing.T) {
	leakFree(t)
	file := t.TempDir() + "/file"
	writeFile(t, file, "text")
	for _, dir := range []string{file, file + "/below"} {
		_, err := Open(dir, Options{})
		require.Error(t, err, dir)
		assert.False(t, errors.Is(err, ErrClosed), "the cause is told: %v", err)
	}
}
