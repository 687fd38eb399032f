package sexpr

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestFromJSON(t *testing.T) {
	for text, want := range map[string]string{
		`true`: `t`, `false`: `false`, `null`: `null`, `[]`: `nil`, `{}`: `{}`, ` [ ] `: `nil`, "{\n}": `{}`, `[[]]`: `(nil)`,
		`[{}]`:   `({})`,
		`"true"`: `"true"`, `":a"`: `":a"`, `""`: `""`,
		`0`: `0`, `-0`: `0`, `-7`: `-7`, `9007199254740991`: `9007199254740991`, `-9007199254740991`: `-9007199254740991`,
		`1.0`: `1.0`, `1e2`: `100.0`, `1E+2`: `100.0`, `-0.0`: `-0.0`, `0e9`: `0.0`, `1.50`: `1.5`, `1e21`: `1e21`,
		`12e-1`: `1.2`, `9007199254740992.0`: `9007199254740992.0`, `1e300`: `1e300`,
		`0.1`: `0.1`, `5e-324`: `5e-324`, `100e-2`: `1.0`,
		`{"cmd":"ls"}`:                       `(:cmd "ls")`,
		`{"userId":1,"a b":2,"":3,"a":4}`:    `(:|userId| 1 :|a b| 2 :|| 3 :a 4)`,
		`{"a":1,"A":2}`:                      `(:a 1 :|A| 2)`,
		`{"a":{"b":[{"c":null}]}}`:           `(:a (:b ((:c null))))`,
		`["\u0000\u001f\/\b\f\n\r\t\"\\é"]`:  `("\u{0}\u{1f}/\u{8}\u{c}\n\r\t\"\\é")`,
		`"\ud83d\ude00\u00e9"`:               `"😀é"`,
		`{"\u0061\n":1}`:                     `(:|a\n| 1)`,
		`[1, true ,[2],{"a":[]},"x" , null]`: `(1 t (2) (:a nil) "x" null)`,
	} {
		v, err := FromJSON([]byte(text))
		if assert.NoError(t, err, text) {
			assert.Equal(t, want, v.String(), text)
			assert.NoError(t, CheckJSON(v))
		}
	}
}

func TestFromJSONRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1,"b":2,"a":3}`:    `args:1:14: found the key "a" a second time, expected each key once`,
		`{"a":1,"\u0061":3}`:     `args:1:8: found the key "a" a second time, expected each key once`,
		`[{"x":{"a":1,"a":1}}]`:  `args:1:14: found the key "a" a second time, expected each key once`,
		`1 2`:                    `args:1:3: found text that is not JSON: invalid character '2' after top-level value, expected one JSON value`,
		`{} x`:                   `args:1:4: found text that is not JSON: invalid character 'x' after top-level value, expected one JSON value`,
		``:                       `args:1:1: found text that is not JSON: unexpected end of JSON input, expected one JSON value`,
		"[1,\n":                  `args:2:1: found text that is not JSON: unexpected end of JSON input, expected one JSON value`,
		`[1,]`:                   `args:1:4: found text that is not JSON: invalid character ']' looking for beginning of value, expected one JSON value`,
		`{"a":01}`:               `args:1:7: found text that is not JSON: invalid character '1' after object key:value pair, expected one JSON value`,
		`[NaN]`:                  `args:1:2: found text that is not JSON: invalid character 'N' looking for beginning of value, expected one JSON value`,
		`['a']`:                  `args:1:2: found text that is not JSON: invalid character '\'' looking for beginning of value, expected one JSON value`,
		"\ufeff[]":               `args:1:1: found text that is not JSON: invalid character 'ï' looking for beginning of value, expected one JSON value`,
		"[\"\x00\"]":             `args:1:3: found text that is not JSON: invalid character '\x00' in string literal, expected one JSON value`,
		"[\"é\xff\"]":            `args:1:4: found a byte that is not UTF-8, expected UTF-8 text`,
		`["é\ud800"]`:            `args:1:4: found a lone surrogate "\\ud800", expected a pair of surrogates`,
		`"\udc00\ud800"`:         `args:1:2: found a lone surrogate "\\udc00", expected a pair of surrogates`,
		`"\ud800\u0041"`:         `args:1:2: found a lone surrogate "\\ud800", expected a pair of surrogates`,
		`9007199254740992`:       `args:1:1: found the integer 9007199254740992, expected one within 2^53-1; send larger ones as strings`,
		`-9007199254740992`:      `args:1:1: found the integer -9007199254740992, expected one within 2^53-1; send larger ones as strings`,
		`99999999999999999999`:   `args:1:1: found the integer 99999999999999999999, expected one within 2^53-1; send larger ones as strings`,
		`0.1000000000000000055`:  `args:1:1: found the number 0.1000000000000000055, expected one that a 64-bit float holds without losing digits; send others as strings`,
		`9007199254740993.0`:     `args:1:1: found the number 9007199254740993.0, expected one that a 64-bit float holds without losing digits; send others as strings`,
		`[1e400]`:                `args:1:2: found the number 1e400, expected one that a 64-bit float holds without losing digits; send others as strings`,
		`[1e-400]`:               `args:1:2: found the number 1e-400, expected one that a 64-bit float holds without losing digits; send others as strings`,
		`1e99999999999999999999`: `args:1:1: found the number 1e99999999999999999999, expected one that a 64-bit float holds without losing digits; send others as strings`,
	} {
		v, err := Reader{}.FromJSON("args", []byte(text))
		assert.EqualError(t, err, want, text)
		assert.True(t, v.IsNil())
		var e *Error
		assert.ErrorAs(t, err, &e)
	}
	_, err := FromJSON([]byte(`{"a":`))
	assert.True(t, asError(err).Incomplete)
}

func TestFromJSONManyKeys(t *testing.T) {
	var members []string
	for i := range 30 {
		members = append(members, fmt.Sprintf(`"k%d":%d`, i, i))
		v, err := FromJSON([]byte("{" + strings.Join(members, ",") + "}"))
		require.NoError(t, err)
		require.Equal(t, 2*(i+1), v.Len())
		for j := range i + 1 {
			_, err := FromJSON([]byte("{" + strings.Join(members, ",") + fmt.Sprintf(`,"k%d":0}`, j)))
			require.ErrorContains(t, err, "a second time")
		}
	}
}

func TestFromJSONLimits(t *testing.T) {
	r := Reader{Limits: Limits{Bytes: 60, Depth: 2, Atoms: 4, String: 3}}
	for text, want := range map[string]string{
		`[[[]]]`:                "1:3: found a list or quote at depth 3, expected at most depth 2",
		`{"a":{"b":{}}}`:        "1:11: found a list or quote at depth 3, expected at most depth 2",
		`[1,2,3,4,5]`:           "1:10: found one atom more, expected at most 4 atoms",
		`{"a":1,"b":2,"c":3}`:   "1:14: found one atom more, expected at most 4 atoms",
		`[[],[],[],[],[]]`:      "1:11: found one list more, expected at most 4 lists",
		`["abcd"]`:              "1:2: found a text of 4 bytes, expected at most 3 bytes",
		strings.Repeat(" ", 61): "1:1: found 61 bytes, expected at most 60 bytes",
	} {
		_, err := r.FromJSON("", []byte(text))
		assert.EqualError(t, err, want, text)
	}
	_, err := r.FromJSON("", []byte(`[["\u0061bc",2,3,4]]`))
	assert.NoError(t, err)
	v, err := FromJSON([]byte("{\n  \"é\": [1,\n\"ü\", 2]}"))
	require.NoError(t, err)
	assert.Equal(t, Pos{2, 3}, v.Items()[0].Pos())
	assert.Equal(t, Pos{2, 8}, v.Items()[1].Pos())
	assert.Equal(t, Pos{3, 6}, v.Items()[1].Items()[2].Pos())
}

func TestCheckJSON(t *testing.T) {
	for text, want := range map[string]string{
		`(:a foo)`:               `1:5: found the symbol "foo", expected a string, or one of t nil false null {}`,
		`(:a :b)`:                `1:5: found the keyword ":b" as a value, expected a string`,
		`:b`:                     `1:1: found the keyword ":b" as a value, expected a string`,
		`("x" :b)`:               `1:6: found the keyword ":b" as a value, expected a string`,
		`(:a 9007199254740992)`:  `1:5: found the integer 9007199254740992, expected one within 2^53-1; write larger ones as strings`,
		`(:a -9007199254740992)`: `1:5: found the integer -9007199254740992, expected one within 2^53-1; write larger ones as strings`,
		`(:a 1 :a 2)`:            `1:7: found the key "a" a second time, expected each key once`,
		`(:a (:b))`:              `1:6: found a plist of 1 element, expected as many keywords as values`,
		`(:a 1 b 2)`:             `1:7: found a symbol in the place of a keyword, expected a keyword before every value of a plist`,
	} {
		v := mustRead(t, text)
		assert.EqualError(t, CheckJSON(v), want)
		_, err := ToJSON(v)
		assert.EqualError(t, err, want)
	}
}

func TestToJSON(t *testing.T) {
	for text, want := range map[string]string{
		`nil`: `[]`, `{}`: `{}`, `t`: `true`, `false`: `false`, `null`: `null`, `(nil)`: `[[]]`,
		`(:b 1 :a (:c 1.0 :d ("x" -2)))`:           `{"b":1,"a":{"c":1.0,"d":["x",-2]}}`,
		`(:|userId| "a\"\\\n\r\t\u{1}/é\u{2028}")`: `{"userId":"a\"\\\n\r\t\u0001/é` + "\u2028" + `"}`,
		`(1e21 1e-7 -0.0 1.5)`:                     `[1e21,1e-7,-0.0,1.5]`,
		`(:|| 1)`:                                  `{"":1}`,
	} {
		got, err := ToJSON(mustRead(t, text))
		require.NoError(t, err)
		assert.Equal(t, want, string(got))
	}
}

// jsonValues generates the values that :args may hold.
func jsonValues(depth int) *rapid.Generator[Value] {
	text := rapid.OneOf(rapid.String(),
		rapid.SampledFrom([]string{"", "a", "A", "a-b", "user_id", "\x00", "\ufeff", "😀", "\u2028", `"`}))
	atoms := []*rapid.Generator[Value]{
		rapid.Map(text, Str),
		rapid.Map(rapid.Int64Range(-maxJSONInt, maxJSONInt), Int64),
		rapid.Map(rapid.Float64().Filter(func(f float64) bool { return !math.IsInf(f, 0) && !math.IsNaN(f) }), Float64),
		rapid.SampledFrom([]Value{T(), False(), Null(), Nil(), EmptyObject(), Float64(math.Copysign(0, -1)), Float64(1e21)}),
	}
	if depth == 0 {
		return rapid.OneOf(atoms...)
	}
	return rapid.OneOf(append(atoms, rapid.Custom(func(t *rapid.T) Value {
		return ListOf(rapid.SliceOfN(jsonValues(depth-1), 0, 4).Draw(t, "items")...)
	}), rapid.Custom(func(t *rapid.T) Value {
		var kv []Value
		for _, k := range rapid.SliceOfNDistinct(text, 1, 4, rapid.ID).Draw(t, "keys") {
			kv = append(kv, Key(k), jsonValues(depth-1).Draw(t, "value"))
		}
		return ListOf(kv...)
	}))...)
}

// checkBridge asserts that v survives the way to JSON and back, and that any
// JSON of its meaning is the same after RFC 8785.
func checkBridge(t require.TestingT, v Value) {
	require.NoError(t, CheckJSON(v))
	data, err := ToJSON(v)
	require.NoError(t, err)
	back, err := FromJSON(data)
	require.NoError(t, err, "%s", data)
	require.True(t, Equal(v, back), "%s became %s", v, back)
	sorted, err := Sorted(v)
	require.NoError(t, err)
	other, err := ToJSON(sorted)
	require.NoError(t, err)
	require.Equal(t, rfc8785(t, data), rfc8785(t, other))
}

// rfc8785 is an independent implementation of canonical JSON. It takes objects
// and arrays only.
func rfc8785(t require.TestingT, data []byte) string {
	out, err := jcs.Transform([]byte("[" + string(data) + "]"))
	require.NoError(t, err, "%s", data)
	return string(out)
}

func TestBridgeIsABijection(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkBridge(t, jsonValues(4).Draw(t, "v")) })
}
