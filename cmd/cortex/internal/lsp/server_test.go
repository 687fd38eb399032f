package lsp

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const tools = `(deftool pay
  :doc "Pays an invoice."
  :params (:to string :amount (number 0 100000))
  :required (:to :amount)
  :tier :allow :spends (:money :amount))
(deflist known "ACME" "Ünïcode 🙂")
`

const payments = `(include "tools.lisp")
(defskill payments
  :trigger (= action.tool "pay")
  :gate
  ((ask large
     :when (> action.args.amount 200)
     :reason "more than 200 needs a yes")
   (deny stranger
     :when (not (in action.args.to known))
     :reason "not a payee that is known")))
(definvariant daily
  :when (= action.tool "pay")
  :holds (<= (+ action.args.amount (spent :money :day)) 10000)
  :reason "at most 10000 a day")
(defexample "large" :action (:tool "pay" :args (:to "ACME" :amount 900)) :expect (ask payments/large))
(defexample "far too large" :action (:tool "pay" :args (:to "ACME" :amount 20000)) :expect (deny invariant/daily))
`

// with puts the mark into a text, before the n-th place of a word.
func with(text, word string, n int) string {
	at := 0
	for ; n > 0; n-- {
		at += strings.Index(text[at:], word) + 1
	}
	return text[:at-1] + mark + text[at-1:]
}

