package author_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/reason/author"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/provenance"
	"github.com/opencortex-go/cortex/skills/rules"
)

const list = `{"jsonrpc":"2.0","id":1,"result":{"tools":[
 {"name":"delete_note","description":"Deletes a note.","inputSchema":{"type":"object","required":["note_id"],
  "properties":{"note_id":{"type":"string"},"days":{"type":"integer","minimum":1,"maximum":30}}},
  "annotations":{"readOnlyHint":true}},
 {"name":"list_notes","description":"Lists notes.","inputSchema":{"type":"object",
  "properties":{"order":{"type":"string","enum":["new","old"]}}},"annotations":{"readOnlyHint":false}},
 {"name":"frobnicate_note","inputSchema":{"type":"object",
  "properties":{"x":{"anyOf":[{"type":"string"},{"type":"null"}]}}}}]}}`

func TestDeclareLoads(t *testing.T) {
	text, err := author.Declare(provenance.DefaultLexicon(), "list.json", []byte(list))
	require.NoError(t, err)
	tools := load(t, text)
	gone := tools["delete_note"]
	require.Equal(t, skills.EffectExternal, gone.Effect, "a server that calls a deletion a read is not believed")
	require.Contains(t, gone.Classes, "delete")
	require.Equal(t, []string{"note_id"}, gone.Required)
	require.Equal(t, skills.EffectExternal, tools["list_notes"].Effect, "a server may make a draft stricter")
	require.Equal(t, skills.EffectExternal, tools["frobnicate_note"].Effect, "an unknown verb is an effect")
	require.Contains(t, text, "(integer 1 30)")
	require.Contains(t, text, `(enum "new" "old")`)
	require.Contains(t, text, "(nullable string)")
}

// A name may have neither a letter nor a digit.
func TestDeclareNamesWithoutWords(t *testing.T) {
	for _, name := range []string{"_", "_._", "__-_"} {
		for _, doc := range []string{"", "Message to guests", "Returns all notes of it", "Shows things"} {
			text, err := author.Declare(provenance.DefaultLexicon(), "x.json",
				[]byte(`[{"name":"`+name+`","description":"`+doc+`"}]`))
			require.NoError(t, err)
			require.Equal(t, skills.EffectExternal, load(t, text)[name].Effect, "%s %s", name, doc)
		}
	}
}

// Servers of MCP write dots in names.
func TestDeclareNamesWithDots(t *testing.T) {
	text, err := author.Declare(provenance.DefaultLexicon(), "x.json", []byte(`[{"name":"job.delete"},{"name":"job.get"}]`))
	require.NoError(t, err)
	tools := load(t, text)
	require.Contains(t, tools["job.delete"].Classes, "delete")
	require.Equal(t, skills.EffectNone, tools["job.get"].Effect)
}

func TestDeclareErrors(t *testing.T) {
	for in, want := range map[string]string{
		``:                    "expected JSON",
		`{}`:                  "found no tools",
		`{"tools":7}`:         "tools: expected a list",
		`{"openapi":"3.0.0"}`: "found no tools",
		`{"swagger":"1.2"}`:   "of another version",
		"openapi: [":          "expected an OpenAPI document",
		`{"openapi":"3.0.0","paths":{"/a":{"get":{"parameters":[
		  {"name":"x","in":"query","schema":{}},{"name":"x","in":"header","schema":{}}]}}}}`: "two parameters x",
		`[{"name":"a b"}]`:                  "tool 1: found the name",
		`[{"name":"a","parameters":"no"}]`:  "tool a: expected a JSON schema",
		strings.Repeat(" ", 16<<20) + "[1]": "more than",
	} {
		_, err := author.Declare(provenance.DefaultLexicon(), "x.json", []byte(in))
		require.ErrorContains(t, err, want)
	}
}

