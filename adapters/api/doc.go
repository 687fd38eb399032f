// Package api lets other programs talk to a daemon in JSON over HTTP, on a Unix socket:
// hooks of coding agents, the MCP proxy, agents in Python and TypeScript.
//
// A caller brings what it wants to do, and what was said and read in its own sessions.
// Who asks, where, and all other facts come from the daemon: from its settings, and from
// what the kernel says about the process at the other end. No request approves anything;
// cards are answered where people are, see package approval.
//
// # A call
//
// A caller that is about to run a tool asks [Judge]: the engine decides, waits for people
// if it has to and may, and opens the intent. Only then the tool runs, with the arguments
// of the answer. [Finish] says how it ended; its result is what the model read, and the
// rules know so. Decide and Begin are the two halves for callers that wait themselves.
//
// # Whose words
//
// A session belongs to the process that speaks in it first: to the host of a hook, or to
// the caller itself. While that process lives, every other one is refused. Words that it
// sends are the user's, with one exception: what a hook sends while a call of the session
// is open, or from a process that was there when one was, may come from a tool, and is a
// text that was read. Under one uid all of this is a hint and no boundary, as
// docs/limitations.md says.
package api
