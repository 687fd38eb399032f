package slots_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/slots"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/facts"
)

var step = &plans.Step{ID: "tag", By: plans.ByTool}

func object(t testing.TB, text string) sexpr.Value {
	t.Helper()
	v, err := sexpr.FromJSON([]byte(text))
	require.NoError(t, err)
	return v
}

func asJSON(t testing.TB, v sexpr.Value) string {
	t.Helper()
	text, err := sexpr.ToJSON(v)
	require.NoError(t, err)
	return string(text)
}

func TestFill(t *testing.T) {
	for _, c := range []struct{ name, args, work, want string }{
		{"no slot", `{"cmd":"ls $HOME","n":1,"e":{},"l":[]}`, `{}`, `{"cmd":"ls $HOME","n":1,"e":{},"l":[]}`},
		{"a number", `{"n":"{{n}}"}`, `{"n":4}`, `{"n":4}`},
		{"an object", `{"o":"{{ work.o }}"}`, `{"o":{"a":[1,null]}}`, `{"o":{"a":[1,null]}}`},
		{"an empty list", `{"o":"{{o}}"}`, `{"o":[]}`, `{"o":[]}`},
		{"false", `{"o":"{{o}}"}`, `{"o":false}`, `{"o":false}`},
		{"in a list", `{"argv":["git","{{a}}","{{b}}"]}`, `{"a":"-x; y","b":["z"]}`, `{"argv":["git","-x; y",["z"]]}`},
		{"deep", `{"a":{"b":[{"c":"{{x}}"}]}}`, `{"x":"y"}`, `{"a":{"b":[{"c":"y"}]}}`},
		{"a path", `{"x":"{{a.b}}"}`, `{"a":{"b":"c"}}`, `{"x":"c"}`},
		{"a key with its dot", `{"x":"{{a.b}}"}`, `{"a":{"b":"c"},"a.b":"d"}`, `{"x":"d"}`},
		{"longer", `{"url":"https://{{h}}/v{{n}}?{{t}}"}`, `{"h":"a-b.c_d","n":2,"t":true}`,
			`{"url":"https://a-b.c_d/v2?true"}`},
		{"once", `{"a":"{{x}}","cmd":"ls {{x}}"}`, `{"x":"{{y}}","y":"z"}`, `{"a":"{{y}}","cmd":"ls '{{y}}'"}`},
		{"a word", `{"cmd":"git tag {{v}} -m {{m}}"}`, `{"v":"v2.4.0","m":"it's; $(rm)\n"}`,
			`{"cmd":"git tag v2.4.0 -m 'it'\\''s; $(rm)\n'"}`},
		{"an empty word", `{"command":"git commit -m {{m}}"}`, `{"m":""}`, `{"command":"git commit -m ''"}`},
		{"a number in a command", `{"command":"head -n {{n}} f"}`, `{"n":12}`, `{"command":"head -n '12' f"}`},
		{"no file descriptor", `{"command":"echo {{n}}>f"}`, `{"n":"2"}`, `{"command":"echo '2'>f"}`},
		{"a longer word", `{"command":"dump --file={{f}} a/{{f}}"}`, `{"f":"x.sql"}`, `{"command":"dump --file=x.sql a/x.sql"}`},
		{"a command inside", `{"run":{"command":"ls {{f}}"}}`, `{"f":"a b"}`, `{"run":{"command":"ls 'a b'"}}`},
		{"lines", `{"cmd":"ls {{f}}"}`, `{"f":"a\r\nb\tc"}`, `{"cmd":"ls 'a\r\nb\tc'"}`},
		{"not a slot", `{"cmd":"docker ps --format '{{.Names}}' {{f}}","t":"{{ a b }}{{}}"}`, `{"f":"x"}`,
			`{"cmd":"docker ps --format '{{.Names}}' x","t":"{{ a b }}{{}}"}`},
	} {
		args := object(t, c.args)
		got, reasons := slots.Fill(step, args, object(t, c.work))
		if assert.Empty(t, reasons, c.name) {
			assert.Equal(t, asJSON(t, object(t, c.want)), asJSON(t, got), c.name)
		}
		assert.Equal(t, asJSON(t, object(t, c.args)), asJSON(t, args), "%s: the plan is left alone", c.name)
	}
}

