// Package secrets finds credentials in text. Its function, secrets, answers
// with the kinds it found and never with a value, so that neither a reason nor
// a record repeats what it protects.
//
// The rules are those of gitleaks, read from the file that its config package
// embeds, and a few of our own for what they miss: a private key's header
// without its body, and short keys. Patterns are RE2, so time is linear in the
// text. A rule is compiled when one of its keywords first occurs.
package secrets
