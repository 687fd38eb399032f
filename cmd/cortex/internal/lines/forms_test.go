package lines

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
)

// Input is cut where forms end, whatever stands on a line.
func TestChunks(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []Chunk
	}{
		{"", nil},
		{"1", []Chunk{{"1\n", 1}}},
		{"1 (a)\n\n(b\n c) 2\n3\n", []Chunk{{"1 (a)\n", 1}, {"\n", 2}, {"(b\n c) 2\n", 3}, {"3\n", 5}}},
		{"(a \"(\n\" ; )\n)\n4", []Chunk{{"(a \"(\n\" ; )\n)\n", 1}, {"4\n", 4}}},
		{") (\n5\n", []Chunk{{") (\n", 1}, {"5\n", 2}}},
		{"'\r\nx\r\n6", []Chunk{{"'\nx\n", 1}, {"6\n", 3}}},
		{"(open\n", []Chunk{{"(open\n", 1}}},
	} {
		in := NewChunks(strings.NewReader(c.in))
		var got []Chunk
		for {
			next, err := in.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			got = append(got, next)
		}
		assert.Equal(t, c.want, got, c.in)
	}
}

// Every way of cutting a text into chunks reads the same forms.
func FuzzChunks(f *testing.F) {
	for _, seed := range []string{"1 (a)\n\n(b\n c) 2\n3\n",
		"(a \"(\n\" ; )\n)\n4", "'\n x", "|a\nb| \"\\\n\"", ")(", "; only\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want, err := sexpr.Reader{Code: true}.ReadAll("", text)
		if err != nil || strings.Contains(text, "\r") {
			return // what is dropped of a broken text is its business
		}
		in := NewChunks(strings.NewReader(text))
		var got []sexpr.Value
		for {
			c, err := in.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			forms, err := c.Read()
			require.NoError(t, err)
			for _, v := range forms {
				at := v.Pos()
				at.Line += int32(c.First - 1)
				got = append(got, v.At(at))
			}
		}
		require.Len(t, got, len(want))
		for i := range got {
			assert.True(t, sexpr.Equal(want[i], got[i]))
			assert.Equal(t, want[i].Pos(), got[i].Pos())
		}
	})
}
