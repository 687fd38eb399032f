package condition

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/expr-lang/expr/vm"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/skills/rules/internal/condition/conditiontest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestGoldenDisassembly shows what a few conditions become. A new version of
// expr that compiles them otherwise must be looked at before it is taken.
func TestGoldenDisassembly(t *testing.T) {
	forms := []string{
		`(and (= action.tool "shell") (not (matches? action.args.cmd "rm +-rf")))`,
		`(in action.args.cmd ("ls" "cat"))`,
		`(some action.args.nums (> it 2))`,
		`(every (words) (= it "a"))`,
		`(none (things) (some it.parts (globby? it)))`,
		`(<= (+ action.args.n (twice 2)) 1000)`,
		`(= (get action.args.timeout 30) 30)`,
		`(let ((x action.args.n)) (< x 5))`,
	}
	b, src := bench(t)
	var out strings.Builder
	for _, form := range forms {
		c, err := compileText(t, b, src, form)
		require.NoError(t, err)
		out.WriteString("; " + form + "\n" + disassembly(c.code) + "\n")
	}
	const golden = "testdata/disassembly.txt"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(out.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), out.String())
}

// disassembly is expr's, without the addresses of our functions and constants.
func disassembly(p *vm.Program) string {
	var out strings.Builder
	for _, line := range strings.Split(p.Disassemble(), "\n") {
		if i := strings.Index(line, "0x"); i >= 0 {
			line = line[:i] + "ADDRESS"
		}
		if i := strings.Index(line, "(0xc"); i >= 0 {
			line = line[:i]
		}
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return out.String()
}

// TestNoSlowCalls: none of our functions is called by reflection.
func TestNoSlowCalls(t *testing.T) {
	b, src := bench(t)
	for _, row := range conditiontest.Rows {
		if strings.HasPrefix(row.Want, "load: ") {
			continue
		}
		c, err := compileText(t, b, src, row.Form)
		require.NoError(t, err, row.Form)
		if c.code != nil {
			assert.NotContains(t, c.code.Bytecode, vm.OpCall, row.Form)
			assert.NotContains(t, c.code.Bytecode, vm.OpFetch, row.Form)
		}
	}
}
