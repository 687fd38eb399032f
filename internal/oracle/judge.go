// Package oracle finds the external programs that tests compare this project with:
// sbcl for the notation, bash for command lines, tmux for a terminal.
package oracle

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Required is the environment variable that makes a missing oracle a failure.
// Continuous integration sets it to 1; elsewhere such a test is skipped, and says
// so.
const Required = "CORTEX_JUDGES_REQUIRED"

// Find returns the path of an oracle. Without it, it fails the test if oracles are
// required, and skips it otherwise.
func Find(t testing.TB, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err == nil {
		return path
	}
	absent(t, program, program)
	return ""
}

// File is Find for a judge that is a file: which one, and the Debian package that
// it comes with.
func File(t testing.TB, path, pack string) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		absent(t, path, pack)
	}
}

// Node returns the folder whose node_modules hold an npm package. Only make gateways, make
// editors, make servers and make agents-js fetch such packages, and then name the folder in
// NODE_JUDGES; every other run skips, and says so, also where judges are required.
func Node(t testing.TB, pack string) string {
	t.Helper()
	folder := os.Getenv("NODE_JUDGES")
	if folder == "" {
		t.Skipf("SKIPPED: npm's %s was not fetched, so no oracle has checked this; run: make gateways, make editors, "+
			"make servers or make agents-js", pack)
	}
	if _, err := os.Stat(filepath.Join(folder, "node_modules", pack)); err != nil {
		t.Fatalf("NODE_JUDGES is set, and npm's %s is not there: %v", pack, err)
	}
	return folder
}

func absent(t testing.TB, what, pack string) {
	t.Helper()
	const text = "SKIPPED: %s is not installed, so no oracle has checked this; on Debian: apt-get install %s"
	if os.Getenv(Required) != "" {
		t.Fatalf("%s is required here (%s is set) and not installed", what, Required)
	}
	t.Skipf(text, what, pack)
}

// PythonGRPC returns the path of the system's Python, which must have gRPC and
// protobuf: Debian's python3-grpcio and python3-protobuf. Like [Find] it ends the
// test without them. The path is the one that skills in Python name: a fenced-in
// process sees no other.
func PythonGRPC(t testing.TB) string {
	t.Helper()
	const python = "/usr/bin/python3"
	if exec.Command(python, "-I", "-c", "import grpc, google.protobuf").Run() == nil {
		return python
	}
	if os.Getenv(Required) != "" {
		t.Fatalf("%s with grpcio and protobuf is required here (%s is set) and not installed", python, Required)
	}
	t.Skip("SKIPPED: " + python + " has no grpcio and protobuf, so skills in Python are not tried; on Debian: apt-get " +
		"install python3-grpcio python3-protobuf")
	return ""
}
