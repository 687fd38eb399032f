// Package hooking is what `cortex hook` does: it stands between a coding agent and a judge.
//
// [Run] reads one event of a host, asks a [Judge], and answers in the host's dialect. The judge is
// the daemon, or, where there is to be none, [Standalone], which loads rules and takes the
// conversation from the host's transcript. Everything that goes wrong is a denial.
//
// [Settings] writes the hook into a host's settings, and takes it out again, without touching
// anything else there. The command that it writes, [Line], turns every end of this program but a
// ruling into a denial, since most hosts run the tool if a hook is missing, killed or stuck.
// [Selftest] runs that very line with such programs in the place of this one.
package hooking