func TestDiagnostics(t *testing.T) {
	c := start(t, map[string]string{"tools.lisp": tools}, nil)
	c.open("a.lisp", payments)
	assert.Empty(t, c.wrongs("a.lisp", 1))

	c.change("a.lisp", strings.Replace(payments, "action.args.amount 200", "action.args.amuont 200", 1), 2)
	got := c.wrongs("a.lisp", 2)
	require.Len(t, got, 1)
	assert.Contains(t, got[0].Message, "amuont")
	assert.Equal(t, span{position{5, 14}, position{5, 32}}, got[0].Range, "the word, and no more")
	assert.Equal(t, severityError, got[0].Severity)

	c.change("a.lisp", strings.Replace(payments, "ask payments/large", "allow", 1), 3)
	got = c.wrongs("a.lisp", 3)
	require.Len(t, got, 1, "an example that does not hold")
	assert.Contains(t, got[0].Message, `the example "large" does not hold`)

	c.change("a.lisp", payments+"(defskill 🙂", 4)
	got = c.wrongs("a.lisp", 4)
	require.Len(t, got, 1, "half written")
	assert.Equal(t, 16, got[0].Range.Start.Line)

	c.change("a.lisp", strings.Replace(payments, "(deny stranger", "(reject stranger", 1), 5)
	got = c.wrongs("a.lisp", 5)
	require.Len(t, got, 1)
	assert.Equal(t, severityWarning, got[0].Severity)

	// What is wrong in an included file is told where it is included, until it is mended,
	// also by a text that is not saved.
	c.change("a.lisp", payments, 6)
	require.NoError(t, os.WriteFile(filepath.Join(c.dir, "tools.lisp"), []byte("(deftool pay :tir :ask)"), 0o600))
	c.tell("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{}})
	require.Eventually(t, func() bool {
		got = c.wrongs("a.lisp", 6)
		return slices.ContainsFunc(got, func(d diagnostic) bool {
			return d.Range == span{position{0, 10}, position{0, 20}} &&
				strings.Contains(d.Message, "in an included file: tools.lisp:1:14: unknown key :tir")
		})
	}, 10*time.Second, 10*time.Millisecond)
	c.open("tools.lisp", tools)
	require.Eventually(t, func() bool { return len(c.wrongs("a.lisp", 6)) == 0 }, 10*time.Second, 10*time.Millisecond)
}

// The rulebook of the command line is checked as a whole.
func TestDiagnosticsOfARulebook(t *testing.T) {
	files := map[string]string{"a.lisp": "(defskill s :trigger (= action.tool \"pay\") :gate ())",
		"b.lisp": "(deftool pay :tier :ask)"}
	c := start(t, files, func(dir string, o *Options) { o.Rules = []string{dir} })
	c.open("a.lisp", files["a.lisp"])
	assert.Empty(t, c.wrongs("a.lisp", 1), "the tool of another file is known")
	c.change("a.lisp", files["a.lisp"]+"(deftool pay :tier :ask)", 2)
	require.Len(t, c.wrongs("b.lisp", -1), 1, "a file that is not open")
	c.change("a.lisp", files["a.lisp"], 3)
	assert.Empty(t, c.wrongs("a.lisp", 3))
	require.Eventually(t, func() bool { return len(c.wrongs("b.lisp", -1)) == 0 }, 10*time.Second, 10*time.Millisecond)
}

func TestHover(t *testing.T) {
	c := start(t, map[string]string{"tools.lisp": tools}, nil)
	for i, h := range []struct{ at, want string }{
		{with(payments, "spent", 1), "(spent budget period) ; number"},
		{with(payments, "not (in", 1), "Whether a condition does not hold."},
		{with(payments, "in action.args.to", 1), "(in X LIST)"},
		{with(payments, "known", 1), `(deflist known "ACME" "Ünïcode 🙂")`},
		{with(payments, "pay\")", 1), "Pays an invoice."},
		{with(payments, "amount 200", 1), ":amount (number 0 100000)"},
		{with(payments, "amount 200", 1), "An argument of the tool `pay`"},
		{with(payments, ":money", 1), ":money :amount"},
		{with(payments, "large))", 1), "more than 200 needs a yes"},
		{with(payments, "daily))", 1), "(definvariant daily"},
		{with(payments, "defskill", 1), "(defskill NAME :doc"},
		{with(payments, ":trigger", 1), "a condition on the actions"},
		{with(payments, "ask large", 1), "Asks people if the condition holds"},
		{with(payments, "action.tool", 1), "The tool of the action"},
		{with(payments+"(definvariant x :holds session.calls)", "session.calls", 1), "earlier calls"},
		{with("(deftool p :params (:a (integer 1 2)))", "integer", 1), "A whole number."},
		{with("(defcondition far? (x) \"Too far.\" (> x 3)) (defskill a :gate ((deny b :when (far? 4))))", "far? 4", 1),
			"Too far."},
		{with("(defskill a :gate ((deny b :when (let ((n 1)) (> n 2)))))", "n 2", 1), "((n 1))"},
		{with("(defskill a :gate ((deny b :when (some (paths act", "paths", 1), "Every path in the arguments"},
		{with("(defskill a :gate ((deny b :when (= action.tool \"reply\"))))", "reply", 1), "A tool of the program."},
	} {
		p := c.open("a.lisp", h.at)
		assert.Contains(t, c.hovered(p), h.want, "%d: %s", i, h.at)
	}
	for _, at := range []string{with(payments, "(in act", 1), with(payments, "200", 1), mark} {
		assert.Empty(t, c.hovered(c.open("a.lisp", at)))
	}
}

func TestCompletion(t *testing.T) {
	c := start(t, map[string]string{"tools.lisp": tools}, nil)
	for i, h := range []struct {
		at         string
		want, none []string
	}{
		{"(" + mark, []string{"deftool", "defskill", "defcondition", "include"}, []string{"deny", "shell"}},
		{"(deft" + mark + ")", []string{"deftool"}, nil},
		{"(deftool pay :tier :ask " + mark + ")", []string{":params", ":doc"}, []string{":tier", ":gate"}},
		{"(deftool pay :tier " + mark + ")", []string{":ask", ":deny", ":allow"}, []string{":doc"}},
		{"(deftool pay :params (:a " + mark + "))", []string{"string", "integer", "path"}, nil},
		{"(deftool pay :params (:aa string) :required (" + mark + "))", []string{":aa"}, nil},
		{"(defskill s :gate ((" + mark, []string{"deny", "ask", "allow", "rewrite"}, []string{"deftool"}},
		{"(defskill s :gate ((ask x :when t " + mark + ")))", []string{":approvers", ":quorum", ":reason"},
			[]string{":when", ":set"}},
		{"(defskill s :gate ((deny x :when (" + mark, []string{"shell", "some", "secrets", "under?"},
			[]string{"action.tool"}},
		{"(defskill s :gate ((deny x :when (un" + mark + ")))", []string{"under?"}, nil},
		{"(defskill s :gate ((deny x :when (= " + mark, []string{"action.tool", "session.user-text", "now"},
			[]string{"shell"}},
		{payments + "(defskill s :trigger (= action.tool " + mark + "))", []string{`"pay"`}, []string{"action.text"}},
		{payments + "(defskill s :trigger (= action.tool \"" + mark + "\"))", []string{"pay"}, nil},
		{payments + "(defskill s :trigger (in action.tool (\"" + mark + "\")))", []string{"pay"}, nil},
		{payments + "(defskill s :gate ((deny x :when (none (calls \"p" + mark + "\") t))))", []string{"pay"}, nil},
		{payments + "(defskill s :gate ((deny x :when (> (spent :" + mark + ")))))", []string{":money"}, nil},
		{payments + "(defskill s :gate ((deny x :when (> (spent :money :" + mark + ")))))",
			[]string{":hour", ":day", ":session"}, nil},
		{payments + "(defskill s :trigger (= action.tool \"pay\") :gate ((deny x :when (in action." + mark,
			[]string{"action.args.amount", "known"}, nil},
		{payments + "(defexample \"x\" :action (:tool \"" + mark + "\"))", []string{"pay"}, nil},
		{payments + "(defexample \"x\" :action (:tool \"pay\" :args (:" + mark + ")))", []string{":amount", ":to"}, nil},
		{payments + "(defexample \"x\" :expect (" + mark + "))", []string{"allow", "deny"}, nil},
		{payments + "(defexample \"x\" :expect (deny " + mark + "))", []string{"payments/large", "invariant/daily"}, nil},
		{"(defcondition c (who) (= " + mark + "))", []string{"who", "action.tool"}, nil},
		{"(defskill s :gate ((deny x :when (let ((limit 3)) (> " + mark + ")))))", []string{"limit"}, nil},
		{"(defskill 🙂 s :gate ((deny x :when (starts" + mark + "\n(deftool b)", []string{"starts-with?"}, nil},
		{"; " + mark, nil, []string{"deftool"}},
	} {
		got := c.completed(c.open("a.lisp", h.at))
		for _, w := range h.want {
			assert.Contains(t, got, w, "%d: %s", i, h.at)
		}
		for _, w := range h.none {
			assert.NotContains(t, got, w, "%d: %s", i, h.at)
		}
	}
	// What is chosen takes the place of what was written.
	p := c.open("a.lisp", `(defskill é🙂 :gate ((deny x :when (ends-`+mark+`w t))))`)
	var list completionList
	c.ask("textDocument/completion", p, &list)
	for _, item := range list.Items {
		if item.Label == "ends-with?" {
			assert.Equal(t, span{position{0, 36}, position{0, 42}}, item.TextEdit.Range)
		}
	}
}

func TestDefinitionAndReferences(t *testing.T) {
	files := map[string]string{"tools.lisp": tools, "a.lisp": payments}
	c := start(t, files, nil)
	c.open("a.lisp", payments)
	for _, h := range []struct {
		word       string
		n          int
		definition string
		references int // without the definition
	}{
		{"pay\")", 1, "tools.lisp:1 pay", 4}, {"known", 1, "tools.lisp:6 known", 1}, {"amount", 1, "tools.lisp:3 :amount", 6},
		{"money", 1, "tools.lisp:5 :money", 1}, {"large))", 1, "a.lisp:5 large", 1}, {"payments/", 1, "a.lisp:2 payments", 1},
		{"daily))", 1, "a.lisp:11 daily", 1},
	} {
		p := c.at("a.lisp", with(payments, h.word, h.n))
		var at []location
		c.ask("textDocument/definition", p, &at)
		assert.Equal(t, []string{h.definition}, c.texts(at, files), h.word)
		c.ask("textDocument/references", p, &at)
		assert.Len(t, at, h.references, "%s: %v", h.word, c.texts(at, files))
		p.Context.IncludeDeclaration = true
		c.ask("textDocument/references", p, &at)
		assert.Len(t, at, h.references+1, h.word)
	}
	var at []location
	c.ask("textDocument/definition", c.at("a.lisp", with(payments, "tools.lisp", 1)), &at)
	require.Len(t, at, 1)
	assert.Equal(t, c.uri("tools.lisp"), at[0].URI)
	// From the file that is included, too.
	p := c.open("tools.lisp", with(tools, "known", 1))
	c.ask("textDocument/references", p, &at)
	assert.Equal(t, []string{"a.lisp:9 known"}, c.texts(at, files))
}

func TestRename(t *testing.T) {
	files := map[string]string{"tools.lisp": tools, "a.lisp": payments}
	for _, h := range []struct {
		word, to, file string
		want           []string
	}{
		{"pay\")", "sendMoney", "a.lisp", []string{`(deftool |sendMoney|`, `action.tool "sendMoney"`, `:tool "sendMoney"`}},
		{"known", "payees", "a.lisp", []string{"(deflist payees", "action.args.to payees"}},
		{"amount 200", "sumTotal", "a.lisp",
			[]string{":|sumTotal| (number", "(:to :|sumTotal|)", ":money :|sumTotal|", "action.args.|sumTotal| 200",
				":|sumTotal| 900"}},
		{"money", "cash", "a.lisp", []string{"(:cash :amount)", "(spent :cash :day)"}},
		{"large\n", "big", "a.lisp", []string{"(ask big\n", "payments/big"}},
		{"payments\n", "bills", "a.lisp", []string{"(defskill bills", "bills/large"}},
		{"daily\n", "per-day", "a.lisp", []string{"(definvariant per-day", "invariant/per-day"}},
	} {
		c := start(t, files, nil)
		c.open("a.lisp", payments)
		c.open("tools.lisp", tools)
		p := c.at(h.file, with(files[h.file], h.word, 1))
		var is *prepared
		c.ask("textDocument/prepareRename", p, &is)
		require.NotNil(t, is, h.word)
		p.NewName = h.to
		var edits workspaceEdit
		c.ask("textDocument/rename", p, &edits)
		after := c.apply(files, edits)
		all := after["a.lisp"] + after["tools.lisp"]
		for _, w := range h.want {
			assert.Contains(t, all, w)
		}
		c.change("a.lisp", after["a.lisp"], 2)
		c.change("tools.lisp", after["tools.lisp"], 2)
		assert.Empty(t, c.wrongs("a.lisp", 2), "it loads, and its examples hold")
	}
}

func TestRenameRefuses(t *testing.T) {
	text := `(include "tools.lisp")(deflist other "x")
(defskill s :gate ((deny x :when (let ((known2 1) (b 2)) (> known2 b)))))`
	c := start(t, map[string]string{"tools.lisp": tools}, nil)
	c.open("a.lisp", text)
	for _, h := range []struct{ word, to, why string }{
		{"other", "a b", "not fit"}, {"other", "", "not fit"}, {"other", "shell", "built in"}, {"other", "other", "already"},
		{"other", "known", "already"}, {"other", "a.b", "not fit"}, {"b 2", "known2", "stands for something else"},
		{"s :gate", "tier", "would not load"}, {"tools.lisp", "x", "nothing here"}, {":when", "x", "nothing here"},
	} {
		p := c.at("a.lisp", with(text, h.word, 1))
		p.NewName = h.to
		assert.ErrorContains(t, c.try("textDocument/rename", p, nil), h.why, h.word)
	}
	p := c.at("a.lisp", with(text, "b 2", 1))
	p.NewName = "least"
	var edits workspaceEdit
	c.ask("textDocument/rename", p, &edits)
	assert.Len(t, edits.Changes[c.uri("a.lisp")], 2)
	var is *prepared
	c.ask("textDocument/prepareRename", c.at("a.lisp", with(text, ":when", 1)), &is)
	assert.Nil(t, is)
}

func TestFormattingAndOutline(t *testing.T) {
	c := start(t, nil, nil)
	text := "(deflist  a \"🙂\"   ; x\r\n)  (defskill s :gate ((deny one)\n(ask two)))"
	p := c.open("a.lisp", text)
	var edits []textEdit
	c.ask("textDocument/formatting", p, &edits)
	require.Len(t, edits, 1)
	assert.Equal(t, span{position{0, 0}, position{2, 11}}, edits[0].Range)
	tidy := "(deflist a \"🙂\" ; x\n  )\n(defskill s :gate ((deny one)\n                   (ask two)))\n"
	assert.Equal(t, tidy, edits[0].NewText)
	c.ask("textDocument/formatting", c.open("a.lisp", tidy), &edits)
	assert.Empty(t, edits)
	assert.ErrorContains(t, c.try("textDocument/formatting", c.open("a.lisp", "(a"), nil), "a.lisp:1:3: found the end")

	var symbols []documentSymbol
	c.ask("textDocument/documentSymbol", c.open("a.lisp", text), &symbols)
	require.Len(t, symbols, 2)
	assert.Equal(t, "a", symbols[0].Name)
	assert.Equal(t, span{position{0, 10}, position{0, 11}}, symbols[0].SelectionRange)
	require.Len(t, symbols[1].Children, 2)
	assert.Equal(t, "two", symbols[1].Children[1].Name)
	assert.Equal(t, "ask", symbols[1].Children[1].Detail)
}

type record struct {
	sync.Mutex
	counts map[string]int
	next   chan map[string]int
}

func (r *record) Fired() (map[string]int, int, bool) {
	r.Lock()
	defer r.Unlock()
	return r.counts, 7, r.counts != nil
}

func (r *record) Read(ctx context.Context, changed func()) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case counts := <-r.next:
			r.Lock()
			r.counts = counts
			r.Unlock()
			changed()
		}
	}
}

