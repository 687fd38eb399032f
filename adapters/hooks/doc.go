// Package hooks speaks the hook protocols of coding agents, and does nothing else: it reads and
// writes no file, and starts nothing.
//
// An agent such as Claude Code runs a program before each tool call, gives it an event on standard
// input, and takes its exit code, its output and its error text for an answer. A [Dialect] is the
// protocol of one such host. It turns bytes into an [Event], and an [Answer] into a [Reply]:
//
//	host --bytes--> Dialect.Read --Event--> Canonical --action--> a judge
//	host <--Reply-- Dialect.Answer <--Answer-- Rewritten <-- ruling
//
// The protocols look alike and are not. One host runs the tool when it is answered "ask", another
// when a reason is empty, a third when the program was killed. So each dialect has a file of its
// own, with output types of its own, and [Dialect.Block] says no in that dialect, with a text, from
// anywhere and without an event.
//
// Hosts name the same act differently: Bash, exec_command, run_shell_command. A table for each
// dialect (the folder tools) names the canonical tool and renames the arguments, so that one rule
// holds for all hosts. [Dialect.Canonical] maps a call to an action, and [Dialect.Rewritten] maps
// the action that was allowed back to a call of the host. What does not come back to exactly that
// action is an error, and an error means no.
package hooks
