package mysql

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts/sql"
)

// said renders statements as the tables below spell them.
func said(list []sql.Statement) string {
	var out []string
	for _, s := range list {
		text := s.Kind + " " + strings.Join(s.Tables, ",")
		if len(s.Functions) > 0 {
			text += " " + strings.Join(s.Functions, ",") + "()"
		}
		if s.Unconditional {
			text += " all"
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

func TestStatements(t *testing.T) {
	for query, want := range map[string]string{
		"select 1": "select ",
		"SELECT a FROM Orders o JOIN shop.Items i USING (id) WHERE x = 1": "select orders,shop.items",
		"select * from a where id in (select id from b union table c)":    "select a,b,c",
		"select (select max(x) from b) from a -- the end":                 "select a,b",
		"select 5--1 from t":                                                   "select t",
		"select 1 # from t":                                                    "select ",
		"select sleep(5), app.f(1) from t":                                     "select t app.f,sleep()",
		"select * from a into outfile '/tmp/x'":                                "select-into a",
		"select 1 union select 2 from b":                                       "select b",
		"(select 1 from a) union (select 2 from b) limit 1":                    "select a,b",
		"with x as (select 1 from a) select * from x":                          "select a",
		"with x as (select 1 from x) select * from x":                          "select x",
		"with x as (select 1 from a), y as (select * from x) select * from y":  "select a",
		"with y as (select * from x), x as (select 1 from a) select * from y":  "select a,x",
		"with recursive x as (select 1 union select n from x) select * from X": "select ",
		"with x as (select 1) select * from db.x":                              "select db.x",
		"select * from (with x as (select 1 from a) select * from x) q":        "select a,x",
		"with x as (select 1) delete from t where id in (select 1 from x)":     "delete t,x",
		"with t as (select 1) update t set a = 1 where b = 2":                  "update t",
		"insert into t select * from u":                                        "insert t,u",
		"insert into t values (1)":                                             "insert t",
		"replace into t values (1)":                                            "replace t",
		"update t set a = 1":                                                   "update t all",
		"update t set a = 1 where 1 = 1":                                       "update t all",
		"update t set a = 1 where true or sleep(1)":                            "update t sleep() all",
		"update t set a = 1 limit 1":                                           "update t all",
		"update t set a = 1 where id = 2":                                      "update t",
		"delete from t":                                                        "delete t all",
		"delete from t where exists (select 1 from u where u.id = 3)":          "delete t,u",
		"delete a from a join b using (id) where b.x = 1":                      "delete a,b",
		"truncate table t":                                                     "truncate t",
		"drop table a, b":                                                      "drop a,b",
		"create table t (id int)":                                              "create t",
		"create table t as select * from u":                                    "create t,u",
		"alter table t add column x int":                                       "alter t",
		"rename table a to b":                                                  "alter a,b",
		"explain select * from t":                                              "explain t; select t",
		"explain analyze delete from t":                                        "explain t; delete t all",
		"set @x = (select 1 from t)":                                           "set t",
		"set global general_log = 1":                                           "set ",
		"use shop":                                                             "use ",
		"call p(1)":                                                            "call  p()",
		"load data infile '/etc/passwd' into table t":                          "load t",
		"prepare s from 'drop table t'":                                        "prepare ",
		"begin; delete from t; commit":                                         "transaction ; delete t all; transaction ",
		"grant all on *.* to 'x'@'%'":                                          "grant ",
		"kill 5":                                                               "other ",
		"do sleep(5)":                                                          "other  sleep()",
		"select `a;b` from `c`":                                                "select c",
		`select "from x" from c where n = "it's"`:                              "select c",
		"select 'it''s' from c":                                                "select c",
	} {
		got, err := Read(query)
		if assert.NoError(t, err, query) {
			assert.Equal(t, want, said(got), query)
		}
	}
}

func TestWhatIsNotRead(t *testing.T) {
	for _, query := range []string{
		"selec 1", "select 1 from", "select 1; drop", "select 1 /* from t", "select 'a", "drop table", ")",
		"select 1 from t where",
		"copy t from '/x'", "select 1::int", "merge into t using u on 1",
	} {
		_, err := Read(query)
		require.Error(t, err, query)
		assert.Equal(t, errUnread, err, query)
	}
	// What one server takes for a string ends it for another.
	for _, query := range []string{
		`select 'a\'; drop table t; -- '`, `select "a\"; drop table t; -- "`, `select 'a\', sleep(5), 'b'`,
	} {
		got, err := Read(query)
		require.Error(t, err, "%s: %s", query, said(got))
	}
}

// Hostile texts at the bounds are read or denied, and fast.
func TestHostileQueries(t *testing.T) {
	for _, part := range []string{"not ",
		"- ", "!", "~", "case when ", "select 1 union ", "(", "((", "1+", "a.", "`", "'", "/*",
		"select 1;", "x in (", "with x as (", "'\\", "\"", "@", "interval ", "if(1,", "exists(select "} {
		for _, query := range []string{
			strings.Repeat(part, sql.MaxText/len(part)), "select " + strings.Repeat(part, (sql.MaxText-10)/len(part)) + "1",
		} {
			assert.NotPanics(t, func() { _, _ = Read(query) })
		}
	}
}

// writer draws queries and writes down what they do: an answer from before the text.
type writer struct {
	t      *rapid.T
	tables []string
}

func (w *writer) table() string {
	name := rapid.SampledFrom([]string{"a", "b", "Orders", "shop.Items", "`x y`", "`select`"}).Draw(w.t, "table")
	w.tables = append(w.tables, strings.ToLower(strings.Trim(name, "`")))
	return name
}

func (w *writer) query(depth int) string {
	out := "select c from " + w.table()
	if rapid.Bool().Draw(w.t, "join") {
		out += " left join " + w.table() + " on c = d"
	}
	if depth > 0 && rapid.Bool().Draw(w.t, "where") {
		out += " where c in (" + w.query(depth-1) + ") and d <> 'from z'"
	}
	if depth > 0 && rapid.Bool().Draw(w.t, "union") {
		out += " union all " + w.query(depth-1)
	}
	return out
}

func (w *writer) statement() (text string, want sql.Statement) {
	w.tables = nil
	where := ""
	kind := rapid.SampledFrom([]string{"select", "insert", "update", "delete", "derived"}).Draw(w.t, "kind")
	switch kind {
	case "select":
		text = w.query(2)
	case "derived":
		text, kind = "select * from ("+w.query(1)+") q /* from z */", "select"
	case "insert":
		text = "insert into " + w.table() + " " + w.query(1)
	case "update":
		text = "update " + w.table() + " set c = 1"
	case "delete":
		text = "delete from " + w.table()
	}
	if kind == "update" || kind == "delete" {
		switch rapid.IntRange(0, 3).Draw(w.t, "condition") {
		case 0:
			where = " where c = 1"
		case 1:
			where = " where d in (" + w.query(1) + ")"
		case 2:
			where, want.Unconditional = " where 1 = 1", true
		default:
			want.Unconditional = true
		}
	}
	slices.Sort(w.tables)
	want.Kind, want.Tables = kind, slices.Compact(w.tables)
	return text + where, want
}

func TestStatementsAgainstTheirWriter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var texts []string
		var want []sql.Statement
		for range rapid.IntRange(1, 3).Draw(rt, "statements") {
			text, s := (&writer{t: rt}).statement()
			if rapid.Bool().Draw(rt, "loud") {
				text = strings.ReplaceAll(strings.ReplaceAll(text, "select ", "SELECT\n"), " from ", "\tFROM ")
			}
			texts, want = append(texts, text), append(want, s)
		}
		got, err := Read(strings.Join(texts, ";\n"))
		require.NoError(rt, err, "%q", texts)
		require.Equal(rt, said(want), said(got), "%q", texts)
	})
}

