package sexpr

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// bombs are texts made to hurt a reader. Each is within the limit of bytes, or
// far beyond it, and none may cost more than a few times the memory of its text.
func bombs() map[string]string {
	const mb = 1 << 20
	fill := func(s string, n int) string { return strings.Repeat(s, n/len(s)) }
	b := map[string]string{
		"a million parens":       fill("(", mb),
		"parens and blanks":      fill("( ", mb),
		"closing parens":         fill(")", mb),
		"quotes":                 fill("'", 100_000),
		"a quote bomb in a list": "(" + fill("'", mb-1),
		"pairs of parens":        fill("()", mb),
		"atoms":                  "(" + fill("a ", mb-2) + ")",
		"keywords":               fill(":a", mb/2) + fill(" :a", mb/2),
		"strings":                fill(`""`, mb),
		"one atom":               fill("a", mb),
		"one keyword":            ":" + fill("a", mb-1),
		"one integer":            fill("9", mb),
		"one float":              "0." + fill("9", mb-2),
		"one exponent":           "1e" + fill("9", mb-2),
		"zeros":                  fill("0", mb),
		"one string":             `"` + fill("a", mb-2) + `"`,
		"one open string":        `"` + fill("a", mb-1),
		"escapes":                `"` + fill(`\u{1f600}`, mb-2) + `"`,
		"wrong escapes":          `"` + fill(`\a`, mb-2) + `"`,
		"unfinished escapes":     `"` + fill(`\u{`, mb-2) + `"`,
		"wrong escapes in bars":  "|" + fill(`\u{`, mb-2) + "|",
		"open escapes":           `"` + fill(`\`, mb-1),
		"bars":                   fill("|", mb-1),
		"parts in bars":          fill("|a|", mb),
		"bars and letters":       fill("|a|A", mb),
		"comments":               fill("#||#", mb),
		"open comments":          fill("#|", mb),
		"open comment in a list": "(" + fill("#|", mb-1),
		"line comments":          fill(";\n", mb),
		"sharps":                 fill("#", mb),
		"labels":                 fill("#1=(", mb),
		"read time":              fill("#.(", mb),
		"vectors":                fill("#(", mb),
		"arrays by length":       "#1048576(a)",
		"backquotes":             fill("`", mb),
		"commas":                 fill("`,", mb),
		"dots":                   fill(".", mb),
		"colons":                 fill(":", mb),
		"brackets":               fill("[", mb),
		"braces":                 fill("{", mb),
		"signs":                  fill("+", mb),
		"newlines":               fill("\n", mb) + "(",
		"typographic quotes":     fill("“", mb),
		"not UTF-8":              fill("\xff", mb),
		"late bad byte":          fill("a ", mb-1) + "\xff",
		"NUL":                    fill("\x00", mb),
		"byte order marks":       fill("\ufeff", mb),
		"deep and broken":        fill("(a ", 150) + "12x",
		"one byte too many":      fill(" ", mb) + "a",
		"sixteen MiB":            fill("(", 16*mb),
	}
	for _, depth := range []int{65, 1000, 100_000} {
		b[fmt.Sprint("depth ", depth)] = strings.Repeat("(", depth) + strings.Repeat(")", depth)
		b[fmt.Sprint("plists at depth ", depth)] = strings.Repeat("(:a ", depth) + "1" + strings.Repeat(")", depth)
	}
	return b
}

// harmless are the bombs that are allowed: names, signs and comments are cheap.
func harmless(name string) bool {
	switch name {
	case "comments", "line comments", "newlines", "zeros", "one float":
		return true
	}
	return false
}

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestBombs(t *testing.T) {
	const most = 8 << 20
	for name, text := range bombs() {
		t.Run(name, func(t *testing.T) {
			for _, r := range []Reader{{}, {Code: true}} {
				if testing.Short() && r.Code { // for people's files, which models do not write
					continue
				}
				var err error
				got := allocated(func() { _, err = r.Read("in", text) })
				assert.Less(t, got, uint64(most), "bytes for reading")
				if !harmless(name) {
					assert.Error(t, err)
				}
			}
			for kind, reply := range map[string]string{"bare": text, "fenced": fenced("lisp", text),
				"proposal": "(:type :request :x " + text} {
				got := allocated(func() { Reader{}.ReadReply(reply, nil) })
				assert.Less(t, got, uint64(most), "bytes for a reply, %s", kind)
			}
		})
	}
}

func TestJSONBombs(t *testing.T) {
	const mb = 1 << 20
	for name, text := range map[string]string{
		"arrays":       strings.Repeat("[", mb),
		"balanced":     strings.Repeat("[", mb/2) + strings.Repeat("]", mb/2),
		"depth 65":     strings.Repeat("[", 65) + strings.Repeat("]", 65),
		"objects":      strings.Repeat(`{"a":`, mb/5),
		"elements":     "[0" + strings.Repeat(",0", 400_000) + "]",
		"empty arrays": "[[]" + strings.Repeat(",[]", 300_000) + "]",
		"integer":      strings.Repeat("9", mb),
		"float":        "0." + strings.Repeat("9", mb-2),
		"exponent":     "1e" + strings.Repeat("9", mb-2),
		"string":       `"` + strings.Repeat("a", mb-2) + `"`,
		"escapes":      `"` + strings.Repeat(`\u0041`, mb/7) + `"`,
		"too long":     strings.Repeat(" ", mb) + "0",
	} {
		t.Run(name, func(t *testing.T) {
			var err error
			got := allocated(func() { _, err = FromJSON([]byte(text)) })
			assert.Less(t, got, uint64(24<<20))
			if name != "escapes" {
				assert.Error(t, err)
			}
		})
	}
}

// A reply full of blocks must not make the reader go over it once for each.
func TestReplyOfManyBlocks(t *testing.T) {
	for name, block := range map[string]string{
		"open comments": "```lisp (#|\n```\n",
		"open strings":  "```lisp (\"\n```\n",
		"proposals":     "```lisp\n(:tool \"x\")\n```\n",
		"one line":      "```lisp(:tool x)```",
		"fences":        "```\n",
		"backticks":     "`",
		"tildes":        "~~~ ~~~~\n",
		"on one line":   "a ``` ",
		"and blanks":    strings.Repeat(" ", 900) + "```",
	} {
		text := "Look:\n" + strings.Repeat(block, 900_000/len(block))
		blocks := (&replyReader{text: text, limits: Limits{}.orDefaults()}).fences()
		assert.LessOrEqual(t, len(blocks), maxBlocks, name)
		reply := readReply(text)
		assert.NotEqual(t, Proposal, reply.Kind, name)
	}
}