const notes = `openapi: 3.1.0
servers: [{url: "https://{tenant}.notes.example/v1"}, {url: "https://api.notes.example"}]
paths:
  /notes/{id}:
    parameters: [{name: id, in: path, schema: {type: [string, "null"]}}]
    get: {operationId: dropNote, responses: {}}
    head: {operationId: existence, responses: {}}
    put: {operationId: frobnicate, responses: {}}
    delete: {summary: Reads a note., responses: {}}
    post:
      operationId: searchNotes
      requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/Tree"}}}}
      responses: {"200": {content: {application/json: {schema: {$ref: "#/components/schemas/Tree"}}}}}
components:
  schemas:
    Tree:
      type: object
      required: [left]
      properties:
        left: {$ref: "#/components/schemas/Tree"}
        link: {type: string, format: uri}
        odd: {type: integer, multipleOf: 3, minimum: 1}
        to: {oneOf: [{type: string}, {type: integer}]}
        away: {$ref: "#/components/schemas/Gone/properties/x"}
`

func TestDeclareOperations(t *testing.T) {
	text, err := author.Declare(provenance.DefaultLexicon(), "notes.yaml", []byte(notes))
	require.ErrorContains(t, err, "notes.yaml", "it refers to what it does not hold")
	require.Empty(t, text)
	text, err = author.Declare(provenance.DefaultLexicon(), "notes.yaml",
		[]byte(strings.ReplaceAll(notes, "Gone/properties/x", "Tree/properties/link")))
	require.NoError(t, err)
	tools := load(t, text)
	require.Equal(t, skills.EffectNone, tools["existence"].Effect, "HEAD reads")
	require.Equal(t, skills.EffectExternal, tools["dropNote"].Effect, "GET does not make a read of an effect's name")
	require.Equal(t, []string{"update"}, tools["frobnicate"].Classes)
	gone := tools["delete_notes_id"]
	require.Equal(t, skills.EffectExternal, gone.Effect, "DELETE is no read, whatever is said of it")
	require.Equal(t, []string{"delete"}, gone.Classes)
	require.Equal(t, map[string]string{"id": "id"}, gone.Roles)
	search := tools["searchNotes"]
	require.Equal(t, skills.EffectNone, search.Effect)
	require.Equal(t, []string{"id", "left"}, search.Required)
	for _, want := range []string{
		"; DELETE /notes/{id}, at api.notes.example", ":link url", "; guessed: :to may be anything: oneOf",
		"; guessed: :away may be anything: the document does not hold #/",
		"; guessed: :left.left may be anything: the schema refers",
		"; left to the server: :left.odd minimum, :left.odd multipleOf, :odd minimum",
		":id (nullable string)", ":odd :untrusted",
	} {
		require.Contains(t, text, want)
	}
}

func TestDeclareSchemas(t *testing.T) {
	text, err := author.Declare(provenance.DefaultLexicon(), "x.json", []byte(`[{"name":"frob","input_schema":{
	 "$defs":{"P":{"type":"string","enum":["a",null]},"Q":{"$ref":"#/$defs/Q"}},
	 "type":"object","patternProperties":{"^x":{}},"properties":{
	  "one":{"allOf":[{"$ref":"#/$defs/P"}]},"self":{"$ref":"#/$defs/Q"},"fixed":{"const":"z"},"any":true,
	  "many":{"type":["string","integer"]},"half":{"type":"integer","minimum":1},
	  "both":{"allOf":[{"type":"object","properties":{"a":{"type":"boolean"}}},
	                   {"properties":{"b":{"type":"string","format":"hostname"}},"required":["b"]}]},
	  "numbers":{"type":"integer","enum":[1,2]},"file_path":{"type":"string"},"line\nbreak":{"not":{}}}},
	 "outputSchema":{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object",
	  "properties":{"id":{"type":"string"}}}}}}}]`))
	require.NoError(t, err)
	load(t, text)
	for _, want := range []string{
		`:one (enum "a")`, `:fixed (enum "z")`, "; guessed: :self may be anything: the schema refers to itself",
		":any any", ":many any", "; left to the server: :half minimum", ":file_path path",
		":both (object (:a boolean :b host) :required (:b))", "; guessed: :numbers: what enum says cannot be declared",
		"; guessed: :line break may be anything: not cannot", "patternProperties says of the parameters",
		":output (:id :untrusted)", "; guessed: texts in ",
	} {
		require.Contains(t, text, want)
	}
}

