// Shellguard is a skill that runs as a process of its own. It finds accidents in
// shell commands: lines that mean well and destroy something, or leave something
// behind. The rule files judge one command at a time, by what it is and touches;
// these accidents lie between commands, and need the whole line's grammar.
//
// It is an example of a skill in Go: see docs/plugins.md.
package main

import (
	"context"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/opencortex-go/cortex/plugins/skill"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

func main() { skill.Serve(shellGuard()) }

func shellGuard() skill.Skill {
	return skill.Skill{
		Name: "shell-guard", Release: "1.0.0", Priority: 140, Judges: []string{"shell"}, Judge: judge,
		Doc: "Finds accidents in shell commands: truncated input, an unchecked cd, an empty variable, a process left " +
			"running.",
		Clauses:  []string{"unreadable", "truncates-input", "unchecked-cd", "empty-variable", "splits-names", "left-running"},
		Examples: examples,
	}
}

var examples = []skill.Example{
	{Name: "a filter into another file", Want: "pass",
		Action: `(:tool "shell" :args (:cmd "sort names.txt > sorted.txt"))`},
	{Name: "a filter into its own file", Want: "reject",
		Action: `(:tool "shell" :args (:cmd "sort names.txt > names.txt"))`},
	{Name: "cd that is checked", Want: "pass", Action: `(:tool "shell" :args (:cmd "cd build && rm -r out"))`},
	{Name: "cd that is not", Want: "reject", Action: `(:tool "shell" :args (:cmd "cd build; rm -r out"))`},
	{Name: "a variable that may be empty", Want: "reject", Action: `(:tool "shell" :args (:cmd "rm -rf \"$DEST/\""))`},
	{Name: "a variable that must not be", Want: "pass", Action: `(:tool "shell" :args (:cmd "rm -rf \"${DEST:?}/\""))`},
	{Name: "names that are split", Want: "reject", Action: `(:tool "shell" :args (:cmd "find . -name '*.o' | xargs rm"))`},
	{Name: "names that are not", Want: "pass",
		Action: `(:tool "shell" :args (:cmd "find . -name '*.o' -print0 | xargs -0 rm"))`},
	{Name: "a process that stays", Want: "ask", Action: `(:tool "shell" :args (:cmd "python3 -m http.server &"))`},
	{Name: "processes that are waited for", Want: "pass", Action: `(:tool "shell" :args (:cmd "make a & make b & wait"))`},
	{Name: "half a line", Want: "reject", Action: `(:tool "shell" :args (:cmd "echo 'half"))`},
	{Name: "no line at all", Want: "pass", Action: `(:tool "shell" :args {})`},
}

// What is parsed: more is not a command that anybody reads. The parser recurses, so
// that its depth is bounded by how many brackets there are.
const (
	maxLine     = 64 << 10
	maxBrackets = 1000
)

// judge answers with the first accident that it finds, in the order of Clauses.
func judge(_ context.Context, a *skills.Action, _ sexpr.Value) (skills.Verdict, error) {
	line, ok := a.Native()["cmd"].(string)
	if !ok {
		return skills.Pass{Note: "no command line"}, nil // the tool's own schema refuses it
	}
	if len(line) > maxLine || strings.Count(line, "(")+strings.Count(line, "{")+strings.Count(line, "`") > maxBrackets {
		return deny("unreadable", "the command is too long or too deep to be checked; write a script, in steps", ""), nil
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil {
		return deny("unreadable", "the command cannot be read as shell; check its quotes and brackets", err.Error()), nil
	}
	if what, found := truncatesInput(file); found {
		return deny("truncates-input",
			"the shell empties the file before the command reads it; write to another file and move it", what), nil
	}
	if what, found := uncheckedCd(file); found {
		return deny("unchecked-cd", "if cd fails, what follows happens in the wrong folder; join them with &&", what), nil
	}
	if what, found := emptyVariable(file); found {
		return deny("empty-variable", "if the variable is empty, this means the root folder; write ${name:?}", what), nil
	}
	if what, found := splitsNames(file); found {
		return deny("splits-names", "names with spaces are split into others; use find -print0 and xargs -0, or find -exec",
			what), nil
	}
	if what, found := leftRunning(file); found {
		return skills.Ask{Reason: skills.Reason{Key: "left-running", Text: "a process goes on after the command has ended",
			Detail: what}}, nil
	}
	return skills.Pass{}, nil
}

func deny(clause, text, detail string) skills.Verdict {
	return skills.Deny{Reason: skills.Reason{Key: clause, Text: text, Detail: detail, Retryable: true}}
}