func FuzzRead(f *testing.F) {
	f.Add("select * from a where b = 'c'; delete from d")
	f.Add("with recursive x as (select 1) update t set a = 1 where \"b\\\" = 1")
	f.Fuzz(func(t *testing.T, query string) {
		first, err := Read(query)
		again, err2 := Read(query)
		if fmt.Sprint(first, err) != fmt.Sprint(again, err2) {
			t.Fatal("two answers")
		}
	})
}

// The function, as the program registers it.
func TestFunction(t *testing.T) {
	f := sql.Functions(map[string]sql.Reader{Dialect: Read})[0]
	tool := func(kinds ...skills.Type) *skills.Case {
		d := &skills.Tool{Name: "query"}
		for i, k := range kinds {
			d.Params = append(d.Params, skills.Param{Name: fmt.Sprint("p", i), Type: k})
		}
		return skills.NewCase(nil, d, &skills.Facts{})
	}
	ours := skills.Type{Kind: skills.KindSQL, Dialect: "mysql"}
	got, err := f.Call(tool(skills.Type{Kind: skills.KindList, Elem: &ours}), []any{"delete from T"})
	require.NoError(t, err)
	assert.Equal(t, []any{map[string]any{"kind": "delete", "tables": []any{"t"}, "functions": []any{},
		"unconditional": true}}, got)
	_, err = f.Call(skills.NewCase(nil, nil, &skills.Facts{}), []any{"select 1", "mysql"})
	require.NoError(t, err)
	for want, args := range map[string][]any{
		"no statement":                         {"  -- nothing"},
		"expected at":                          {strings.Repeat(" ", sql.MaxText+1)},
		"at depth":                             {strings.Repeat("(", sql.MaxDepth+1)},
		"UTF-8":                                {"select 1\x00; drop table t"},
		"holds /*!":                            {"select 1 /*!50000 from t */"},
		"holds /*+":                            {"select /*+ SET_VAR(sql_mode='') */ 1"},
		"16 statements":                        {strings.Repeat("select 1;", 17)},
		"64 tables":                            {"select 1 from a0" + many(64)},
		"cannot be read whole as MySQL":        {"select 1 from"},
		`dialect "postgres" cannot be read`:    {"select 1", "postgres"},
		"the query is not plain text in UTF-8": {"select '\xff'"},
		"depends on settings of the server: on quote": {`select "a\"; drop table t; -- "`},
	} {
		_, err := f.Call(tool(ours), args)
		assert.ErrorContains(t, err, want)
	}
	for _, c := range []*skills.Case{tool(), tool(skills.Type{Kind: skills.KindString}),
		skills.NewCase(nil, nil, &skills.Facts{}),
		tool(ours, skills.Type{Kind: skills.KindSQL, Dialect: "sqlite"})} {
		_, err := f.Call(c, []any{"select 1"})
		assert.ErrorContains(t, err, "dialects of SQL")
	}
	_, err = f.Call(tool(skills.Type{Kind: skills.KindSQL, Dialect: "sqlite"}), []any{"select 1"})
	assert.ErrorContains(t, err, `"sqlite" cannot be read`)
}

func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ",a%d", i+1)
	}
	return b.String()
}

func BenchmarkRead(b *testing.B) {
	for _, query := range []string{
		"select a from orders where id = 1", strings.Repeat("not ", sql.MaxText/4-10) + "1",
		"select " + strings.Repeat("not ", sql.MaxText/4-10) + "1", strings.Repeat("select 1 from a,b;", 64),
	} {
		b.Run(fmt.Sprint(len(query)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = Read(query)
			}
		})
	}
}
