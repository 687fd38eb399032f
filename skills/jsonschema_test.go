package skills

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/opencortex-go/cortex/sexpr"
)

func TestJSONSchema(t *testing.T) {
	str := Type{Kind: KindString}
	tests := []struct {
		t    Type
		want string
	}{
		{str, `{"type":"string"}`},
		{Type{Kind: KindCommand}, `{"type":"string","description":"a command line, as a string"}`},
		{Type{Kind: KindURL, Nullable: true}, `{"type":["string","null"],"description":"a URL, as a string"}`},
		{Type{Kind: KindBoolean}, `{"type":"boolean"}`},
		{Type{Kind: KindInteger, Bounded: true, Lo: -1, Hi: 300}, `{"type":"integer","minimum":-1,"maximum":300}`},
		{Type{Kind: KindNumber, Bounded: true, Lo: 0.5, Hi: 2}, `{"type":"number","minimum":0.5,"maximum":2}`},
		{Type{Kind: KindEnum, Enum: []string{"a", "b"}}, `{"type":"string","enum":["a","b"]}`},
		{Type{Kind: KindEnum, Enum: []string{"a"}, Nullable: true}, `{"type":["string","null"],"enum":["a",null]}`},
		{Type{Kind: KindList}, `{"type":"array"}`},
		{Type{Kind: KindList, Elem: &str}, `{"type":"array","items":{"type":"string"}}`},
		{Type{Kind: KindAny}, `{"description":"any value"}`},
		{Type{Kind: KindObject, Params: []Param{{Name: "userId", Type: str}}, Required: []string{"userId"}, Nullable: true},
			`{"type":["object","null"],"properties":{"userId":{"type":"string"}},"required":["userId"],"additionalProperties":false}`},
		{Type{Kind: KindObject}, `{"type":"object","properties":{},"additionalProperties":false}`},
	}
	for _, test := range tests {
		tool := Tool{Name: "x", Params: []Param{{Name: "p", Type: test.t}}}
		got, err := tool.JSONSchema()
		require.NoError(t, err)
		assert.JSONEq(t, `{"type":"object","properties":{"p":`+test.want+`},"additionalProperties":false}`, string(got))
	}
	got, err := (&Tool{Name: "x"}).JSONSchema()
	require.NoError(t, err)
	assert.Equal(t, `{"type":"object","properties":{},"additionalProperties":false}`, string(got))
}

// drawType makes any type, nested at most depth deep.
func drawType(r *rapid.T, depth int) Type {
	most := int(KindSQL)
	t := Type{Kind: ParamKind(rapid.IntRange(0, most).Draw(r, "kind")), Nullable: rapid.Bool().Draw(r, "nullable")}
	if depth == 0 && (t.Kind == KindList || t.Kind == KindObject) {
		t.Kind = KindString
	}
	switch t.Kind {
	case KindInteger, KindNumber:
		if t.Bounded = rapid.Bool().Draw(r, "bounded"); t.Bounded {
			t.Lo, t.Hi = -2, 3
		}
	case KindEnum:
		t.Enum = []string{"red", "null"}
	case KindList:
		elem := drawType(r, depth-1)
		t.Elem = &elem
	case KindObject:
		t.Params, t.Required = drawParams(r, depth-1)
	}
	return t
}

func drawParams(r *rapid.T, depth int) (params []Param, required []string) {
	for i := range rapid.IntRange(0, 3).Draw(r, "params") {
		name := fmt.Sprintf("k%d", i)
		params = append(params, Param{Name: name, Type: drawType(r, depth)})
		if rapid.Bool().Draw(r, "required") {
			required = append(required, name)
		}
	}
	return params, required
}

// drawJSON makes a JSON value that may be of the type, and often is.
func drawJSON(r *rapid.T, t Type, depth int) string {
	if rapid.IntRange(0, 6).Draw(r, "odd") == 0 || t.Kind == KindAny {
		return rapid.SampledFrom([]string{`null`,
			`true`, `5`, `-7`, `0.5`, `"red"`, `"x"`, `["a"]`, `{"k0":1}`, `[{"a":[1.5]}]`}).Draw(r, "value")
	}
	switch t.Kind {
	case KindBoolean:
		return rapid.SampledFrom([]string{"true", "false"}).Draw(r, "bool")
	case KindInteger:
		return fmt.Sprint(rapid.IntRange(-4, 5).Draw(r, "int"))
	case KindNumber:
		return rapid.SampledFrom([]string{"-2", "-2.5", "0", "1.25", "3", "3.5"}).Draw(r, "number")
	case KindEnum:
		return rapid.SampledFrom([]string{`"red"`, `"null"`, `"RED"`}).Draw(r, "enum")
	case KindList:
		out := "["
		for i := range rapid.IntRange(1, 3).Draw(r, "n") {
			if i > 0 {
				out += ","
			}
			out += drawJSON(r, *t.Elem, depth-1)
		}
		return out + "]"
	case KindObject:
		return drawObject(r, t.Params, depth)
	}
	return `"some text"`
}

func drawObject(r *rapid.T, params []Param, depth int) string {
	out := "{"
	add := func(name, value string) {
		if len(out) > 1 {
			out += ","
		}
		out += fmt.Sprintf("%q:%s", name, value)
	}
	for _, p := range params {
		if rapid.IntRange(0, 4).Draw(r, "there") > 0 {
			add(p.Name, drawJSON(r, p.Type, depth-1))
		}
	}
	if rapid.IntRange(0, 9).Draw(r, "more") == 0 {
		add("unknown", "1")
	}
	return out + "}"
}

// The schema that a model is shown and the check of what it sends are one: a
// validator from outside and Check agree on every JSON object. (Check takes [] for
// false and {}, as nil is; JSON Schema has no such thing, so [] is not drawn.)
func TestJSONSchemaAndCheckAgree(t *testing.T) {
	took, refused := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		tool := Tool{Name: "x"}
		tool.Params, tool.Required = drawParams(r, 2)
		schema, err := tool.JSONSchema()
		if err != nil {
			r.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
		if err != nil {
			r.Fatal(err)
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource("mem:tool", doc); err != nil {
			r.Fatal(err)
		}
		validator, err := c.Compile("mem:tool")
		if err != nil {
			r.Fatalf("%s: %v", schema, err)
		}
		text := drawObject(r, tool.Params, 2)
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(text)))
		if err != nil {
			r.Fatal(err)
		}
		args, err := sexpr.FromJSON([]byte(text))
		if err != nil {
			r.Fatal(err)
		}
		_, ours := tool.Check(args)
		theirs := validator.Validate(value)
		if (ours == nil) != (theirs == nil) {
			r.Fatalf("schema %s\nvalue %s\nCheck: %v\nvalidator: %v", schema, text, ours, theirs)
		}
		if ours == nil {
			took++
		} else {
			refused++
		}
	})
	assert.Positive(t, took)
	assert.Positive(t, refused)
}
