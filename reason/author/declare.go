package author

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/provenance"
	"github.com/opencortex-go/cortex/skills/rules/layout"
)

// Declare drafts deftools from what a server says of its tools: JSON schemas, as the APIs
// of models and lists of suites have them, the answers of MCP servers to tools/list, and
// OpenAPI documents, of which each operation becomes a tool.
// A draft is a start for a person, who reviews it. Each guess stands in a comment
// "; guessed: ..." with its reason, and lint reports it until the person removes it. What
// a document does not say is taken on the strict side: an unknown verb is an effect, and
// an output is untrusted.
//
// It returns deftools for the tools of a document, in its order and in the one style.
// The same document gives the same text. name stands in errors, which say what was
// expected, and of which tool. A tool that stands there twice is declared once. One whose name does not fit is left
// out, and a comment says why.
func Declare(lex *provenance.Lexicon, name string, data []byte) (string, error) {
	doc, err := read(data)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	var out strings.Builder
	seen := map[string]string{}
	var left error
	for i, t := range doc.tools {
		if t.Function != nil {
			t = *t.Function
		}
		if why := undeclarable(t.Name); why != "" {
			left = errors.Join(left, fmt.Errorf("%s: tool %d: found the name %.80q, %s", name, i+1, t.Name, why))
			fmt.Fprintf(&out, "; guessed: tool %d, %.80q, is left out: %s\n\n", i+1, t.Name, why)
			continue
		}
		text, err := draft(lex, t, doc.defs)
		if err != nil {
			return "", fmt.Errorf("%s: tool %s: %w", name, t.Name, err)
		}
		key := strings.ToLower(t.Name)
		if before, ok := seen[key]; ok {
			if before != text {
				fmt.Fprintf(&out, "; guessed: another %s of this document is left out; declare it apart\n\n", t.Name)
			}
			continue
		}
		seen[key] = text
		out.WriteString(text + "\n")
	}
	if len(seen) == 0 && left != nil {
		return "", left
	}
	if len(seen) == 0 {
		return "", fmt.Errorf("%s: found no tools, expected a list with names and schemas", name)
	}
	return layout.Format(name, out.String())
}

// undeclarable says why a rule file cannot declare a tool of this name; "" if it can.
func undeclarable(name string) string {
	switch {
	case skills.IsBuiltin(name):
		return "which is a tool of Cortex itself; calls of another are refused, so give the tool another name"
	case !nameable.MatchString(name) || name == "nil":
		return "expected letters, digits, ., _ and -"
	}
	return ""
}

var nameable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]{0,127}$`)

// draft returns the comments and the deftool of one tool.
func draft(lex *provenance.Lexicon, t described, defs map[string]json.RawMessage) (string, error) {
	s, shapes, err := t.schema(defs)
	if err != nil {
		return "", err
	}
	g := guess(lex, t, s, shapes)
	form := []sexpr.Value{sexpr.Sym("deftool"), sexpr.Sym(t.Name)}
	add := func(key string, v ...sexpr.Value) { form = append(append(form, sexpr.Key(key)), v...) }
	if t.Description != "" {
		add("doc", sexpr.Str(t.Description))
	}
	if len(s.Properties) > 0 {
		shapes.files = slices.ContainsFunc(g.tool.Nouns, aboutFiles)
		shapes.remote = t.http != nil
		add("params", shapes.members(s, ":", 0)...)
	}
	add("tier", sexpr.Key("allow"))
	g.finish(t, shapes)
	g.fields(add)
	return g.comments(t, shapes) + sexpr.ListOf(form...).String() + "\n", nil
}

// schema returns the parameters of a tool, and a reader of all its schemas.
func (t *described) schema(defs map[string]json.RawMessage) (schema, *shapes, error) {
	var s schema
	all := &shapes{defs: defs, left: maxParts}
	for _, raw := range []json.RawMessage{t.Parameters, t.Snake, t.Camel} {
		if raw == nil || string(raw) == "null" {
			continue
		}
		if err := json.Unmarshal(raw, &s); err != nil {
			return s, nil, fmt.Errorf("expected a JSON schema of an object: %w", err)
		}
		if defs == nil {
			all.defs = map[string]json.RawMessage{}
			for name, d := range s.Defs {
				all.defs["#/$defs/"+name] = d
			}
			for name, d := range s.Definitions {
				all.defs["#/definitions/"+name] = d
			}
		}
		read, why := all.read(raw)
		if why != "" {
			return s, nil, errors.New("expected a JSON schema of an object: " + why)
		}
		s = read
	}
	if len(s.Properties) > maxParams {
		return s, nil, fmt.Errorf("found %d parameters, expected at most %d", len(s.Properties), maxParams)
	}
	if cannot := s.cannot(); len(cannot) > 0 {
		all.guessed = append(all.guessed, "what "+strings.Join(cannot, ", ")+" says of the parameters cannot be declared")
	}
	return s, all, nil
}

// aboutFiles reports whether a noun of a tool's name speaks of files.
func aboutFiles(noun string) bool {
	return slices.Contains([]string{"file", "files", "directory", "directories", "folder", "folders", "path", "paths"},
		noun)
}
