// Package form reads capabilities: tested plans that a model can call as a tool.
//
// A capability stands in a plan file as (defcapability id ...), or as the JSON of the Reflex
// manifest. Both give one [Capability] with one hash: layout, comments and the order of members
// change neither. [Read] says everything that is wrong with a file at once, each with its place and,
// where there is one, what would be right. What it returns is whole: names lead somewhere, conditions
// are compiled, and no slot can add a word, an operator, an expansion or an option to a command.
// [Capability.Check] compares it with the tools that there are.
//
// The package is pure. It opens no file, reads no clock, and decides nothing about an action.
package form
