// Package clock tells the time by two clocks: the wall clock, which may be set to anything at
// any moment, and the uptime of the machine, which may not. A jump of the first against the
// second goes on record before anything is decided by the new time.
package clock
