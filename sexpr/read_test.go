package sexpr

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// readCases are texts that read, and how the value prints.
var readCases = []struct{ text, print string }{
	{`nil`, `nil`}, {`NIL`, `nil`}, {`()`, `nil`}, {`( )`, `nil`}, {`(())`, `(nil)`}, {`|nil|`, `nil`},
	{`t`, `t`}, {`T`, `t`}, {`false`, `false`}, {`null`, `null`}, {`{}`, `{}`}, {`|NIL|`, `|NIL|`},
	{`:tool`, `:tool`}, {`:TOOL`, `:tool`}, {`:Tool`, `:tool`}, {`:|tool|`, `:tool`}, {`:|userId|`, `:|userId|`},
	{`:a_b-9`, `:a_b-9`}, {`:|_a|`, `:|_a|`}, {`:_a`, `:|_a|`}, {`:9`, `:|9|`}, {`:a.b`, `:|a.b|`},
	{`:under?`, `:|under?|`},
	{`:||`, `:||`}, {`:|a b|`, `:|a b|`}, {`:|größe|`, `:|größe|`}, {`:a|B|c`, `:|aBc|`}, {`:nil`, `:nil`},
	{`:|a\|b\\|`, `:|a\|b\\|`},
	{`||`, `||`}, {`foo`, `foo`}, {`FOO`, `foo`}, {`|Foo|`, `|Foo|`}, {`|12|`, `|12|`}, {`|:a|`, `|:a|`}, {`|.|`, `|.|`},
	{`1|2|`, `|12|`},
	{`action.args.|userId|`, `|action.args.userId|`}, {`action.args.cmd`, `action.args.cmd`}, {`under?`, `under?`},
	{`/=`, `/=`},
	{`<=`, `<=`}, {`-`, `-`}, {`+`, `+`}, {`*a*`, `*a*`}, {`a/b`, `a/b`}, {`.a`, `.a`}, {`-a`, `-a`}, {`|a\nb|`, `|a\nb|`},
	{`0`, `0`}, {`-0`, `0`}, {`+7`, `7`}, {`007`, `7`}, {`-12`, `-12`}, {`9223372036854775807`, `9223372036854775807`},
	{`-9223372036854775808`, `-9223372036854775808`},
	{`1.0`, `1.0`}, {`.5`, `0.5`}, {`-.5`, `-0.5`}, {`+1.5`, `1.5`}, {`1e3`, `1000.0`}, {`1E3`, `1000.0`},
	{`1e-7`, `1e-7`}, {`0.000001`, `0.000001`},
	{`1e21`, `1e21`}, {`1e20`, `100000000000000000000.0`}, {`-0.0`, `-0.0`}, {`0.1`, `0.1`}, {`1e+2`, `100.0`},
	{`5e-324`, `5e-324`},
	{`1.7976931348623157e308`, `1.7976931348623157e308`}, {`0.1000000000000000055`, `0.1`},
	{`""`, `""`}, {`"a\"b\\c"`, `"a\"b\\c"`}, {`"\n\r\t"`, `"\n\r\t"`}, {"\"a\nb\tc\"", `"a\nb\tc"`},
	{`"\u{41}\u0042"`, `"AB"`}, {`"\ud83d\ude00"`, `"😀"`},
	{`"\u{1f600}"`, `"😀"`}, {`"\u{0}\u{7f}\u{80}"`, `"\u{0}\u{7f}\u{80}"`},
	{`"\u{feff}\u{2028}\u{2029}"`, `"\u{feff}\u{2028}\u{2029}"`}, {"\"\x01é\"", `"\u{1}é"`}, {`"\|"`, `"|"`},
	{"; c\n a ; d", `a`}, {"#| a #| b |# c |# a #||#", `a`}, {"(a;\n)", `(a)`}, {`(a #|x|# b)`, `(a b)`}, {`#|;|#a`, `a`},
	{`(a"b"c)`, `(a "b" c)`}, {`(a(b)c)`, `(a (b) c)`}, {"(\ta\r\n\fb )", `(a b)`}, {`(1"a""b")`, `(1 "a" "b")`},
	{`(:a 1 :b (:c "x" :d ()))`, `(:a 1 :b (:c "x" :d nil))`}, {`(:b 1 :a 2)`, `(:b 1 :a 2)`}, {`(quote x)`, `(quote x)`},
}