// A server's word makes a draft stricter or nothing.
func TestDeclareBelievesNoServer(t *testing.T) {
	draft := func(hints string) string {
		text, err := author.Declare(provenance.DefaultLexicon(), "x.json", []byte(`[{"name":"drop_note","annotations":{`+
			hints+`}},{"name":"move_note","annotations":{`+hints+`}},{"name":"get_note","annotations":{`+hints+`}}]`))
		require.NoError(t, err)
		return text
	}
	lax := load(t, draft(`"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false`))
	for name, tool := range load(t, draft(``)) {
		require.Equal(t, tool.Definition(), lax[name].Definition(), "what a server says of itself raises nothing")
	}
	strict := load(t, draft(`"readOnlyHint":false,"destructiveHint":true`))
	require.Equal(t, skills.EffectExternal, strict["get_note"].Effect)
	require.Contains(t, strict["move_note"].Classes, "delete")
}

func load(t *testing.T, text string) map[string]*skills.Tool {
	t.Helper()
	book, err := rules.Load(fstest.MapFS{"a.lisp": {Data: []byte(text)}})
	require.NoError(t, err, text)
	tools := map[string]*skills.Tool{}
	for _, tool := range book.Tools() {
		tools[tool.Name] = tool
	}
	return tools
}

func FuzzDeclare(f *testing.F) {
	f.Add([]byte(list))
	f.Add([]byte(`[{"name":"a","parameters":{"properties":{"(":{"type":"array"},"":{"enum":[]}}}}]`))
	f.Add([]byte(notes))
	f.Add([]byte(`{"swagger":"2.0","host":"a.example","paths":{"/a":{"post":{"parameters":[
	 {"name":"b","in":"body","schema":{"$ref":"#/definitions/C"}}]}}},"definitions":{"C":{"type":"object"}}}`))
	lex := provenance.DefaultLexicon()
	f.Fuzz(func(t *testing.T, data []byte) {
		text, err := author.Declare(lex, "x.json", data)
		if err == nil {
			again, err := author.Declare(lex, "x.json", data)
			require.NoError(t, err)
			require.Equal(t, text, again)
		}
	})
}

// What a server calls a tool is not always a name that a rule file can declare. The draft of the others loads.
func TestDeclareLeavesOutWhatCannotBeDeclared(t *testing.T) {
	text, err := author.Declare(provenance.DefaultLexicon(), "x.json", []byte(`[{"name":"reply"},{"name":"get_note"},
	 {"name":"Ask_Person","description":"Asks."},{"name":"Reply"},{"name":"nil"},{"name":"t"},{"name":"2fa"},{"name":"a\n(deftool x :tier :allow)"},
	 {"name":"Get_Note"}]`))
	require.NoError(t, err)
	tools := load(t, text)
	require.Contains(t, tools, "get_note")
	require.Contains(t, tools, "t")
	require.NotContains(t, tools, "x")
	require.True(t, tools["reply"].Builtin)
	require.Len(t, tools, 4)
	for _, want := range []string{`; guessed: tool 1, "reply", is left out: which is a tool of Cortex itself`, `"Ask_Person"`,
		`tool 5, "nil", is left out: expected letters`, `"2fa"`} {
		require.Contains(t, text, want)
	}
	_, err = author.Declare(provenance.DefaultLexicon(), "x.json", []byte(`[{"name":"reply"}]`))
	require.ErrorContains(t, err, `x.json: tool 1: found the name "reply", which is a tool of Cortex itself`)
}
