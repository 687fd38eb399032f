package fields

import (
	"slices"
	"strings"
)

// maxHead is how many bytes the names of columns may take.
const maxHead = 500

// aligned reads a table whose columns stand below their names, as programs print them, and
// reports whether the text is that: all of it, but for what stands below.
func (b *builder) aligned(text string) bool {
	head, _, ok := strings.Cut(text, "\n")
	if !ok || len(head) > maxHead || !strings.Contains(head, "  ") {
		return false // most texts
	}
	lines := strings.Split(text, "\n")
	starts := columns(head)
	names, ok := cut(head, starts)
	if !ok || !named(names) {
		return false
	}
	var rows [][]string
	foot := ""
	for i, line := range lines[1:] {
		line = strings.TrimRight(line, " \t\r")
		if line == "" || strings.Trim(line, "-=+ ") == "" {
			continue
		}
		row, ok := cut(line, starts)
		if !ok || row[0] == "" || alone(row) {
			foot = strings.TrimSpace(strings.Join(lines[i+1:], "\n"))
			break
		}
		rows = append(rows, row)
	}
	if len(rows) < 2 || !stands(len(rows), len(names), foot) {
		return b.reset()
	}
	b.byRow(names, rows)
	b.foot(foot)
	return true
}

// columns returns where the names of columns begin in a line: at its start, and behind two
// spaces or more.
func columns(text string) []int {
	line := []rune(text) // columns align by letters, not by bytes
	starts := []int{0}
	for i := 2; i < len(line); i++ {
		if line[i] != ' ' && line[i-1] == ' ' && line[i-2] == ' ' {
			starts = append(starts, i)
		}
	}
	return starts
}

// cut cuts a line where columns begin, and reports whether no cell reaches over that.
func cut(line string, starts []int) ([]string, bool) {
	row := make([]string, len(starts))
	runes := []rune(line)
	for i, from := range starts {
		to := len(runes)
		if i+1 < len(starts) {
			to = min(to, starts[i+1])
		}
		if from >= len(runes) {
			break
		}
		if from > 0 && runes[from-1] != ' ' {
			return nil, false
		}
		row[i] = strings.TrimSpace(string(runes[from:to]))
	}
	return row, true
}

// alone reports whether a row has nothing but its first cell, as a line of text has.
func alone(row []string) bool {
	return !slices.ContainsFunc(row[1:], func(cell string) bool { return cell != "" })
}

// titled reads a table under one line that says what it is.
func (b *builder) titled(text string) bool {
	title, rest, ok := strings.Cut(text, "\n")
	rest = strings.TrimLeft(rest, "\r\n")
	if !ok || len(title) > 120 || !b.csv(rest) && !b.aligned(rest) {
		return false
	}
	b.add(0, "", strings.TrimSpace(title), Text)
	return true
}
