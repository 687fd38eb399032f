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
	require.ErrorContains(t, load(wrong), `the example "rm outside the workspace is refused" does not hold: found (deny shell-guard/destroys-data), expected (ask shell-guard/elevates)`)
}

// Rules and Decide are all that judging takes: no engine, no store.
func Example() {
	book, err := rules.Load(fstest.MapFS{"guard.lisp": {Data: []byte(`
		(deftool shell :params (:cmd command) :required (:cmd) :tier :allow)
		(defskill guard :trigger (= action.tool "shell")
		  :gate ((reject deletes
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
