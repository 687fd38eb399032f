// Package sandbox starts a program of known bytes as a process that reaches little.
//
// [Open] and [Pinned] copy a program to where its bytes stay as they are, and hash
// that copy: what was checked is what is started. [Start] starts it with limits, in
// namespaces of its own, with no files but libraries, what it was granted and its
// own folder, as far as the system has these; [Fence] says what is in force.
// [CheckPeer] makes sure that the process that was started is the one that listens
// on its socket.
package sandbox
