package sexpr

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFrom(t *testing.T) {
	type order struct {
		ID    string   `json:"id"`
		Items []string `json:"items"`
	}
	for _, tt := range []struct {
		v    any
		want string
	}{
		{nil, "null"}, {true, "t"}, {false, "false"}, {"x", `"x"`}, {7, "7"}, {int32(-7), "-7"}, {uint64(7), "7"},
		{1.0, "1.0"}, {float32(0.5), "0.5"}, {int8(3), "3"},
		{[]any{}, "nil"}, {[]any{1, "a", nil}, `(1 "a" null)`}, {[]string{"a", "b"}, `("a" "b")`}, {map[string]any{}, "{}"},
		{map[string]any{"b": 1, "a": map[string]any{"c": []any{2.0}}}, "(:a (:c (2.0)) :b 1)"},
		{map[string]int{"n": 1}, "(:n 1)"},
		{order{"A1", []string{"tea"}}, `(:id "A1" :items ("tea"))`}, {json.RawMessage(`{"a":[1,2.0]}`), "(:a (1 2.0))"},
		{[]byte(`[true]`), "(t)"},
		{Plist("order", "A1", "deep", map[string]any{"n": 1}), `(:order "A1" :deep (:n 1))`},
	} {
		got, err := From(tt.v)
		require.NoError(t, err)
		assert.Equal(t, tt.want, got.String())
	}
}

func TestFromRefuses(t *testing.T) {
	for want, v := range map[string]any{
		"sexpr: items[1].n cannot be written: NaN is not a finite number": map[string]any{"items": []any{1,
			map[string]any{"n": math.NaN()}}},
		"18446744073709551615 has more than 64 bits with its sign":            uint64(math.MaxUint64),
		"sexpr: f cannot be written: json: unsupported type: func()":          map[string]any{"f": func() {}},
		"sexpr: this Go value cannot be written: 1:2: found text that is not": []byte(`{x}`),
	} {
		_, err := From(v)
		assert.ErrorContains(t, err, want)
	}
	assert.PanicsWithValue(t, "sexpr.Plist: found int as key 0, expected a string", func() { Plist(1, 2) })
}

// What the standard library decodes is the same value as what is read here.
func FuzzFrom(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5,{"b":null}],"c":"é"}`,
		`[]`, `{}`, `[true,false,null]`, `-0.5`, `{"":{"":""}}`, `[[[]]]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		want, err := FromJSON(data)
		if err != nil {
			return
		}
		d := json.NewDecoder(bytes.NewReader(data))
		d.UseNumber()
		var v any
		require.NoError(t, d.Decode(&v))
		got, err := From(v)
		require.NoError(t, err)
		a, err := Canonical(want)
		require.NoError(t, err)
		b, err := Canonical(got)
		require.NoError(t, err)
		require.Equal(t, a, b)
	})
}
