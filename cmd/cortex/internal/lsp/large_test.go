package lsp

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/skills/facts/secrets"
	"github.com/opencortex-go/cortex/skills/rules"
)

// large is a rule file of that many lines at least, with skills like those that ship.
func large(lines int) string {
	const one = `
(deftool pay-%[1]d
  :doc "Pays an invoice."
  :params (:to string :amount (number 0 100000) :cmd command)
  :required (:to :amount)
  :tier :allow :spends (:money-%[1]d :amount))

; What is paid without a question.
(deflist known-%[1]d "ACME" "City Power" "Ünïcode 🙂")

(defcondition stranger-%[1]d? (to) "A payee that is not known."
  (not (in to known-%[1]d)))

(defskill payments-%[1]d
  :doc "Payments of one kind."
  :trigger (= action.tool "pay-%[1]d")
  :gate
  ((ask large
     :when (> action.args.amount 200)
     :reason "more than 200 needs a yes")
   (deny stranger
     :when (stranger-%[1]d? action.args.to)
     :reason "not a payee that is known")
   (deny destroys
     :when (and (has? action.args.cmd)
                (some (shell action.args.cmd) (and (= it.name "rm") (flag? it "r"))))
     :reason "destroys what it should pay for")))

(definvariant daily-%[1]d
  :when (= action.tool "pay-%[1]d")
  :holds (<= (+ action.args.amount (spent :money-%[1]d :day)) 10000)
  :reason "at most 10000 a day")

(defexample "a small one, %[1]d"
  :action (:tool "pay-%[1]d" :args (:to "ACME" :amount 40))
  :expect (allow))

(defexample "one that destroys, %[1]d"
  :action (:tool "pay-%[1]d" :args (:to "ACME" :amount 40 :cmd "cd /tmp && rm -rf build"))
  :expect (deny payments-%[1]d/destroys))
`
	var b strings.Builder
	for i := 0; strings.Count(b.String(), "\n") < lines; i++ {
		fmt.Fprintf(&b, one, i)
	}
	return b.String()
}

// alone is a server without a client, and a text that is open in it.
func alone(tb testing.TB, src string) (*Server, *doc) {
	tb.Helper()
	o := Options{Loader: reason.Loader(rules.Loader{Functions: secrets.Functions()})}
	book, err := o.Loader.Load()
	require.NoError(tb, err)
	s := &Server{options: o, files: newWorkspace(nil), empty: book.Calculator()}
	s.checks = newChecks(s)
	require.NoError(tb, s.files.set(document{URI: uriOf(tb.TempDir() + "/a.lisp"), Text: src}, s.empty))
	return s, s.files.all()[0]
}

// However a text breaks off, and wherever the cursor stands, every question has an answer.
func TestHalfWrittenTexts(t *testing.T) {
	src := large(1)
	s, _ := alone(t, "")
	for off := 0; off <= len(src); off += 3 {
		for _, cut := range []string{src[:off], src[:off] + "(", src[:off] + "\"", src[:off] + src[min(off+40, len(src)):]} {
			require.NoError(t, s.files.set(document{URI: "untitled:1", Text: cut}, s.empty))
			d, _ := s.files.opened("untitled:1")
			p := place{Position: d.text.position(min(off, len(cut)))}
			for method, ask := range s.questions() {
				if method != "textDocument/formatting" && method != "textDocument/rename" {
					_, err := ask(d, p)
					require.NoError(t, err, "%s of %q", method, cut)
				}
			}
		}
	}
}

// Where a name of a half-written file is known, completion gives it.
func TestHalfWrittenFilesKeepTheirNames(t *testing.T) {
	src := large(1)
	c := start(t, nil, nil)
	got := c.completed(c.open("a.lisp", src+"(defskill new :trigger (in action.tool (\""+mark+"\n"+
		strings.ReplaceAll(src, "-0", "-9")))
	assert.Contains(t, got, "pay-0")
	assert.Contains(t, got, "pay-9", "behind the place, too")
}

func BenchmarkAnswersOn3000Lines(b *testing.B) {
	src := large(3000)
	s, d := alone(b, src)
	require.Empty(b, s.checks.all()[0].Diagnostics)
	middle := strings.Index(src, "payments-30")
	at := func(word string) place {
		return place{Position: d.text.position(middle + strings.Index(src[middle:], word)), NewName: "other"}
	}
	places := map[string]place{
		"textDocument/hover": at("stranger-30? action"), "textDocument/completion": at("action.args.amount 200"),
		"textDocument/definition": at("stranger-30? action"), "textDocument/references": at("amount 200"),
		"textDocument/documentSymbol": {}, "textDocument/formatting": {}, "textDocument/codeLens": {},
		"textDocument/rename": at("large\n"),
	}
	for method, p := range places {
		b.Run(strings.TrimPrefix(method, "textDocument/"), func(b *testing.B) {
			p99(b, func() error {
				_, err := s.questions()[method](d, p)
				return err
			})
		})
	}
	b.Run("change", func(b *testing.B) {
		p99(b, func() error { return s.files.set(document{URI: d.uri, Text: src}, s.empty) })
	})
	b.Run("diagnostics", func(b *testing.B) {
		p99(b, func() error {
			s.checks.all()
			return nil
		})
	})
}

// p99 reports the time that 99 of 100 calls take at most.
func p99(b *testing.B, f func() error) {
	b.Helper()
	var took []time.Duration
	for b.Loop() {
		begun := time.Now()
		if err := f(); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[(len(took)-1)*99/100])/1e6, "p99-ms")
}
