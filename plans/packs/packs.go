// Package packs holds what ships: contracts, snippets, features and capabilities that workflows
// may name. A host adds packs of its own in the same notation.
package packs

import _ "embed"

// Core is the pack that every registry begins with. The contracts wr.contracts.* have the ids
// and kinds of the workflow format that others use; the texts are our own.
//
//go:embed core.lisp
var Core []byte
