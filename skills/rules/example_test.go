package rules_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/rules"
)

// The manual's sample loads with its example run through the real Decide, and
// is refused when the example expects something else.
func TestTheSampleHoldsWhatItShows(t *testing.T) {
	text, err := os.ReadFile("testdata/sample.lisp")
	require.NoError(t, err)
	load := func(text string) error {
		_, err := reason.LoadRules(fstest.MapFS{"sample.lisp": {Data: []byte(text)}})
		return err
	}
	require.NoError(t, load(string(text)))
	wrong := strings.Replace(string(text), "(deny shell-guard/destroys-data)", "(ask shell-guard/elevates)", 1)
	require.ErrorContains(t, load(
		wrong), `the example "rm outside the workspace is refused" does not hold: found (deny shell-guard/destroys-data), expected (ask shell-guard/elevates)`)
}

// Rules are tried beside plugins without any process: an example says what they
// answer, and every kind of answer counts as it would from a process.
func TestExamplesSayWhatPluginsAnswer(t *testing.T) {
	const src = `
		(deftool shell :params (:cmd command) :required (:cmd) :tier :%s)
		(defskill guard :priority 100 :trigger (= action.tool "shell")
		  :gate ((deny deletes :when (some (shell action.args.cmd) (= it.name "rm")) :reason "nothing is deleted here")))
		(defexample "one" :action (:tool "shell" :args (:cmd "%s")) :plugins (%s) :expect (%s))`
	tests := []struct{ tier, cmd, plugins, expect, err string }{
		{tier: "allow", cmd: "ls", plugins: `(:name "p" :answer :pass)`, expect: "allow tier/shell"},
		{tier: "allow", cmd: "ls", plugins: `(:name "p" :answer :reject :clause "c")`, expect: "deny p/c"},
		{tier: "allow", cmd: "ls", plugins: `(:name "p" :answer :reject)`, expect: "deny p/main"},
		{tier: "allow", cmd: "ls", plugins: `(:name "p" :answer :ask :approvers "boss" :quorum 2)`, expect: "ask p/main"},
		{tier: "ask", cmd: "ls", plugins: `(:name "p" :answer :allow :clause "c")`, expect: "allow p/c"},
		{tier: "allow", cmd: "rm x", plugins: `(:name "p" :answer :allow)`, expect: "deny guard/deletes"},
		{tier: "allow", cmd: "rm x", plugins: `(:name "p" :priority 200 :answer :reject)`, expect: "deny p/main"},
		{tier: "allow", cmd: "ls", plugins: `(:name "p" :priority 200 :answer :rewrite :set (:cmd "rm x"))`,
			expect: "deny guard/deletes"},
		{tier: "allow", cmd: "ls", plugins: `(:name "a" :answer :pass) (:name "b" :answer :reject)`, expect: "deny b/main"},
		{tier: "allow", cmd: "ls", plugins: `(:name "p" :answer :reject)`, expect: "allow",
			err: `the example "one" does not hold: found (deny p/main)`},
		{tier: "allow", cmd: "ls", plugins: `(:name "p" :answer :reject)`, expect: "deny q/main",
			err: "nothing has the key q/main"},
		{tier: "allow", cmd: "ls", plugins: `(:name "p" :answer :maybe)`, expect: "allow",
			err: ":pass, :allow, :rewrite, :ask or :reject"},
		{tier: "allow", cmd: "ls", plugins: `(:answer :pass)`, expect: "allow", err: "the name of a plugin"},
		{tier: "allow", cmd: "ls", plugins: `(:name "p" :anser :pass)`, expect: "allow", err: "anser"},
		{tier: "allow", cmd: "ls", plugins: `p`, expect: "allow", err: "expected a plist"},
	}
	for _, tt := range tests {
		t.Run(tt.plugins, func(t *testing.T) {
			text := fmt.Sprintf(src, tt.tier, tt.cmd, tt.plugins, tt.expect)
			_, err := reason.LoadRules(fstest.MapFS{"r.lisp": {Data: []byte(text)}})
			if tt.err == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tt.err)
		})
	}
}

// Rules and Decide are all that judging takes: no engine, no store.
func Example() {
	book, err := rules.Load(fstest.MapFS{"guard.lisp": {Data: []byte(`
		(deftool shell :params (:cmd command) :required (:cmd) :tier :allow)
		(defskill guard :trigger (= action.tool "shell")
		  :gate ((deny deletes
		           :when (some (shell action.args.cmd) (= it.name "rm"))
		           :reason "nothing is deleted here")))`)}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, cmd := range []string{"ls", "echo a; $(printf rm) -r x", `bash -c "rm -r x"`} {
		proposal := sexpr.Plist("tool", sexpr.Str("shell"), "args", sexpr.Plist("cmd", sexpr.Str(cmd)))
		d := reason.Decide(context.Background(), reason.Request{Policy: book, Proposal: proposal})
		fmt.Println(d.Kind, d.Key)
	}
	// Output:
	// allow tier/shell
	// deny guard/deletes/error
	// deny guard/deletes
}
