// Mutants changes one line of the code at a time, as a fault might, checks whether
// the tests that guard it fail, and reports the changes that survive. It does not
// modify the tree: each change is an overlay of `go test`, so an interrupted run
// leaves nothing behind. `make mutants` runs it.
//
// The changes are in table/*.txt. Each begins with its file. A sentence says what it
// breaks; `tests:` names the tests that must fail, of the file's own package or of
// the one named first; without names all tests of the package must run, with -short.
// The lines are those of a diff: they begin with a blank, - or +, and the old ones
// occur in the file exactly once.
//
//	== cortex/internal/ledger/decide.go
//	An allow that was made under another policy is begun.
//	tests: ./cortex/engine TestI1_AnAllowOfAnotherPolicyIsDecidedAgain
//	-	if d.Policy != l.Policies.Current().Gates.Hash() {
//	+	if d.Policy.IsZero() {
//
// A change that tests cannot detect gives a reason: "survives because ...". It is
// listed, and counts as a failure only if a test does detect it.
package main
