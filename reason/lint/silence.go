package lint

import (
	"regexp"
	"strings"

	"github.com/opencortex-go/cortex/skills/rules"
)

// quiet is a comment that silences a finding.
type quiet struct {
	id, reason string
	line, col  int32
	used       bool
}

func comment() *regexp.Regexp {
	return regexp.MustCompile(`^;+\s*lint:\s*([a-z-]+)(?:\s+because\s+(\S.*))?`)
}

// silence drops the findings that comments silence, and adds what is wrong with these
// comments.
func silence(book *rules.Rulebook, found []Finding) (out []Finding) {
	by := map[string][]*quiet{}
	for _, f := range book.Files() {
		if !f.Words {
			by[f.Path] = quiets(string(f.Data))
		}
	}
	for _, f := range found {
		silent := false
		for _, q := range by[f.File] {
			if q.id == f.ID && (q.line == f.Line || q.line == f.Line-1) {
				q.used, silent = true, silent || q.reason != ""
			}
		}
		if !silent {
			out = append(out, f)
		}
	}
	for _, file := range book.Files() {
		for _, q := range by[file.Path] {
			f := Finding{File: file.Path, Line: q.line, Col: q.col}
			switch {
			case !q.used:
				f.ID, f.Text, f.Right = idle, "this comment silences "+q.id+", which lint does not find here", "remove it"
			case q.reason == "":
				f.ID, f.Text = noReason, "this comment gives no reason, and silences nothing"
				f.Right = "write ; lint: " + q.id + " because ..."
			default:
				continue
			}
			out = append(out, f)
		}
	}
	return out
}

// quiets finds the comments of a file: not what stands in a string, in bars or in a
// block comment.
func quiets(text string) (out []*quiet) {
	re := comment()
	line, start := int32(1), 0
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\n':
			line, start = line+1, i+1
		case text[i] == '"' || text[i] == '|':
			end := closing(text, i)
			line += int32(strings.Count(text[i:end], "\n"))
			if at := strings.LastIndexByte(text[i:end], '\n'); at >= 0 {
				start = i + at + 1
			}
			i = end
		case strings.HasPrefix(text[i:], "#|"):
			end := len(text)
			if at := strings.Index(text[i:], "|#"); at >= 0 {
				end = i + at + 1
			}
			line += int32(strings.Count(text[i:end], "\n"))
			i = end
		case text[i] == ';':
			rest, _, _ := strings.Cut(text[i:], "\n")
			if m := re.FindStringSubmatch(rest); m != nil {
				col := int32(len([]rune(text[start:i]))) + 1
				out = append(out, &quiet{id: m[1], reason: strings.TrimSpace(m[2]), line: line, col: col})
			}
			i += len(rest) - 1
		}
	}
	return out
}

// closing is where the string or name in bars that begins at i ends.
func closing(text string, i int) int {
	for j := i + 1; j < len(text); j++ {
		switch text[j] {
		case '\\':
			j++
		case text[i]:
			return j
		}
	}
	return len(text) - 1
}
