package sexpr

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/crashtest"
)

// bombUnits are what a reader might take badly when there is much of it.
var bombUnits = []string{
	"(", ")", "( ", "()", "(())", "(a", "(a ", "(:a ", "'", "'(", "`", "`,", ",@", "#(", "#.(", "#1=", "#1#", "#'", `#\a `,
	"#|", "|#", "#||#", "#", ";", ";\n", ";;(",
	`"`, `""`, `"a" `, `\`, `\\`, `\u{41}`, `\u{`, "|", "||", "|a|", "a", "a ", "A", ":", ":a", ":a ", "a:b ", "é ",
	"\u202e", "\u0301", "日", "\ufeff", "0", "9", "1 ", "-1 ", "1e9", "1e9 ",
	"0.", "1/2 ", "+", ".", " . ", ". a ", "\n", "\t", "\r\n", "\xff", "\xc3(", "\x00", "```", "```lisp\n(", "~~~", "[",
	"{", "nil ", "t ", "“",
}

// bombShapes put a unit where it may hurt; each text has about n bytes.
var bombShapes = map[string]func(unit, other string, n int) string{
	"alone":     func(u, _ string, n int) string { return strings.Repeat(u, n/len(u)) },
	"in a list": func(u, _ string, n int) string { return "(" + strings.Repeat(u, (n-2)/len(u)) + ")" },
	"left open": func(u, _ string, n int) string { return "(a " + strings.Repeat(u, (n-3)/len(u)) },
	"deep": func(u, _ string, n int) string {
		return strings.Repeat("(", 60) + strings.Repeat(u, (n-120)/len(u)) + strings.Repeat(")", 60)
	},
	"an argument": func(u, _ string, n int) string {
		return `(:tool "x" :args (:text ` + strings.Repeat(u, (n-40)/len(u)) + "))"
	},
	"quoted":      func(u, _ string, n int) string { return `"` + strings.Repeat(u, (n-2)/len(u)) + `"` },
	"in a fence":  func(u, _ string, n int) string { return "```lisp\n" + strings.Repeat(u, (n-12)/len(u)) + "\n```" },
	"with others": func(u, o string, n int) string { return strings.Repeat(u+o, n/len(u+o)) },
}

// eachBomb makes more than five hundred bombs of at most n bytes, all different.
func eachBomb(t *testing.T, n int, f func(name, text string)) {
	t.Helper()
	seen := map[[sha256.Size]byte]bool{} // digests: the texts together are large
	for i, unit := range bombUnits {
		for shape, of := range bombShapes {
			text := of(unit, bombUnits[(i+7)%len(bombUnits)], n)
			require.LessOrEqual(t, len(text), n)
			if sum := sha256.Sum256([]byte(text)); !seen[sum] {
				seen[sum] = true
				f(fmt.Sprintf("%q %s", unit, shape), text)
			}
		}
	}
	require.GreaterOrEqual(t, len(seen), 500)
}

// waysToRead are all that takes text from outside.
var waysToRead = map[string]func(text string){
	"Read":       func(text string) { _, _ = Reader{}.Read("in", text) },
	"Read, Code": func(text string) { _, _ = Reader{Code: true}.Read("in", text) },
	"ReadReply":  func(text string) { Reader{}.ReadReply(text, nil) },
}

// No bomb takes more than 200 bytes of memory for each of its own: an empty list of two
// bytes is a value. What stops those of a MiB before they have taken 8 is a limit on
// values, see [TestBombsAreQuick].
func TestFiveHundredBombs(t *testing.T) {
	crashtest.Long(t)
	const size = 16 << 10
	eachBomb(t, size, func(name, text string) {
		for way, read := range waysToRead {
			assert.Less(t, allocated(func() { read(text) }), uint64(200*size+64<<10), "%s by %s", name, way)
		}
	})
}
