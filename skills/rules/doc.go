// Package rules is the rule language: it turns rule files into a [Rulebook], the
// immutable policy that decisions are made by.
//
//	(defskill shell-guard
//	  :trigger (= action.tool "shell")
//	  :gate
//	  ((deny destroys-data
//	     :when (some (shell action.args.cmd) (and (= it.name "rm") (flag? it "r")))
//	     :reason "recursive delete")))
//
// Loading does all the work that can be done before an action is seen. Every
// definition of every file is read, names are resolved, conditions are checked
// against the tools' schemas and priced, and each becomes a program of
// expr-lang/expr; everything that is wrong is reported at once, as an
// [ErrorList] with places, and then nothing is loaded.
//
// A condition is a form, or a string in expr's own syntax. A string is first
// turned into the form it means; from there on there is one way only. The
// lowerer's list of operators and names is the sandbox: what is not on it does
// not exist. What it emits differs from plain expr in what matters to a guard:
// a missing value is an error and not false, kinds that differ do not compare,
// arithmetic does not wrap, and a list that was cut off is unknown past the cut.
//
// This package reads files and makes clauses, tools and examples of definitions.
// Package condition below it compiles and runs conditions, the only importer of expr.
package rules
