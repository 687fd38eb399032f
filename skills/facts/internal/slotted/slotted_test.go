package slotted

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var slotName = regexp.MustCompile(`\{\{[a-z]+\}\}`)

func read(line string) (*Line, error) {
	var slots []Slot
	for _, m := range slotName.FindAllStringIndex(line, -1) {
		slots = append(slots, Slot{m[0], m[1]})
	}
	return Read(line, slots)
}

func TestWhereSlotsStand(t *testing.T) {
	for line, whole := range map[string][]bool{
		"git tag {{x}}":               {true},
		"cp {{x}} a/{{y}}.txt {{z}}":  {true, false, true},
		"cat <{{x}} >>{{y}}":          {true, true},
		"A={{x}} make {{y}}":          {false, true},
		"for f in {{x}}; do ls; done": {false},
		"set -- {{x}}":                {false},
		"command set -- {{x}}":        {false},
		"az config set -n {{x}}":      {true},
		"ls {{x}}{{y}}":               {false, false},
		"ls {{x}}*":                   {false},
		"sudo -u {{x}} ls {{y}}":      {true, true},
		"xargs rm {{x}} <a":           {true},
		"find {{x}} -name {{y}}":      {true, true},
		"[ -n {{x}} ] && ls":          {true},
		"printf '%s' {{x}}":           {true},
		"ls xx yy {{x}} 'it'":         {true},
		"if ls {{x}}; then ls; fi":    {true},
		"ls äß {{x}} \\\n  {{y}} &":   {true, true},
	} {
		s, err := read(line)
		if !assert.NoError(t, err, line) {
			continue
		}
		for i := range whole {
			assert.Equal(t, whole[i], s.Whole(i), line)
		}
	}
}

func TestWhereSlotsCannotStand(t *testing.T) {
	for line, want := range map[string]string{
		"ls '{{x}}'":                             "inside quotes",
		`ls "{{x}}"`:                             "inside quotes",
		`ls a"b {{x}} c"d`:                       "inside quotes",
		"ls $(cat {{x}})":                        "in an expansion",
		"ls `cat {{x}}`":                         "in an expansion",
		"ls ${{x}}":                              "in an expansion",
		"ls \"$(cat {{x}})\"":                    "inside quotes",
		"cat <<E\n{{x}}\nE":                      "in a here-document",
		"cat <<'E'\n{{x}}\nE":                    "in a here-document",
		"{{x}}":                                  "as the name of a command",
		"{{x}} a":                                "as the name of a command",
		"a{{x}} b":                               "as the name of a command",
		"ls; ./{{x}}.sh":                         "as the name of a command",
		"V=1 {{x}}":                              "as the name of a command",
		"nohup {{x}}":                            "the command that nohup runs",
		"env A=1 {{x}} ls":                       "as the name of a command",
		"env {{x}} ls":                           "the command that env runs",
		"xargs {{x}} <a":                         "the command that xargs runs",
		"ls \\{{x}}":                             "behind a backslash",
		"ls # {{x}}":                             "where no word stands",
		"{{x}}=1 ls":                             "where no word stands",
		"export {{x}}":                           "where no word stands",
		"for {{x}} in a; do ls; done":            "where no word stands",
		"eval {{x}}":                             "what comes after eval",
		"sh -c {{x}}":                            "what sh runs",
		"bash {{x}}":                             "what bash runs",
		"unset {{x}}":                            "what unset sets",
		"read {{x}}":                             "what read sets",
		"printf %d {{x}}":                        "takes a word for an expression",
		"[ {{x}} -eq 1 ]":                        "takes a word for an expression",
		"find . -name {{x}} -exec rm {} +":       "what find runs",
		". ./env; ls {{x}}":                      "what comes after .",
		"[[ {{x}} = a ]]":                        `found "[[ {{x}} = a ]]"`,
		"ls {1..{{x}}}":                          `1:4: found "{1..{{x}}}"`,
		"ls;\nls ~{{x}}":                         `2:4: found "~{{x}}"`,
		"ls 2>&{{x}}":                            "is not read",
		"a=({{x}})":                              "is not read",
		"ls {{x}} " + strings.Repeat("a", 8<<10): "expected at most 8192",
		"ls {{x}} " + strings.Repeat("$((", 2000): "expected at most 1000",
		"ls {{x}} 'it": "closing quote",
		"aabbccddeeffgghhiijjkkllmmnnooppqqrrssttuuvvwwxxyyzz {{x}}": "no name is free",
	} {
		_, err := read(line)
		assert.ErrorContains(t, err, want, line)
	}
}

// The second look at a line, which Fill takes, does not rest on how values were quoted.
func TestOtherWordsAreSeen(t *testing.T) {
	const text = "ls a {{x}} b{{y}} >f"
	s, err := read(text)
	require.NoError(t, err)
	seen := func(x, y, sayingX string) error {
		in := []string{x, y}
		line, places := s.put(func(i int) string { return in[i] })
		return s.same(line, places, []string{sayingX, y})
	}
	for value, written := range map[string]string{"a": "a", "a b": "'a b'",
		"it's": `'it'\''s'`, "": "''", "a\r\nb": "'a\r\nb'"} {
		assert.NoError(t, seen(written, "y", value), written)
	}
	for _, x := range []string{"a b", "a;b", "$x", "$(b)", "`b`", "a>b", "a&b", "a|b", "*", "?", "[a]",
		"{a,b}", "~", "#", "'a'b*", "a\nb",
		"", " ", "'", `"a"`, `$'a'`, `\a`, "(a)", "<a", "a <<E", "a # b", "a=b"} {
		assert.Error(t, seen(x, "y", x), x)
	}
	assert.Error(t, seen("'a'", "y", "b"), "another value")
	for _, y := range []string{" c", "c;d", "c d", ">c", "'", "$(c)", "#\n c", "(c)"} {
		if err := seen("a", y, "a"); y != "$(c)" { // whose letters Fill looks at
			assert.Error(t, err, y)
		}
		_, err := s.Fill([]string{"a", y})
		assert.Error(t, err, y)
	}
	line, err := s.Fill([]string{"a b", "c"})
	require.NoError(t, err)
	assert.Equal(t, "ls a 'a b' bc >f", line)
	_, err = s.Fill([]string{"\xff", "c"})
	assert.ErrorContains(t, err, "not UTF-8")
}

func TestLetters(t *testing.T) {
	for _, good := range []string{"a", "-", ".", "v2.4.0", "A_b-9"} {
		assert.True(t, Letters(good), good)
	}
	for _, bad := range []string{"", "..", "a..b", "a b", "a/b", "ä", "\xff", "~", "%41",
		"a\n", strings.Repeat("a", 9) + "\x00"} {
		assert.False(t, Letters(bad), "%q", bad)
	}
}
