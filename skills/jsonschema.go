package skills

import (
	"github.com/opencortex-go/cortex/sexpr"
)

// JSONSchema returns the tool's parameters as a JSON schema, for chat APIs and other
// programs. It describes the arguments that [Tool.Check] accepts; kinds that JSON
// Schema cannot express are in the description.
func (t *Tool) JSONSchema() ([]byte, error) {
	return sexpr.ToJSON(objectSchema(t.Params, t.Required))
}

func objectSchema(params []Param, required []string) sexpr.Value {
	properties := sexpr.EmptyObject()
	var items []sexpr.Value
	for i := range params {
		items = append(items, sexpr.Key(params[i].Name), params[i].Type.schema())
	}
	if len(items) > 0 {
		properties = sexpr.ListOf(items...)
	}
	out := sexpr.Plist("type", sexpr.Str("object"), "properties", properties)
	if len(required) > 0 {
		out = out.With("required", words(required))
	}
	return out.With("additionalProperties", sexpr.False())
}

func words(list []string) sexpr.Value {
	items := make([]sexpr.Value, len(list))
	for i, w := range list {
		items[i] = sexpr.Str(w)
	}
	return sexpr.ListOf(items...)
}

// schema is the type's.
func (t *Type) schema() sexpr.Value {
	name := ""
	var rest []sexpr.Value
	add := func(key string, v sexpr.Value) { rest = append(rest, sexpr.Key(key), v) }
	switch t.Kind {
	case KindAny:
		return sexpr.Plist("description", sexpr.Str(t.String()))
	case KindString:
		name = "string"
	case KindCommand, KindPath, KindHost, KindURL, KindSQL:
		name = "string"
		add("description", sexpr.Str(t.describe()))
	case KindBoolean:
		name = "boolean"
	case KindInteger, KindNumber:
		name = t.Kind.String()
		if t.Bounded {
			add("minimum", bound(t.Lo))
			add("maximum", bound(t.Hi))
		}
	case KindEnum:
		name = "string"
		list := words(t.Enum).Items()
		if t.Nullable {
			list = append(list, sexpr.Null())
		}
		add("enum", sexpr.ListOf(list...))
	case KindList:
		name = "array"
		if t.Elem != nil {
			add("items", t.Elem.schema())
		}
	case KindObject:
		name = "object"
		rest = append(rest, objectSchema(t.Params, t.Required).Items()[2:]...)
	}
	typ := sexpr.Str(name)
	if t.Nullable {
		typ = words([]string{name, "null"})
	}
	return sexpr.ListOf(append([]sexpr.Value{sexpr.Key("type"), typ}, rest...)...)
}

func bound(x float64) sexpr.Value {
	if i := int64(x); float64(i) == x {
		return sexpr.Int64(i)
	}
	return sexpr.Float64(x)
}
