package main

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The examples run again when a file changes. A file that is half written, or not there
// for a moment, is an error on the screen and not the end.
func TestRulesTestWatches(t *testing.T) {
	const tool = "(deftool pay :params (:amount integer) :tier :allow)\n" +
		"(defexample \"a sum\" :action (:tool \"pay\" :args (:amount 1)) :expect (allow))\n"
	const more = "(defexample \"more\" :action (:tool \"pay\" :args (:amount 2)) :expect (deny))\n"
	pl := place{t, t.TempDir()}
	pl.write("rules/a.lisp", tool)
	cmd := command(pl, "rules", "test", "--watch", pl.path("rules"))
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = cmd.Stdout // one after the other, as on a screen
	require.NoError(t, cmd.Start())
	said := make(chan string)
	go func() {
		defer close(said)
		for in := bufio.NewScanner(out); in.Scan(); {
			said <- in.Text()
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		for range said {       // what it had still to say
		}
		_ = cmd.Wait() // it was killed
	})
	says := func(text string) {
		t.Helper()
		late := time.After(2 * time.Minute)
		for {
			select {
			case line, ok := <-said:
				require.True(t, ok, "it has ended before it said %q", text)
				if strings.Contains(line, text) {
					return
				}
			case <-late:
				require.Fail(t, "it has not said "+text)
			}
		}
	}
	// An editor that writes in place, in two pieces.
	says("1 example, 1 held, 0 failed")
	half := len(tool) - 20
	pl.write("rules/a.lisp", tool[:half])
	says("a rule file has changed: run 2")
	says("nothing is loaded")
	pl.write("rules/a.lisp", tool+more)
	says("fails a.lisp:3:1: more")
	says("2 examples, 1 held, 1 failed")

	// One that puts another file in its place, through a moment without any.
	require.NoError(t, os.Rename(pl.path("rules"), pl.path("aside")))
	says("no such file or folder")
	require.NoError(t, os.WriteFile(filepath.Join(pl.path("aside"), "a.lisp"), []byte(tool), 0o600))
	require.NoError(t, os.Rename(pl.path("aside"), pl.path("rules")))
	says("1 example, 1 held, 0 failed")
}
