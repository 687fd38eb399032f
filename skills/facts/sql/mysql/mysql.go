// Package mysql reads queries in MySQL's dialect with TiDB's parser, of which it is the
// only importer.
//
// What a query means depends on settings of the server: whether "x" is a string or a
// name, and whether \ escapes. So each query is read under all of them, and one that
// does not do the same under each is an error.
package mysql

import (
	"errors"
	"maps"
	"slices"

	"github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"
	_ "github.com/pingcap/tidb/pkg/parser/test_driver" // the values of literals; the parser needs one

	"github.com/opencortex-go/cortex/skills/facts/sql"
)

// Dialect is the name that tools declare: (sql mysql).
const Dialect = "mysql"

var (
	errUnread   = errors.New("the query cannot be read whole as MySQL")
	errSettings = errors.New("what the query does depends on settings of the server: on quotes or on backslashes; write " +
		"strings in single quotes and without backslashes")
)

// Read reads a query. It is a [sql.Reader].
func Read(text string) ([]sql.Statement, error) {
	var first []sql.Statement
	for i, mode := range []mysql.SQLMode{
		0, mysql.ModeANSIQuotes, mysql.ModeNoBackslashEscapes, mysql.ModeANSIQuotes | mysql.ModeNoBackslashEscapes,
	} {
		read, err := readAs(text, mode)
		switch {
		case err != nil && i == 0:
			return nil, err
		case err != nil, i > 0 && !slices.EqualFunc(first, read, same):
			return nil, errSettings
		}
		first = read
	}
	return first, nil
}

func same(a, b sql.Statement) bool {
	return a.Kind == b.Kind && a.Unconditional == b.Unconditional && slices.Equal(a.Tables, b.Tables) &&
		slices.Equal(a.Functions, b.Functions)
}

// readAs reads a query under one setting. A parser that fails has read nothing.
func readAs(text string, mode mysql.SQLMode) (out []sql.Statement, err error) {
	defer func() {
		if p := recover(); p != nil {
			out, err = nil, errUnread
		}
	}()
	p := parser.New()
	p.SetSQLMode(mode)
	nodes, warnings, err := p.ParseSQL(text)
	if err != nil || len(warnings) > 0 {
		return nil, errUnread
	}
	for _, n := range nodes {
		for _, s := range explained(n) {
			out = append(out, statementOf(s))
		}
	}
	return out, nil
}

// explained is a statement, and the one that it explains, which may run as well.
func explained(n ast.StmtNode) []ast.StmtNode {
	out := []ast.StmtNode{n}
	if e, ok := n.(*ast.ExplainStmt); ok && e.Stmt != nil {
		out = append(out, explained(e.Stmt)...)
	}
	return out
}

func statementOf(n ast.StmtNode) sql.Statement {
	f := &finder{tables: map[string]bool{}, functions: map[string]bool{}, hidden: map[string]bool{}}
	f.with(n)
	n.Accept(f)
	s := sql.Statement{Kind: kindOf(n), Tables: slices.Sorted(maps.Keys(f.tables)),
		Functions: slices.Sorted(maps.Keys(f.functions))}
	if s.Kind == "select" && f.into {
		s.Kind = "select-into"
	}
	switch n := n.(type) {
	case *ast.UpdateStmt:
		s.Unconditional = !readsColumns(n.Where)
	case *ast.DeleteStmt:
		s.Unconditional = !readsColumns(n.Where)
	}
	return s
}

// finder gathers the names in a statement.
type finder struct {
	tables, functions map[string]bool
	hidden            map[string]bool // names that stand for a part of the query itself
	into, column      bool
}

// with goes through the queries that a SELECT gives names to, in front of it. Their
// names are no tables from there on. Where names are given elsewhere, or rows are
// changed, they count as tables.
func (f *finder) with(n ast.StmtNode) {
	var w *ast.WithClause
	switch n := n.(type) {
	case *ast.SelectStmt:
		w, n.With = n.With, nil
	case *ast.SetOprStmt:
		w, n.With = n.With, nil
	}
	if w == nil {
		return
	}
	for _, c := range w.CTEs {
		if w.IsRecursive {
			f.hidden[c.Name.L] = true
		}
		c.Query.Accept(f)
		f.hidden[c.Name.L] = true
	}
}

// Enter is called for each node before those below it.
func (f *finder) Enter(n ast.Node) (ast.Node, bool) {
	switch n := n.(type) {
	case *ast.TableName:
		switch {
		case n.Schema.L != "":
			f.tables[n.Schema.L+"."+n.Name.L] = true
		case !f.hidden[n.Name.L]:
			f.tables[n.Name.L] = true
		}
	case *ast.FuncCallExpr:
		name := n.FnName.L
		if n.Schema.L != "" {
			name = n.Schema.L + "." + name
		}
		f.functions[name] = true
	case *ast.SelectIntoOption:
		f.into = true
	case *ast.SelectStmt:
		f.into = f.into || n.SelectIntoOpt != nil
	case *ast.ColumnNameExpr:
		f.column = true
	}
	return n, false
}

// Leave is called for each node after those below it.
func (f *finder) Leave(n ast.Node) (ast.Node, bool) { return n, true }

// readsColumns reports whether a condition looks at any column.
func readsColumns(where ast.ExprNode) bool {
	if where == nil {
		return false
	}
	f := &finder{tables: map[string]bool{}, functions: map[string]bool{}}
	where.Accept(f)
	return f.column
}
