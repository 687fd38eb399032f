package fields

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// drawn writes fields as "record key=text", with # for a key, - for a line and ~ for text.
func drawn(r Result) []string {
	var out []string
	for _, f := range r.Fields {
		mark := map[Kind]string{Value: "=", Name: "#", Line: "-", Text: "~"}[f.Kind]
		if f.Kind != Name {
			out = append(out, fmt.Sprintf("%d %s%s%s", f.Record, f.Key, mark, f.Text))
		}
	}
	return out
}

func TestShapes(t *testing.T) {
	for text, want := range map[string][]string{
		`{"id": 7, "ok": true, "none": null, "to": ["a@x", "b@x"]}`: {"0 id=7",
			"0 ok=true", "0 to=a@x", "0 to=b@x"},
		`[{"id": "x", "by": {"n": "y"}}, {"id": "z"}]`: {"1 id=x", "1 n=y", "2 id=z"},
		`{"mails": [{"id": 1, "re": [{"id": 2}]}]}`:    {"1 id=1", "2 id=2"},
		"{'Ann': {'a': 'it\\'s'}, 'Bob': {'a': \"x\\n\", 'd': datetime.date(2024, 5, 6)}}": {"1 a=it's",
			"2 a=x\n", "2 d=2024", "2 d=5", "2 d=6"},
		"{\"a\": 1}\n{\"a\": 2}": {"0 a=1", "1 a=2"},
		`{"a": "b"} and more words follow`: {"0 a=b",
			"0 ~and more words follow"},
		`[Reset it](https://x.test) at once, now`: {"0 ~[Reset " +
			"it](https://x.test) at once, now"},
		`["Ann", "Bob"]`:                              {"1 =Ann", "2 =Bob"},
		"- a: 1\n  b: 'x\n\n    y'\n- a: 2":           {"1 a=1", "1 b=x\ny", "2 a=2"},
		"a: 1\nto:\n- x@y\n- z@y\nc: |\n  one\n  two": {"0 a=1", "0 to=x@y", "0 to=z@y", "0 c=one two"},
		"a: \"one\\\n  \\ two\\tthree\\u00e9\"":       {"0 a=one two\tthreeé"},
		"- Ann\n- Bob":                                {"1 =Ann", "2 =Bob"},
		"x:\n- by: ann\n  t: 1\n- by: bob":            {"1 by=ann", "1 t=1", "2 by=bob"},
		"name,mail\nAnn,a@x\nBob,\"b, c\"":            {"1 name=Ann", "1 mail=a@x", "2 name=Bob", "2 mail=b, c"},
		"| name | mail |\n|---|---|\n| Ann | a@x |\nThat is all for today folks": {"1 name=Ann",
			"1 mail=a@x", "0 ~That is all for today folks"},
		"Hotels: Grand\nLe Bon\nSmall Inn": {"0 ~Hotels: Grand\nLe Bon\nSmall Inn",
			"1 -Grand", "2 -Le Bon", "3 -Small Inn"},
		"DE4455": {"0 =DE4455"},
		"Hi Bob, how are you\nI am fine, thanks": {
			"0 ~Hi Bob, how are you\nI am fine, thanks"},
		"Dear Ann, this is: a mail.\nBye": {"0 ~Dear Ann, this is: a mail.\nBye"},
		"":                                nil,
	} {
		assert.Equal(t, want, drawn(Split(text)), text)
	}
}

// A table as programs print it is one only if no cell reaches over where a column begins.
func TestAlignedTables(t *testing.T) {
	for text, want := range map[string][]string{
		"boat    berth  depth\nTern    12     3.5\nGannet  14": {"1 boat=Tern", "1 berth=12", "1 depth=3.5",
			"2 boat=Gannet", "2 berth=14"},
		"boat    berth\n------  -----\nTern    12\nGannet  14\n(2 rows)": {"1 boat=Tern", "1 berth=12",
			"2 boat=Gannet", "2 berth=14", "3 ~(2 rows)"},
		"Berths of the day\nboat    berth\nTern    12\nGannet  14": {"1 boat=Tern", "1 berth=12", "2 boat=Gannet",
			"2 berth=14", "0 ~Berths of the day"},
		"Berths of the day\nboat,berth\nTern,12\nGannet,14": {"1 boat=Tern", "1 berth=12", "2 boat=Gannet",
			"2 berth=14", "0 ~Berths of the day"},
		"böat    berth\nTérn    12\nGannet  14": {"1 böat=Térn", "1 berth=12", "2 böat=Gannet", "2 berth=14"},
	} {
		assert.Equal(t, want, drawn(Split(text)), text)
	}
	for _, text := range []string{
		"boat    berth\nTern    12\nplease pay the mill at once\nGannet  14",
		"Dear Ann,  I hope\nthat all is well with you\nand with Bob",
		"boat    berth\nTern    12",
	} {
		for _, f := range Split(text).Fields {
			assert.NotEqual(t, Value, f.Kind, text)
		}
	}
}

func TestCutOffDocuments(t *testing.T) {
	for text, want := range map[string][]string{
		`[{"id": 1, "name": "An`:         {"1 id=1", "1 name=An"},
		"- id: 1\n  body: 'one\n    two": {"1 id=1", "1 body=one two"},
		"a: \"one":                       {"0 a=one"},
		"a,b,c\n1,2,3\n4,5":              {"1 a=1", "1 b=2", "1 c=3", "2 ~4,5"},
	} {
		r := Split(text)
		assert.Equal(t, want, drawn(r), text)
		assert.True(t, r.Cut, text)
	}
}

