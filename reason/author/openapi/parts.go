package openapi

import (
	"encoding/json"
	"fmt"
	"strings"
)

// reader is a document that is being read.
type reader struct {
	doc     parts
	swagger bool // it is of Swagger 2
}

// parts are what is read of a document; the second half is Swagger's.
type parts struct {
	Swagger    string                     `json:"swagger"`
	OpenAPI    string                     `json:"openapi"`
	Servers    []server                   `json:"servers"`
	Paths      map[string]json.RawMessage `json:"paths"`
	Components shared                     `json:"components"`

	Host        string                     `json:"host"`
	Definitions map[string]json.RawMessage `json:"definitions"`
	Parameters  map[string]json.RawMessage `json:"parameters"`
	Responses   map[string]json.RawMessage `json:"responses"`
}

// shared are the parts that others refer to.
type shared struct {
	Schemas    map[string]json.RawMessage `json:"schemas"`
	Parameters map[string]json.RawMessage `json:"parameters"`
	Bodies     map[string]json.RawMessage `json:"requestBodies"`
	Responses  map[string]json.RawMessage `json:"responses"`
	Items      map[string]json.RawMessage `json:"pathItems"`
}

type server struct {
	URL string `json:"url"`
}

type pathItem struct {
	Servers    []server          `json:"servers"`
	Parameters []json.RawMessage `json:"parameters"`

	Get, Head, Options, Trace, Post, Put, Patch, Delete, Connect, Query *described
}

// of returns the operation of a method, or nil.
func (i *pathItem) of(method string) *described {
	return map[string]*described{"GET": i.Get, "HEAD": i.Head, "OPTIONS": i.Options, "TRACE": i.Trace, "POST": i.Post,
		"PUT": i.Put, "PATCH": i.Patch, "DELETE": i.Delete, "CONNECT": i.Connect, "QUERY": i.Query}[method]
}

// described is an operation as the document has it.
type described struct {
	ID         string                     `json:"operationId"`
	Summary    string                     `json:"summary"`
	Doc        string                     `json:"description"`
	Servers    []server                   `json:"servers"`
	Parameters []json.RawMessage          `json:"parameters"`
	Body       json.RawMessage            `json:"requestBody"`
	Responses  map[string]json.RawMessage `json:"responses"`
}

type parameter struct {
	Name     string           `json:"name"`
	In       string           `json:"in"`
	Doc      string           `json:"description"`
	Required bool             `json:"required"`
	Schema   json.RawMessage  `json:"schema"`
	Content  map[string]media `json:"content"`
}

type requestBody struct {
	Doc      string           `json:"description"`
	Required bool             `json:"required"`
	Content  map[string]media `json:"content"`
}

type response struct {
	Content map[string]media `json:"content"`
	Schema  json.RawMessage  `json:"schema"`
}

type media struct {
	Schema json.RawMessage `json:"schema"`
}

// raw follows a $ref within the document to what it names, a few steps at most.
func (d *reader) raw(raw json.RawMessage) json.RawMessage {
	for range 16 {
		ref := refOf(raw)
		kind, name, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(ref, "#/"), "components/"), "/")
		next := map[string]map[string]json.RawMessage{"parameters": d.doc.Components.Parameters,
			"requestBodies": d.doc.Components.Bodies,
			"responses":     d.doc.Components.Responses, "pathItems": d.doc.Components.Items, "paths": d.doc.Paths}[kind]
		if ref == "" || !strings.HasPrefix(ref, "#/") || next == nil {
			return raw
		}
		raw = next[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)]
	}
	return nil
}

// follow reads a part, or the one that it refers to.
func (d *reader) follow(raw json.RawMessage, to any) error {
	found := d.raw(raw)
	if found == nil || refOf(found) != "" {
		return fmt.Errorf("it refers to %q, which the document does not hold", refOf(raw))
	}
	return json.Unmarshal(found, to)
}

func refOf(raw json.RawMessage) string {
	var r struct {
		Ref string `json:"$ref"`
	}
	_ = json.Unmarshal(raw, &r) // what is no object refers to nothing
	return r.Ref
}

// form is what Swagger 2 has sent as a form, as one schema.
type form struct {
	Type       string                     `json:"type"`
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required,omitempty"`
}

func (f *form) add(p parameter, raw json.RawMessage) {
	if f.Properties == nil {
		f.Properties = map[string]json.RawMessage{}
	}
	f.Properties[p.Name] = bare(raw)
	if p.Required {
		f.Required = append(f.Required, p.Name)
	}
}

func (f *form) schema() json.RawMessage {
	f.Type = "object"
	text, _ := json.Marshal(f) // made of JSON
	return text
}

// bare is a parameter of Swagger 2 without what is no schema.
func bare(raw json.RawMessage) json.RawMessage {
	var all map[string]json.RawMessage
	if json.Unmarshal(raw, &all) != nil {
		return nil
	}
	for _, key := range []string{"name", "in", "required", "collectionFormat", "allowEmptyValue"} {
		delete(all, key)
	}
	text, _ := json.Marshal(all) // read from JSON
	return text
}