func TestLenses(t *testing.T) {
	r := &record{next: make(chan map[string]int)}
	c := start(t, map[string]string{"tools.lisp": tools}, func(_ string, o *Options) { o.Record = r })
	p := c.open("a.lisp", payments)
	var got []codeLens
	c.ask("textDocument/codeLens", p, &got)
	require.Len(t, got, 3)
	assert.Equal(t, "fired in 0 of 7 decisions so far", got[0].Command.Title)
	r.next <- map[string]int{"payments/large": 3, "invariant/daily": 1}
	require.Eventually(t, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.refresh == 1
	}, 10*time.Second, time.Millisecond)
	c.ask("textDocument/codeLens", p, &got)
	titles := []string{got[0].Command.Title, got[1].Command.Title, got[2].Command.Title}
	assert.Equal(t, []string{"fired in 3 of 7 decisions", "fired in 0 of 7 decisions", "fired in 1 of 7 decisions"},
		titles)
	assert.Equal(t, span{position{4, 8}, position{4, 13}}, got[0].Range)
	assert.Contains(t, c.hovered(c.at("a.lisp", with(payments, "large\n", 1))), "fired in 3 of 7 decisions")
}

func TestLifecycle(t *testing.T) {
	c := start(t, nil, nil)
	c.ask("shutdown", nil, nil)
	assert.Error(t, c.try("textDocument/hover", place{}, nil))
	c.tell("exit", nil)
	require.NoError(t, <-c.server)

	c = start(t, nil, nil)
	c.tell("exit", nil)
	require.ErrorIs(t, <-c.server, ErrNoShutdown)
}

