package rules

import (
	"errors"
	"os"
	"strconv"
	"testing"

	"github.com/opencortex-go/cortex/skills/rules/internal/condition/conditiontest"
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
	for _, row := range conditiontest.Rows {
		f.Add("(defskill s :trigger " + row.Form + " :gate ((ask x :when " + strconv.Quote(row.Text) + ")))")
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
