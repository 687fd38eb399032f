// Lispsyntax is a skill that runs as a process of its own. It keeps broken Lisp out of
// files: a model that loses a bracket is told so before the file is written, and not by
// whatever loads it later. It looks at the tool write-file, at files of Lisp as a whole and
// at the blocks of Lisp in Org files.
//
// It has nothing to say about Lisp that is whole: every other rule still judges the action.
package main

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/opencortex-go/cortex/plugins/skill"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

func main() { skill.Serve(lispSyntax()) }

func lispSyntax() skill.Skill {
	return skill.Skill{
		Name: "lisp-syntax", Release: "1.0.0", Priority: 140, Judges: []string{"write-file"}, Judge: judge,
		Doc:      "Keeps Lisp with missing or surplus brackets out of .lisp, .el and .org files.",
		Clauses:  []string{"broken", "too-long"},
		Examples: examples,
	}
}

var examples = []skill.Example{
	{Name: "whole", Want: "pass", Action: `(:tool "write-file" :args (:path "a.lisp" :content "(defun f (x) (car x))"))`},
	{Name: "a bracket lost", Want: "reject",
		Action: `(:tool "write-file" :args (:path "a.lisp" :content "(defun f (x) (car x)"))`},
	{Name: "a bracket in a text", Want: "pass",
		Action: `(:tool "write-file" :args (:path "a.lisp" :content "(print \"(\")"))`},
	{Name: "a block of an Org file", Want: "reject",
		Action: `(:tool "write-file" :args (:path "a.org" :content "* A\n#+begin_src lisp\n(a))\n#+end_src\n"))`},
	{Name: "an Org file's words", Want: "pass",
		Action: `(:tool "write-file" :args (:path "a.org" :content "* A :) (sic"))`},
	{Name: "another file", Want: "pass", Action: `(:tool "write-file" :args (:path "a.txt" :content "(a"))`},
}

const maxText = 512 << 10

var (
	block = regexp.MustCompile(`(?i)^[ \t]*#\+begin_src[ \t]+(?:emacs-lisp|elisp|lisp|common-lisp|scheme)\b`)
	end   = regexp.MustCompile(`(?i)^[ \t]*#\+end_src\b`)
)

// judge denies a write whose Lisp does not close what it opens.
func judge(_ context.Context, a *skills.Action, _ sexpr.Value) (skills.Verdict, error) {
	name, _ := a.Native()["path"].(string)
	text, ok := a.Native()["content"].(string)
	ext := strings.ToLower(path.Ext(name))
	if !ok || ext != ".lisp" && ext != ".el" && ext != ".org" {
		return skills.Pass{}, nil
	}
	if len(text) > maxText {
		return deny("too-long", "Lisp syntax error: the text is too long to be checked; write it in parts"), nil
	}
	var fault string
	if ext == ".org" {
		fault = inBlocks(text)
	} else {
		fault = check(text, 1, ext == ".el")
	}
	if fault != "" {
		return deny("broken", "Lisp syntax error: "+fault), nil
	}
	return skills.Pass{}, nil
}

func deny(clause, text string) skills.Verdict {
	return skills.Deny{Reason: skills.Reason{Key: clause, Text: text, Retryable: true}}
}

// inBlocks checks every block of Lisp in an Org file, each by itself.
func inBlocks(text string) string {
	var code strings.Builder
	begin, number := 0, 0
	for line := range strings.Lines(text) {
		number++
		switch {
		case begin == 0 && block.MatchString(line):
			begin = number
			code.Reset()
		case begin > 0 && end.MatchString(line):
			if fault := check(code.String(), begin+1, true); fault != "" {
				return fault
			}
			begin = 0
		case begin > 0:
			code.WriteString(line)
		}
	}
	if begin > 0 {
		return fmt.Sprintf("line %d: a block without #+end_src", begin)
	}
	return ""
}
