// Package openapi reads the operations of an HTTP interface out of its description:
// OpenAPI 3.0 and 3.1, or Swagger 2, in JSON or YAML. It says of each operation what a
// declaration of a tool needs, with JSON schemas as they stand there, and opens nothing
// that a document refers to: neither files nor addresses.
//
// It is a leaf, because it needs kin-openapi.
package openapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oasdiff/yaml"
)

// Operation is one thing that can be asked of a server.
type Operation struct {
	ID     string // operationId, or ""
	Method string // "GET"
	Path   string // "/notes/{id}"
	Hosts  []string
	Doc    string // the summary, or else the description

	Params []Param
	Output json.RawMessage // the JSON schema of what it answers where it succeeds, or nil
}

// Param is one thing that an operation is given.
type Param struct {
	Name, Doc string
	In        string          // "path", "query", "header", "cookie" or "body"
	Required  bool            // it must be given
	Schema    json.RawMessage // JSON schema; a body's is that of the whole body
}

// Document is what a description says. A $ref in a schema is a key of Schemas, unless the
// document refers to what it does not hold.
type Document struct {
	Operations []Operation // by path, then by method
	Schemas    map[string]json.RawMessage
}

// Is reports whether a text that is not JSON looks like such a description in YAML.
func Is(data []byte) bool { return head.Match(data) }

var head = regexp.MustCompile(`(?m)^["']?(openapi|swagger)["']?[ \t]*:`)

// Read returns the operations of a description. Errors say what cannot be read.
func Read(data []byte) (*Document, error) {
	var version struct {
		Swagger string `json:"swagger"`
		OpenAPI string `json:"openapi"`
	}
	if _, err := yaml.Unmarshal(data, &version, yaml.DecodeOpts{}); err != nil {
		return nil, fmt.Errorf("expected an OpenAPI document: %w", err)
	}
	doc, err := load(data, version.Swagger, version.OpenAPI)
	if err != nil {
		return nil, err
	}
	out := &Document{Schemas: map[string]json.RawMessage{}}
	if doc.Components != nil {
		for name, s := range doc.Components.Schemas {
			out.Schemas["#/components/schemas/"+name] = schema(s)
		}
	}
	for _, path := range doc.Paths.Keys() {
		item := doc.Paths.Value(path)
		ops := item.Operations()
		for _, method := range methods {
			if op := ops[method]; op != nil {
				out.Operations = append(out.Operations, operation(doc, path, method, item, op))
			}
		}
	}
	return out, nil
}

var methods = []string{"GET", "HEAD", "OPTIONS", "TRACE", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "QUERY"}

func load(data []byte, swagger, version string) (*openapi3.T, error) {
	switch {
	case strings.HasPrefix(version, "3."):
		doc, err := openapi3.NewLoader().LoadFromData(data)
		if err != nil {
			return nil, fmt.Errorf("expected an OpenAPI document: %w", err)
		}
		return doc, nil
	case swagger == "2.0":
		var old openapi2.T
		if _, err := yaml.Unmarshal(data, &old, yaml.DecodeOpts{}); err != nil {
			return nil, fmt.Errorf("expected a Swagger document: %w", err)
		}
		doc, err := openapi2conv.ToV3(&old)
		if err != nil {
			return nil, fmt.Errorf("expected a Swagger document: %w", err)
		}
		return doc, nil
	}
	return nil, errors.New("found an OpenAPI document of another version; 3.0, 3.1 and Swagger 2.0 are read")
}

func operation(doc *openapi3.T, path, method string, item *openapi3.PathItem, op *openapi3.Operation) Operation {
	out := Operation{ID: op.OperationID, Method: method, Path: path, Doc: op.Summary, Hosts: hosts(doc, item, op)}
	if out.Doc == "" {
		out.Doc = op.Description
	}
	given := map[string]bool{}
	for _, list := range []openapi3.Parameters{op.Parameters, item.Parameters} { // an operation's own win
		for _, ref := range list {
			p := ref.Value
			if p == nil || given[p.In+" "+p.Name] || p.In == "header" && reserved(p.Name) {
				continue
			}
			given[p.In+" "+p.Name] = true
			s := schema(p.Schema)
			if s == nil {
				s = ofContent(p.Content)
			}
			out.Params = append(out.Params,
				Param{Name: p.Name, Doc: p.Description, In: p.In, Required: p.Required || p.In == "path", Schema: s})
		}
	}
	if op.RequestBody != nil && op.RequestBody.Value != nil {
		b := op.RequestBody.Value
		out.Params = append(out.Params,
			Param{Name: "body", Doc: b.Description, In: "body", Required: b.Required, Schema: ofContent(b.Content)})
	}
	out.Output = answer(op.Responses)
	return out
}

// reserved names the headers that are no parameters of an operation.
func reserved(name string) bool {
	return slices.Contains([]string{"accept", "content-type", "authorization"}, strings.ToLower(name))
}

// answer returns the schema of the first answer that means success.
func answer(all *openapi3.Responses) json.RawMessage {
	for _, code := range []string{"200", "201", "202", "203", "206", "2XX", "default"} {
		if r := all.Value(code); r != nil && r.Value != nil {
			if s := ofContent(r.Value.Content); s != nil {
				return s
			}
		}
	}
	return nil
}

// ofContent returns the schema of the kind of content that is preferred: JSON, then forms,
// then the first by name; nil if there is none.
func ofContent(c openapi3.Content) json.RawMessage {
	kinds := make([]string, 0, len(c))
	for kind := range c {
		kinds = append(kinds, kind)
	}
	rank := func(kind string) string {
		switch {
		case strings.HasPrefix(kind, "application/json"):
			return "0"
		case strings.Contains(kind, "json"):
			return "1" + kind
		case strings.Contains(kind, "form"):
			return "2" + kind
		}
		return "3" + kind
	}
	slices.SortFunc(kinds, func(a, b string) int { return strings.Compare(rank(a), rank(b)) })
	for _, kind := range kinds {
		if m := c[kind]; m != nil && m.Schema != nil {
			return schema(m.Schema)
		}
	}
	return nil
}

// hosts lists the hosts of the servers that are nearest to an operation. A relative
// address and one with a variable in its host name none.
func hosts(doc *openapi3.T, item *openapi3.PathItem, op *openapi3.Operation) []string {
	servers := doc.Servers
	if len(item.Servers) > 0 {
		servers = item.Servers
	}
	if op.Servers != nil && len(*op.Servers) > 0 {
		servers = *op.Servers
	}
	var out []string
	for _, s := range servers {
		if s == nil {
			continue
		}
		u, err := url.Parse(s.URL)
		if err == nil && u.Host != "" && !strings.Contains(u.Host, "{") && !slices.Contains(out, u.Host) {
			out = append(out, u.Host)
		}
	}
	return out
}

// schema returns a schema as JSON; one that the document shares, as a $ref.
func schema(s *openapi3.SchemaRef) json.RawMessage {
	if s == nil {
		return nil
	}
	text, err := json.Marshal(s)
	if err != nil {
		return nil
	}
	return text
}