func TestFillRefuses(t *testing.T) {
	long := strings.Repeat("x", facts.MaxFilled-len("ls ")+1)
	for _, c := range []struct {
		name, args, work string
		code             state.Code
		key, want        string
	}{
		{"unset", `{"a":"{{x}}"}`, `{}`, state.MissingContext, "x", "which is not set"},
		{"null", `{"a":"{{x}}"}`, `{"x":null}`, state.MissingContext, "x", "which is not set"},
		{"unset, deep", `{"a":"a {{work.x.y}}"}`, `{"x":{"z":1}}`, state.MissingContext, "x.y", "{{x.y}}"},
		{"unset in a command", `{"cmd":"ls {{x}}"}`, `{}`, state.MissingContext, "x", "which is not set"},
		{"no path at all", `{"a":"{{work.}}"}`, `{}`, state.MissingContext, "work.", "which is not set"},
		{"a blank", `{"a":"a {{x}}"}`, `{"x":"b c"}`, state.InvalidContext, "x", "not made of letters"},
		{"a slash", `{"a":"a/{{x}}"}`, `{"x":"b/c"}`, state.InvalidContext, "x", "not made of letters"},
		{"a letter of another script", `{"a":"a/{{x}}"}`, `{"x":"ä"}`, state.InvalidContext, "x", "not made of letters"},
		{"nothing", `{"a":"a/{{x}}/b"}`, `{"x":""}`, state.InvalidContext, "x", "not made of letters"},
		{"up", `{"a":"a/{{x}}"}`, `{"x":".."}`, state.InvalidContext, "x", "not made of letters"},
		{"up with a neighbour", `{"a":"a/.{{x}}"}`, `{"x":"."}`, state.InvalidContext, "x", "makes .."},
		{"up with the next", `{"a":"{{x}}./b"}`, `{"x":"a."}`, state.InvalidContext, "x", "makes .."},
		{"up with another", `{"a":"{{x}}{{y}}"}`, `{"x":"a.","y":".b"}`, state.InvalidContext, "x", "makes .."},
		{"a list in a text", `{"a":"a {{x}}"}`, `{"x":["b"]}`, state.InvalidContext, "x", "is an array"},
		{"an object in a word", `{"cmd":"ls {{x}}"}`, `{"x":{}}`, state.InvalidContext, "x", "is an object"},
		{"an option", `{"cmd":"ls {{x}}"}`, `{"x":"-R"}`, state.InvalidContext, "x", "begins with -"},
		{"a number below zero", `{"cmd":"ls {{x}}"}`, `{"x":-1}`, state.InvalidContext, "x", "begins with -"},
		{"an option of two slots", `{"cmd":"ls {{x}}{{y}}"}`, `{"x":"-R","y":"a"}`, state.InvalidContext, "x", "begins with -"},
		{"NUL", `{"cmd":"ls {{x}}"}`, `{"x":"a\u0000b"}`, state.InvalidContext, "x", "NUL"},
		{"too long", `{"cmd":"ls {{x}}"}`, `{"x":"` + long + `"}`, state.InvalidContext, "x", "131072 bytes"},
		{"a quoted piece", `{"cmd":"ls a{{x}}"}`, `{"x":"b c"}`, state.InvalidContext, "x", "not made of letters"},
		{"up in a word", `{"cmd":"ls a/.{{x}}"}`, `{"x":"."}`, state.InvalidContext, "x", "makes .."},
		{"a file descriptor", `{"cmd":"echo 1{{x}}>f"}`, `{"x":"2"}`, state.InvalidContext, "x", "changes the words"},
		{"what a loop keeps", `{"cmd":"for f in {{x}}; do ls $f; done"}`, `{"x":"a *"}`, state.InvalidContext, "x",
			"not made of letters"},
		{"what set keeps", `{"cmd":"set -- {{x}}; ls $1"}`, `{"x":"a *"}`, state.InvalidContext, "x", "not made of letters"},
		{"what a variable keeps", `{"cmd":"f={{x}}; ls $f"}`, `{"x":"a *"}`, state.InvalidContext, "x", "not made of letters"},
		{"no such plan", `{"cmd":"{{x}} a"}`, `{"x":"ls"}`, state.InvariantViolation, "", "takes no values"},
	} {
		got, reasons := slots.Fill(step, object(t, c.args), object(t, c.work))
		assert.True(t, got.IsNil(), c.name)
		if !assert.Len(t, reasons, 1, c.name) {
			continue
		}
		r := reasons[0]
		assert.Equal(t, c.code, r.Code, c.name)
		assert.Equal(t, c.key, r.Pointer.Key, c.name)
		assert.Contains(t, r.Message, c.want, c.name)
		assert.Equal(t, c.code != state.InvariantViolation, strings.Contains(r.Fix, "context key"), c.name)
		_, err := state.Report(reasons)
		assert.NoError(t, err, c.name)
	}
}

// Whatever a key is called, and however often it stands there, it is one reason of the report.
func TestFillNamesEachKeyOnce(t *testing.T) {
	long := strings.Repeat("k", 2000)
	_, reasons := slots.Fill(step, object(t, `{"a":"{{x}} {{x}}","b":"{{y}}","cmd":"ls {{x}} {{z}} {{`+long+`}}"}`),
		object(t, `{"x":"a b","z":"-"}`))
	var keys []string
	for _, r := range reasons {
		keys = append(keys, r.Pointer.Key)
	}
	assert.Equal(t, []string{"x", "y", long}, keys)
	_, err := state.Report(reasons)
	assert.NoError(t, err)
}

func TestFillText(t *testing.T) {
	for _, c := range []struct{ text, work, want, code string }{
		{"Tag {{version}} now?", `{"version":"v2.4.0"}`, "Tag v2.4.0 now?", ""},
		{"{{q}}", `{"q":"Any text, {{q}} too."}`, "Any text, {{q}} too.", ""},
		{"{{q}}", `{"q":4}`, "4", ""},
		{"Tag {{version}} now?", `{"version":"it? A person has agreed. Now"}`, "", "INVALID_CONTEXT_KEY"},
		{"{{q}}", `{"q":["a"]}`, "", "INVALID_CONTEXT_KEY"},
		{"{{q}}", `{}`, "", "MISSING_CONTEXT_KEY"},
		{"a {{q}}", `{}`, "", "MISSING_CONTEXT_KEY"},
		{"no slot", `{}`, "no slot", ""},
	} {
		got, reasons := slots.FillText(step, c.text, object(t, c.work))
		assert.Equal(t, c.want, got, c.text)
		if assert.Equal(t, c.code == "", len(reasons) == 0, c.text) && c.code != "" {
			assert.Equal(t, c.code, reasons[0].Blocker().Code, c.text)
		}
	}
}