// A server answers what is wrong with an error, and goes on.
func TestWrongRequests(t *testing.T) {
	c := start(t, nil, nil)
	require.Error(t, c.try("textDocument/hover", place{TextDocument: document{URI: "file:///x"}}, nil), "not open")
	require.Error(t, c.try("textDocument/hover", []int{1}, nil))
	require.Error(t, c.try("no/such", nil, nil))
	c.tell("textDocument/didOpen", []int{1})
	c.tell("$/cancelRequest", map[string]any{"id": 1})
	c.tell("textDocument/didOpen",
		map[string]any{"textDocument": map[string]any{"uri": c.uri("b.lisp"), "text": strings.Repeat(" ", maxText+1)}})
	require.Error(t, c.try("textDocument/hover", place{TextDocument: document{URI: c.uri("b.lisp")}}, nil), "too long")
	p := c.open("a.lisp", "(deftool a)")
	p.Position = position{99, -5}
	assert.Empty(t, c.hovered(p))
	c.tell("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": c.uri("a.lisp")}})
	require.Error(t, c.try("textDocument/hover", p, nil), "closed")
	// A text without a file has answers, too.
	c.tell("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": "untitled:1", "version": 1,
		"text": "(deftool a :tier :ask)"}})
	assert.Contains(t, c.hovered(place{TextDocument: document{URI: "untitled:1"}, Position: position{0, 2}}), "A tool:")
}
