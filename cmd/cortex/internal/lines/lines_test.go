package lines

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A line is kept up to 16 MiB, its end not counted; a longer one is told apart
// from one that is not there, and the next is read as if nothing had happened.
func TestLinesAreBounded(t *testing.T) {
	full := strings.Repeat("x", Max)
	in := New(strings.NewReader("a\r\n\n" + full + "\n" + full + "x\n" + full + "xx\nlast"))
	for i, want := range []struct {
		n   int
		err error
	}{{1, nil}, {0, nil}, {Max, nil}, {0, ErrTooLong}, {0, ErrTooLong}, {4, nil}, {0, io.EOF}} {
		line, err := in.Next()
		require.ErrorIs(t, err, want.err, "line %d", i+1)
		assert.Len(t, line, want.n, "line %d", i+1)
	}
	assert.Equal(t, 6, in.n)
}

func TestLinesReportWhatReadingReports(t *testing.T) {
	broken := errors.New("the pipe broke")
	in := New(io.MultiReader(strings.NewReader("one\ntw"), iotest.ErrReader(broken)))
	line, err := in.Next()
	require.NoError(t, err)
	assert.Equal(t, "one", string(line))
	_, err = in.Next()
	assert.ErrorIs(t, err, broken)
}
