package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// runner tries mutants on the module in one folder.
type runner struct {
	root    string        // of the module, absolute
	work    string        // a folder for programs and overlays, absolute
	timeout time.Duration // that one program of tests may take
	out     io.Writer
}

// outcomes of a mutant.
const (
	killed    = "killed"
	survived  = "SURVIVED"
	explained = "explained"        // survived, and the table says why
	seen      = "SEEN"             // killed, and the table says why it cannot be
	noCompile = "does not compile" // the table is wrong
	noApply   = "does not apply"   // so it is
	noTest    = "cannot be judged" // its tests fail, or do not run, without it
)

// run tries mutants one after the other and returns how many came out how.
func (r *runner) run(ctx context.Context, all []mutant) (map[string]int, error) {
	wrong, err := r.baselines(ctx, all)
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	for _, m := range all {
		outcome, line, more := r.try(ctx, m, wrong)
		if ctx.Err() != nil {
			return counts, ctx.Err()
		}
		counts[outcome]++
		_, _ = fmt.Fprintf(r.out, "%-9s %s:%d %s (%s)\n", outcome, m.file, line, m.breaks, more)
	}
	return counts, nil
}

// try applies one mutant and runs its tests.
func (r *runner) try(ctx context.Context, m mutant, wrong map[string]error) (outcome string, line int, more string) {
	real := filepath.Join(r.root, filepath.FromSlash(m.file))
	text, err := os.ReadFile(real)
	if err != nil {
		return noApply, 0, err.Error()
	}
	changed, line, err := m.apply(string(text))
	if err != nil {
		return noApply, 0, err.Error()
	}
	overlay, err := r.overlay(real, changed)
	if err != nil {
		return noApply, line, err.Error()
	}
	for _, t := range m.tests {
		for _, name := range append(t.names, "") {
			if err := wrong[t.pkg+" "+name]; err != nil {
				return noTest, line, err.Error()
			}
		}
		program, err := r.build(ctx, t.pkg, overlay)
		if err != nil {
			return noCompile, line, err.Error()
		}
		out, err := r.test(ctx, program, t, overlay, r.timeout)
		if err == nil {
			continue
		}
		if m.because != "" {
			return seen, line, firstFailure(out) + ", but the table says that it survives"
		}
		return killed, line, firstFailure(out)
	}
	if m.because != "" {
		return explained, line, m.because
	}
	return survived, line, m.at
}

// baselines runs all named tests on the code as it is, and returns what is wrong by
// package and test. A test that fails, or does not run, judges nothing.
func (r *runner) baselines(ctx context.Context, all []mutant) (map[string]error, error) {
	names, whole := map[string][]string{}, map[string]bool{}
	for _, m := range all {
		for _, t := range m.tests {
			names[t.pkg] = append(names[t.pkg], t.names...)
			whole[t.pkg] = whole[t.pkg] || len(t.names) == 0
		}
	}
	wrong := map[string]error{}
	for pkg, want := range names {
		program, err := r.build(ctx, pkg, "")
		if err != nil {
			return nil, err
		}
		runs := test{pkg, want}
		if whole[pkg] {
			runs.names = nil
		}
		out, err := r.test(ctx, program, runs, "", r.timeout*time.Duration(1+len(want)))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil && whole[pkg] {
			wrong[pkg+" "] = fmt.Errorf("without it %s fails too: %s", pkg, firstFailure(out))
		}
		for _, name := range want {
			if !strings.Contains(out, "--- PASS: "+name+" ") {
				wrong[pkg+" "+name] = fmt.Errorf("%s has no test %s, or it is skipped, or fails without it", pkg, name)
			}
		}
	}
	return wrong, nil
}

// overlay writes what `go` is to read in a file's place.
func (r *runner) overlay(real, text string) (string, error) {
	changed, list := filepath.Join(r.work, "changed.go"), filepath.Join(r.work, "overlay.json")
	data, err := json.Marshal(map[string]map[string]string{"Replace": {real: changed}})
	if err != nil {
		return "", err
	}
	return list, errors.Join(os.WriteFile(changed, []byte(text), 0o600), os.WriteFile(list, data, 0o600))
}

// build makes the program that runs a package's tests.
func (r *runner) build(ctx context.Context, pkg, overlay string) (string, error) {
	program := filepath.Join(r.work, strings.ReplaceAll(pkg, "/", "-")+".test")
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay="+overlay, "-o", program,
		"./"+pkg)
	cmd.Dir = r.root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, strings.ReplaceAll(strings.TrimSpace(string(out)), "\n", " | "))
	}
	return program, nil
}

// test runs tests of a package that has been built, where it stands. Programs that
// they build are built with the overlay as well.
func (r *runner) test(ctx context.Context, program string, t test, overlay string, timeout time.Duration) (string,
	error) {
	args := []string{"-test.v", "-test.paniconexit0", "-test.timeout", timeout.String(), "-test.run", pattern(t.names)}
	if len(t.names) == 0 {
		args = append(args, "-test.short")
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = filepath.Join(r.root, filepath.FromSlash(t.pkg))
	cmd.Env = append(os.Environ(), "PWD="+cmd.Dir,
		strings.TrimRight("GOFLAGS="+os.Getenv("GOFLAGS")+" -overlay="+overlay, " "))
	cmd.WaitDelay = 10 * time.Second // for what a test that was broken off has left
	out, err := cmd.CombinedOutput()
	return string(out), err
}

var failure = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)|^panic: (test timed out|.*)|^fatal error: (.*)`)

// firstFailure says what failed first in the output of a program of tests.
func firstFailure(out string) string {
	if m := failure.FindStringSubmatch(out); m != nil {
		return m[1] + m[2] + m[3]
	}
	return "no test, but the program of the tests"
}
