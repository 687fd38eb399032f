package sexpr

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// mustRead reads one datum that must be right.
func mustRead(t require.TestingT, text string) Value {
	v, err := Read("", text)
	require.NoError(t, err, text)
	return v
}

func TestCanonical(t *testing.T) {
	for text, want := range map[string]string{
		`(:b 1 :a 2)`:                            `(:a 2 :b 1)`,
		`(:B 1 :|a| 2 :|B| 3)`:                   `(:|B| 3 :a 2 :b 1)`,
		`(x (:b (:d 1 :c (2 (:f 1 :e 2)))))`:     `(x (:b (:c (2 (:e 2 :f 1)) :d 1)))`,
		`(3 1 2)`:                                `(3 1 2)`,
		`(b a :z :y)`:                            `(b a :z :y)`,
		`(:k :v)`:                                `(:k :v)`,
		"( :a\n ( ) ;x\n)":                       `(:a nil)`,
		`(:|é| 1 :z 2 :|Z| 3 :|| 4 :|😀| 5)`:      `(:|| 4 :|Z| 3 :z 2 :|é| 1 :|😀| 5)`,
		`1.50e1`:                                 `15.0`,
		`+07`:                                    `7`,
		`"\u{41}\u{a}"`:                          `"A\n"`,
		`(:type :request :tool "t" :args {})`:    `(:args {} :tool "t" :type :request)`,
		`(:a (:c 1 :b 2) :b ((:z 1 :y 2) ":z"))`: `(:a (:b 2 :c 1) :b ((:y 2 :z 1) ":z"))`,
	} {
		v := mustRead(t, text)
		got, err := Canonical(v)
		require.NoError(t, err, text)
		assert.Equal(t, want, got)
		sorted, err := Sorted(v)
		require.NoError(t, err)
		assert.Equal(t, want, sorted.String())
	}
}

func TestAppendKey(t *testing.T) {
	for _, name := range []string{"a", "as-of", "x_1", "", "A", "1", "-", "a b", "é", "a|b", "a\\", "nil", "t", "a\xff"} {
		want, wrong := AppendCanonical([]byte("("), Key(name))
		got, err := AppendKey([]byte("("), name)
		assert.Equal(t, wrong, err, name)
		assert.Equal(t, string(want), string(got), name)
	}
}

func TestCanonicalRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`(:a)`:                       `1:2: found a plist of 1 element, expected as many keywords as values`,
		`(:a 1 :b)`:                  `1:7: found a plist of 3 elements, expected as many keywords as values`,
		`(:a 1 b 2)`:                 `1:7: found a symbol in the place of a keyword, expected a keyword before every value of a plist`,
		`(:a 1 "b" 2)`:               `1:7: found a string in the place of a keyword, expected a keyword before every value of a plist`,
		`(:a 1 (:b) 2)`:              `1:7: found a list in the place of a keyword, expected a keyword before every value of a plist`,
		`(:a 1 :b 2 :A 3)`:           `1:12: found the key "a" a second time, expected each key once`,
		`(:a 1 :a 1)`:                `1:7: found the key "a" a second time, expected each key once`,
		"(x (1 (:c 1\n :d 2 :c 3)))": `2:7: found the key "c" a second time, expected each key once`,
		`(:z (:a 1 :|a| 2) :y 1)`:    `1:11: found the key "a" a second time, expected each key once`,
	} {
		v := mustRead(t, text)
		got, err := Canonical(v)
		assert.EqualError(t, err, want, text)
		assert.Empty(t, got)
		_, err = Sorted(v)
		assert.EqualError(t, err, want, text)
		_, err = DigestOf(v)
		assert.EqualError(t, err, want, text)
		_, err = Print(v)
		assert.NoError(t, err, "it prints all the same")
	}
}

// Many keys are sorted another way than few.
func TestManyKeys(t *testing.T) {
	var items []Value
	for i := range 40 {
		items = append(items, Key(string(rune('a'+i*7%26))+strconv.Itoa(i%4)), Int64(int64(i)))
	}
	v := ListOf(items[:2*20]...)
	text, err := Canonical(v)
	require.NoError(t, err)
	keys := make([]string, 0, v.Len()/2)
	for i := 0; i < v.Len(); i += 2 {
		keys = append(keys, v.Items()[i].Text())
	}
	slices.Sort(keys)
	back := mustRead(t, text)
	for i, k := range keys {
		assert.Equal(t, k, back.Items()[2*i].Text())
		x, _ := v.Get(k)
		y, _ := back.Get(k)
		assert.True(t, Equal(x, y))
	}
	twice := ListOf(append(v.Items(), Key(keys[7]).At(Pos{9, 9}), Nil())...)
	_, err = Canonical(twice)
	assert.EqualError(t, err, `9:9: found the key "`+keys[7]+`" a second time, expected each key once`)
}

