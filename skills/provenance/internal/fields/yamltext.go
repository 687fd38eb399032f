package fields

import "strings"

// cutKey takes the key off a line: a quoted text or a few plain words before a colon.
func cutKey(line string) (key, rest string, ok bool) {
	if line != "" && (line[0] == '\'' || line[0] == '"') {
		end := strings.IndexByte(line[1:], line[0])
		if end < 0 || len(line) < end+3 || line[end+2] != ':' || len(line) > end+3 && line[end+3] != ' ' {
			return "", line, false
		}
		return line[1 : end+1], line[end+3:], true
	}
	i := 0
	for i < len(line) && i <= 60 && keyByte(line[i]) {
		i++
	}
	if i == 0 || strings.IndexByte(" @.+/-", line[0]) >= 0 || i >= len(line) || line[i] != ':' || i+1 < len(line) &&
		line[i+1] != ' ' ||
		line[0] >= '0' && line[0] <= '9' && !allDigits(line[:i]) || strings.Count(line[:i], " ") > 3 {
		return "", line, false
	}
	return line[:i], line[i+1:], true
}

func allDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

func keyByte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c >= 0x80 || strings.IndexByte("_ @.+/-", c) >= 0
}

func indent(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }

func lineEnd(s string, from int) int {
	if from >= len(s) {
		return len(s)
	}
	if i := strings.IndexByte(s[from:], '\n'); i >= 0 {
		return from + i
	}
	return len(s)
}

// fold joins the lines of a scalar: one line break is a space, more are one less.
func fold(s string) string {
	if !strings.Contains(s, "\n") {
		return s
	}
	var buf strings.Builder
	foldInto(&buf, s)
	return buf.String()
}

func foldInto(buf *strings.Builder, s string) {
	for {
		i := strings.IndexByte(s, '\n')
		if i < 0 {
			buf.WriteString(s)
			return
		}
		buf.WriteString(strings.TrimRight(s[:i], " \t"))
		breaks := 0
		for s = s[i:]; s != "" && strings.IndexByte(" \t\n\r", s[0]) >= 0; s = s[1:] {
			if s[0] == '\n' {
				breaks++
			}
		}
		if breaks == 1 {
			buf.WriteByte(' ')
		}
		for ; breaks > 1; breaks-- {
			buf.WriteByte('\n')
		}
	}
}
