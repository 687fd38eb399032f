// Package lint finds rules that load and cannot mean what they say: a clause that
// never applies, one that another always forestalls, a flag that is looked for among
// operands.
//
// [Run] reads the forms of a rulebook as conditions over names: numbers in ranges,
// words in sets, texts that begin or end with a word. It knows the schemas of the tools.
// What it does not understand it takes as a fact that may hold or not, so that a
// contradiction that it finds is one. It builds an action for each finding and runs it
// through the rules. A finding that the run does not bear out is dropped.
//
// An author who knows better writes so on the line, or on the line before:
//
//	; lint: shadowed-clause because a plugin may remove the clause before
package lint
