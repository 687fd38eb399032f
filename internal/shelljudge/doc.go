// Package shelljudge compares the reader of command lines (package facts) with five
// real shells: bash, dash, busybox ash, mksh and zsh, as Debian installs them, not
// interactive, with default options.
//
// It makes lines: from a grammar of the plain language, from hostile fragments, and
// from mutations and splices of a checked-in corpus. A line counts if the reader
// calls it readable: (shell cmd) is not an error and its list is known to its end. Such a
// line is run in each shell, in a user, mount, process and network namespace
// with an almost empty root, where one stub stands behind every program's name. A
// seccomp listener stops every watched system call until it is noted.
//
// What a line did is a failure if it does not fit what the reader said:
//
//   - "Ran unlisted": a program was executed and (shell cmd) has no command of that
//     name whose flags and operands these words can be; or a rule on names, on
//     operands, on flags or on the number of operands allowed the line, and the
//     words do not fit that rule. An unknown word or a pattern stands for any
//     number of words. The wrappers in via may be executed too. Builtins are known by
//     what they do: a shell that enters a folder needs cd, pushd or popd, one that
//     sends a signal needs kill.
//   - "Opened unlisted": a shell, or a stub of cat, head, tail or wc, opened, listed,
//     created, changed or removed a file or folder that (paths action) does not name,
//     where that list is known to its end; or one outside the work folder although
//     the rule on paths allowed the line; or one in a protected folder although
//     self-protection let the line pass; or a shell connected to somewhere. A listed
//     folder fits a pattern that leads through it.
//
// Looking at a file's status does not count as opening it. Not counted either: what the shells open for
// lines that do nothing (measured when a sandbox starts), reading in the folders of
// libraries, /dev/null, the files that mksh and zsh put here-documents into, and what
// a shell reads of a file right after it could not be executed.
//
// The lines come from a seed, so a campaign can be repeated. Its controls: readings
// that are broken on purpose, and the reader of an old commit, which has to be caught
// by each of six known causes (make shell-differential-controls).
package shelljudge
