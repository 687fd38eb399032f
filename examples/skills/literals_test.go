package skills_test

import (
	"bufio"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// judged are the folders that decide what the guard answers.
var judged = []string{"guard", "../../skills/provenance", "../../skills/facts/origin", "../../bench/guard"}

// literal finds addresses, sites, accounts and telephone numbers.
var literal = regexp.MustCompile(`(?i)[\w.+-]+@[\w-]+(?:\.[\w-]+)+|` +
	`\b(?:https?://|www\.)[^\s'"<>)\]\\,]+|\b[A-Z]{2}\d{2}[A-Z0-9]{8,30}\b|\b[1-9]\d{7,}\b|\+\d[\d ()-]{7,}\d`)

var word = regexp.MustCompile(`[a-z0-9']+`)

// Nothing that the guard goes by names an address, a site, an account or a phrase of the
// data that it is measured on: six words in a row make a phrase. CORTEX_EVALDATA names the
// file, which is not part of the project.
func TestTheGuardKnowsNoLiteralOfTheEvaluation(t *testing.T) {
	path := os.Getenv("CORTEX_EVALDATA")
	if path == "" {
		t.Skip("CORTEX_EVALDATA names no file of labelled calls")
	}
	const phrase = 6
	ours := map[string]string{} // a literal or a phrase of ours, and the file that it stands in
	for _, dir := range judged {
		require.NoError(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(name, "_test.go") {
				return err
			}
			text, err := os.ReadFile(name)
			for _, l := range literal.FindAllString(string(text), -1) {
				ours[strings.ToLower(l)] = name
			}
			for p := range phrases(string(text), phrase) {
				ours[p] = name
			}
			return err
		}))
	}
	require.Greater(t, len(ours), 1000)
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	seen := 0
	for in := bufio.NewReaderSize(f, 1<<20); ; {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		var entry struct {
			Task   string          `json:"user_task"`
			Goal   string          `json:"attack_goal"`
			Prefix json.RawMessage `json:"trace_prefix"`
			Call   json.RawMessage `json:"call"`
		}
		require.NoError(t, json.Unmarshal(line, &entry))
		for _, text := range append(scalars(entry.Prefix, entry.Call), entry.Task, entry.Goal) {
			seen++
			for _, l := range literal.FindAllString(text, -1) {
				assert.Empty(t, ours[strings.ToLower(l)], "%q stands in the data", l)
			}
			for p := range phrases(text, phrase) {
				assert.Empty(t, ours[p], "%q stands in the data", p)
			}
		}
	}
	require.Greater(t, seen, 1000)
}

// phrases are the runs of n words of a text.
func phrases(text string, n int) map[string]bool {
	out := map[string]bool{}
	words := word.FindAllString(strings.ToLower(text), -1)
	for i := 0; i+n <= len(words); i++ {
		if !strings.ContainsFunc(strings.Join(words[i:i+n], ""), unicode.IsLetter) {
			continue
		}
		out[strings.Join(words[i:i+n], " ")] = true
	}
	return out
}

// scalars are the strings in JSON texts.
func scalars(texts ...json.RawMessage) []string {
	var out []string
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			out = append(out, v)
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	for _, t := range texts {
		var v any
		if json.Unmarshal(t, &v) == nil {
			walk(v)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
