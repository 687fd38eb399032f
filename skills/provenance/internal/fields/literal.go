package fields

import "strings"

// frame is one open bracket of a literal.
type frame struct {
	open   byte
	rec    int
	key    string
	keyed  bool   // a key was read and waits for its value
	inside bool   // it is an object, or stands in one
	under  string // the keys on the way
}

// literals reads JSON, JSON lines and what Python prints, and reports whether the text
// begins with that shape. What follows a value, or cannot be read, is text.
func (b *builder) literals(text string) bool {
	if c := text[0]; c != '{' && c != '[' && c != '(' {
		return false
	}
	b.Fields = make([]Field, 0, min(strings.Count(text, `"`)/2, len(text)/32))
	l := &literal{b: b, s: text}
	end, ok := l.value(0)
	if !ok || !l.keys && end < len(text) {
		return b.reset()
	}
	for end < len(text) {
		rest := strings.TrimLeft(text[end:], " \t\r\n,")
		if rest == "" {
			break
		}
		at := len(text) - len(rest)
		next := at
		if rest[0] == '{' || rest[0] == '[' {
			l.top = b.record()
			next, _ = l.value(at)
		}
		if next <= at {
			b.add(0, "", rest, Text)
			break
		}
		end = next
	}
	return true
}

// literal reads one value after the other with a stack of its own.
type literal struct {
	b     *builder
	s     string
	stack []frame
	top   int  // the record of the top value
	keys  bool // some object had a key
}

// deepest is how many brackets may be open; what is deeper is text.
const deepest = 1024

// value reads the bracketed value at i. It returns where it ended, and whether it was a
// value so far; a value that is not closed ends with the text.
func (l *literal) value(i int) (int, bool) {
	l.stack = l.stack[:0]
	for i < len(l.s) {
		switch c := l.s[i]; c {
		case ' ', '\t', '\r', '\n', ',':
			i++
		case '{', '[', '(':
			if len(l.stack) == deepest {
				l.rest(i)
				return len(l.s), l.keys
			}
			l.push(c)
			i++
		case '}', ']', ')':
			l.stack = l.stack[:len(l.stack)-1]
			i++
			if len(l.stack) == 0 {
				return i, true
			}
		case '"', '\'':
			i = l.str(i, c)
		default:
			next, ok := l.word(i)
			if !ok {
				l.rest(i)
				return len(l.s), l.keys
			}
			i = next
		}
	}
	l.b.Cut = true
	return i, true
}

// push opens a bracket. An object or list that stands in a list is a record, and so is
// an object in the top object.
func (l *literal) push(c byte) {
	f := frame{open: c, rec: l.top, inside: c == '{'}
	if n := len(l.stack); n > 0 {
		p := &l.stack[n-1]
		f.rec, f.key, f.inside, p.keyed = p.rec, p.key, f.inside || p.inside, false
		if f.under = p.under; p.open == '{' {
			f.under = under(p.under, p.key)
		}
		if n <= MaxDepth && (p.open != '{' && c != '(' || p.open == '{' && c == '{' && n == 1) {
			f.rec = l.b.record()
			if p.inside && p.open != '{' {
				l.b.nest(f.rec)
			}
		}
	}
	l.stack = append(l.stack, f)
}

// scalar enters a value, or a key if a colon follows.
func (l *literal) scalar(text string, next int) int {
	f := &l.stack[len(l.stack)-1]
	l.b.under = f.under
	after := next
	for after < len(l.s) && (l.s[after] == ' ' || l.s[after] == '\n' || l.s[after] == '\t' || l.s[after] == '\r') {
		after++
	}
	if f.open == '{' && !f.keyed && after < len(l.s) && l.s[after] == ':' {
		f.key, f.keyed, l.keys = text, true, true
		l.b.add(f.rec, "", text, Name)
		return after + 1
	}
	rec := f.rec
	if len(l.stack) == 1 && f.open != '{' {
		rec = l.b.record()
	}
	f.keyed = false
	l.b.add(rec, f.key, text, Value)
	return next
}

// str reads a quoted string. One without escapes is a part of the text, and no copy.
func (l *literal) str(i int, quote byte) int {
	start := i + 1
	i = l.unquoted(start, quote)
	text := l.s[start:i]
	if i < len(l.s) && l.s[i] == '\\' {
		var buf strings.Builder
		buf.WriteString(text)
		for i < len(l.s) && l.s[i] != quote {
			if l.s[i] == '\\' {
				i += unescape(&buf, l.s[i:])
				continue
			}
			next := l.unquoted(i, quote)
			buf.WriteString(l.s[i:next])
			i = next
		}
		text = buf.String()
	}
	if i >= len(l.s) {
		l.b.Cut = true
	}
	return l.scalar(text, min(i+1, len(l.s)))
}

// unquoted returns where the part of a string ends that has no escape.
func (l *literal) unquoted(i int, quote byte) int {
	for i < len(l.s) && l.s[i] != quote && l.s[i] != '\\' {
		i++
	}
	return i
}

// word reads a number, a constant, a bare key, or the name of a call such as datetime(.
func (l *literal) word(i int) (int, bool) {
	end := i
	for end < len(l.s) && !strings.ContainsRune(" \t\r\n,:{}[]()\"'", rune(l.s[end])) {
		end++
	}
	w := l.s[i:end]
	if w == "" {
		return i, false
	}
	if end < len(l.s) && (l.s[end] == '(' || (l.s[end] == '\'' || l.s[end] == '"') && len(w) <= 2) {
		return end, true // a constructor, or the prefix of a string
	}
	switch w {
	case "null", "None", "undefined":
		l.stack[len(l.stack)-1].keyed = false
		return end, true
	case "true", "false", "True", "False", "NaN", "Infinity", "...":
		return l.scalar(strings.ToLower(w), end), true
	}
	if w[0] >= '0' && w[0] <= '9' || len(w) > 1 && w[0] == '-' && w[1] >= '0' && w[1] <= '9' {
		return l.scalar(w, end), true
	}
	if f := l.stack[len(l.stack)-1]; f.open == '{' && !f.keyed && end < len(l.s) && l.s[end] == ':' {
		return l.scalar(w, end), true
	}
	return i, false
}

// rest enters what could not be read as text.
func (l *literal) rest(i int) {
	if l.keys {
		l.b.add(l.stack[len(l.stack)-1].rec, "", l.s[i:], Text)
	}
}
