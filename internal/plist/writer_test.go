package plist

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
)

// script puts what its bytes say into a sink: the same members, whatever the sink.
type script struct {
	steps []byte
	keys  int // of all plists; rising, so that they are in canonical order
}

func (s *script) next() byte {
	if len(s.steps) == 0 {
		return 0
	}
	c := s.steps[0]
	s.steps = s.steps[1:]
	return c
}

func (s *script) key() string {
	s.keys++
	return fmt.Sprintf("%06d", s.keys) + []string{"", " with | and ä", "-bare"}[s.keys%3]
}

// values are some of every kind, and some that have no canonical form.
var values = []sexpr.Value{
	{}, sexpr.T(), sexpr.Null(), sexpr.EmptyObject(), sexpr.Str(""), sexpr.Str("a \"b\" \\ \n\u2028ö"),
	sexpr.Sym("odd |name"), sexpr.Key("Key"),
	sexpr.Int64(math.MinInt64), sexpr.Float64(-0.5e-9),
	sexpr.Plist("b", sexpr.Int64(1), "a", sexpr.ListOf(sexpr.Plist("z", sexpr.T(), "y", sexpr.Nil()))),
	sexpr.Str("\xff"), sexpr.Float64(math.NaN()), sexpr.ListOf(sexpr.Key("a")),
	sexpr.Plist("a", sexpr.T(), "a", sexpr.T()),
}

func (s *script) put(b Sink, depth int) {
	for {
		n := s.next()
		v := values[int(s.next())%len(values)]
		switch n % 10 {
		case 0:
			return
		case 1:
			b.Add(s.key(), v)
		case 2:
			b.Text(s.key(), v.Text())
		case 3:
			b.Int(s.key(), v.Int())
		case 4:
			b.True(s.key(), v.IsSym("t"))
		case 5:
			b.Value(s.key(), v)
		case 6:
			b.Digest(s.key(), sexpr.Digest{n / 10})
		case 7:
			Each(b, s.key(), make([]int, n/64), func(int) sexpr.Value { return v })
		case 8:
			if depth < 4 {
				b.Open(s.key())
				s.put(b, depth+1)
				if b.Close() && n > 128 {
					b.Add(s.key(), sexpr.EmptyObject())
				}
			}
		case 9:
			if depth < 4 {
				Plists(b, s.key(), make([]int, n/64), func(b Sink, _ *int) { s.put(b, depth+1) })
			}
		}
	}
}

// What a Writer prints is the canonical text of what a Builder builds, and it errs
// where that has none.
func FuzzWriterPrintsWhatABuilderBuilds(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{1, 0, 2, 5, 3, 8, 4, 1, 5, 10, 6, 0, 16, 0, 7, 4, 199, 4})
	f.Add([]byte{8, 0, 0, 0, 1, 4})                                                        // a part that stays empty
	f.Add([]byte{198, 0, 0, 0, 1, 4})                                                      // and is put all the same
	f.Add([]byte{1, 1, 8, 0, 1, 4, 8, 0, 1, 8, 0, 0, 8, 0, 0, 0, 0, 0, 8, 0, 0, 0, 5, 10}) // parts in parts
	// a list of plists, one of them {}
	f.Add([]byte{199, 0, 1, 1, 0, 0, 0, 0, 2, 5, 3, 8, 0, 0, 1, 1})
	f.Add([]byte{9, 0, 1, 1}) // a list that stays empty
	for i := range values {
		f.Add([]byte{1, byte(i), 8, 0, 1, byte(i), 0, 0, 5, byte(i)})
	}
	var w Writer // as in use: what was printed before leaves nothing
	f.Fuzz(func(t *testing.T, steps []byte) {
		var b Builder
		(&script{steps: steps}).put(&b, 0)
		want, wrong := sexpr.Canonical(b.Done())
		w.Begin(0)
		(&script{steps: steps}).put(&w, 0)
		got, err := w.End()
		if wrong != nil {
			require.Error(t, err)
			return
		}
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	})
}

func TestWriterWantsCanonicalOrder(t *testing.T) {
	for name, put := range map[string]func(Sink){
		"earlier":   func(b Sink) { b.Text("b", "x"); b.Text("a", "x") },
		"twice":     func(b Sink) { b.Text("a", "x"); b.Text("a", "x") },
		"in a part": func(b Sink) { b.Open("a"); b.Int("b", 1); b.Int("a", 1); b.Close() },
		"a part": func(b Sink) {
			b.Open("b")
			b.Int("b", 1)
			b.Close()
			b.Open("a")
			b.Int("b", 1)
			b.Close()
		},
		"after one left out": func(b Sink) { b.Int("b", 1); b.Open("c"); b.Close(); b.Int("a", 1) },
	} {
		var w Writer
		w.Begin(0)
		put(&w)
		_, err := w.End()
		assert.ErrorContains(t, err, "canonical order", name)
	}
	var w Writer
	w.Begin(0)
	w.Open("z")
	w.Close()
	w.Int("a", 1) // what was left out is not there
	text, err := w.End()
	require.NoError(t, err)
	assert.Equal(t, "(:a 1)", string(text))
}

func TestWriterEndsWhatItBegan(t *testing.T) {
	var w Writer
	w.Begin(0)
	w.Open("a")
	w.Int("x", 1)
	_, err := w.End()
	assert.Error(t, err)
	w.Begin(0)
	text, err := w.End()
	require.NoError(t, err, "an error does not outlast Begin")
	assert.Equal(t, "{}", string(text))
}

// A body may nest as deep as it could where it stands, and no deeper.
func TestWriterBoundsDepth(t *testing.T) {
	nested := func(lists int) sexpr.Value {
		v := sexpr.Int64(1)
		for range lists {
			v = sexpr.ListOf(v)
		}
		return v
	}
	for _, depth := range []int{0, 2, 500} {
		for lists := 994 - depth; lists <= 1002-depth; lists++ {
			var w Writer
			w.Begin(depth)
			w.Open("a")
			w.Add("b", nested(lists))
			w.Close()
			_, err := w.End()
			_, want := sexpr.AppendCanonicalIn(nil, depth, sexpr.Plist("a", sexpr.Plist("b", nested(lists))))
			assert.Equal(t, want == nil, err == nil, "%d lists at depth %d", lists, depth)
		}
	}
}

// What is printed often needs no memory.
func TestWriterAllocatesNothingTheSecondTime(t *testing.T) {
	w := new(Writer)
	args := values[10]
	print := func() {
		w.Begin(2)
		w.Add("args", args)
		w.Open("decision")
		w.Digest("digest", sexpr.Digest{1})
		w.Text("text", "what it said")
		w.Close()
		_, _ = w.End()
	}
	print()
	sorted, err := sexpr.Sorted(args)
	require.NoError(t, err)
	args = sorted
	assert.Zero(t, testing.AllocsPerRun(100, print))
}
