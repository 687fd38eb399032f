// Package tools is what an agent may ask of runs: six tools, each with its fields, its limits
// and what it says of itself. Every way to an agent, the Model Context Protocol or the socket
// of the REPL, offers exactly these, from these structs.
//
// An agent errs, so the reader is strict and helps: a member that a tool does not have is an
// error with the nearest name, a member twice is an error, and so is a type that does not fit.
// Two short forms that agents write are taken: notes for output.notesMarkdown and artifacts for
// output.artifacts.
//
// Names and fields are those of WorkRail (MIT), of which agents know them; requestId is ours.
package tools
