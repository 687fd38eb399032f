// Package archtest holds the tests that keep the house in order: which package may
// import which, what somebody who only judges actions has to link, and that
// every package says what it is. `make check` runs them.
package archtest
