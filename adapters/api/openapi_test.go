package api

import (
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3gen"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write openapi.json anew")

// openapi.json is made of the operations, the types and their comments. `make generate`
// writes it, `make check` fails while it is stale.
func TestOpenAPIDocument(t *testing.T) {
	doc := describe(t)
	require.NoError(t, doc.Validate(t.Context()))
	want, err := json.MarshalIndent(doc, "", "  ")
	require.NoError(t, err)
	want = append(want, '\n')
	if *update {
		require.NoError(t, os.WriteFile("openapi.json", want, 0o644))
		return
	}
	assert.Equal(t, string(want), string(document), "adapters/api/openapi.json is stale: run make generate")
}

// describe makes the document.
func describe(t *testing.T) *openapi3.T {
	t.Helper()
	doc := &openapi3.T{OpenAPI: "3.1.0", Paths: openapi3.NewPaths(),
		Info: &openapi3.Info{Title: "Cortex", Version: "1",
			Description: "Judges what agents are about to do. Over a Unix socket, or a loopback port with a token: " +
				"see docs/api.md."},
		Servers: openapi3.Servers{{URL: "http://cortex", Description: "The socket; the host's name does not matter there."}},
		Components: &openapi3.Components{Schemas: openapi3.Schemas{}, SecuritySchemes: openapi3.SecuritySchemes{
			"token": {Value: openapi3.NewSecurityScheme().WithType("http").WithScheme("bearer").
				WithDescription("On the loopback port alone.")}}},
		Security: openapi3.SecurityRequirements{{}, {"token": {}}},
	}
	said := comments(t)
	gen := openapi3gen.NewGenerator(openapi3gen.SchemaCustomizer(said.customize),
		openapi3gen.CreateComponentSchemas(openapi3gen.ExportComponentSchemasOptions{
			ExportComponentSchemas: true, ExportTopLevelSchema: true}))
	schema := func(of any) *openapi3.SchemaRef {
		ref, err := gen.NewSchemaRefForValue(of, doc.Components.Schemas)
		require.NoError(t, err)
		return ref
	}
	failure := openapi3.NewResponse().WithDescription("The request was not done: nothing of it happened.").
		WithJSONSchemaRef(schema(Failure{}))
	for _, o := range new(Server).operations() {
		verb, path, _ := strings.Cut(o.pattern, " ")
		op := &openapi3.Operation{Summary: o.doc, OperationID: nameOf(path), Parameters: parameters(path),
			Responses: openapi3.NewResponses()}
		ok := openapi3.NewResponse().WithDescription("Done.")
		switch {
		case path == "/v1/events":
			content := openapi3.NewContentWithSchemaRef(schema(o.out), []string{"text/event-stream"})
			op.Responses.Set("200", &openapi3.ResponseRef{Value: ok.WithContent(content)})
		case path == "/v1/cards", path == "/v1/capabilities":
			link := openapi3.Header{Parameter: openapi3.Parameter{Schema: openapi3.NewStringSchema().NewRef(),
				Description: `<PATH>; rel="next" where there is another page.`}}
			ok = ok.WithJSONSchemaRef(schema(o.out))
			ok.Headers = openapi3.Headers{"Link": &openapi3.HeaderRef{Value: &link}}
			op.Responses.Set("200", &openapi3.ResponseRef{Value: ok})
		case o.out == nil:
			op.Responses.Set("200", &openapi3.ResponseRef{Value: ok.WithJSONSchema(openapi3.NewObjectSchema())})
		default:
			op.Responses.Set("200", &openapi3.ResponseRef{Value: ok.WithJSONSchemaRef(schema(o.out))})
		}
		if verb == http.MethodPost {
			op.RequestBody = &openapi3.RequestBodyRef{Value: openapi3.NewRequestBody().WithRequired(true).
				WithJSONSchemaRef(schema(o.in))}
			said.close(doc.Components.Schemas, schema(o.in))
		}
		op.Responses.Set("default", &openapi3.ResponseRef{Value: failure})
		doc.AddOperation(path, verb, op)
	}
	// References are resolved as a reader would resolve them.
	text, err := json.Marshal(doc)
	require.NoError(t, err)
	doc, err = openapi3.NewLoader().LoadFromData(text)
	require.NoError(t, err)
	return doc
}

