// Package sql tells rules what the statements of a query do: their kinds, the tables
// and functions that they name, and whether an update or delete takes every row.
//
// A query is read by a parser for the dialect that the tool declares, (sql dialect). A
// parser is heavy, so each has a package of its own below this one, and the host hands
// those that it wants to [Functions]. This package bounds the text before a parser sees
// it. What is not read whole is an error, which never helps an action.
package sql

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
)

// The bounds of a query and of what is told of it.
const (
	MaxText       = 8 << 10 // bytes
	MaxDepth      = 64      // brackets inside each other
	maxStatements = 16
	maxNames      = 64 // tables or functions of one statement
)

// cost is the static cost of one call.
const cost = 5000

// Statement is one statement of a query.
type Statement struct {
	// Kind is what it does: select, select-into, insert, replace, update, delete,
	// truncate, create, alter, drop, set, show, explain, use, call, load, grant,
	// transaction, prepare, or other.
	Kind string
	// Tables are those that it names, in lower case, as far qualified as they are there:
	// "orders" or "shop.orders". Sorted.
	Tables []string
	// Functions are those that it calls, in lower case. Sorted.
	Functions []string
	// Unconditional says that it updates or deletes rows by no column of theirs: it has
	// no WHERE, or one such as 1=1.
	Unconditional bool
}

// Reader reads a query in one dialect, whole or not at all. The text is within the
// bounds of this package. It is safe for concurrent use. The model may see its errors.
type Reader func(text string) ([]Statement, error)

// Functions returns the function sql, to be registered with a rule loader, for these
// dialects by the names that tools declare.
func Functions(dialects map[string]Reader) []facts.Function {
	text := facts.Type{Kind: facts.String}
	return []facts.Function{{
		Name: "sql", Cost: cost,
		Doc: "The statements of a query, in order, read in the dialect that the tool declares for its arguments, or in " +
			"the one that is named. A query that is not read whole is an error.",
		Params: []facts.Param{{Name: "query", Type: text},
			{Name: "dialect", Type: text, Literal: true, Words: slices.Sorted(maps.Keys(dialects))}},
		Optional: 1,
		Result:   facts.ListOf(statementType(), maxStatements),
		Call: func(c *skills.Case, args []any) (any, error) {
			query, ok := args[0].(string)
			if !ok {
				return nil, errors.New("sql takes a query, a string")
			}
			name, err := dialectOf(c, args[1:])
			if err != nil {
				return nil, err
			}
			read := dialects[name]
			if read == nil {
				return nil, fmt.Errorf("queries in the dialect %q cannot be read", name)
			}
			return statements(read, query)
		},
	}}
}

func statementType() facts.Type {
	text := facts.Type{Kind: facts.String}
	return facts.Type{Kind: facts.Record, Name: "statement", Fields: []facts.Field{
		{Name: "kind", Doc: "what it does: \"select\", \"update\", \"drop\", ...", Type: text},
		{Name: "tables", Doc: "the tables that it names, in lower case", Type: facts.ListOf(text, maxNames)},
		{Name: "functions", Doc: "the functions that it calls, in lower case", Type: facts.ListOf(text, maxNames)},
		{Name: "unconditional", Doc: "whether it updates or deletes rows by no column of theirs",
			Type: facts.Type{Kind: facts.Bool}},
	}}
}

// dialectOf is the dialect that a rule names, or the only one that the tool declares.
func dialectOf(c *skills.Case, named []any) (string, error) {
	if len(named) > 0 {
		name, _ := named[0].(string)
		return name, nil
	}
	found := map[string]bool{}
	if c.Tool() != nil {
		for i := range c.Tool().Params {
			declared(&c.Tool().Params[i].Type, found)
		}
	}
	if len(found) != 1 {
		return "", fmt.Errorf("the tool declares %d dialects of SQL; declare one, as in (sql mysql), or name one in the call",
			len(found))
	}
	return slices.Collect(maps.Keys(found))[0], nil
}

func declared(t *skills.Type, found map[string]bool) {
	if t.Kind == skills.KindSQL {
		found[t.Dialect] = true
	}
	if t.Elem != nil {
		declared(t.Elem, found)
	}
	for i := range t.Params {
		declared(&t.Params[i].Type, found)
	}
}

// statements reads a query that is within bounds, and gives records.
func statements(read Reader, query string) (any, error) {
	if err := bounded(query); err != nil {
		return nil, err
	}
	list, err := read(query)
	switch {
	case err != nil:
		return nil, err
	case len(list) == 0:
		return nil, errors.New("the query has no statement")
	case len(list) > maxStatements:
		return nil, fmt.Errorf("the query has more than %d statements", maxStatements)
	}
	out := make([]any, len(list))
	for i, s := range list {
		if len(s.Tables) > maxNames || len(s.Functions) > maxNames {
			return nil, fmt.Errorf("a statement names more than %d tables or functions", maxNames)
		}
		out[i] = map[string]any{"kind": s.Kind, "tables": anys(s.Tables), "functions": anys(s.Functions),
			"unconditional": s.Unconditional}
	}
	return out, nil
}

func anys(names []string) []any {
	out := make([]any, len(names))
	for i, n := range names {
		out[i] = n
	}
	return out
}

// bounded looks at a text blindly: what looks like a bracket is one. Databases take
// what stands in some comments for a part of the query, and others do not.
func bounded(query string) error {
	switch {
	case len(query) > MaxText:
		return fmt.Errorf("a query of %d bytes, expected at most %d", len(query), MaxText)
	case !utf8.ValidString(query) || strings.ContainsRune(query, 0):
		return errors.New("the query is not plain text in UTF-8")
	}
	for _, mark := range []string{"/*!", "/*+", "/*M!", "/*T!"} {
		if strings.Contains(query, mark) {
			return fmt.Errorf("the query holds %s, which some databases execute; leave it out", mark)
		}
	}
	depth := 0
	for i := range len(query) {
		switch query[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth = max(0, depth-1)
		}
		if depth > MaxDepth {
			return fmt.Errorf("the query has brackets at depth %d, expected at most %d", depth, MaxDepth)
		}
	}
	return nil
}
