// Package pythongate_test holds the gate in Python against the conformance suite,
// and against cases of its own.
package pythongate_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/judge"
	"github.com/opencortex-go/cortex/plugins"
	"github.com/opencortex-go/cortex/plugins/plugintest"
)

var files = []string{"../../../plugins/python/cortex_skill.py", "../../../plugins/python/skill_pb2.py"}

func TestConformance(t *testing.T) {
	judge.PythonGRPC(t)
	plugintest.Run(t, plugintest.Options{Program: "./python_gate.py", Files: files, Transport: plugins.TransportPeer})
}

// Its own tests are in Python.
func TestInPython(t *testing.T) {
	python := judge.PythonGRPC(t)
	cmd := exec.Command(python, "-I", "test_python_gate.py")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "CORTEX_PYTHON=../../../plugins/python"}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}
