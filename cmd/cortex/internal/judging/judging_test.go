package judging

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/skills"
)

// decide judges lines by a policy and returns the answers, and how many lines
// were bad.
func decide(t testing.TB, policy skills.Policy, text string) (answers []answer, bad int) {
	t.Helper()
	var out bytes.Buffer
	stats, err := Stream(t.Context(), strings.NewReader(text), &out, Options{Policy: policy})
	require.NoError(t, err)
	for d := json.NewDecoder(&out); ; {
		a := answer{judged: &judged{}} // encoding/json makes no unexported struct
		err := d.Decode(&a)
		if errors.Is(err, io.EOF) {
			return answers, stats.Bad
		}
		require.NoError(t, err)
		answers = append(answers, a)
	}
}

const oneTool = `(deftool look :params (:at string) :required (:at) :tier :allow :effect :none)`

// Whatever stands on a line: one answer for it, and the next line is judged.
// Only an action that the rules allow is allowed.
func FuzzDecide(f *testing.F) {
	for _, s := range []string{
		`{"id":1,"action":{"tool":"look","args":{"at":"x"}}}`,
		`{"action":{"tool":"push"}}`, `{"action":"ls"}`, `not json`, `[1]`, `null`, `{}`,
		`{"id":{"a":[1]},"now":"2026-01-02T03:04:05Z","signal":{"text":"t"},"facts":{"env":{"a":1}},"action":{"tool":"look","args":{"at":"x"}}}`,
		`{"session":{"id":"s","user":"u","roles":["a"],"calls":[{"tool":"look","args":{"at":"y"},"result":1e999,"at":"2026-01-02T03:04:05Z"},{"user":"go on"}]},"action":{"tool":"look"}}`,
		`(:id "p" :action (:tool "look" :args (:at "x")))`,
		`(:action (:tool`, `(:id 1 :session (:calls ((:tool "look" :happened nil))) :action (:tool "look"))`,
		`{"action":{"tool":"look","args":{"at":"\u0000"}}}`,
		`{"action":{"tool":"look","args":{"at":"x","at":"y"}}}`, "\xff", `{"id":1,"id":2}`,
	} {
		f.Add(s)
	}
	policy, err := reason.LoadRules(fstest.MapFS{"r.lisp": {Data: []byte(oneTool)}})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, line string) {
		line = strings.Map(func(r rune) rune {
			if r == '\n' {
				return ' '
			}
			return r
		}, line)
		const good = `{"id":"after","action":{"tool":"look","args":{"at":"x"}}}`
		got, bad := decide(t, policy, line+"\n"+good+"\n")
		if strings.TrimRight(line, " \t\r") == "" && len(got) == 1 {
			return // no request at all
		}
		require.Len(t, got, 2, "%q", line)
		assert.Equal(t, "allow", got[1].Decision)
		if got[0].Error != "" {
			assert.Equal(t, "deny", got[0].Decision)
			assert.Equal(t, 1, bad)
			return
		}
		assert.Zero(t, bad)
		if got[0].Decision == "allow" {
			var a struct{ Tool string }
			require.NoError(t, json.Unmarshal(got[0].Action, &a))
			assert.Contains(t, []string{"look", "reply"}, a.Tool)
		}
	})
}
