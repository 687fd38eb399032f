package shelljudge

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
)

//go:embed testdata/corpus.txt
var corpusText string

// Seed is a line to begin with, and the family that it belongs to: C1 to C6 are
// the root causes that were found in the reader of commit b0855d1.
type Seed struct{ Family, Line string }

// Corpus returns the lines that are checked in.
func Corpus() ([]Seed, error) {
	var out []Seed
	for i, row := range strings.Split(corpusText, "\n") {
		if row == "" || row[0] == '#' {
			continue
		}
		family, quoted, _ := strings.Cut(row, " ")
		line, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, fmt.Errorf("corpus.txt:%d: %w", i+1, err)
		}
		out = append(out, Seed{family, line})
	}
	return out, nil
}
