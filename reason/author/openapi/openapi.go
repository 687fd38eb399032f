// Package openapi reads the operations of an HTTP interface out of its description:
// OpenAPI 3.0 and 3.1, or Swagger 2, in JSON or YAML. It says of each operation what a
// declaration of a tool needs, with JSON schemas as they stand there, and opens nothing
// that a document refers to: neither files nor addresses.
//
// It reads what it needs by itself. A library that knows all of OpenAPI brings a validator
// of JSON schemas, whose tables cost each start of the program eight milliseconds.
package openapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

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
	raw, err := yaml.YAMLToJSON(data)
	if err != nil {
		return nil, fmt.Errorf("expected an OpenAPI document: %w", err)
	}
	if err := whole(raw); err != nil {
		return nil, fmt.Errorf("expected an OpenAPI document: %w", err)
	}
	d := &reader{}
	raw = []byte(strings.ReplaceAll(string(raw), `"#/definitions/`, `"#/components/schemas/`)) // as Swagger 2 has it
	if err := json.Unmarshal(raw, &d.doc); err != nil {
		return nil, fmt.Errorf("expected an OpenAPI document: %w", err)
	}
	d.swagger = d.doc.Swagger == "2.0"
	if !d.swagger && !strings.HasPrefix(d.doc.OpenAPI, "3.") {
		return nil, errors.New("found an OpenAPI document of another version; 3.0, 3.1 and Swagger 2.0 are read")
	}
	if d.swagger {
		d.doc.Components.Schemas = d.doc.Definitions
		d.doc.Components.Parameters, d.doc.Components.Responses = d.doc.Parameters, d.doc.Responses
	}
	out := &Document{Schemas: map[string]json.RawMessage{}}
	for name, s := range d.doc.Components.Schemas {
		out.Schemas["#/components/schemas/"+name] = s
	}
	for _, path := range slices.Sorted(maps.Keys(d.doc.Paths)) {
		var item pathItem
		if err := d.follow(d.doc.Paths[path], &item); err != nil {
			return nil, fmt.Errorf("paths: %s: %w", path, err)
		}
		for _, method := range methods {
			op := item.of(method)
			if op == nil {
				continue
			}
			o, err := d.operation(path, method, &item, op)
			if err != nil {
				return nil, fmt.Errorf("paths: %s: %s: %w", path, strings.ToLower(method), err)
			}
			out.Operations = append(out.Operations, o)
		}
	}
	return out, nil
}

var methods = []string{"GET", "HEAD", "OPTIONS", "TRACE", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "QUERY"}

// reserved names the headers that are no parameters of an operation.
func reserved(name string) bool {
	return slices.Contains([]string{"accept", "content-type", "authorization"}, strings.ToLower(name))
}

// operation returns one operation.
func (d *reader) operation(path, method string, item *pathItem, op *described) (Operation, error) {
	out := Operation{ID: op.ID, Method: method, Path: path, Doc: op.Summary, Hosts: d.hosts(item, op)}
	if out.Doc == "" {
		out.Doc = op.Doc
	}
	given, form := map[string]bool{}, form{}
	for _, raw := range slices.Concat(op.Parameters, item.Parameters) { // an operation's own win
		var p parameter
		if err := d.follow(raw, &p); err != nil {
			return out, err
		}
		if given[p.In+" "+p.Name] || p.In == "header" && reserved(p.Name) {
			continue
		}
		given[p.In+" "+p.Name] = true
		switch {
		case d.swagger && p.In == "body":
			out.Params = append(out.Params, Param{Name: "body", Doc: p.Doc, In: "body", Required: p.Required, Schema: p.Schema})
		case d.swagger && p.In == "formData":
			form.add(p, d.raw(raw))
		default:
			out.Params = append(out.Params, Param{Name: p.Name, Doc: p.Doc, In: p.In, Required: p.Required || p.In == "path",
				Schema: d.schemaOf(p, raw)})
		}
	}
	if form.Properties != nil {
		out.Params = append(out.Params, Param{Name: "body", In: "body", Required: form.Required != nil,
			Schema: form.schema()})
	}
	if op.Body != nil {
		var b requestBody
		if err := d.follow(op.Body, &b); err != nil {
			return out, err
		}
		out.Params = append(out.Params, Param{Name: "body", Doc: b.Doc, In: "body", Required: b.Required,
			Schema: ofContent(b.Content)})
	}
	var err error
	out.Output, err = d.answer(op.Responses)
	return out, err
}

// schemaOf is the schema of a parameter; in Swagger 2 the parameter itself is one.
func (d *reader) schemaOf(p parameter, raw json.RawMessage) json.RawMessage {
	switch {
	case d.swagger:
		return bare(d.raw(raw))
	case p.Schema != nil:
		return p.Schema
	}
	return ofContent(p.Content)
}

// answer returns the schema of the first answer that means success.
func (d *reader) answer(all map[string]json.RawMessage) (json.RawMessage, error) {
	for _, code := range []string{"200", "201", "202", "203", "206", "2XX", "default"} {
		if all[code] == nil {
			continue
		}
		var r response
		if err := d.follow(all[code], &r); err != nil {
			return nil, err
		}
		if r.Schema != nil {
			return r.Schema, nil
		}
		if s := ofContent(r.Content); s != nil {
			return s, nil
		}
	}
	return nil, nil
}

// ofContent returns the schema of the kind of content that is preferred: JSON, then forms,
// then the first by name; nil if there is none.
func ofContent(c map[string]media) json.RawMessage {
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
	kinds := slices.SortedFunc(maps.Keys(c), func(a, b string) int { return strings.Compare(rank(a), rank(b)) })
	for _, kind := range kinds {
		if c[kind].Schema != nil {
			return c[kind].Schema
		}
	}
	return nil
}

// hosts lists the hosts of the servers that are nearest to an operation. A relative
// address and one with a variable in its host name none.
func (d *reader) hosts(item *pathItem, op *described) []string {
	servers := d.doc.Servers
	if d.swagger && d.doc.Host != "" {
		servers = []server{{URL: "https://" + d.doc.Host}}
	}
	for _, nearer := range [][]server{item.Servers, op.Servers} {
		if len(nearer) > 0 {
			servers = nearer
		}
	}
	var out []string
	for _, s := range servers {
		u, err := url.Parse(s.URL)
		if err == nil && u.Host != "" && !strings.Contains(u.Host, "{") && !slices.Contains(out, u.Host) {
			out = append(out, u.Host)
		}
	}
	return out
}
