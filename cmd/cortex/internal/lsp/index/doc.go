// Package index finds the names in rule files: what each file defines, and where names
// are mentioned, in conditions, clauses, schemas and examples. An editor asks it where
// something is defined, what refers to it, and what a name may be renamed to.
//
// It works on the tree of a text, so that a file which does not load, or is half written,
// has its names as well. It proves nothing: whether a rulebook is right is for package
// rules to say.
package index
