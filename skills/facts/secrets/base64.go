package secrets

import (
	"encoding/base64"
	"strings"
)

// minRun is the shortest run of base64 that is decoded: 15 bytes.
const minRun = 20

// runs are the stretches of either alphabet of base64, from and to.
func runs(text string) [][2]int {
	var out [][2]int
	start := -1
	for i := range len(text) + 1 {
		if i < len(text) && isBase64(text[i]) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			out = append(out, [2]int{start, i})
			start = -1
		}
	}
	return out
}

func isBase64(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '/' || c == '-' ||
		c == '_'
}

// block is base64 that is wrapped over several lines: its place in a text, and its
// lines as one.
type block struct {
	from, to int
	run      string
}

// blocks are the stretches of runs with nothing but the breaks of lines between them.
func blocks(text string) []block {
	var out []block
	var wrapped strings.Builder
	from, end, lines := 0, -1, 0
	flush := func() {
		if lines > 1 {
			out = append(out, block{from, end, wrapped.String()})
		}
		wrapped.Reset()
		lines = 0
	}
	for _, at := range runs(text) {
		if end >= 0 && !isWrap(text[end:at[0]]) {
			flush()
		}
		if lines == 0 {
			from = at[0]
		}
		wrapped.WriteString(text[at[0]:at[1]])
		lines++
		end = at[1]
	}
	flush()
	return out
}

// decoded returns the decoded base64 of a text. The beginning of a run is
// ambiguous, because / may also end a path before it, so all four alignments are
// tried. Wrapped lines are read as one.
func decoded(text string) []string {
	var out []string
	for _, at := range runs(text) {
		out = append(out, decodeRun(text[at[0]:at[1]])...)
	}
	for _, b := range blocks(text) {
		out = append(out, decodeRun(b.run)...)
	}
	return out
}

// isWrap reports whether the text between two runs only breaks a line.
func isWrap(gap string) bool {
	return strings.Contains(gap, "\n") && strings.TrimSpace(gap) == ""
}

func decodeRun(run string) []string {
	if len(run) < minRun {
		return nil
	}
	std := strings.ReplaceAll(strings.ReplaceAll(run, "-", "+"), "_", "/")
	var out []string
	for cut := 0; cut < 4 && len(std)-cut >= minRun; cut++ {
		s := std[cut:]
		if len(s)%4 == 1 {
			s = s[:len(s)-1]
		}
		if b, err := base64.RawStdEncoding.DecodeString(s); err == nil {
			out = append(out, string(b))
		}
	}
	return out
}
