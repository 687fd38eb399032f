package fields

import "strings"

// block is one mapping of a YAML text, by the column of its keys.
type block struct {
	col, rec int
	key      string
	under    string // the keys on the way
}

// yamlReader reads lines of `key: value` and `- item`.
type yamlReader struct {
	b      *builder
	s      string
	blocks []block
	listed bool // the document is a list
	any    bool
}

// yaml reads block style, with quoted and plain scalars over several lines, and reports
// whether every line of the text fits. A value in brackets stays as it is written.
func (b *builder) yaml(text string) bool {
	y := &yamlReader{b: b, s: text}
	for pos := 0; pos < len(text); {
		next, ok := y.line(pos)
		if !ok {
			return b.reset()
		}
		pos = next
	}
	return y.any && len(b.Fields) > 0
}

// line reads the line at pos, with the lines that its value goes on over.
func (y *yamlReader) line(pos int) (int, bool) {
	eol := lineEnd(y.s, pos)
	line := y.s[pos:eol]
	if strings.TrimSpace(line) == "" || line == "---" {
		return eol + 1, true
	}
	ind := indent(line)
	col, dashed := ind, false
	for strings.HasPrefix(line[col:], "- ") || line[col:] == "-" {
		dashed = true
		col++
		col += indent(line[col:])
	}
	key, rest, keyed := cutKey(line[col:])
	if !keyed && !dashed {
		return 0, false
	}
	y.any = true
	y.place(ind, col, dashed, keyed)
	depth := col // continuation lines stand deeper
	if keyed {
		y.top().key = key
		y.b.add(y.top().rec, "", key, Name)
	} else {
		depth = ind
	}
	return y.scalar(eol-len(rest), eol, depth, dashed && !keyed)
}

// place finds the mapping that a line belongs to. A mapping in a list is a record, and
// so is a mapping in the top mapping.
func (y *yamlReader) place(ind, col int, dashed, keyed bool) {
	if len(y.blocks) == 0 {
		y.listed = dashed
	}
	limit := col
	if dashed {
		limit = ind
	}
	for n := len(y.blocks); n > 0 && y.blocks[n-1].col > limit; n = len(y.blocks) {
		y.blocks = y.blocks[:n-1]
	}
	if !keyed {
		return
	}
	n := len(y.blocks)
	if !dashed && n > 0 && y.blocks[n-1].col == col {
		return
	}
	rec := 0
	if n > 0 {
		rec = y.blocks[n-1].rec
	}
	if dashed || n == 1 && !y.listed {
		rec = y.b.record()
		if dashed && n > 0 {
			y.b.nest(rec)
		}
	}
	way := ""
	if n > 0 {
		way = under(y.blocks[n-1].under, y.blocks[n-1].key)
	}
	y.blocks = append(y.blocks, block{col: col, rec: rec, under: way})
}

func (y *yamlReader) top() *block { return &y.blocks[len(y.blocks)-1] }

// scalar reads the value that starts in y.s[from:eol] and enters it.
func (y *yamlReader) scalar(from, eol, depth int, item bool) (int, bool) {
	from += indent(y.s[from:eol])
	body := y.s[from:eol]
	var text string
	var end int
	switch {
	case strings.HasPrefix(body, "'"):
		text, end = y.single(from + 1)
	case strings.HasPrefix(body, `"`):
		text, end = y.double(from + 1)
	default:
		text, end = y.plain(body, eol, depth)
	}
	if end > len(y.s) {
		y.b.Cut, end = true, len(y.s)
	}
	text = strings.TrimSpace(text)
	switch text {
	case "[]", "{}", "null", "~":
		text = ""
	}
	rec, key := 0, ""
	y.b.under = ""
	if len(y.blocks) > 0 {
		rec, key, y.b.under = y.top().rec, y.top().key, y.top().under
	} else if item {
		rec = y.b.record()
	}
	y.b.add(rec, key, text, Value)
	if end != eol && strings.TrimSpace(y.s[end:lineEnd(y.s, end)]) != "" {
		return 0, false // something stands behind the closing quote
	}
	return lineEnd(y.s, end) + 1, true
}

// plain reads a value without quotes, and the deeper lines that it goes on over.
func (y *yamlReader) plain(body string, eol, depth int) (string, int) {
	text := body
	literal := strings.TrimRight(body, "+-") == "|" || strings.TrimRight(body, "+-") == ">"
	if literal {
		text = ""
	} else if body == "" || body == "[]" || body == "{}" {
		return "", eol
	}
	var buf strings.Builder
	buf.WriteString(text)
	for end := eol; ; {
		next := end + 1
		if next >= len(y.s) {
			return fold(buf.String()), end
		}
		e := lineEnd(y.s, next)
		line := y.s[next:e]
		if strings.TrimSpace(line) != "" && indent(line) <= depth {
			return fold(buf.String()), end
		}
		buf.WriteByte('\n')
		buf.WriteString(strings.TrimSpace(line))
		end = e
	}
}

// single reads a string up to its closing ', where ” stands for one.
func (y *yamlReader) single(i int) (string, int) {
	var buf strings.Builder
	for i < len(y.s) {
		j := strings.IndexByte(y.s[i:], '\'')
		if j < 0 {
			buf.WriteString(y.s[i:])
			break
		}
		buf.WriteString(y.s[i : i+j])
		i += j + 1
		if i >= len(y.s) || y.s[i] != '\'' {
			return fold(buf.String()), i
		}
		buf.WriteByte('\'')
		i++
	}
	return fold(buf.String()), len(y.s) + 1
}

// double reads a string up to its closing quote.
func (y *yamlReader) double(i int) (string, int) {
	var buf strings.Builder
	start := i
	for i < len(y.s) && y.s[i] != '"' {
		if y.s[i] == '\\' {
			foldInto(&buf, y.s[start:i])
			i += unescape(&buf, y.s[i:])
			start = i
			continue
		}
		i++
	}
	foldInto(&buf, y.s[start:min(i, len(y.s))])
	return buf.String(), i + 1
}
