package main

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write docs/commands.md anew")

// docs/commands.md is what --help says, of every command. `make generate` writes
// it, `make check` fails while it is stale.
func TestCommandReference(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Commands of `cortex`\n\nMade by `make generate` from what `--help` says. " +
		"Exit codes: 0 allowed or done, 1 error, 2 denied, 3 pending approval, 4 no daemon, 5 differences found.\n")
	k, err := kong.New(&cli{})
	require.NoError(t, err)
	for _, leaf := range k.Model.Leaves(true) {
		args := strings.Fields(leaf.FullPath())[1:]
		b.WriteString("\n## cortex " + strings.Join(args, " ") + "\n\n```\n")
		b.WriteString(help(t, args))
		b.WriteString("```\n")
	}
	const file = "../../docs/commands.md"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	was, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(was), b.String(), "docs/commands.md is stale: run make generate")
}

func help(t *testing.T, args []string) string {
	t.Helper()
	t.Setenv("COLUMNS", "100")
	var out, errs bytes.Buffer
	code := run(t.Context(), append(args, "--help"), strings.NewReader(""), &out, &errs)
	require.Equal(t, exitDone, code, errs.String())
	return out.String()
}
