// Mutants changes one line of the code at a time, as a fault might, and sees
// whether the tests that guard it fail. It says which changes survive. Nothing in
// the tree is touched: each change is an overlay of `go test`, so a run that is cut
// off leaves nothing behind. `make mutants` runs it.
//
// The changes stand in table/*.txt. Each begins with its file. A sentence says what
// it breaks; `tests:` names the tests that have to fail, of the file's own package
// or of the one named first; without names they are all of the package's, with
// -short. The lines are a diff's: they begin with a blank, - or +, and the old ones
// stand in the file exactly once.
//
//	== cortex/decide.go
//	An allow that was made under another policy is begun.
//	tests: ./cortex TestI1_AnAllowOfAnotherPolicyIsDecidedAgain
//	-	if d.Policy != e.policy.Load().gates.Hash() {
//	+	if false {
//
// A change that no test can see says so: "survives because" and the reason. Then it
// is listed, and fails nothing, but if a test does see it.
package main