func nameOf(path string) string {
	switch name := strings.TrimPrefix(path, "/v1/"); name {
	case "cards/{token}":
		return "card"
	case "openapi.json":
		return "openapi"
	default:
		return name
	}
}

func parameters(path string) openapi3.Parameters {
	param := func(p *openapi3.Parameter, s *openapi3.Schema, doc string) *openapi3.ParameterRef {
		return &openapi3.ParameterRef{Value: p.WithSchema(s).WithDescription(doc)}
	}
	switch path {
	case "/v1/cards/{token}":
		return openapi3.Parameters{
			param(openapi3.NewPathParameter("token"), openapi3.NewStringSchema(), "Of the card."),
			param(openapi3.NewQueryParameter("hold"), openapi3.NewIntegerSchema().WithMin(1), "Seconds to wait for people."),
		}
	case "/v1/capabilities":
		return openapi3.Parameters{
			param(openapi3.NewQueryParameter("since"), openapi3.NewStringSchema(), "Of the list that the caller has."),
			param(openapi3.NewQueryParameter("hold"), openapi3.NewIntegerSchema().WithMin(1), "Seconds to wait for another."),
			param(openapi3.NewQueryParameter("from"), openapi3.NewStringSchema(), "The name that the page begins with."),
		}
	case "/v1/cards":
		return openapi3.Parameters{param(openapi3.NewQueryParameter("from"), openapi3.NewIntegerSchema().WithMin(1),
			"The record of the decision that the page begins with.")}
	case "/v1/events":
		return openapi3.Parameters{param(openapi3.NewHeaderParameter("Last-Event-ID"), openapi3.NewStringSchema(),
			"The number of a record: the stream goes on behind it.")}
	}
	return nil
}

// docs are the comments of types, by name, and of fields, by Type.Field.
type docs map[string]string

// comments reads those of this package.
func comments(t *testing.T) docs {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "types.go", nil, parser.ParseComments)
	require.NoError(t, err)
	out := docs{}
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE {
			continue
		}
		spec := g.Specs[0].(*ast.TypeSpec)
		out[spec.Name.Name] = flat(g.Doc)
		for _, f := range spec.Type.(*ast.StructType).Fields.List {
			for _, name := range f.Names {
				out[spec.Name.Name+"."+name.Name] = strings.TrimSpace(flat(f.Doc) + " " + flat(f.Comment))
			}
		}
	}
	return out
}

func flat(c *ast.CommentGroup) string { return strings.Join(strings.Fields(c.Text()), " ") }

// customize adds to a schema what reflection alone does not tell: comments, choices, and
// which keys have to be there.
func (d docs) customize(name string, of reflect.Type, tag reflect.StructTag, s *openapi3.Schema) error {
	if choice := tag.Get("enum"); choice != "" {
		for c := range strings.SplitSeq(choice, ",") {
			s.Enum = append(s.Enum, c)
		}
	}
	if name == "args" {
		s.Type = &openapi3.Types{"object"}
	}
	s.Max = nil        // of 64 bits, which JSON would round
	s.Nullable = false // a pointer without a value is left out
	if of.Kind() != reflect.Struct {
		return nil
	}
	s.Type, s.Description = &openapi3.Types{"object"}, d[of.Name()]
	d.fields(of, s)
	return nil
}

// fields describes those that a type declares, and those of what it embeds.
func (d docs) fields(of reflect.Type, s *openapi3.Schema) {
	for f := range of.Fields() {
		if f.Anonymous {
			d.fields(f.Type, s)
			continue
		}
		key, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		if rest != "omitempty" {
			s.Required = append(s.Required, key)
		}
		if p := s.Properties[key]; !strings.HasPrefix(p.Ref, "#") {
			p.Value.Description = d[of.Name()+"."+f.Name]
		}
	}
}

// close says of a request, and what is in it, that it has no other keys.
func (d docs) close(all openapi3.Schemas, ref *openapi3.SchemaRef) {
	s := ref.Value
	if name, ok := strings.CutPrefix(ref.Ref, "#/components/schemas/"); ok {
		s = all[name].Value
	}
	if s.Properties == nil {
		return
	}
	no := false
	s.AdditionalProperties = openapi3.AdditionalProperties{Has: &no}
	for _, p := range s.Properties {
		d.close(all, p)
	}
}