func TestRead(t *testing.T) {
	for _, c := range readCases {
		v, err := Read("in", c.text)
		if assert.NoError(t, err, c.text) {
			assert.Equal(t, c.print, v.String(), c.text)
			again, err := Read("in", v.String())
			assert.NoError(t, err, c.text)
			assert.True(t, Equal(v, again), c.text)
		}
	}
}

// refusals are texts that do not read, and why.
var refusals = []struct {
	text, err  string
	incomplete bool
}{
	{``, `in:1:1: found nothing, expected a datum`, true},
	{`; only this`, `in:1:12: found nothing, expected a datum`, true},
	{`a b`, `in:1:3: found more after the datum, expected one datum and nothing else`, false},
	{`(a`, `in:1:3: found the end of the text, expected one more ')'`, true},
	{"(a\n (b (", `in:2:6: found the end of the text, expected ')' 3 times more`, true},
	{`)`, `in:1:1: found ')', expected a datum`, false},
	{`(a))`, `in:1:4: found ')', expected a datum`, false},
	{`(a . b)`, `in:1:4: found ".", expected a datum; there are no dotted pairs`, false},
	{`...`, `in:1:1: found "...", expected a datum; there are no dotted pairs`, false},
	{`"abc`, `in:1:5: found the end of the text inside a string, expected "`, true},
	{`|abc`, `in:1:5: found the end of the text inside a name in bars, expected |`, true},
	{`a|b`, `in:1:4: found the end of the text inside a name in bars, expected |`, true},
	{`#| abc`, `in:1:7: found the end of the text inside a comment, expected |#`, true},
	{`(a #| #| |# `, `in:1:13: found the end of the text inside a comment, expected |#`, true},
	{`"\`, `in:1:3: found the end of the text inside a string, expected "`, true},
	{`"\u{12`, `in:1:7: found the end of the text inside a string, expected "`, true},
	{`"\ud83d`, `in:1:8: found the end of the text inside a string, expected "`, true},
	{`"\q`, `in:1:2: found the escape "\\q", expected one of \" \\ \| \n \r \t \u{h}`, false},
	{`"é\é"`, `in:1:3: found the escape "\\é", expected one of \" \\ \| \n \r \t \u{h}`, false},
	{`"\u{}"`, `in:1:2: found the escape "\\u{}", expected \u{h} with one to six hex digits`, false},
	{`"\u{0000041}"`, `in:1:2: found the escape "\\u{0000041", expected \u{h} with one to six hex digits`, false},
	{`"\u{110000}"`, `in:1:2: found the escape "\\u{110000}", expected a character; surrogates and numbers over 10ffff are none`, false},
	{`"\u{d800}"`, `in:1:2: found the escape "\\u{d800}", expected a character; surrogates and numbers over 10ffff are none`, false},
	{`"\u12g4"`, `in:1:2: found the escape "\\u12g4", expected \u and four hex digits, or \u{h}`, false},
	{`"\ud83d"`, `in:1:2: found the unfinished escape "\\ud83d", expected all of \u{h}, of \uXXXX, or of a pair of surrogates`, false},
	{`"\ud83d\u0041"`, `in:1:2: found a lone surrogate "\\ud83d", expected a pair of surrogates, or \u{h}`, false},
	{`"\ude00\ud83d"`, `in:1:2: found a lone surrogate "\\ude00", expected a pair of surrogates, or \u{h}`, false},
	{`"\ud83d\n"`, `in:1:2: found a lone surrogate "\\ud83d", expected a pair of surrogates, or \u{h}`, false},
	{`"\u{4"`, `in:1:2: found the unfinished escape "\\u{4", expected all of \u{h}, of \uXXXX, or of a pair of surrogates`,
		false},
	{`|\x|`, `in:1:2: found the escape "\\x", expected one of \" \\ \| \n \r \t \u{h}`, false},
	{`12abc`, `in:1:1: found "12abc", expected a number such as 12, -0.5 or 1e9`, false},
	{`(12abc`, `in:1:2: found "12abc", expected a number such as 12, -0.5 or 1e9`, false},
	{`0x1F`, `in:1:1: found "0x1F", expected a number such as 12, -0.5 or 1e9`, false},
	{`1.`, `in:1:1: found "1.", expected a number such as 12, -0.5 or 1e9`, false},
	{`1.e5`, `in:1:1: found "1.e5", expected a number such as 12, -0.5 or 1e9`, false},
	{`1e`, `in:1:1: found "1e", expected a number such as 12, -0.5 or 1e9`, false},
	{`1/2`, `in:1:1: found "1/2", expected a number such as 12, -0.5 or 1e9`, false},
	{`1d0`, `in:1:1: found "1d0", expected a number such as 12, -0.5 or 1e9`, false},
	{`1+`, `in:1:1: found "1+", expected a number such as 12, -0.5 or 1e9`, false},
	{`1_000`, `in:1:1: found "1_000", expected a number such as 12, -0.5 or 1e9`, false},
	{`-1:2`, `in:1:1: found "-1:2", expected a number such as 12, -0.5 or 1e9`, false},
	{`9223372036854775808`, `in:1:1: found the integer 9223372036854775808, expected at most 64 bits`, false},
	{`1e999`, `in:1:1: found the float 1e999, expected one that 64 bits can hold`, false},
	{`1e-999`, `in:1:1: found the float 1e-999, expected one that 64 bits can hold`, false},
	{`:`, `in:1:2: found a colon without a name, expected a keyword such as :tool, or :|| for the empty one`, false},
	{`(: a)`, `in:1:3: found a colon without a name, expected a keyword such as :tool, or :|| for the empty one`, false},
	{`a:b`, `in:1:2: found ':' in the middle of a name, expected a name, in bars if it holds a colon: |a:b|`, false},
	{`::a`, `in:1:2: found ':' in the middle of a name, expected a name, in bars if it holds a colon: |a:b|`, false},
	{`a:|b|`, `in:1:2: found ':' in the middle of a name, expected a name, in bars if it holds a colon: |a:b|`, false},
	{`{"a" 1}`, `in:1:1: found '{', expected a plist such as (:key "value"), or {} for the empty object`, false},
	{`}`, `in:1:1: found '}', expected a plist such as (:key "value"), or {} for the empty object`, false},
	{`["a"]`, `in:1:1: found '[', expected lists in ( )`, false},
	{`'a`, `in:1:1: found ''', expected data only; quote is for code`, false},
	{"`a", "in:1:1: found '`', expected data only; backquote and comma are not read", false},
	{`(a ,b)`, `in:1:4: found ',', expected data only; backquote and comma are not read`, false},
	{`a\b`, `in:1:2: found '\', expected a name, in bars if it needs escapes: |a b|`, false},
	{`a#b`, `in:1:2: found a # form: "#b", expected data only; # forms but comments are not read`, false},
	{`a#|b|#`, `in:1:2: found a # form: "#|", expected data only; # forms but comments are not read`, false},
	{`(#`, `in:1:2: found a # form: "#", expected data only; # forms but comments are not read`, true},
	{`“a”`, `in:1:1: found “ (U+201C), a typographic quote, expected a plain " (U+0022)`, false},
	{"(:a\n  :b ‘x’)", `in:2:6: found ‘ (U+2018), a typographic quote, expected a plain " (U+0022) around strings`, false},
	{"(a\u00a0b)", `in:1:3: found U+00A0, expected a plain space (U+0020)`, false},
	{`(é)`, `in:1:2: found é (U+00E9), expected ASCII outside strings; other names stand in bars: |größe|`, false},
	{"\x01", `in:1:1: found U+0001, expected a datum`, false},
	{"(a \"é\" \xff)", `in:1:8: found a byte that is not UTF-8, expected UTF-8 text`, false},
	{"\"\xed\xa0\x80\"", `in:1:2: found a byte that is not UTF-8, expected UTF-8 text`, false},
	{"\"a\x00\"", `in:1:3: found a NUL character, expected text without it, or \u{0} in a string`, false},
	{"\ufeff(a)", `in:1:1: found a byte order mark (U+FEFF), expected text without it, or \u{feff} in a string`, false},
	{"\"\ufeff\"", `in:1:2: found a byte order mark (U+FEFF), expected text without it, or \u{feff} in a string`, false},
}

func TestReadRefuses(t *testing.T) {
	for _, c := range refusals {
		v, err := Read("in", c.text)
		if assert.EqualError(t, err, c.err, "%q", c.text) {
			e := asError(err)
			assert.Equal(t, c.incomplete, e.Incomplete, "%q", c.text)
			assert.Equal(t, "in", e.File)
			assert.NotZero(t, e.Pos)
			assert.NotEmpty(t, e.Found)
			assert.NotEmpty(t, e.Expected)
			assert.True(t, v.IsNil())
		}
	}
}

// Incomplete means what it says: a text that is cut off is mended by its rest,
// and no prefix of a wrong text is called wrong before its fault is there.
func TestIncomplete(t *testing.T) {
	const text = "(:a \"x\\u{1f600}\\ud83d\\ude00\" #| c |# :|b \\| c| (1.5 nil) ; d\n {} -7)"
	for n := range len(text) {
		prefix := text[:n]
		if !strings.HasSuffix(prefix, "#") && n > 0 {
			_, err := Read("in", prefix)
			require.Error(t, err, prefix)
			if e := asError(err); !e.Incomplete {
				// Only an atom that is half there may look wrong.
				last := prefix[len(prefix)-1]
				assert.Contains(t, ":{.-", string(last), "%q: %v", prefix, err)
			}
		}
	}
	_, err := Read("in", text)
	require.NoError(t, err)
}

func TestPositionsCountCharacters(t *testing.T) {
	v, err := Read("in", "; ünicode\n(:a \"é\nü\" b\n  #| é |# (c) |ö| d)")
	require.NoError(t, err)
	var got []string
	for _, item := range v.Items() {
		got = append(got, fmt.Sprint(item.Pos(), " ", item))
	}
	assert.Equal(t, []string{`2:2 :a`, `2:5 "é\nü"`, `3:4 b`, `4:11 (c)`, `4:15 |ö|`, `4:19 d`}, got)
	assert.Equal(t, "2:1", v.Pos().String())
	all, err := ReadAll("in", "a \"é\" b\n c")
	require.NoError(t, err)
	require.Len(t, all, 4)
	assert.Equal(t, []Pos{{1, 1}, {1, 3}, {1, 7}, {2, 2}}, []Pos{all[0].Pos(), all[1].Pos(), all[2].Pos(), all[3].Pos()})
}

func TestReadAll(t *testing.T) {
	all, err := ReadAll("in", " ; nothing\n")
	require.NoError(t, err)
	assert.Empty(t, all)
	all, err = ReadAll("in", "(a) b\n\"c\"d()")
	require.NoError(t, err)
	assert.Equal(t, `((a) b "c" d nil)`, ListOf(all...).String())
	_, err = ReadAll("in", "(a) (b")
	assert.EqualError(t, err, "in:1:7: found the end of the text, expected one more ')'")
}

// participle reads through the same lexer where it is given a stream.
func TestGrammarOnAStream(t *testing.T) {
	doc, err := grammar().Parse("in", strings.NewReader("(a) b"))
	require.NoError(t, err)
	assert.Equal(t, "((a) b)", ListOf(doc.Forms.values...).String())
	_, err = grammar().Parse("in", strings.NewReader("(a) 1x"))
	assert.EqualError(t, err, `in:1:5: found "1x", expected a number such as 12, -0.5 or 1e9`)
	lost := errors.New("lost")
	_, err = grammar().Parse("in", iotest.ErrReader(lost))
	assert.ErrorIs(t, err, lost)
}

func TestQuoteInCode(t *testing.T) {
	code := Reader{Code: true}
	for text, want := range map[string]string{
		`'x`: `(quote x)`, `''x`: `(quote (quote x))`, `('a 'b)`: `((quote a) (quote b))`, `'()`: `(quote nil)`,
		`' ; c` + "\n a": `(quote a)`,
		`('(a 'b) c)`:    `((quote (a (quote b))) c)`, `'"s"`: `(quote "s")`, `'a'b`: `(quote a)`,
	} {
		all, err := code.ReadAll("in", text)
		if assert.NoError(t, err, text) {
			assert.Equal(t, want, all[0].String())
		}
	}
	for _, text := range []string{`'`, `('`, `''`} {
		_, err := code.Read("in", text)
		require.Error(t, err)
		assert.True(t, asError(err).Incomplete, text)
	}
	_, err := code.Read("in", `(a ')`)
	assert.EqualError(t, err, `in:1:5: found ')', expected a datum`)
	v, err := code.Read("in", `(a 'b)`)
	require.NoError(t, err)
	assert.Equal(t, "1:4", v.Items()[1].Pos().String())
}

func TestLimits(t *testing.T) {
	r := Reader{Limits: Limits{Bytes: 100, Depth: 3, Atoms: 5, String: 4}, Code: true}
	for _, text := range []string{
		`(((a)))`, `((()))`, `(a b c d e)`, `"abcd"`, `"éé"`, `"\u{41}\u{42}\u{43}\u{44}"`, `''(a)`, `() () () () ()`,
		strings.Repeat(" ", 99) + "a", `:abcd`, `|a\|bc|`,
	} {
		_, err := r.ReadAll("in", text)
		assert.NoError(t, err, text)
	}
	for text, want := range map[string]string{
		`((((a))))`:                    "in:1:4: found a list or quote at depth 4, expected at most depth 3",
		`''''a`:                        "in:1:4: found a list or quote at depth 4, expected at most depth 3",
		`('('a))`:                      "in:1:4: found a list or quote at depth 4, expected at most depth 3",
		`(a b c d e f)`:                "in:1:13: found one atom more, expected at most 5 atoms",
		`a b c d e f`:                  "in:1:12: found one atom more, expected at most 5 atoms",
		`()()()()()()`:                 "in:1:11: found one list more, expected at most 5 lists",
		`"abcde"`:                      "in:1:1: found a text of 5 bytes, expected at most 4 bytes",
		`"ééé"`:                        "in:1:1: found a text of 6 bytes, expected at most 4 bytes",
		`|abcde|`:                      "in:1:1: found a text of 5 bytes, expected at most 4 bytes",
		`:abcdefgh`:                    "in:1:1: found a text of 8 bytes, expected at most 4 bytes",
		`|abc||de|`:                    "in:1:1: found a text of 5 bytes, expected at most 4 bytes",
		strings.Repeat(" ", 100) + "a": "in:1:1: found 101 bytes, expected at most 100 bytes",
	} {
		_, err := r.ReadAll("in", text)
		assert.EqualError(t, err, want, text)
	}
}

func TestDefaultLimits(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("(", n) + strings.Repeat(")", n) }
	atoms := func(n int) string { return "(" + strings.Repeat("a ", n) + ")" }
	str := func(n int) string { return `"` + strings.Repeat("x", n) + `"` }
	pad := func(n int) string { return "a" + strings.Repeat(" ", n-1) }
	for name, c := range map[string]struct{ good, bad string }{
		"bytes":  {pad(1 << 20), pad(1<<20 + 1)},
		"depth":  {deep(64), deep(65)},
		"atoms":  {atoms(100_000), atoms(100_001)},
		"string": {str(256 << 10), str(256<<10 + 1)},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read("in", c.good)
			assert.NoError(t, err)
			_, err = Read("in", c.bad)
			assert.Error(t, err)
		})
	}
}

func TestReadersAreSafeForConcurrentUse(t *testing.T) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				v, err := Read("in", proposal1K)
				if assert.NoError(t, err) {
					d, err := DigestOf(v)
					assert.NoError(t, err)
					assert.False(t, d.IsZero())
				}
			}
		})
	}
	wg.Wait()
}

// TestBuilder_KeepsNoTexts: the room that goes from one text to the next refers to
// nothing of the last one.
func TestBuilder_KeepsNoTexts(t *testing.T) {
	for _, text := range []string{
		"a", "()", "(a b c)", `((("deep") "a") ("b" "c" "d") 1)`, "'(a 'b)", `("a" "b" ("c"`, `(:a "x" :a)`, "(" +
			strings.Repeat(`"x" `, 300) + ")",
	} {
		b := &builder{done: make([]Value, 0, 4), open: make([]frame, 0, 4)}
		for range 2 {
			_, _ = b.form(text, start)
		}
		require.NotZero(t, cap(b.done), text)
		b.release()
		for i, v := range b.done[:cap(b.done)] {
			require.Equal(t, Value{}, v, "%.40s: place %d", text, i)
		}
	}
}
