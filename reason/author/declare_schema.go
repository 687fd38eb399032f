package author

import (
	"encoding/json"
	"slices"
)

// schema is the part of a JSON schema that a declaration can say, and what tells that
// there is more.
type schema struct {
	Type        any                        `json:"type,omitempty"`
	Format      string                     `json:"format,omitempty"`
	Description string                     `json:"description,omitempty"`
	Properties  map[string]json.RawMessage `json:"properties,omitempty"`
	Required    []string                   `json:"required,omitempty"`
	Items       json.RawMessage            `json:"items,omitempty"`
	Enum        []any                      `json:"enum,omitempty"`
	Const       any                        `json:"const,omitempty"`
	Nullable    bool                       `json:"nullable,omitempty"`
	Minimum     *float64                   `json:"minimum,omitempty"`
	Maximum     *float64                   `json:"maximum,omitempty"`
	AnyOf       []json.RawMessage          `json:"anyOf,omitempty"`
	OneOf       []json.RawMessage          `json:"oneOf,omitempty"`
	AllOf       []json.RawMessage          `json:"allOf,omitempty"`

	Ref         string                     `json:"$ref,omitempty"`
	via         []string                   // the names that led here
	Defs        map[string]json.RawMessage `json:"$defs,omitempty"`
	Definitions map[string]json.RawMessage `json:"definitions,omitempty"`

	Not               json.RawMessage `json:"not,omitempty"`
	If                json.RawMessage `json:"if,omitempty"`
	PatternProperties json.RawMessage `json:"patternProperties,omitempty"`
	PrefixItems       json.RawMessage `json:"prefixItems,omitempty"`
	Dependent         json.RawMessage `json:"dependentRequired,omitempty"`

	Pattern      json.RawMessage `json:"pattern,omitempty"`
	MinLength    json.RawMessage `json:"minLength,omitempty"`
	MaxLength    json.RawMessage `json:"maxLength,omitempty"`
	MinItems     json.RawMessage `json:"minItems,omitempty"`
	MaxItems     json.RawMessage `json:"maxItems,omitempty"`
	MultipleOf   json.RawMessage `json:"multipleOf,omitempty"`
	ExclusiveMin json.RawMessage `json:"exclusiveMinimum,omitempty"`
	ExclusiveMax json.RawMessage `json:"exclusiveMaximum,omitempty"`
}

// maxParts is how many parts of its schemas a tool is read for, and maxHops how many
// names are followed from one to the next.
const (
	maxParts = 4096
	maxHops  = 8
)

// shapes reads the schemas of one tool.
type shapes struct {
	defs map[string]json.RawMessage // what a $ref names
	left int                        // how many parts may still be read
	open map[string]bool            // the names that lead to the part that is being read

	files   bool     // the tool is about files: a source is a path
	remote  bool     // a path is one of another machine
	guessed []string // what a person has to look at
	dropped []string // what only narrows, and is left to the server
}

// read returns a schema with what it refers to, and without the wrapping of a single
// allOf, oneOf or anyOf; or why it cannot be read.
func (r *shapes) read(raw json.RawMessage) (s schema, why string) {
	var via []string
	for range maxHops {
		if r.left--; r.left < 0 {
			return schema{}, "the schema is too large"
		}
		s = schema{}
		if len(raw) == 0 {
			return s, "the schema says nothing"
		}
		if err := json.Unmarshal(raw, &s); err != nil {
			return schema{}, "the schema cannot be read"
		}
		inner, null := s.only()
		switch {
		case s.Ref != "":
			if raw = r.defs[s.Ref]; raw == nil {
				return schema{}, "the document does not hold " + s.Ref
			}
			if r.open[s.Ref] {
				return schema{}, itself
			}
			via = append(via, s.Ref)
		case inner != nil && !null:
			raw = inner
		case len(s.AllOf) > 1:
			s = r.merged(s)
			s.via = via
			return s, ""
		default:
			s.via = via
			return s, ""
		}
	}
	return schema{}, itself
}

const itself = "the schema refers to itself"

// enter marks the names that led to a schema while its parts are read.
func (r *shapes) enter(s schema) (leave func()) {
	if r.open == nil {
		r.open = map[string]bool{}
	}
	for _, name := range s.via {
		r.open[name] = true
	}
	return func() {
		for _, name := range s.via {
			delete(r.open, name)
		}
	}
}

// only returns the one alternative of a schema that says nothing else, and whether null
// is another.
func (s *schema) only() (inner json.RawMessage, null bool) {
	if s.Type != nil || s.Properties != nil || s.Enum != nil {
		return nil, false
	}
	ways := slices.Concat(s.AllOf, s.AnyOf, s.OneOf)
	for _, w := range ways {
		var one schema
		if len(s.AllOf) == 0 && json.Unmarshal(w, &one) == nil && one.Type == "null" {
			null = true
		} else if inner == nil {
			inner = w
		} else {
			return nil, null
		}
	}
	return inner, null
}

// merged returns the members of all parts of an allOf; it stays one if a part is none.
func (r *shapes) merged(s schema) schema {
	out := s
	out.Properties = map[string]json.RawMessage{}
	parts := []schema{s}
	for _, raw := range s.AllOf {
		part, why := r.read(raw)
		if why != "" || part.Type != nil && part.Type != "object" || len(part.cannot()) > 0 {
			return s
		}
		parts = append(parts, part)
	}
	for _, p := range parts {
		for name, raw := range p.Properties {
			out.Properties[name] = raw
		}
		out.Required = append(out.Required, p.Required...)
	}
	out.Type, out.AllOf = "object", nil
	return out
}

// cannot names the parts of a schema that no declaration can say.
func (s *schema) cannot() []string {
	return names(map[string]bool{
		"anyOf": len(s.AnyOf) > 0, "oneOf": len(s.OneOf) > 0, "allOf": len(s.AllOf) > 0, "not": s.Not != nil,
		"if": s.If != nil, "patternProperties": s.PatternProperties != nil, "prefixItems": s.PrefixItems != nil,
		"dependentRequired": s.Dependent != nil,
	})
}

// narrows names the parts of a schema that only narrow what a declaration lets through.
func (s *schema) narrows() []string {
	oneBound := (s.Minimum == nil) != (s.Maximum == nil)
	return names(map[string]bool{
		"pattern": s.Pattern != nil, "minLength": s.MinLength != nil, "maxLength": s.MaxLength != nil,
		"minItems": s.MinItems != nil, "maxItems": s.MaxItems != nil, "multipleOf": s.MultipleOf != nil,
		"exclusiveMinimum": s.ExclusiveMin != nil, "exclusiveMaximum": s.ExclusiveMax != nil,
		"minimum": oneBound && s.Minimum != nil, "maximum": oneBound && s.Maximum != nil,
	})
}

func names(set map[string]bool) []string {
	var out []string
	for name, is := range set {
		if is {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}