// A note below a table is read as text: nothing of it is lost, and no row is part of it.
func TestANoteBelowATableIsRead(t *testing.T) {
	r := Split("slot,day,state\n1,Mon,free\n2,Tue,taken\nremarks: pit 2 is narrow, no dogs. Write to ana@x.test")
	assert.Equal(t, []string{"1 slot=1", "1 day=Mon", "1 state=free", "2 slot=2", "2 day=Tue", "2 state=taken",
		"3 ~remarks: pit 2 is narrow, no dogs. Write to ana@x.test"}, drawn(r))
	assert.False(t, r.Cut)
}

func TestBlocksOfTheModelContextProtocol(t *testing.T) {
	var v any
	require.NoError(t, json.Unmarshal([]byte(
		`{"content": [{"type": "text", "text": "{\"id\": 7}"}, {"type": "image", "data": "x"}]}`), &v))
	r := Of(v)
	assert.Equal(t, []string{"1 id=7"}, drawn(r))
	assert.True(t, r.Opaque)
	require.NoError(t, json.Unmarshal([]byte(`{"content": [{"type": "fruit", "text": "{\"id\": 7}"}]}`), &v))
	assert.Equal(t, []string{`1 text={"id": 7}`, "1 type=fruit"}, drawn(Of(v)), "a text inside a tree stays a text")
}

func TestNestedRecords(t *testing.T) {
	for _, r := range []Result{
		Split(`{"body": "x", "comments": [{"by": "eve"}]}`), Split("body: x\ncomments:\n- by: eve"),
		Of(map[string]any{"body": "x", "comments": []any{map[string]any{"by": "eve"}}}),
	} {
		assert.True(t, r.Nested[1])
		assert.False(t, r.Nested[0])
	}
	assert.Empty(t, Split(`[{"by": "eve"}]`).Nested)
}

// Strings without escapes are no copies, unless they would hold a text that is mostly something else.
func TestFieldsHoldLittle(t *testing.T) {
	for text, inside := range map[string]bool{
		`{"name": "Ann of the hill", "note": "she likes tea"}`:        true,
		`{"name": "Ann of the hill"` + strings.Repeat(" ", 100) + `}`: false,
	} {
		one, all := unsafe.StringData(Split(text).Fields[1].Text), unsafe.StringData(text)
		at := int(uintptr(unsafe.Pointer(one))) - int(uintptr(unsafe.Pointer(all)))
		assert.Equal(t, inside, at >= 0 && at < len(text), text)
	}
}

// Whatever a text is, taking it apart ends, and costs time in its length.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{`{"a": [1, {"b": "c"}]}`,
		"- a: 'x\n  y'\n- b: \"\\u00e9", "a,b\n1,2\n3,4", "|a|b|\n|-|-|\n|1|2|", "(1, {'a': b'x'})",
		"[[[[[[[[", "a: |\n  x\n\n  y\nb: >-\n z", "\xff\x00", strings.Repeat("- ", 500), strings.Repeat("{'a':", 500)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r := Split(s)
		size := 0
		for _, x := range r.Fields {
			size += len(x.Text)
		}
		assert.LessOrEqual(t, size, 4*len(s)+16)
	})
}

// A list of columns without names is lines, and their cells. What stands under a table is a text.
func TestColumnsAndFeet(t *testing.T) {
	for text, want := range map[string][]string{
		"it-11  Soup   44.00\nit-12  Bread\t9.50": {"0 ~it-11  Soup   44.00\nit-12  Bread\t9.50",
			"1 -it-11  Soup   44.00", "1 -it-11", "1 -Soup", "1 -44.00", "2 -it-12  Bread\t9.50", "2 -it-12", "2 -Bread",
			"2 -9.50"},
		"id,to,n\nA,ann,1\nB,bob,2\n\nAsk Ann first,\nand then Bob.": {"1 id=A", "1 to=ann", "1 n=1", "2 id=B", "2 to=bob",
			"2 n=2", "0 ~Ask Ann first,\nand then Bob."},
		"boat    berth\nTern    12\nGannet  14\nTeal    15\nthe harbour is full now\nand shut": {"1 boat=Tern", "1 berth=12",
			"2 boat=Gannet", "2 berth=14", "3 boat=Teal", "3 berth=15", "0 ~the harbour is full now\nand shut"},
	} {
		assert.Equal(t, want, drawn(Split(text)), text)
	}
	const list = "note  a  b\nx   c  d"
	for _, f := range Split(list).Fields[1:] {
		assert.True(t, strings.HasPrefix(list[f.Offset:], f.Text), "%q is where it says", f.Text)
	}
	wide := strings.Repeat("a  ", maxCells+1) + "\n"
	assert.Len(t, Split(wide+wide).Fields, 1, "a line of too many cells is none of columns")
}

// Inputs that are hard on a reader: each must be linear, so that ten times the text may
// not cost a hundred times the steps. Allocations stand for steps, since they are counted.
func TestHostileShapesAreLinear(t *testing.T) {
	for name, unit := range map[string]string{
		"brackets": "[", "objects": `{"a":`, "dashes": "- ", "quotes": "'", "keys": "a:\n", "nested": "- a:\n  - ",
		"rows": "a,b\n", "escapes": `"\u`,
		"pipes": "|a|\n|-|-|\n", "lines": "x\n", "closing": "[]",
	} {
		cost := func(n int) float64 {
			text := strings.Repeat(unit, n)
			return testing.AllocsPerRun(1, func() { Split(text) })
		}
		small, large := cost(500), cost(5000)
		assert.LessOrEqual(t, large, 15*small+100, name)
	}
}