// What was made in Go and has no spelling is an error everywhere.
func TestNoSpelling(t *testing.T) {
	loop := make([]Value, 1)
	loop[0] = ListOf(loop...)
	deep := Nil()
	for range maxDepth + 1 {
		deep = ListOf(deep)
	}
	for name, c := range map[string]struct {
		v    Value
		want string
	}{
		"NaN":          {Float64(math.NaN()), "found the float NaN, expected a finite number"},
		"infinity":     {Float64(math.Inf(-1)), "found the float -Inf, expected a finite number"},
		"bytes":        {Str("a\xffb"), `found text that is not UTF-8: "a\xffb", expected UTF-8`},
		"keyword":      {Key("\xff"), `found text that is not UTF-8: "\xff", expected UTF-8`},
		"symbol":       {Sym("\xff"), `found text that is not UTF-8: "\xff", expected UTF-8`},
		"holds self":   {ListOf(loop...), "found a list at depth 1001, expected at most depth 1000"},
		"deep":         {deep, "found a list at depth 1001, expected at most depth 1000"},
		"in a plist":   {Plist("b", Nil(), "a", Float64(math.NaN())), "found the float NaN, expected a finite number"},
		"with a place": {ListOf(Str("\xff").At(Pos{3, 4})), `3:4: found text that is not UTF-8: "\xff", expected UTF-8`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Print(c.v)
			assert.EqualError(t, err, c.want)
			_, err = Canonical(c.v)
			assert.EqualError(t, err, c.want)
			_, err = Sorted(c.v)
			assert.EqualError(t, err, c.want)
			assert.Error(t, CheckJSON(c.v))
			_, err = ToJSON(c.v)
			assert.Error(t, err)
			assert.Equal(t, "#<"+c.want+">", c.v.String())
			kept, err := AppendPrint([]byte("kept"), ListOf(Int64(1), c.v))
			assert.Error(t, err)
			assert.Equal(t, "kept", string(kept))
		})
	}
}

func TestDigestIsOverCanonicalText(t *testing.T) {
	a, err := DigestOf(mustRead(t, `(:b 1 :a (:d "x" :c nil))`))
	require.NoError(t, err)
	b, err := DigestOf(mustRead(t, "(:A (:C () :D \"\\u{78}\")\n :B +1) ; the same"))
	require.NoError(t, err)
	assert.Equal(t, a, b)
	// printf '(:a (:c nil :d "x") :b 1)' | sha256sum
	assert.Equal(t, "sha256:ef41271dd19cd40669ef6f05d774f095aa31f35499a921a53755528732a24e2d", a.String())
	back, err := ParseDigest(a.String())
	require.NoError(t, err)
	assert.Equal(t, a, back)
	for _, other := range []string{`(:b 1.0 :a (:d "x" :c nil))`,
		`(:b 1 :a (:d "x" :c false))`, `(:b 1 :a (:d x :c nil))`, `(:b 1 :a (:d :x :c nil))`, `(:b 1 :|A| (:d "x" :c nil))`} {
		d, err := DigestOf(mustRead(t, other))
		require.NoError(t, err)
		assert.NotEqual(t, a, d, other)
	}
}

func TestSortedKeepsPositions(t *testing.T) {
	v, err := Sorted(mustRead(t, "(:b (:z 1)\n :a 2)"))
	require.NoError(t, err)
	assert.Equal(t, Pos{2, 2}, v.Items()[0].Pos())
	assert.Equal(t, Pos{1, 5}, v.Items()[3].Pos())
	same := mustRead(t, `(:a 1 :b (:c (x)))`)
	allocs := testing.AllocsPerRun(100, func() {
		if _, err := Sorted(same); err != nil {
			panic(err)
		}
	})
	assert.Zero(t, allocs, "what is sorted stays")
}

