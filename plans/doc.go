// Package plans compiles workflows into plans.
//
// A workflow is what people write: a plist, or JSON. Both readers fill one structure
// (package source), so both spellings of a workflow give one plan. [Compiler.Compile] takes it
// through its passes: templates in place, features by id, snippets, prompt blocks, loops,
// contracts and conditions. What a workflow names (a template, feature, snippet or contract)
// comes from the [Registry] that the host fills; a workflow cannot define one.
//
// A [Plan] is immutable, and is named by the digest of its canonical JSON (RFC 8785). It says
// what is due, never what is allowed: that remains the business of the gates.
//
// This package is pure. It reads no file and no clock, so one text gives one digest.
package plans
