package sexpr

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/crashtest"
)

// canonicalTexts are canonical, and nearly so.
var canonicalTexts = []string{
	"nil", "t", "()", "( )", "(nil)", "(a)", "(a )", "( a)", "(a  b)", " a", "a ", "a b", "(a", "a)", "(a))", "", " ",
	"''a", "'a", "a'", "(a 'b)", "a#b", "#", "#|x|# a", "a ; x",
	"T", "Nil", "NIL", "{}", "{a}", "|a|", "|A|", "|a b|", "|nil|", "|{}|", "|1|", "|...|", "...", ".", "a|b|", "a|B|",
	"||", "|", "|a", ":a", ":|a|", ":|A|", ":||", ":", ":a|B|", ":A", "::a", ":1", ":|1|", ":a.b", ":|a.b|", "a:b",
	"|a:b|",
	"0", "-0", "+0", "00", "1", "+1", "-1", "01", "1.", "1.0", "1.00", "1e2", "100.0", "1e21", "1e+21", "1E21",
	"1000000000000000000000.0", "1e-7", "1e-07", "0.0000001", "-0.0", "0.0", "9223372036854775807", "9223372036854775808",
	"1a", "10", "(10)", "(0)", "0)", "1|a|", "0|a|", "(1\"a\")", "(1 (2))", "123456789012345678", "(123456789012345678)",
	"1234567890123456789", "12345678901234567890", "(-12 0 7)", "-", "+", "-a",
	`""`, `"a"`, `"a`, `"a"b`, `"a" `, `"|"`, `"\|"`, `"\""`, `"\n"`, "\"\n\"", "\"\t\"", `"\t"`, `"\u{7f}"`, "\"\x7f\"",
	`"\u{7F}"`, `"\u{007f}"`, `"\u{61}"`, `"\u0061"`, `"é"`, `"\u{e9}"`, `"\u{0}"`, "\"\x00\"", `"\u{feff}"`, "\"\ufeff\"",
	"\"\u2028\"", `"\u{2028}"`, "\"\u0085\"", "\"\xff\"", `"\x"`, `"\`, "|é|", "|\xff|",
	"(:a 1 :b 2)", "(:b 2 :a 1)", "(:a 1 :a 2)", "(:a 1 :b)", "(:a)", "(:a 1 b 2)", "(a :b)", "(a :b 1 :a 2)",
	"(:a (:c 1 :b 2))",
	"(:a (:b 1 :c 2) :b ((1 2) nil))", `(:a "é" :b (:c "x" :d 1.5) :c |é b|)`, "(:a nil)(:b nil)", "(:a\n1)",
	strings.Repeat("(", 1000) + "a" + strings.Repeat(")", 1000),
	strings.Repeat("(", 1001) + "a" + strings.Repeat(")", 1001),
	strings.Repeat("(", 1000) + "nil" + strings.Repeat(")", 1000),
}

// checkReadCanonical compares ReadCanonical with reading, printing and comparing.
func checkReadCanonical(t *testing.T, text string) (canonical bool) {
	v, err := Reader{Limits: Limits{Bytes: len(text) + 1, Depth: maxDepth, Atoms: len(text) + 1,
		String: len(text) + 1}}.Read("slow", text)
	again := ""
	if err == nil {
		again, err = Canonical(v)
	}
	fast, ok := ReadCanonical(text)
	require.Equal(t, err == nil && again == text, ok, "%.200q: read and printed it is %.200q, %v", text, again, err)
	if ok {
		require.True(t, reflect.DeepEqual(v, fast), "%.200q: %s with its positions, and %s", text, v, fast)
	} else {
		require.True(t, fast.IsNil(), "%.200q", text)
	}
	return ok
}

// TestReadCanonical_SameAsReadAndPrint: what is taken is exactly what Read and
// Canonical give back unchanged, whatever letter of it is another.
func TestReadCanonical_SameAsReadAndPrint(t *testing.T) {
	crashtest.Long(t)
	texts := append([]string(nil), canonicalTexts...)
	for _, c := range readCases {
		texts = append(texts, c.text)
	}
	for _, c := range refusals {
		texts = append(texts, c.text)
	}
	taken := 0
	for _, text := range texts {
		if checkReadCanonical(t, text) {
			taken++
		}
		v, err := Read("text", text)
		if err != nil {
			continue
		}
		if text, err = Canonical(v); err == nil {
			assert.True(t, checkReadCanonical(t, text), "%.200q", text)
		}
	}
	assert.Greater(t, taken, 30, "of %d", len(texts))

	v, err := Read("proposal", proposal1K)
	require.NoError(t, err)
	text, err := Canonical(v)
	require.NoError(t, err)
	for i := range len(text) {
		for _, c := range []byte(" ()\"|\\:a0-.\n\x00\xff") {
			checkReadCanonical(t, text[:i]+string([]byte{c})+text[i+1:])
		}
		checkReadCanonical(t, text[:i])
		checkReadCanonical(t, text[:i]+text[i+1:])
	}
}

func FuzzReadCanonical(f *testing.F) {
	seeds(f)
	for _, text := range canonicalTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkReadCanonical(t, text)
		v, err := Read("text", text)
		if err != nil {
			return
		}
		if text, err = Canonical(v); err == nil {
			require.True(t, checkReadCanonical(t, text), "%q", text)
		}
	})
}

// BenchmarkReadCanonical compares it with what it replaces.
func BenchmarkReadCanonical(b *testing.B) {
	v, err := Read("proposal", proposal1K)
	require.NoError(b, err)
	text, err := Canonical(v)
	require.NoError(b, err)
	b.Run("ReadAndPrint", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			v, err := Read("", text)
			if err != nil {
				b.Fatal(err)
			}
			if again, err := AppendCanonical(make([]byte, 0, len(text)), v); err != nil || string(again) != text {
				b.Fatal(err)
			}
		}
	})
	b.Run("ReadCanonical", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			if _, ok := ReadCanonical(text); !ok {
				b.Fatal("it is canonical")
			}
		}
	})
}
