// Package admission bounds what an engine holds at a time. [Caps] says how much. The
// engine refuses what exceeds a cap with a [BusyError] before it records anything of it,
// and drops nothing that it has accepted. [Waiting] counts the signals that are accepted
// and not answered, [Memory] the bytes that sessions take.
package admission
