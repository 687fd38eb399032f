package author

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
)

// maxDepth bounds how deep a schema is followed; what lies deeper may be anything.
const maxDepth = 8

// maxParams is how many members one object may declare.
const maxParams = 256

// kind returns the kind of the parameter at a place such as ":to" or ":filter.to". What
// the notation cannot say is any.
func (r *shapes) kind(raw json.RawMessage, at string, depth int) sexpr.Value {
	s, why := r.read(raw)
	if depth > maxDepth {
		why = "the schema is too deep"
	}
	if why != "" {
		return r.any(at, why)
	}
	defer r.enter(s)()
	if inner, null := s.only(); null && inner != nil {
		return sexpr.ListOf(sexpr.Sym("nullable"), r.kind(inner, at, depth+1))
	}
	if s.nullable() {
		return sexpr.ListOf(sexpr.Sym("nullable"), r.plain(s, at, depth))
	}
	return r.plain(s, at, depth)
}

// plain returns the kind of a schema without null.
func (r *shapes) plain(s schema, at string, depth int) sexpr.Value {
	if words := texts(s); words != nil {
		return sexpr.ListOf(append([]sexpr.Value{sexpr.Sym("enum")}, words...)...)
	}
	cannot := s.cannot()
	if s.Enum != nil || s.Const != nil {
		cannot = append(cannot, "enum")
	}
	if len(cannot) > 0 && s.Type != nil {
		r.guessed = append(r.guessed, at+": what "+strings.Join(cannot, ", ")+" says cannot be declared")
	}
	for _, n := range s.narrows() {
		r.dropped = append(r.dropped, at+" "+n)
	}
	switch s.Type {
	case "string":
		return r.text(s, at)
	case "boolean":
		return sexpr.Sym("boolean")
	case "integer", "number":
		return bounded(s)
	case "array":
		return sexpr.ListOf(sexpr.Sym("list"), r.kind(s.Items, at, depth+1))
	case "object":
		if len(s.Properties) > maxParams {
			return r.any(at, "the object has too many members")
		}
		if len(s.Properties) > 0 {
			return sexpr.ListOf(append([]sexpr.Value{sexpr.Sym("object")}, r.members(s, at+".", depth+1)...)...)
		}
		return r.any(at, "any object")
	}
	if len(cannot) > 0 {
		return r.any(at, strings.Join(cannot, ", ")+" cannot be declared")
	}
	return r.any(at, "the schema names no one type")
}

// any notes why a parameter may be anything.
func (r *shapes) any(at, why string) sexpr.Value {
	r.guessed = append(r.guessed, at+" may be anything: "+why)
	return sexpr.Sym("any")
}

// text returns the kind of a string, from its format and from its name.
func (r *shapes) text(s schema, at string) sexpr.Value {
	name := at[strings.LastIndexAny(at, ".:")+1:]
	switch {
	case isURL(s.Format):
		return sexpr.Sym("url")
	case isHost(s.Format):
		return sexpr.Sym("host")
	case s.Format == "" && !r.remote && r.isPath(name):
		r.guessed = append(r.guessed, at+" is a path, from its name")
		return sexpr.Sym("path")
	}
	return sexpr.Sym("string")
}

func isURL(format string) bool  { return format == "uri" || format == "url" || format == "iri" }
func isHost(format string) bool { return format == "hostname" || format == "idn-hostname" }

// isPath reports whether a parameter of this name is the path of a file.
func (r *shapes) isPath(name string) bool {
	name = strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
	if r.files && slices.Contains([]string{"source", "destination", "src", "dst", "target", "file", "files"}, name) {
		return true
	}
	return slices.Contains([]string{"path", "paths", "filepath", "filepaths", "filename", "directory", "dir", "cwd",
		"workdir", "workingdirectory", "sourcepath", "targetpath", "destinationpath", "outputpath", "inputpath", "oldpath",
		"newpath", "localpath", "outputfile", "inputfile", "outputdir"}, name)
}

// members returns (:name kind ...) and, if some are, :required (:name ...).
func (r *shapes) members(s schema, at string, depth int) []sexpr.Value {
	var params, required []sexpr.Value
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		params = append(params, sexpr.Key(name), r.kind(s.Properties[name], at+name, depth))
		if slices.Contains(s.Required, name) {
			required = append(required, sexpr.Key(name))
		}
	}
	out := []sexpr.Value{sexpr.ListOf(params...)}
	if required != nil {
		out = append(out, sexpr.Key("required"), sexpr.ListOf(required...))
	}
	return out
}

// nullable reports whether null is among the types, and leaves it out.
func (s *schema) nullable() bool {
	null := s.Nullable
	if list, ok := s.Type.([]any); ok {
		rest := slices.DeleteFunc(slices.Clone(list), func(t any) bool { return t == "null" })
		null = null || len(rest) < len(list)
		s.Type = nil
		if len(rest) == 1 {
			s.Type = rest[0]
		}
	}
	return null
}

// texts returns the words of an enum, each once, or nil if one is neither a string nor null.
func texts(s schema) []sexpr.Value {
	enum := s.Enum
	if enum == nil && s.Const != nil {
		enum = []any{s.Const}
	}
	var out []sexpr.Value
	seen := map[string]bool{}
	for _, e := range enum {
		word, ok := e.(string)
		if !ok && e != nil {
			return nil
		}
		if ok && !seen[word] {
			seen[word] = true
			out = append(out, sexpr.Str(word))
		}
	}
	return out
}

// bounded returns (integer 1 300) where both ends are given.
func bounded(s schema) sexpr.Value {
	name := sexpr.Sym("number")
	whole := s.Type == "integer"
	if whole {
		name = sexpr.Sym("integer")
	}
	if s.Minimum == nil || s.Maximum == nil || *s.Minimum > *s.Maximum {
		return name
	}
	number := sexpr.Float64
	if whole {
		if math.Abs(*s.Minimum) > 1<<53 || math.Abs(*s.Maximum) > 1<<53 {
			return name
		}
		lo, hi := int64(math.Ceil(*s.Minimum)), int64(math.Floor(*s.Maximum))
		if lo > hi {
			return name
		}
		return sexpr.ListOf(name, sexpr.Int64(lo), sexpr.Int64(hi))
	}
	return sexpr.ListOf(name, number(*s.Minimum), number(*s.Maximum))
}
