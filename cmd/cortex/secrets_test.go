package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Fifty secrets in arguments that a tool declares as :secret, in actions that are allowed,
// refused by a rule, refused by the schema, asked about, and fail: none is in the record's
// files, the log, a card, a list, an explanation, an export or a dump of goroutines.
func TestThreat12_FiftyCanariesInSecretArguments(t *testing.T) {
	var planted, script []string
	form := func(key, cmd string) {
		planted = append(planted, cmd)
		script = append(script,
			fmt.Sprintf("(:form (:type :request :payload (:tool \"shell\" :args (:%s %q)) :explanation %q))",
				key, cmd, "because of "+cmd))
	}
	pl := newPlace(t)
	pl.alter("rules/r.lisp", ":required (:cmd)", ":required (:cmd) :secret (:cmd)")
	pl.alter("rules/r.lisp", "((ask", `((deny forbidden :when (contains? action.args.cmd "forbidden") :reason "not that")
         (ask`)
	for i := range 10 {
		name := fmt.Sprintf("cnry%d-%s", i, strings.Repeat("q7", 6))
		for _, x := range []struct{ key, before string }{{"cmd", "near-"}, {"cmd", "forbidden-"}, {"cmdd", "near2-"}} {
			form(x.key, x.before+name) // the shell says that there is no such command
			script = append(script, fmt.Sprintf("(:reply %q)", "it was "+x.before+name))
		}
		form("cmd", "printf${IFS}"+name+"\\\\n;exit 3")
		script = append(script, fmt.Sprintf("(:reply %q)", "failed: "+planted[len(planted)-1]))
		form("cmd", "far-"+name)
	}
	require.Len(t, planted, 50)
	script = append(script, `(:reply "the end" :repeat t)`)
	pl.write("script.lisp", strings.Join(script, "\n"))
	pl.shows("approvals", "pair", "--dir", "state", "--secret", "secret")
	d := pl.start()
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", d.cmd.Process.Pid))
	require.NoError(t, err)
	assert.Regexp(t, `Max core file size +0 +0 `, string(limits), "no core dumps")

	c := d.dial()
	said := ""
	for i := range planted {
		said += say(t, c, fmt.Sprint("s", i), "go").Text + "\n" // each secret in a session of its own
	}
	list := pl.shows("approvals", "list", "--socket", "run/c.sock")
	token := regexp.MustCompile(`(?m)^[a-z2-7]{16}\b`).FindString(list)
	require.NotEmpty(t, token, list)
	said += list + pl.shows("approvals", "show", token, "--socket", "run/c.sock") +
		pl.shows("approvals", "approve", token, "--socket", "run/c.sock", "--secret", "secret")
	require.Eventually(t, func() bool {
		return strings.Contains(pl.shows("approvals", "show", token, "--socket", "run/c.sock"), "consumed")
	}, 20*time.Second, 100*time.Millisecond)
	journal := pl.shows("repl", "--socket", "run/c.sock", "(journal :last 1000)")
	said += journal
	var explain strings.Builder
	for _, m := range regexp.MustCompile(`\(:seq ([0-9]+) :kind "decision"`).FindAllStringSubmatch(journal, -1) {
		explain.WriteString("(explain " + m[1] + ")")
	}
	require.Greater(t, strings.Count(explain.String(), "explain"), 70, journal[:600])
	said += pl.shows("repl", "--socket", "run/c.sock", explain.String())
	d.signal(syscall.SIGQUIT)
	d.end()
	require.Contains(t, d.log.String(), "goroutine ", "it dumped its goroutines")
	said += pl.shows("journal", "list", "--dir", "state") + pl.shows("journal", "export", "--dir", "state") +
		pl.shows("journal", "export", "--dir", "state", "--format", "parquet") +
		pl.shows("journal", "show", "--dir", "state", "10") + pl.shows("replay", "--dir", "state")
	for _, secret := range planted {
		if before, _, found := strings.Cut(said+d.log.String(), secret); found {
			assert.Fail(t, "a secret is told", "%s after %s", secret, before[max(0, len(before)-300):])
		}
		assert.Empty(t, append(pl.holding("state", secret), pl.holding("run", secret)...))
	}
	assert.Contains(t, said, "[secret ", "what hides them is there")
	assert.NotContains(t, said, "not replayable")
	require.FileExists(t, pl.path("state/secrets.keys"))

	// The negative control: without the keys' file there is nothing to read them with.
	assert.Contains(t, pl.shows("journal", "verify", "--dir", "state"), "every one as it was written")
	require.NoError(t, os.Remove(pl.path("state/secrets.keys")))
	assert.Contains(t, pl.shows("replay", "--dir", "state"), "not replayable")
}
