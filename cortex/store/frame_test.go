package store

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
)

// frames are the seeds of the fuzz tests, too.
var frames = map[string][]journal.Write{
	"nothing":  nil,
	"value":    {set("k", "v")},
	"empty":    {set("k", "")},
	"deletion": {{Key: []byte("k")}},
	"several":  {set("a", "1"), {Key: []byte("b")}, set("a", "2"), set("c", string(make([]byte, 300)))},
}

func TestFrame(t *testing.T) {
	for name, writes := range frames {
		t.Run(name, func(t *testing.T) {
			after := mark{seq: 6, hash: hash{1, 2, 3}}
			b, at := appendFrame([]byte("before"), after, writes)
			f := b[len("before"):]
			var buf []byte
			payload, got, err := readFrame(bytes.NewReader(f), after, int64(len(f)), &buf)
			require.NoError(t, err)
			assert.Equal(t, at, got)
			assert.Equal(t, uint64(7), got.seq)
			var read []journal.Write
			require.NoError(t, eachWrite(payload, func(w journal.Write) error { read = append(read, w); return nil }))
			assert.Equal(t, writes, read)

			for i := range f { // whatever is changed or cut off is noticed
				bad := append([]byte(nil), f...)
				bad[i] ^= 1
				_, _, err := readFrame(bytes.NewReader(bad), after, int64(len(bad)), &buf)
				require.ErrorIs(t, err, errNoFrame, "byte %d", i)
				_, _, err = readFrame(bytes.NewReader(f[:i]), after, int64(i), &buf)
				require.ErrorIs(t, err, errNoFrame, "%d bytes", i)
				_, _, err = readFrame(bytes.NewReader(f[:i]), after, int64(len(f)), &buf)
				require.ErrorIs(t, err, errNoFrame, "%d bytes, while the file was cut", i)
			}
			for _, other := range []mark{{}, {seq: 5, hash: after.hash}, {seq: 6}} {
				_, _, err := readFrame(bytes.NewReader(f), other, int64(len(f)), &buf)
				require.ErrorIs(t, err, errNoFrame, "it does not follow %v", other)
			}
		})
	}
}

func TestSlot(t *testing.T) {
	s := slot{turn: 3, before: mark{seq: 1, hash: hash{1}}, tail: mark{seq: 9, hash: hash{9}}, end: 12345, closed: true}
	b := s.append(nil)
	require.Len(t, b, slotSize)
	got, ok := parseSlot(b)
	require.True(t, ok)
	assert.Equal(t, s, got)
	for i := range b {
		bad := append([]byte(nil), b...)
		bad[i] ^= 1
		_, ok := parseSlot(bad)
		require.False(t, ok, "byte %d", i)
		_, ok = parseSlot(b[:i])
		require.False(t, ok, "%d bytes", i)
	}
}

// FuzzFrame: a payload that can be read says what it is made of; no bytes at all do
// harm.
func FuzzFrame(f *testing.F) {
	for _, writes := range frames {
		f.Add(appendWrites(nil, writes))
	}
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Add([]byte{1, 'k', 0x80, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		var writes []journal.Write
		if eachWrite(b, func(w journal.Write) error { writes = append(writes, w); return nil }) == nil {
			var again []journal.Write
			require.NoError(t,
				eachWrite(appendWrites(nil, writes), func(w journal.Write) error { again = append(again, w); return nil }))
			require.Equal(t, writes, again)
		}
		var buf []byte
		payload, _, err := readFrame(bytes.NewReader(b), mark{}, int64(len(b)), &buf)
		if err == nil {
			require.LessOrEqual(t, len(payload), len(b)-frameHead)
		} else {
			require.ErrorIs(t, err, errNoFrame)
		}
		_, _ = parseSlot(b)
		_, _ = parsePlace(b)
	})
}

// A base that is damaged anywhere, or cut off, is no base.
func TestDamagedBase(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir, Options{}).(*store)
	for i := range 30 {
		require.NoError(t, s.Commit([]journal.Write{set(fmt.Sprintf("k%02d", i), fmt.Sprint("v", i)), set("e", "")}))
	}
	require.NoError(t, s.Compact(context.Background()))
	require.NoError(t, s.Close())
	path := basePath(osDisk, dir+"/log", 30)
	raw, err := os.ReadFile(path)
	require.NoError(t, err)

	read := func() (n int, err error) {
		all, err := bases(osDisk, dir+"/log")
		if err != nil {
			return 0, err
		}
		err = all[0].read(osDisk, func(journal.Write) error { n++; return nil })
		return n, err
	}
	n, err := read()
	require.NoError(t, err)
	assert.Equal(t, 31, n)
	var damage *Damage
	for i := range raw {
		bad := append([]byte(nil), raw...)
		bad[i] ^= 0x10
		writeFile(t, path, string(bad))
		_, err := read()
		require.ErrorAs(t, err, &damage, "byte %d", i)
		writeFile(t, path, string(raw[:i]))
		_, err = read()
		require.ErrorAs(t, err, &damage, "%d bytes", i)
	}
	writeFile(t, path, string(raw)+"more")
	_, err = read()
	require.ErrorAs(t, err, &damage)
}
