// Package plugintest is the conformance suite of cortex.skill.v1, for skill processes
// in any language.
//
//	func TestSkill(t *testing.T) {
//		plugintest.Run(t, plugintest.Options{Program: "./no-sudo"})
//	}
//
// Without Go tests, run the program in skilltest. The suite starts the skill as a
// plain gRPC server and sends it valid and invalid requests; at the end a real
// [plugins.Host] loads it in its sandbox.
//
// Hosts can run a skill that passes. Its examples and its own tests must show that it
// judges well: see [Start].
package plugintest

import (
	"context"
	"fmt"
	"testing"
	"time"
)

// Options configures how the skill is started.
type Options struct {
	Program string   // its path
	Args    []string // its arguments
	Env     []string // NAME=value; it inherits no other variables
	Files   []string // files that it needs; copies are put into its working folder
	// Transport is as in skills.lock: "mtls" makes a skill in Go use certificates.
	Transport string
	// Deadline bounds one call; 0 is 2 s, so that a busy machine does not fail
	// skills. Use the deadline of skills.lock to be strict.
	Deadline time.Duration
}

// Result is the result of one check; Err is nil if the skill passed.
type Result struct {
	Check string
	Err   error
}

// check is one requirement for every skill.
type check struct {
	name string
	run  func(context.Context, Options) error
}

// all are the checks, the most useful for a skill's author first. Each starts a
// process of its own.
var all = []check{
	{"says where it listens, in one line", checkHandshake},
	{"ends at once without a host", checkNoHost},
	{"describes itself within the limits", checkDescribe},
	{"refuses another protocol and names both", checkProtocol},
	{"says whether it is ready", checkHealth},
	{"brings examples of what it stops and what it leaves, and they hold", checkExamples},
	{"answers the question it was asked", checkShape},
	{"refuses fields that it does not know", checkUnknownFields},
	{"refuses what it cannot read, and goes on", checkBadRequests},
	{"refuses messages of more than 1 MiB, and goes on", checkHuge},
	{"judges strange actions without falling over", checkStrange},
	{"answers many at a time", checkConcurrent},
	{"answers the same question always in the same way", checkDeterministic},
	{"goes on after abandoned calls", checkAbandoned},
	{"ends cleanly on SIGTERM", checkTerm},
	{"ends when its host says so", checkShutdown},
	{"ends when its host has died", checkOrphan},
	{"is loaded by a host, fenced in", checkHost},
}

// Check makes every check, even after failures.
func Check(ctx context.Context, o Options) []Result {
	o = o.filled()
	out := make([]Result, 0, len(all))
	for _, c := range all {
		out = append(out, Result{c.name, c.bounded(ctx, o)})
	}
	return out
}

// CheckOne makes one check, by the name that [Result.Check] has.
func CheckOne(ctx context.Context, o Options, name string) error {
	for _, c := range all {
		if c.name == name {
			return c.bounded(ctx, o.filled())
		}
	}
	return fmt.Errorf("no check %q", name)
}

// Run makes every check as a subtest.
func Run(t *testing.T, o Options) {
	t.Helper()
	o = o.filled()
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			if err := c.bounded(t.Context(), o); err != nil {
				t.Error(err)
			}
		})
	}
}

func (c check) bounded(ctx context.Context, o Options) error {
	const most = time.Minute // for one check
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	if err := c.run(ctx, o); err != nil {
		return fmt.Errorf("%s: %w", o.Program, err)
	}
	return nil
}

func (o Options) filled() Options {
	if o.Deadline == 0 {
		o.Deadline = 2 * time.Second
	}
	return o
}