// values generates any value, as deep as depth.
func values(depth int) *rapid.Generator[Value] {
	text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-zA-Z0-9:.|{}"\\ -]{0,6}`),
		rapid.SampledFrom([]string{"", "a", "A", "nil", "t", "{}", ".", "1", "a.b", "\n", "\u2028", "\ufeff", "\x00", "é"}))
	atoms := []*rapid.Generator[Value]{
		rapid.Map(text, Str), rapid.Map(text, Key), rapid.Map(text, Sym),
		rapid.Map(rapid.Int64(), Int64),
		rapid.Map(rapid.Float64().Filter(func(f float64) bool { return !math.IsInf(f, 0) && !math.IsNaN(f) }), Float64),
		rapid.Map(rapid.Float64Range(-1000, 1000), func(f float64) Value { return Float64(math.Trunc(f) / 8) }),
	}
	if depth == 0 {
		return rapid.OneOf(atoms...)
	}
	list := rapid.Custom(func(t *rapid.T) Value {
		return ListOf(rapid.SliceOfN(values(depth-1), 0, 5).Draw(t, "items")...)
	})
	plist := rapid.Custom(func(t *rapid.T) Value {
		var kv []Value
		for _, k := range rapid.SliceOfNDistinct(text, 1, 4, rapid.ID).Draw(t, "keys") {
			kv = append(kv, Key(k), values(depth-1).Draw(t, "value"))
		}
		return ListOf(kv...)
	})
	return rapid.OneOf(append(atoms, list, plist)...)
}

func TestReadPrintIsIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := values(4).Draw(t, "v")
		text, err := Print(v)
		require.NoError(t, err)
		assert.NotContains(t, text, "\n")
		back, err := Read("", text)
		require.NoError(t, err, text)
		if !Equal(v, back) {
			t.Fatalf("%s came back as %s", text, back)
		}
	})
}

// sameMeaning is the slow and obvious reference for "one canonical form": equal,
// but for the order of keys.
func sameMeaning(a, b Value) bool {
	if a.IsPlist() && b.IsPlist() && a.Len() == b.Len() {
		for i := 0; i < a.Len(); i += 2 {
			other, ok := b.Get(a.Items()[i].Text())
			if !ok || !sameMeaning(a.Items()[i+1], other) {
				return false
			}
		}
		return true
	}
	if a.Kind() != List || b.Kind() != List || a.Len() != b.Len() {
		return Equal(a, b)
	}
	for i := range a.Items() {
		if !sameMeaning(a.Items()[i], b.Items()[i]) {
			return false
		}
	}
	return true
}

// reversed turns the order of the keys of every plist round.
func reversed(v Value) Value {
	var items []Value
	for i := range v.Items() {
		at := i
		if v.IsPlist() {
			at = v.Len() - 2 - i + 2*(i%2)
		}
		items = append(items, reversed(v.Items()[at]))
	}
	if items == nil {
		return v
	}
	return ListOf(items...).At(v.Pos())
}

func TestCanonicalIsInjectiveUpToOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := values(3).Draw(t, "v")
		text, err := Canonical(v)
		if err != nil {
			return
		}
		other := reversed(v)
		turned, err := Canonical(other)
		require.NoError(t, err)
		assert.Equal(t, text, turned)
		w := values(3).Draw(t, "w")
		if canon, err := Canonical(w); err == nil {
			assert.Equal(t, sameMeaning(v, w), text == canon)
		}
		sorted, err := Sorted(other)
		require.NoError(t, err)
		assert.Equal(t, text, sorted.String())
	})
}

func TestErrorsStayShort(t *testing.T) {
	long := strings.Repeat("x", 10_000)
	for _, text := range []string{long + ":a", "1" + long, `"\` + long, "1" + strings.Repeat("é", 100),
		`"\u{` + strings.Repeat("é", 100) + `}"`, "#" + long, "{" + long, strings.Repeat("9", 10_000),
		strings.Repeat("9", 10_000) + ".0", "[" + long} {
		_, err := Read("in", text)
		require.Error(t, err)
		assert.Less(t, len(err.Error()), 200)
	}
	_, err := Canonical(ListOf(Key(long), Nil(), Key(long), Nil()))
	require.Error(t, err)
	assert.Less(t, len(err.Error()), 200)
}
