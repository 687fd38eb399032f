package rules

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/opencortex-go/cortex/sexpr"
)

// FuzzLoad: no text of a rule file panics, and what does not load says where.
// What loads judges an action without a crash.
func FuzzLoad(f *testing.F) {
	sample, err := os.ReadFile("testdata/sample.lisp")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(sample))
	f.Add(shellTool)
	f.Add(`(include "a.lisp") (defaults :unknown-tool :deny) (deflist l "x" 5)`)
	for _, row := range conditions {
		f.Add("(defskill s :trigger " + row.form + " :gate ((ask x :when " + strconv.Quote(row.text) + ")))")
	}
	f.Fuzz(func(t *testing.T, text string) {
		b, err := Load(folder(t, "a.lisp", text))
		if err != nil {
			var list ErrorList
			if !errors.As(err, &list) {
				t.Fatalf("%T: %v", err, err)
			}
			for _, e := range list {
				_ = e.Caret()
				if e.File == "" || e.Msg == "" {
					t.Fatalf("an error without a place or a text: %#v", e)
				}
			}
			return
		}
		judge(t, b, call(t, "shell", `(:cmd "git status; rm -rf /" :n 5)`), nil)
	})
}

// FuzzText: no condition in expr's syntax panics or crashes a program.
func FuzzText(f *testing.F) {
	for _, row := range conditions {
		f.Add(row.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		b, src := bench(t)
		src.text = strconv.Quote(text)
		c, ok := b.compile(src, sexpr.Str(text), nil)
		if !ok {
			if b.faults.count() == 0 {
				t.Fatal("refused without a reason")
			}
			return
		}
		k := aCase(t)
		if _, err := c.holds(k); err != nil && !isUnjudged(err) && !strings.Contains(text, "crashes") {
			t.Fatalf("%q: %v", text, err)
		}
	})
}
