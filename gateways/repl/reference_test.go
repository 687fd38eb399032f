package repl

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write docs/repl.md anew")

const intro = "# Forms of the REPL\n\nMade by `make generate` from what `(help)` says.\n\n" +
	"A form is a command, or it is computed as a condition of the rules would be: `(+ 1 2)` gives `3`, `(map (shell " +
	"\"ls; rm x\") it.name)` gives `(\"ls\" \"rm\")`. " +
	"It sees your own session and the facts in force; there is no action to be judged, so `action.tool` is an error. " +
	"Commands take data, so a quote makes no difference to them. " +
	"`*`, `**` and `***` are the last three results, newest first, wherever they do not begin a form.\n\n" +
	"`cortex repl` sends them, and so do editors (nrepl.md) and programs (wire.md).\n\n" +
	"No form is a way around the gates: `(decide ...)` judges and runs nothing, `(say ...)` and `(signal ...)` go " +
	"through the whole pipeline as you. " +
	"A result has at most 3 MiB and its text 1 MiB; the long lists have pages. A form that is computed has 5 seconds, " +
	"50 000 steps as rules have, and 64 MiB of text that it makes on the way.\n\n" +
	"Errors have a code:\n\n| code | what is wrong |\n|---|---|\n" +
	"| `syntax` | the form cannot be read, or is not written so |\n| `unknown-form` | nothing has this name |\n| " +
	"`refused` | it is not for this caller |\n" +
	"| `not-found` | no such token, record or rule |\n| `failed` | it could not be done or computed |\n| " +
	"`interrupted` | somebody stopped it |\n" +
	"| `limit` | it is too long or takes too long |\n| `damaged` | the record is not what was written |\n"

// docs/repl.md is what help says, of every command and operator. `make generate`
// writes it, `make check` fails while it is stale.
func TestFormReference(t *testing.T) {
	d := newDesk(t, "")
	calc := d.Rules().Calculator()
	var b strings.Builder
	b.WriteString(intro + "\n## Commands\n\n")
	for _, f := range forms() {
		fmt.Fprintf(&b, "### `%s`\n\n%s", f.signature(), f.doc)
		switch {
		case f.operator == nil:
		case f.name == "run", f.name == "capability":
			b.WriteString(" *Changing anything takes the pairing secret, over the approval socket.*")
		case f.operator(nil) && f.name != "kill-switch":
			b.WriteString(" *Takes the pairing secret, over the approval socket.*")
		default:
			b.WriteString(" *Turning it off takes the pairing secret, over the approval socket.*")
		}
		b.WriteString("\n\n")
	}
	b.WriteString("## Operators\n\n| written | what it gives |\n|---|---|\n")
	for _, name := range calc.Operators() {
		args, doc, _ := calc.Operator(name)
		fmt.Fprintf(&b, "| `(%s %s)` | %s |\n", name, args, doc)
	}
	b.WriteString("\nThe functions, such as `shell` and `paths`, and the names that can be read stand in language.md.\n")
	const file = "../../docs/repl.md"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	was, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(was), b.String(), "docs/repl.md is stale: run make generate")
}

// Whatever can be completed can be looked up, and says something.
func TestEveryNameHasHelp(t *testing.T) {
	d := newDesk(t, "")
	for _, name := range d.plain.names() {
		doc, ok := d.plain.Lookup(name)
		assert.True(t, ok, name)
		assert.NotEmpty(t, doc.Text, name)
	}
	for _, name := range []string{"now", "it", "**", "secret-paths", "session", "session.user-text"} {
		assert.NotEmpty(t, value(t, d.plain, "(help '"+name+")"))
	}
	assert.Contains(t, value(t, d.plain, `(apropos "overflow")`), `"+"`)
}
