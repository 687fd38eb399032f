package author

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/opencortex-go/cortex/reason/author/openapi"
	"github.com/opencortex-go/cortex/skills/provenance"
)

// request is what a tool asks of a server over HTTP.
type request struct {
	method, path string
	hosts        []string
	inPath       []string // the parameters that stand in the path
	nameless     bool     // the document gives it no name: its method is no verb
}

// operations returns a tool for each operation of an OpenAPI document.
func operations(data []byte) (document, error) {
	doc, err := openapi.Read(data)
	if err != nil {
		return document{}, err
	}
	out := document{defs: doc.Schemas}
	for i := range doc.Operations {
		op := &doc.Operations[i]
		t, err := operation(op, out.defs)
		if err != nil {
			return document{}, fmt.Errorf("%s %s: %w", op.Method, op.Path, err)
		}
		out.tools = append(out.tools, t)
	}
	return out, nil
}

func operation(op *openapi.Operation, defs map[string]json.RawMessage) (described, error) {
	name := op.ID
	if name == "" {
		name = strings.ToLower(op.Method) + op.Path
	}
	t := described{
		Name: strings.Trim(notInName.ReplaceAllString(name, "_"), "_"), Description: op.Doc, Output: op.Output,
		http: &request{method: op.Method, path: op.Path, hosts: op.Hosts, nameless: op.ID == ""},
	}
	all := schema{Type: "object", Properties: map[string]json.RawMessage{}}
	for _, p := range op.Params {
		if p.In == "path" {
			t.http.inPath = append(t.http.inPath, p.Name)
		}
		if p.In == "body" && spread(&all, p, defs) {
			continue
		}
		if all.Properties[p.Name] != nil {
			return t, fmt.Errorf("found two parameters %s, expected one of each name", p.Name)
		}
		all.Properties[p.Name] = withDoc(p)
		if p.Required {
			all.Required = append(all.Required, p.Name)
		}
	}
	text, err := json.Marshal(all)
	t.Parameters = text
	return t, err
}

var notInName = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// spread adds the members of a body that is an object to the parameters, unless one has
// the name of another: then the body is a parameter of its own.
func spread(all *schema, body openapi.Param, defs map[string]json.RawMessage) bool {
	s, why := (&shapes{defs: defs, left: maxParts}).read(body.Schema)
	if why != "" || len(s.Properties) == 0 || len(s.cannot()) > 0 {
		return false
	}
	for name := range s.Properties {
		if all.Properties[name] != nil {
			return false
		}
	}
	for name, raw := range s.Properties {
		all.Properties[name] = raw
	}
	if body.Required {
		all.Required = append(all.Required, s.Required...)
	}
	return true
}

// withDoc returns the schema of a parameter with the parameter's description, if the
// schema is a simple one that has none.
func withDoc(p openapi.Param) json.RawMessage {
	var fields map[string]json.RawMessage
	if p.Doc == "" || json.Unmarshal(p.Schema, &fields) != nil || fields == nil ||
		fields["description"] != nil || fields["$ref"] != nil {
		return p.Schema
	}
	fields["description"], _ = json.Marshal(p.Doc) // a string has a JSON text
	text, err := json.Marshal(fields)
	if err != nil {
		return p.Schema
	}
	return text
}

// ask settles what the method of a request says. GET and HEAD read, unless the name has
// the verb of an effect. No other method reads because of a description alone, and PUT,
// PATCH and DELETE never do.
func (g *guesses) ask(lex *provenance.Lexicon, t described) {
	r, byName := t.http, lex.Draft(t.Name, "", nil)
	unknown := byName.Verb == "" || r.nameless
	switch r.method {
	case "GET", "HEAD":
		if g.tool.Read = byName.Read || unknown; g.tool.Read {
			g.tool.Classes = 0
			g.say("a read: the method is %s", r.method)
		} else {
			g.say("an effect, from the verb %q, though the method is %s", byName.Verb, r.method)
		}
		return
	case "POST", "QUERY":
		if g.tool.Read && !r.nameless {
			g.say("a read, from the verb %q, though the method is %s", g.tool.Verb, r.method)
			return
		}
	}
	switch class := methods[r.method]; {
	case r.nameless && class != 0:
		g.tool.Classes = class
	case g.tool.Read || unknown:
		g.tool.Classes = g.tool.Classes&^provenance.Run | class
	case r.method != "POST":
		g.tool.Classes |= class
	}
	g.tool.Read = false
	g.say("an effect of class %s: the method is %s", g.tool.Classes, r.method)
	for _, name := range r.inPath {
		if r.method == "DELETE" || g.tool.Roles[name] == provenance.Amount { // a number in a path counts nothing
			g.tool.Roles[name] = provenance.ID
		}
	}
}

var methods = map[string]provenance.Class{
	"POST": provenance.Create, "PUT": provenance.Update, "PATCH": provenance.Update, "DELETE": provenance.Delete,
}

// String says what is asked, and of whom: "DELETE /notes/{id} at api.notes.example".
func (r *request) String() string {
	where := "the document names no host"
	if len(r.hosts) > 0 {
		where = "at " + strings.Join(r.hosts, ", ")
	}
	return fmt.Sprintf("%s %s, %s", r.method, r.path, where)
}
