// Package skillpb is the protocol cortex.skill.v1 in Go: messages and stubs made
// from skill.proto, which is where everything is explained, by `make proto`.
package skillpb

// What host and skill must agree on before they can speak.
const (
	// Protocol is the number of cortex.skill.v1 that this package speaks.
	Protocol = 1
	// Service is the name of the protocol.
	Service = "cortex.skill.v1"
	// Cookie is the variable with which a host puts Service into the environment of
	// a skill, so that a skill started by hand can say so.
	Cookie = "CORTEX_SKILL"
	// MaxMessage is the size of the largest message, either way, in bytes.
	MaxMessage = 1 << 20
)
