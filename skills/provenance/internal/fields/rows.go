package fields

import (
	"encoding/csv"
	"strings"
)

// csv reads rows under a line of names, and reports whether the text is that.
func (b *builder) csv(text string) bool {
	head, _, ok := strings.Cut(text, "\n")
	if !ok {
		return false
	}
	for _, comma := range ",;\t" {
		if strings.Count(head, string(comma)) > 0 && b.rows(text, comma) {
			return true
		}
	}
	return false
}

func (b *builder) rows(text string, comma rune) bool {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.LazyQuotes, r.TrimLeadingSpace = comma, true, true
	names, err := r.Read()
	if err != nil || !named(names) {
		return false
	}
	var rows [][]string
	foot := ""
	for {
		before := r.InputOffset()
		row, err := r.Read()
		if row == nil {
			break
		}
		if err != nil { // another number of columns: what stands below a table, or none
			foot = strings.TrimSpace(text[before:])
			break
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 || len(rows)+len(names) < 4 || !stands(len(rows), len(names), foot) {
		return b.reset()
	}
	b.byRow(names, rows)
	b.foot(foot)
	cells := strings.Count(foot, string(comma)) - strings.Count(foot, string(comma)+" ")
	b.Cut = !strings.Contains(foot, "\n") && cells > 0 // the text was cut off in a row
	return true
}

// stands reports whether rows are a table though more than one line follows that is none of it: what
// stands under a table is text.
func stands(rows, columns int, foot string) bool {
	return !strings.Contains(foot, "\n") || rows > 1 && columns > 2 || rows > 2
}

// foot enters what stands below a table: a text, which speaks of all of it, or a line, which is a row of its own.
func (b *builder) foot(text string) {
	if strings.Contains(text, "\n") {
		b.add(0, "", text, Text)
	} else if text != "" {
		b.add(b.record(), "", text, Text)
	}
}

// named reports whether the cells of a row can be the names of columns.
func named(cells []string) bool {
	for _, c := range cells {
		if c == "" || len(c) > 40 || strings.Count(strings.TrimSpace(c), " ") > 1 || strings.ContainsAny(c, ".!?:@") ||
			allDigits(c) {
			return false
		}
	}
	return len(cells) > 1
}

func (b *builder) byRow(names []string, rows [][]string) {
	for _, n := range names {
		b.add(0, "", strings.TrimSpace(n), Name)
	}
	for _, row := range rows {
		rec := b.record()
		for i, cell := range row {
			if i < len(names) {
				b.add(rec, strings.TrimSpace(names[i]), strings.TrimSpace(cell), Value)
			}
		}
	}
}

// table reads the tables of a Markdown text; what stands around them is text. It
// reports whether there is one.
func (b *builder) table(text string) bool {
	if !strings.Contains(text, "---") {
		return false
	}
	lines := strings.Split(text, "\n")
	var around strings.Builder
	found := false
	for i := 0; i < len(lines); {
		if i+2 < len(lines) && strings.Contains(lines[i], "|") && ruler(lines[i+1]) {
			names := cells(lines[i])
			var rows [][]string
			j := i + 2
			for ; j < len(lines) && strings.Contains(lines[j], "|"); j++ {
				rows = append(rows, cells(lines[j]))
			}
			b.byRow(names, rows)
			found, i = found || len(rows) > 0, j
			continue
		}
		around.WriteString(lines[i])
		around.WriteByte('\n')
		i++
	}
	if !found {
		return b.reset()
	}
	b.add(0, "", strings.TrimSpace(around.String()), Text)
	return true
}

// ruler reports whether a line is the rule under the head of a table.
func ruler(line string) bool {
	return strings.Contains(line, "---") && strings.Trim(line, "|:- \t\r") == "" && strings.Contains(line, "|")
}

func cells(line string) []string {
	out := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out
}
