package main

import (
	"context"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/plugins/plugintest"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules"
)

// The test program is the skill when it is started as one.
func TestMain(m *testing.M) {
	if os.Getenv("LISPSYNTAX") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestConformance(t *testing.T) {
	crashtest.Long(t)
	self, err := os.Executable()
	require.NoError(t, err)
	plugintest.Run(t, plugintest.Options{Program: self, Env: []string{"LISPSYNTAX=1"}})
}

func write(t testing.TB, path, content string) *skills.Action {
	t.Helper()
	a, err := skills.NewAction("write-file", sexpr.Plist("path", sexpr.Str(path), "content", sexpr.Str(content)), "")
	require.NoError(t, err)
	return a
}

func said(t testing.TB, path, content string) string {
	t.Helper()
	v, err := judge(context.Background(), write(t, path, content), sexpr.Nil())
	require.NoError(t, err)
	if d, ok := v.(skills.Deny); ok {
		return d.Reason.Text
	}
	require.IsType(t, skills.Pass{}, v)
	return ""
}

func TestRow070_BrokenLispIsNotWritten(t *testing.T) {
	for _, c := range []struct{ path, content, want string }{
		{"a.lisp", "(defun f (x)\n  (car x)", "line 1: this bracket is never closed"},
		{"a.lisp", "(a)\n(b))", "line 2: a bracket that closes nothing"},
		{"a.lisp", `(a "b)`, "line 1: a text that does not end"},
		{"a.lisp", "(a #| (b)", "line 1: a comment that does not end"},
		{"a.lisp", "(a |b)", "line 1: a symbol that does not end"},
		{"A.LISP", "(a", "never closed"},
		{"a.el", "(list ?( ?\\) \"(\")", ""},
		{"a.el", "(when ok?)", ""},
		{"a.lisp", `(list #\( #\) #\; '|)| "\")" a\( ; (` + "\n)", ""},
		{"a.lisp", "(a #| ( #| ) |# |#)", ""},
		{"a.lisp", "", ""},
		{"a.org", "* A\n#+BEGIN_SRC emacs-lisp :tangle x.el\n(a\n#+END_SRC", "line 3: this bracket"},
		{"a.org", "* A\n#+begin_src lisp\n(a)", "line 2: a block without"},
		{"a.org", "* A (\n#+begin_src python\nx = '('\n#+end_src\n#+begin_src lisp\n(a)\n#+end_src", ""},
		{"a.md", "(", ""},
		{"a.lisp", strings.Repeat("(", maxText+1), "too long"},
		{"a.lisp", strings.Repeat("(", maxText), "never closed"},
	} {
		got := said(t, c.path, c.content)
		if c.want == "" {
			assert.Empty(t, got, "%s: %.40s", c.path, c.content)
			continue
		}
		assert.True(t, strings.HasPrefix(got, "Lisp syntax error: "), got)
		assert.Contains(t, got, c.want)
	}
}

// Lisp that is whole is judged by all other rules all the same.
func TestRow070_WholeLispReachesAllOtherChecks(t *testing.T) {
	const defun = "(defun f () (g))"
	require.Empty(t, said(t, "/core/a.lisp", defun))
	book, err := reason.Loader(rules.Loader{}).Load(rules.Root{FS: fstest.MapFS{"r.lisp": {Data: []byte(`
		(deftool write-file :doc "Write." :params (:path path :content string) :required (:path :content) :tier :allow :effect :local)
		(defskill core :doc "Core." :gate ((deny core :when (under? action.args.path "/core") :reason "not there")))`)}}})
	require.NoError(t, err)
	form, err := sexpr.Read("", `(:tool "write-file" :args (:path "/core/a.lisp" :content "`+defun+`"))`)
	require.NoError(t, err)
	d := reason.Decide(t.Context(), reason.Request{Policy: book, Proposal: form, Facts: &skills.Facts{}})
	assert.Equal(t, "core/core", d.Key)
}

// No text makes the reader hang, panic, or count wrong: what was closed by hand is whole.
func FuzzCheck(f *testing.F) {
	f.Add("(a", true)
	f.Add(`"#|?\(`, false)
	f.Fuzz(func(t *testing.T, text string, emacs bool) {
		_ = check(text, 1, emacs)
		plain := strings.Map(func(r rune) rune {
			if r == '(' || r == ')' || r == 'a' {
				return r
			}
			return -1
		}, text)
		depth, whole := 0, true
		for _, r := range plain {
			switch r {
			case '(':
				depth++
			case ')':
				depth--
			}
			whole = whole && depth >= 0
		}
		assert.Equal(t, whole && depth == 0, check(plain, 1, emacs) == "", plain)
	})
}
