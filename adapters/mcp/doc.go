// Package mcp stands between a client of the Model Context Protocol and the servers that it
// uses. Each tools/call goes to a [Judge] first; every other message passes as it is, byte
// for byte.
//
// A client speaks to the proxy over standard input and output ([Proxy.Stdio]) or over
// streamable HTTP ([Proxy.HTTP]). Behind it stands a command ([Command]), an address
// ([Remote]) or several of both ([Merge]). It keeps no protocol state of its own, so both
// eras pass: 2025-11-25 with sessions, and 2026-07-28 without, where a request may ask for
// input and be sent again.
//
// A call that is allowed goes on with exactly the arguments that were judged. One that is
// denied is answered with a result that says why, so that the model can correct itself. One
// that a person has to decide waits: see call.go. What servers send (results, descriptions
// of tools, prompts, resources) goes to the judge too, since a later call may carry a value
// from it. The proxy does not hear the user and does not see what other servers said, so its
// sessions are partial.
//
// Whatever cannot be read in exactly one way is refused (message.go): a guard and a server
// that read one message differently are a way round the guard.
//
// The capabilities of a daemon stand beside the tools of the servers, and the daemon runs them: see
// capabilities.go.
//
// Only this package and serve import the official SDK: this one to log in to servers that ask for it
// ([OAuth]). Messages do not go through the types of the SDK, since these drop what they do not know.
package mcp
