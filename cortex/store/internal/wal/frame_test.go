package wal

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
)

func write(key, value string) journal.Write {
	return journal.Write{Key: []byte(key), Value: []byte(value)}
}

// frames are the seeds of the fuzz tests, too.
var frames = map[string][]journal.Write{
	"nothing":  nil,
	"value":    {write("k", "v")},
	"empty":    {write("k", "")},
	"deletion": {{Key: []byte("k")}},
	"several":  {write("a", "1"), {Key: []byte("b")}, write("a", "2"), write("c", string(make([]byte, 300)))},
}

func TestFrame(t *testing.T) {
	for name, writes := range frames {
		t.Run(name, func(t *testing.T) {
			after := Mark{Seq: 6, Hash: hash{1, 2, 3}}
			b, at := appendFrame([]byte("before"), after, writes)
			f := b[len("before"):]
			var buf []byte
			payload, got, err := readFrame(bytes.NewReader(f), after, int64(len(f)), &buf)
			require.NoError(t, err)
			assert.Equal(t, at, got)
			assert.Equal(t, uint64(7), got.Seq)
			var read []journal.Write
			require.NoError(t, EachWrite(payload, func(w journal.Write) error { read = append(read, w); return nil }))
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
			for _, other := range []Mark{{}, {Seq: 5, Hash: after.Hash}, {Seq: 6}} {
				_, _, err := readFrame(bytes.NewReader(f), other, int64(len(f)), &buf)
				require.ErrorIs(t, err, errNoFrame, "it does not follow %v", other)
			}
		})
	}
}

func TestSlot(t *testing.T) {
	s := Slot{Turn: 3, Before: Mark{Seq: 1, Hash: hash{1}}, Tail: Mark{Seq: 9, Hash: hash{9}}, End: 12345, Closed: true}
	b := s.append(nil)
	require.Len(t, b, SlotSize)
	got, ok := ParseSlot(b)
	require.True(t, ok)
	assert.Equal(t, s, got)
	for i := range b {
		bad := append([]byte(nil), b...)
		bad[i] ^= 1
		_, ok := ParseSlot(bad)
		require.False(t, ok, "byte %d", i)
		_, ok = ParseSlot(b[:i])
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
		if EachWrite(b, func(w journal.Write) error { writes = append(writes, w); return nil }) == nil {
			var again []journal.Write
			require.NoError(t,
				EachWrite(appendWrites(nil, writes), func(w journal.Write) error { again = append(again, w); return nil }))
			require.Equal(t, writes, again)
		}
		var buf []byte
		payload, _, err := readFrame(bytes.NewReader(b), Mark{}, int64(len(b)), &buf)
		if err == nil {
			require.LessOrEqual(t, len(payload), len(b)-FrameHead)
		} else {
			require.ErrorIs(t, err, errNoFrame)
		}
		_, _ = ParseSlot(b)
		_, _ = ParsePlace(b)
	})
}
