// Package pythongate_test holds the gate in Python against the conformance suite,
// and against cases of its own.
package pythongate_test

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/oracle"
	"github.com/opencortex-go/cortex/plugins/plugintest"
	skillpb "github.com/opencortex-go/cortex/plugins/proto"
)

var files = []string{"../../../plugins/python/cortex_skill.py", "../../../plugins/python/skill_pb2.py"}

func TestConformance(t *testing.T) {
	oracle.PythonGRPC(t)
	plugintest.Run(t, plugintest.Options{Program: "./python_gate.py", Files: files})
}

// The generated code matches the protocol: `make proto` was not forgotten.
func TestGeneratedCodeIsNotStale(t *testing.T) {
	python := oracle.PythonGRPC(t)
	const script = `import sys; sys.dont_write_bytecode = True; sys.path.insert(0, sys.argv[1]); import skill_pb2
for m in skill_pb2.DESCRIPTOR.message_types_by_name.values():
    for f in m.fields: print(m.name, f.name, f.number)
for e in skill_pb2.DESCRIPTOR.enum_types_by_name.values():
    for v in e.values: print(e.name, v.name, v.number)`
	out, err := exec.Command(python, "-I", "-c", script, "../../../plugins/python").Output()
	require.NoError(t, err)
	var want []string
	file := skillpb.File_plugins_proto_skill_proto
	for i := range file.Messages().Len() {
		m := file.Messages().Get(i)
		for j := range m.Fields().Len() {
			want = append(want, fmt.Sprintln(m.Name(), m.Fields().Get(j).Name(), m.Fields().Get(j).Number()))
		}
	}
	for i := range file.Enums().Len() {
		e := file.Enums().Get(i)
		for j := range e.Values().Len() {
			want = append(want, fmt.Sprintln(e.Name(), e.Values().Get(j).Name(), e.Values().Get(j).Number()))
		}
	}
	require.ElementsMatch(t, want, slices.Collect(strings.Lines(string(out))), "run `make proto`")
}

// Its own tests are in Python.
func TestInPython(t *testing.T) {
	python := oracle.PythonGRPC(t)
	cmd := exec.Command(python, "-I", "test_python_gate.py")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "CORTEX_PYTHON=../../../plugins/python"}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}
