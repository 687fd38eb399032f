// Package skillpb is the protocol cortex.skill.v1 in Go: messages and stubs made
// from skill.proto, which is where everything is explained, by `make proto`.
package skillpb
