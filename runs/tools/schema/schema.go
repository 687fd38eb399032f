// Package schema is the JSON Schema of the calls of runs/tools, from their structs, for agents
// that are told of tools in that form.
package schema

import (
	"encoding/json"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/opencortex-go/cortex/runs/tools"
)

// Of returns the schema of a call. What an agent leaves out is absent, and not null; the short
// forms that are taken beside it are not in it.
func Of(c tools.Call) (*jsonschema.Schema, error) {
	object := &jsonschema.Schema{Type: "object"}
	s, err := jsonschema.ForType(reflect.TypeOf(c).Elem(), &jsonschema.ForOptions{
		TypeSchemas: map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[json.RawMessage](): object}})
	if err != nil {
		return nil, err
	}
	neverNull(s)
	return s, nil
}

// neverNull takes null out of the types of a schema.
func neverNull(s *jsonschema.Schema) {
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	for _, p := range s.Properties {
		neverNull(p)
	}
	if s.Items != nil {
		neverNull(s.Items)
	}
}
