// Package wire is what both ends of cortex.skill.v1 have in common: the handshake of
// go-plugin, the words of skills.lock, and the checks of messages. A host checks what
// a skill sent; a skill checks before it sends, so that its author sees why. Authors
// import package skill, which needs this and no host.
package wire
