package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/internal/oracle"
)

var update = flag.Bool("update", false, "write docs/commands.md anew")

// docs/commands.md is what --help says, of every command. `make generate` writes
// it, `make check` and the long form fail while it is stale.
func TestCommandReference(t *testing.T) {
	crashtest.Long(t)
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

// docs/cortex.1 is the manual page, made in the same way.
func TestCommandReferenceOfMan(t *testing.T) {
	k, err := kong.New(&cli{}, kong.Name("cortex"), kong.Description(description))
	require.NoError(t, err)
	page := manual(k)
	const file = "../../docs/cortex.1"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(page), 0o644))
	}
	was, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(was), page, "docs/cortex.1 is stale: run make generate")
	groff := exec.Command(oracle.Find(t, "groff"), "-man", "-Tutf8", "-ww", "-z", file)
	out, err := groff.CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Empty(t, string(out))
}

// The shells themselves complete, each with its script.
func TestCompletion(t *testing.T) {
	for _, x := range []struct{ shell, ask string }{
		{"bash", `COMP_WORDS=(cortex rules ch); COMP_CWORD=2; _cortex; echo "${COMPREPLY[@]}"
			COMP_WORDS=(cortex --json serve --no-gu); COMP_CWORD=3; _cortex; echo "${COMPREPLY[@]}"`},
		{"zsh", `words=(cortex rules ch); CURRENT=3; _cortex; words=(cortex --json serve --no-gu); CURRENT=4; _cortex`},
		{"fish", `complete -C 'cortex rules ch'; complete -C 'cortex --json serve --no-gu'`},
	} {
		t.Run(x.shell, func(t *testing.T) {
			shell := oracle.Find(t, x.shell)
			var script, errs bytes.Buffer
			code := run(t.Context(), []string{"completion", x.shell}, strings.NewReader(""), &script, &errs)
			require.Zero(t, code, errs.String())
			before := ""
			if x.shell == "zsh" { // what compinit brings
				before = "compdef() { :; }; _describe() { print -l -- ${(M)${(P)2}:#$words[CURRENT]*}; }\n"
			}
			cmd := exec.Command(shell, "-c", before+script.String()+x.ask)
			cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, string(out))
			assert.Regexp(t, `(?m)^check\b`, string(out))
			assert.Regexp(t, `(?m)^--no-guard\b`, string(out))
			assert.NotContains(t, string(out), "--no-live", "only what begins so")
		})
	}
}

func help(t *testing.T, args []string) string {
	t.Helper()
	t.Setenv("COLUMNS", "100")
	var out, errs bytes.Buffer
	code := run(t.Context(), append(args, "--help"), strings.NewReader(""), &out, &errs)
	require.Equal(t, exitDone, code, errs.String())
	return out.String()
}
