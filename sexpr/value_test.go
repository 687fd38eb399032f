package sexpr

import (
	"math"
	"reflect"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestZeroValueIsNil(t *testing.T) {
	var v Value
	assert.True(t, v.IsNil())
	assert.Equal(t, List, v.Kind())
	assert.Equal(t, "nil", v.String())
	assert.True(t, Equal(v, Nil()))
	assert.True(t, Equal(v, ListOf()))
	assert.True(t, Equal(v, Sym("nil")), "nil is not a symbol")
	assert.Equal(t, "-", v.Pos().String())
}

func TestValuesOfOtherKindsAnswerNothing(t *testing.T) {
	for _, v := range []Value{Nil(), T(), Key("a"), Str("a"), Int64(1), Float64(1), ListOf(Int64(1))} {
		assert.Equal(t, v.Kind() == Int, v.Int() != 0)
		assert.Equal(t, v.Kind() == Float, v.Float() != 0)
		assert.Equal(t, v.Kind() == Keyword || v.Kind() == String || v.Kind() == Symbol, v.Text() != "")
		assert.Equal(t, v.Len(), len(v.Items()))
		_, ok := v.Get("a")
		assert.False(t, ok)
		assert.False(t, v.IsPlist())
		assert.NotContains(t, v.Kind().String(), "kind")
	}
	assert.Equal(t, "kind 99", Kind(99).String())
}

func TestPlistLookups(t *testing.T) {
	v := mustRead(t, `(:name "ana" :age 7 :a t :n false :name "second" :odd)`)
	assert.Equal(t, "ana", v.GetText("name"), "the first counts")
	assert.Equal(t, int64(7), v.GetInt("age"))
	assert.True(t, v.GetTrue("a"))
	assert.False(t, v.GetTrue("n"))
	assert.False(t, v.GetTrue("none"))
	assert.Equal(t, "", v.GetText("age"))
	_, ok := v.Get("odd")
	assert.False(t, ok, "a key without a value")
	assert.True(t, v.IsObject())
	assert.True(t, EmptyObject().IsObject())
	assert.False(t, Nil().IsObject())
}

func TestBool(t *testing.T) {
	assert.True(t, Bool(true).IsSym("t"))
	assert.True(t, Bool(false).IsSym("false"))
	assert.False(t, Equal(Bool(false), Nil()), "JSON's false is not the empty list")
}

func TestWith(t *testing.T) {
	v := mustRead(t, `(:a 1 :b 2)`)
	assert.Equal(t, `(:a 3 :b 2)`, v.With("a", Int64(3)).String())
	assert.Equal(t, `(:a 1 :b 2 :c 3)`, v.With("c", Int64(3)).String())
	assert.Equal(t, `(:a 1 :b 2)`, v.String(), "v stays")
	assert.Equal(t, v.Pos(), v.With("a", Nil()).Pos())
	assert.Equal(t, `(:a 1)`, Nil().With("a", Int64(1)).String())
	assert.Equal(t, `(:a 1)`, EmptyObject().With("a", Int64(1)).String())
}

func TestPlistPanicsOnAKeyWithoutValue(t *testing.T) {
	assert.Panics(t, func() { Plist("a") })
	assert.Equal(t, `(:a nil :b "x")`, Plist("a", Nil(), "b", Str("x")).String())
}

func TestEqual(t *testing.T) {
	for _, pair := range [][2]string{{`1`, `1.0`}, {`a`, `:a`}, {`"a"`, `a`}, {`(1 2)`, `(2 1)`},
		{`(:a 1 :b 2)`, `(:b 2 :a 1)`}, {`((1))`, `((2))`}, {`nil`, `false`}, {`0.0`, `-0.0`}, {`(1)`, `(1 1)`}} {
		assert.False(t, Equal(mustRead(t, pair[0]), mustRead(t, pair[1])), pair)
	}
	assert.True(t, Equal(mustRead(t, `(a (b "c") 1.5)`), mustRead(t, "\n(A\n(b \"c\") 15e-1)")), "wherever they stand")
	assert.True(t, Equal(Float64(math.NaN()), Float64(math.NaN())), "the same datum, though it cannot be printed")
}

func TestParseDigest(t *testing.T) {
	d := DigestText("cortex/test/1", "(:a 1)")
	back, err := ParseDigest(d.String())
	require.NoError(t, err)
	assert.Equal(t, d, back)
	assert.NotEqual(t, d, DigestText("cortex/test/2", "(:a 1)"))
	assert.NotEqual(t, DigestText("a", "b\nc"), DigestText("a\nb", "c\n"))
	text := d.String()
	for _, bad := range []string{"", "sha256:", text[7:], text[:len(text)-1], text + "0", "SHA256:" + text[7:],
		text[:70] + "G", "sha256:" + "AB" + text[9:]} {
		_, err := ParseDigest(bad)
		assert.Error(t, err, bad)
	}
}

func TestReplyKindNames(t *testing.T) {
	names := map[ReplyKind]string{Empty: "empty", Prose: "prose", Proposal: "proposal", Malformed: "malformed",
		9: "reply kind 9"}
	for kind, name := range names {
		assert.Equal(t, name, kind.String())
	}
}

// TestClone_SharesNothing: a clone is equal, has the same positions, and refers to no
// byte of the text that the value was read from.
func TestClone_SharesNothing(t *testing.T) {
	for _, text := range []string{"nil",
		"()", "12", "1.5", `"text"`, "name", ":key", `(:a "text" :b (1 (2 "deep") nil) :c {})`} {
		src := []byte(text)
		v, err := Read("text", unsafe.String(&src[0], len(src)))
		require.NoError(t, err)
		c := v.Clone()
		assert.True(t, reflect.DeepEqual(v, c), "%s", text)
		want := v.String()
		for i := range src {
			src[i] = 'x'
		}
		assert.Equal(t, want, c.String(), "the text has been written over")
	}
}

// TestParseDigest_EveryLetterCounts: it takes what String prints, and nothing else.
func TestParseDigest_EveryLetterCounts(t *testing.T) {
	d := DigestText("test", "x")
	text := d.String()
	assert.Len(t, text, 71)
	back, err := ParseDigest(text)
	require.NoError(t, err)
	assert.Equal(t, d, back)
	for i := range len(text) {
		for _, c := range []byte("gG:F/`@ \x00\xff") {
			if wrong := text[:i] + string([]byte{c}) + text[i+1:]; wrong != text {
				got, err := ParseDigest(wrong)
				require.ErrorContains(t, err, "64 lower-case hex digits", "%q", wrong)
				require.True(t, got.IsZero(), "%q", wrong)
			}
		}
	}
	for _, wrong := range []string{"", "sha256:", text[:70], text + "0", text[7:]} {
		_, err := ParseDigest(wrong)
		require.Error(t, err, "%q", wrong)
	}
}
