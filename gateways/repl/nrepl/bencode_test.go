package nrepl

import (
	"bufio"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// messages are examples, and whether they are messages.
var messages = []struct {
	text string
	ok   bool
}{
	{"de", true},
	{"d2:op5:clonee", true},
	{"d4:code3:1 22:idi-7e4:listl0:i0ed1:a1:bee2:op4:evale", true},
	{"d1:b0:1:a0:e", true}, // keys in any order
	{"i1e", false},
	{"le", false},
	{"4:text", false},
	{"d1:ae", false},
	{"d1:ai1e1:ai2ee", false}, // a key twice
	{"di1e1:ae", false},
	{"dle1:ae", false},
	{"d1:ai01ee", false},
	{"d1:ai-0ee", false},
	{"d1:aiee", false},
	{"d1:ai99999999999999999999ee", false},
	{"d01:ai1ee", false},
	{"d-1:ai1ee", false},
	{"d99999999:", false},
	{"d9223372036854775807:", false},
	{"d18446744073709551616:x", false},
	{"d1:a", false},
	{"x", false},
	{"0000FF(:id 1)", false}, // the protocol of the other socket
	{"GET / HTTP/1.1\r\n\r\n", false},
	{strings.Repeat("d1:a", maxDepth-1) + "de" + strings.Repeat("e", maxDepth-1), true},
	{strings.Repeat("d1:a", maxDepth) + "de" + strings.Repeat("e", maxDepth), false},
	{"d1:a" + strings.Repeat("l", 900_000), false},
	{"d1:al" + strings.Repeat("le", maxValues) + "ee", false},
	{"d1:a" + strings.Repeat("0", 1000) + ":e", false},
}

func TestReadMessage(t *testing.T) {
	for _, tt := range messages {
		d, err := readMessage(bufio.NewReader(strings.NewReader(tt.text)), 1<<20)
		name := tt.text[:min(len(tt.text), 60)]
		if tt.ok {
			require.NoError(t, err, name)
			again, err := readMessage(bufio.NewReader(strings.NewReader(string(appendValue(nil, d)))), 1<<20)
			require.NoError(t, err)
			assert.Equal(t, d, again)
		} else {
			assert.ErrorIs(t, err, errBencode, name)
		}
	}
	_, err := readMessage(bufio.NewReader(strings.NewReader("")), 10)
	assert.Equal(t, io.EOF, err)
	_, err = readMessage(bufio.NewReader(strings.NewReader("d1:a7:1234567e")), 10)
	assert.ErrorContains(t, err, "too long")
}

// A length is a promise: nothing is set aside for it before it is kept.
func TestLengthsAreNotTrusted(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 100 {
		_, err := readMessage(bufio.NewReader(strings.NewReader("d1:a900000000:x")), 1<<30)
		require.ErrorIs(t, err, errBencode)
	}
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8<<20))
}

// Whatever arrives is a message or an error, never more than was allowed, and a
// message that is written again reads the same.
func FuzzReadMessage(f *testing.F) {
	for _, tt := range messages {
		f.Add(tt.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		const limit = 1 << 16
		in := bufio.NewReader(strings.NewReader(text))
		d, err := readMessage(in, limit)
		if err != nil {
			if !errors.Is(err, errBencode) && !errors.Is(err, io.EOF) {
				t.Fatalf("an unexpected error: %v", err)
			}
			return
		}
		rest, err := io.ReadAll(in)
		if err != nil || len(text)-len(rest) > limit {
			t.Fatalf("read %d bytes of %d allowed", len(text)-len(rest), limit)
		}
		written := appendValue(nil, d)
		if len(written) != len(text)-len(rest) {
			t.Fatalf("%q was read, and is written as %q", text[:len(text)-len(rest)], written)
		}
		again, err := readMessage(bufio.NewReader(strings.NewReader(string(written))), limit)
		if err != nil || !assert.ObjectsAreEqual(d, again) {
			t.Fatalf("%q reads as %v, %v", written, again, err)
		}
	})
}
