// Package layout gives rule files one style, as gofmt does for Go.
//
// Authors decide where a line ends, because a line that holds two short conditions, or
// three keys that belong together, says something. The style decides the rest: how far
// lines are indented, blanks between words, at most one empty line, closing parentheses
// at the end of a line, and where a line beyond column 100 is broken. It is the style of
// Lisp: what a definition, clause or loop holds stands two columns in; the arguments of
// a call stand below the first; the elements of a list stand below each other.
//
//	(defskill payments
//	  :trigger (= action.tool "pay")
//	  :gate
//	  ((ask large
//	     :when (and (> action.args.amount 200)
//	                (none session.roles (= it "finance")))
//	     :reason "more than 200 needs a yes from finance" :approvers :finance)))
//
// Comments, strings, names and numbers stay word for word; comments at the ends of
// neighbouring lines begin in one column. A formatted file means what it meant, and
// formatting it again changes nothing: tests and fuzzing hold [Format] to both.
package layout
