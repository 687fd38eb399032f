// Package ci tests capabilities before people put them on trial. It runs the unit cases of a plan, and
// cases that it makes up out of them, each in an engine of its own: with its record in memory, the rules
// of the host, and stubs in place of tools. People's answers are yes, so that what is tested is the plan.
// Nothing outside is touched.
package ci
