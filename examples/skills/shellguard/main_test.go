package main

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/plugins/plugintest"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// The test program is the skill when it is started as one.
func TestMain(m *testing.M) {
	if os.Getenv("SHELLGUARD") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestConformance(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	plugintest.Run(t, plugintest.Options{Program: self, Env: []string{"SHELLGUARD=1"}})
}

// clause is the clause that answers a command line, "" for a pass.
func clause(t testing.TB, line string) string {
	t.Helper()
	a, err := skills.NewAction("shell", sexpr.Plist("cmd", sexpr.Str(line)), "")
	require.NoError(t, err)
	v, err := judge(context.Background(), a, sexpr.Nil())
	require.NoError(t, err)
	switch v := v.(type) {
	case skills.Deny:
		return v.Reason.Key
	case skills.Ask:
		return v.Reason.Key
	case skills.Pass:
		return ""
	case skills.Allow, skills.Rewrite, skills.Asks:
	}
	t.Fatalf("%T is none of its verdicts", v)
	return ""
}

func TestAccidents(t *testing.T) {
	for line, want := range map[string]string{
		"":                                     "",
		"ls -l | wc -l":                        "",
		"cat < f > f":                          "truncates-input",
		"grep x f | sort > f":                  "truncates-input",
		"cat f | tee f":                        "truncates-input",
		"cat f | tee -a f":                     "truncates-input",
		"sort f 2> f":                          "truncates-input",
		"( sort 'f' > \"f\" )":                 "truncates-input",
		"sort f >> f":                          "",
		"sort f > g; sort g > f":               "",
		"echo f > f":                           "",
		"cat /dev/null > /dev/null":            "",
		"cd /tmp/x\nrm -rf *":                  "unchecked-cd",
		"cd x && make; rm -rf out":             "unchecked-cd",
		"cd x; sudo -n rm -rf out":             "unchecked-cd",
		"if true; then cd x; mv a b; fi":       "unchecked-cd",
		"cd x || exit; rm -rf out":             "",
		"set -e; cd x; rm -rf out":             "",
		"cd x; rm -rf /tmp/y":                  "",
		"cd x; ls":                             "",
		"(cd x); rm -rf out":                   "",
		`rm -rf $D/*`:                          "empty-variable",
		`rm -rf "$D"/x`:                        "empty-variable",
		`chmod -R 700 ${D}/`:                   "empty-variable",
		`D=build; rm -rf "$D/"`:                "",
		`rm -rf "$HOME/.cache/x"`:              "",
		`rm -rf "${D:-build}/"`:                "",
		`ls $D/`:                               "",
		"ls | xargs rm":                        "splits-names",
		"find . | grep x | xargs -n1 rm -f":    "splits-names",
		"find . -print0 | xargs -r0 rm":        "",
		"find . | xargs grep x":                "",
		"sleep 100 &":                          "left-running",
		"nohup ./server > log 2>&1":            "left-running",
		"/usr/bin/setsid ./server":             "left-running",
		"./server & pid=$!; ./test; wait $pid": "",
		"echo 'half":                           "unreadable",
		strings.Repeat("(", 2000):              "unreadable",
		strings.Repeat("x", 65<<10):            "unreadable",
		"echo $(cd x; rm -rf out)":             "unchecked-cd",
		"for f in a b; do cd $f; rm out; done": "unchecked-cd",
	} {
		assert.Equal(t, want, clause(t, line), "%.80s", line)
	}
}

// A clause without an example could break unseen.
func TestEveryClauseIsInAnExample(t *testing.T) {
	found := map[string]bool{}
	for _, x := range shellGuard().Examples {
		v, err := sexpr.Read("example", x.Action)
		require.NoError(t, err)
		args, _ := v.Get("args")
		if line := args.GetText("cmd"); line != "" {
			found[clause(t, line)] = true
		}
	}
	for _, c := range shellGuard().Clauses {
		assert.True(t, found[c], c)
	}
}

func FuzzJudge(f *testing.F) {
	for _, line := range []string{"sort f > f",
		"cd x; rm y", `rm "$x/"`, "find . | xargs rm", "a & wait", "echo 'half", "\x00", "${x", "<<E\n"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		a, err := skills.NewAction("shell", sexpr.Plist("cmd", sexpr.Str(line)), "")
		if err != nil {
			return // no action at all: text that is not UTF-8
		}
		first, err := judge(context.Background(), a, sexpr.Nil())
		require.NoError(t, err)
		second, err := judge(context.Background(), a, sexpr.Nil())
		require.NoError(t, err)
		require.Equal(t, first, second)
	})
}
