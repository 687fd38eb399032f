// Package hostile has values that try to be more than a value, and a bash that tells what they came
// to: for tests of what fills slots.
package hostile

import (
	"math/rand/v2"
	"strings"
)

// Values returns values that try to be more than a value. What they would run are the stubs of a
// [Machine], and what they would write lies in the folder that its commands start in.
func Values() []string {
	return []string{
		"", " ", "a", "a b", "'", "''", "'''", `"`, `""`, `\`, `\\`, "`", "``", "$", "$$", "$x", "$HOME", "${HOME}", "$(other)",
		"`other`", "$(<a)", "<(other)", "$'\\x41'", `$"x"`, "$((1+1))", "$[1+1]", ";other", "; other", "&& other", "|| other",
		"| other", "& other", "\nother", "\n\nother\n", "\r\nother", "\\\nother", "> made", ">made", "2>made", "<a",
		"<<E\nx\nE",
		"<<<x", ">&2", "&>made", "2>&1", "1", "2", "0x2", "-", "--", "-x", "--help", "-rf .", "+x", "=x", "x=y", "PATH=.",
		"..", "../a", "a/../b", "...", "./a", "/", ".", "~", "~root", "~+", "*", "?", "[ab]", "[!a]", "**", "a*", "{a,b}",
		"{1..9}", "{}", "}", "{", "(", ")", "()", "(other)", "!", "!!", "! other", "#", "# x", "a#b", " #", "%", "%n", "%s",
		"a\x00b", "\x00", "\x01\x02", "\x1b[2J", "\x7f", "\t", "\v\f", "\r", "ä", "ﬁ", "日本", "\u202e", "\u2028", "\u0085",
		"\u00a0", "‘other’", "；other", "＄(other)", "．．", "if", "then", "do", "done", "fi", "esac", "in", "time",
		"function",
		"[[", "]]", "[", "]", "((", "))", "eval other", "exec other", "a'b\"c`d$e", "'; other; '", `"; other; "`, "'$(other)'",
		`'"'"'`, `'\''`, `'\'';other;'\''`, "EOF", "\nEOF\n", "{{x}}", "{{y}}", "{{work.y}}", "https://x/?a=b&c=d#e", "a@b",
		"a:b@c",
		"a&b=c", "a?b", "%2e%2e", "%2F", `{"a":1}`, `","b":"`, `"},{"`, "]", "null", "@(a|b)", "a[$(other)]", "a[0]",
		strings.Repeat("x", 64<<10), strings.Repeat("'", 64<<10), strings.Repeat("(", 64<<10),
		strings.Repeat("$(other) ", 7000),
		strings.Repeat("\n", 64<<10), strings.Repeat("{a,b}", 12000), strings.Repeat("x", 128<<10),
	}
}

// Mixtures returns n hostile values: those of [Values], and what comes of several in a row. They are
// the same at each run.
func Mixtures(n int) []string {
	hostile, alphabet := Values(), []rune(letters)
	r := rand.New(rand.NewPCG(20, 21))
	all := append([]string{}, hostile...)
	for len(all) < n {
		var b strings.Builder
		for range 1 + r.IntN(6) {
			part := hostile[r.IntN(len(hostile))]
			if r.IntN(4) == 0 {
				part = string(alphabet[r.IntN(len(alphabet))])
			}
			if len(part) < 100 || r.IntN(20) == 0 {
				b.WriteString(part)
			}
		}
		all = append(all, b.String())
	}
	return all[:n]
}

const letters = "ab01._-/ \t\n'\"`$\\;|&<>()*?~#!{}[]=+%^:,@\x00äﬁ日\u202e"
