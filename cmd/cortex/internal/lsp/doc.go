// Package lsp is a language server for rule files: `cortex lsp` speaks the Language Server
// Protocol on standard input and output, for editors.
//
// A [Server] keeps the texts that are open. When one changes, the rules are loaded as
// `cortex rules check` loads them, with the open texts in the place of the files, and what
// is wrong is published; the examples run, and nothing else does. Every other question
// (hover, completion, definition, references, rename, format, lenses) is answered from the
// trees of the texts, see package index, so that a file which is half written has its
// answers, too. What a rulebook knows, such as the types of functions, comes from the last
// load that succeeded, or from one of nothing.
//
// Files are read in the folders of the open texts, or in those that the command line
// names. The server writes none: it sends edits, and the editor makes them. Messages,
// texts, files and answers are bounded, and a panic is an error for one request.
//
// This package is the only importer of sourcegraph/jsonrpc2.
package lsp
