package shell

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/opencortex-go/cortex/skills/facts/internal/glob"
)

// maxWords bounds what braces make of one word.
const maxWords = 256

// spread writes the braces of a glob out in every way that a shell does: bash and zsh {a,b} and {1..3}, mksh {a,b}
// alone, dash and ash neither. With
// braces of both sorts in one text, each may be written out or not.
func spread(text string) ([]string, error) {
	out := []string{""}
	for text != "" {
		open := openBrace(text)
		parts := []string{text[:open]}
		if text = text[open:]; text != "" {
			n, _ := braceLen(text)
			made, err := group(text[1 : n-1])
			if err != nil {
				return nil, err
			}
			out, parts, text = cross(out, parts), append(made, glob.Escape(text[:n])), text[n:]
		}
		if len(out)*len(parts) > maxWords {
			return nil, fmt.Errorf("braces make more than %d words", maxWords)
		}
		out = cross(out, parts)
	}
	return out, nil
}

// openBrace returns where the first { without a backslash is, or the length.
func openBrace(glob string) int {
	for i := 0; i < len(glob); i++ {
		switch glob[i] {
		case '\\':
			i++
		case '{':
			return i
		}
	}
	return len(glob)
}

func cross(heads, tails []string) []string {
	out := make([]string, 0, len(heads)*len(tails))
	for _, h := range heads {
		for _, t := range tails {
			out = append(out, h+t)
		}
	}
	return out
}

// group returns the words of one group in braces.
func group(in string) ([]string, error) {
	if strings.Contains(in, ",") {
		return strings.Split(in, ","), nil
	}
	from, to, ok := strings.Cut(in, "..")
	if !ok {
		return nil, nil
	}
	a, err1 := strconv.Atoi(from)
	b, err2 := strconv.Atoi(to)
	if err1 != nil || err2 != nil || strconv.Itoa(a) != from || strconv.Itoa(b) != to {
		return nil, fmt.Errorf("{%s} is written out differently by different shells; write {1..3} with plain numbers, or "+
			"the words", in)
	}
	if max(a-b, b-a) >= maxWords {
		return nil, fmt.Errorf("braces make more than %d words", maxWords)
	}
	var out []string
	for step := 1; ; a += step {
		if out = append(out, strconv.Itoa(a)); a == b {
			return out, nil
		}
		if a > b {
			step = -1
		}
	}
}
