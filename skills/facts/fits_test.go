package facts

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/skills/facts/internal/shell"
)

var someForms = []string{
	"NUM ~ [0-9]+", "NAME !~ [/@]", "PLAINFILE !~ @", "COMMON = -[nr] --context=NUM",
	"grep|egrep COMMON -A=NUM -NUM --color[=TEXT] -u[=TEXT] TEXT GLOB...",
	"git -C=FILE log|show -p --stat[=TEXT] -n=NUM FILE...",
	"go test -run=TEXT -o=FILE -v PLAINFILE...",
	"cp FILE FILE", "uniq -c FILE?", "mv PLACE...", "rm -[rf] BELOW...", "echo ANY...", "jq --arg=TEXT,FILE TEXT",
	"npm run NAME -- TEXT...", "git checkout NAME? --", "python '-m' pytest -k=TEXT FILE...", "set '-e'|'-u'",
}

// fit asks fits? about the last command of a line, in /workspace.
func fit(t testing.TB, line string, forms []string, avoid ...any) string {
	c := commandCase(t, line)
	m := lineOf(c, line)
	require.NoError(t, m.err, line)
	ready, err := compileForms(forms)
	require.NoError(t, err)
	got, err := call(t, c, "fits?", append([]any{m.record[len(m.line.Commands)-1], ready, "/workspace"}, avoid...)...)
	require.NoError(t, err, line)
	if _, unknown := got.(Unknown); unknown {
		return "?"
	}
	return map[any]string{true: "yes", false: "no"}[got]
}

func TestFits(t *testing.T) {
	for want, lines := range map[string][]string{
		"yes": {
			"grep x", "grep -rn x a b/c", "grep -A3 x a", "grep -A 3 x a", "grep -rA3 x", "egrep -20 x", "grep --context=2 x",
			"grep --context 2 x a", "grep --color x", "grep --color=always x", "grep -uno x a", "grep x -- -a", "grep x *.go",
			"grep -n x a -r", "grep /x/y a",
			"git log", "git -C sub log -p -- a", "git log --stat=5 HEAD~1", "git log @{u}", "go test ./...",
			"go test -run /a/b ./x", "go test -run=/a ./x -v",
			"cp a b", "cp a ./b/../c", "uniq", "uniq -c a", "rm -rf build a/*", "rm *.o", "mv a b .", "echo $x -y \"$z\" *",
			"jq --arg a b .x", "npm run a", "npm run a -- -x /y",
			"git checkout x", "git checkout x --", "python -m pytest -k /x tests", "set -e", "cat /workspace | grep x",
			"for f in a b; do grep x $f; done",
		},
		"no": {
			"cat a", "grep", "grep -x y", "grep --recursive x", "grep -A x y", /* not a number */
			"grep x /etc/passwd", "grep x ../a", "grep x ~/a", "grep x a -A /etc/passwd",
			"grep --context x", "grep x --color /etc/x", "grep x @a", "grep x http://a/b", "grep x ''", "grep -r=3 x", "git",
			"git push", "git -p log", "git -C /x log", "git -C../x log", "git log -C x",
			"git log --stats", "git log --sta", "go test -runx ./a", "go test -run=x -o=/tmp/x", "go test -o ../x",
			"go test a@latest", "go test --run=x", "go test -- x", "go test -rv x",
			"cp a", "cp a b c", "uniq a b", "rm -rf /", "rm -rf .", "rm -rf *", "rm -rf ./*", "rm /workspace/*", "mv ./* a",
			"mv *.o a", "jq --arg a /etc/x .", "jq --arg a", "npm run a/b", "npm run", "npm run a -x",
			"git checkout -- x", "git checkout x -- y", "python -k x -m pytest", "python x.py", "set", "set -x",
			"for x in -p; do go test $x; done",
		},
		"?": {"grep $x", "grep x $y", `grep "$x" a`, "grep -A $n x", "grep x $(ls)", "cp $a b", "ls | xargs grep x", "git $x",
			"cp a b*", `npm run "$x"`},
	} {
		for _, line := range lines {
			assert.Equal(t, want, fit(t, line, someForms), line)
		}
	}
	assert.Equal(t, "no", fit(t, "grep -nr5 x", someForms), "a digit in a bundle is a letter that no form lists")
	assert.Equal(t, "yes", fit(t, `npm run a -- "$x"`, someForms), "one word that nobody knows may stand where any may")
}

func TestFits_WhatToAvoid(t *testing.T) {
	avoid := []any{"**/.env", "**/*.pem", "**/.git{,/**}"}
	for line, want := range map[string]string{
		"grep x a": "yes", "grep x .env": "no", "grep x sub/.ENV": "no", "grep x .e*": "no", "grep x *": "yes",
		"grep x sub/*": "yes", "grep x *.pem": "no",
		"grep x *.json": "yes", "grep x .git/*": "no", "grep x .git": "no", "grep x .gi?/config": "no", "grep .env a": "yes",
	} {
		assert.Equal(t, want, fit(t, line, someForms, avoid), line)
	}
}

func TestFits_FormsThatAreNone(t *testing.T) {
	for form, want := range map[string]string{
		"":                                  "empty",
		"-x ls":                             "begins with the name of a program",
		"FILE ls":                           "begins with the name of a program",
		"ls NOPE":                           "not a kind of word",
		"ls -n=NOPE":                        "not a kind of word",
		"ls FILE... FILE":                   "nothing can follow",
		"ls FILE x":                         "expected a kind",
		"ls -[ab]=TEXT":                     "letters in brackets",
		"FILE ~ x":                          "built in",
		"NAME ~ (":                          "missing closing",
		"X1 ~ " + strings.Repeat("a", 1025): "at most 1024",
	} {
		_, err := compileForms([]string{form})
		assert.ErrorContains(t, err, want, form)
	}
	_, err := compileForms([]string{"NUM ~ a", "NUM ~ b"})
	assert.ErrorContains(t, err, "has a pattern already")
}

// Whatever the line, fits? neither panics nor takes a command for one that has a
// word more outside of the root.
func FuzzFits(f *testing.F) {
	for _, s := range []string{"grep -rn x a",
		"git log -p -- a", "go test ./...", "rm -rf a/*", "echo $x", "cp a b", "npm run a -- b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if !utf8.ValidString(line) || strings.ContainsRune(line, 0) {
			return // no argument holds these
		}
		m := lineOf(commandCase(t, line), line)
		if m.err != nil || len(m.record) != 1 || strings.Contains(line, "echo") || strings.Contains(line, "--") {
			return
		}
		if rec, ok := m.record[0].(map[string]any); !ok || len(rec["via"].([]any)) > 0 {
			return
		}
		if fit(t, line, someForms) == "yes" && !strings.ContainsAny(line, "#&;|<>\n\\'\"") {
			for _, more := range []string{" /etc/x", " ../x"} {
				if _, err := shell.Read(line+more, environment(commandCase(t, line))); err == nil &&
					!strings.HasPrefix(strings.TrimSpace(line), "jq") {
					assert.NotEqual(t, "yes", fit(t, line+more, someForms), "%s%s", line, more)
				}
			}
		}
	})
}
