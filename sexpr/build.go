package sexpr

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// build makes the value of one form that the form lexer has accepted, or finds the
// error in an unfinished one. The form begins at base. It keeps its own stack, so
// the depth of the text does not matter.
func build(src string, base Pos) (Value, *fault) {
	var b builder
	return b.form(src, base)
}

// form is [build] with the builder's remaining memory.
func (b *builder) form(src string, base Pos) (Value, *fault) {
	b.begin(src, base)
	for {
		if f := b.blanks(); f != nil {
			return Value{}, f
		}
		if b.off == len(src) {
			return Value{}, &fault{off: b.off, found: "the end of the text", expected: "more", incomplete: true}
		}
		pos := b.here()
		var v Value
		switch c := src[b.off]; {
		case c == '(' || c == '\'':
			b.off++
			b.open = append(b.open, frame{from: len(b.done), pos: pos, quote: c == '\''})
			continue
		case c == ')' && len(b.open) > 0 && !b.open[len(b.open)-1].quote:
			b.off++
			v = b.close()
		case c == '"':
			text, f := b.text(b.off + 1)
			if f != nil {
				return Value{}, f
			}
			v = Value{kind: String, pos: pos, text: text}
		case classes[c]&atom != 0 || c == '|':
			var f *fault
			if v, f = b.atom(pos); f != nil {
				return Value{}, f
			}
		default:
			return Value{}, unexpected(src, b.off)
		}
		b.done = append(b.done, v)
		for len(b.open) > 0 && b.open[len(b.open)-1].quote {
			b.done = append(b.done, b.closeQuote())
		}
		if len(b.open) == 0 {
			return b.done[0], nil
		}
	}
}

// begin starts a text that begins at base.
func (b *builder) begin(src string, base Pos) {
	b.src, b.off, b.line, b.lineAt = src, 0, base.Line, 1-int(base.Col)
	b.open = b.open[:0]
	b.drop(0)
}

// drop leaves the first n values in done.
func (b *builder) drop(n int) {
	b.used = max(b.used, len(b.done))
	b.done = b.done[:n]
}

// builders pools the memory of builders, which would be most of the allocations for
// a short text.
var builders = sync.Pool{New: func() any {
	return &builder{done: make([]Value, 0, 64), open: make([]frame, 0, 16)}
}}

// release returns the builder to the pool, without references to the text.
func (b *builder) release() {
	const most = 1024
	if cap(b.done) > most || cap(b.printed) > 64*most {
		return
	}
	b.drop(0)
	clear(b.done[:b.used])
	*b = builder{done: b.done, open: b.open[:0], printed: b.printed[:0]}
	builders.Put(b)
}

// builder holds the open lists, and the values that are not in a list yet.
type builder struct {
	src    string
	off    int
	line   int32
	lineAt int // offset at which the line would begin if it were all ASCII
	open   []frame
	done   []Value
	used   int     // the most that done has held
	slab   []Value // memory for the elements of further lists

	printed []byte // an atom as it is printed, for comparison
}

// frame is a list or quote that is still open.
type frame struct {
	from  int // its first element in done
	pos   Pos
	quote bool
}

func (b *builder) here() Pos { return Pos{Line: b.line, Col: int32(b.off - b.lineAt + 1)} }

// pass counts the lines and characters of src[b.off:end] and moves there.
func (b *builder) pass(end int) {
	for i := b.off; i < end; i++ {
		switch c := b.src[i]; {
		case c == '\n':
			b.line++
			b.lineAt = i + 1
		case !utf8.RuneStart(c):
			b.lineAt++
		}
	}
	b.off = end
}

func (b *builder) blanks() *fault {
	for b.off < len(b.src) && b.src[b.off] == ' ' {
		b.off++
	}
	if b.off == len(b.src) || classes[b.src[b.off]]&atom != 0 {
		return nil
	}
	end, f := skipBlanks(b.src, b.off)
	b.pass(end)
	return f
}

// close makes the innermost open list.
func (b *builder) close() Value {
	f := b.open[len(b.open)-1]
	b.open = b.open[:len(b.open)-1]
	v := Value{kind: List, pos: f.pos, list: b.keep(b.done[f.from:])}
	b.drop(f.from)
	return v
}

// closeQuote makes (quote x) of the innermost open quote and the last value.
func (b *builder) closeQuote() Value {
	f := b.open[len(b.open)-1]
	b.open = b.open[:len(b.open)-1]
	v := ListOf(Sym("quote").At(f.pos), b.done[f.from]).At(f.pos)
	b.drop(f.from)
	return v
}

// keep copies the elements of a list to their final place. Short lists share a slab,
// so that most of them need no allocation.
func (b *builder) keep(items []Value) []Value {
	n := len(items)
	if n == 0 {
		return nil
	}
	if n > cap(b.slab)-len(b.slab) {
		room := slabSize
		if rest := len(b.src) - b.off; rest/12 < room {
			room = rest / 12 // about as long as most values
		}
		b.slab = make([]Value, 0, max(n, room))
	}
	at := len(b.slab)
	b.slab = append(b.slab, items...)
	return b.slab[at : at+n : at+n]
}

const slabSize = 48

// text reads the string that begins at from, after its quote.
func (b *builder) text(from int) (string, *fault) {
	i := from
	for i < len(b.src) && classes[b.src[i]]&inText == 0 {
		i++
	}
	if i < len(b.src) && b.src[i] == '"' {
		b.off = i + 1
		return b.src[from:i], nil
	}
	return b.longText(from, '"')
}

// longText reads a string or name that holds escapes, line ends or characters
// beyond ASCII.
func (b *builder) longText(from int, end byte) (string, *fault) {
	stop := endOfText(b.src, from, end)
	if stop < 0 {
		if _, f := decode(b.src[from:]); f != nil && !f.incomplete {
			f.off += from
			return "", f
		}
		return "", unclosedText(b.src, end)
	}
	text, f := decode(b.src[from:stop])
	if f != nil {
		if f.incomplete { // no: the end is there
			at := strings.LastIndexByte(b.src[from:stop], '\\')
			f = &fault{off: at, found: "the unfinished escape " + quoted(b.src[from+at:stop]),
				expected: `all of \u{h}, of \uXXXX, or of a pair of surrogates`}
		}
		f.off += from
		return "", f
	}
	b.pass(stop + 1)
	return text, nil
}

// atom reads a keyword, symbol or number.
func (b *builder) atom(pos Pos) (Value, *fault) {
	from, seen := b.off, uint8(0)
	for b.off < len(b.src) {
		c := classes[b.src[b.off]]
		if c&atom == 0 {
			break
		}
		seen |= c
		b.off++
	}
	if b.off < len(b.src) && b.src[b.off] == '|' {
		return b.barred(from, pos)
	}
	name := b.src[from:b.off]
	if name[0] == ':' {
		if f := checkName(name[1:], from+1); f != nil {
			return Value{}, f
		}
		return Value{kind: Keyword, pos: pos, text: fold(name[1:], seen)}, nil
	}
	if looksNumeric(name) {
		v, f := number(name)
		if f != nil {
			f.off += from
		}
		return v.At(pos), f
	}
	if seen&(colon|brace) != 0 && name != "{}" {
		return Value{}, checkName(name, from)
	}
	if strings.Trim(name, ".") == "" {
		return Value{}, &fault{off: from, found: quoted(name), expected: "a datum; there are no dotted pairs"}
	}
	return Sym(fold(name, seen)).At(pos), nil
}

// fold lowers A-Z.
func fold(name string, seen uint8) string {
	if seen&upper == 0 {
		return name
	}
	return lower(name)
}

// lower folds A-Z, and nothing else.
func lower(name string) string {
	b := []byte(name)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// checkName finds characters that a bare name may not hold.
func checkName(name string, off int) *fault {
	if name == "" {
		return &fault{off: off, found: "a colon without a name",
			expected: "a keyword such as :tool, or :|| for the empty one"}
	}
	i := strings.IndexAny(name, ":{}")
	switch {
	case i < 0:
		return nil
	case name[i] == ':':
		return &fault{off: off + i, found: "':' in the middle of a name",
			expected: "a name, in bars if it holds a colon: |a:b|"}
	default:
		return &fault{off: off + i, found: "'" + name[i:i+1] + "'",
			expected: "a plist such as (:key \"value\"), or {} for the empty object"}
	}
}

// barred reads an atom that has a part in bars, from its beginning.
func (b *builder) barred(from int, pos Pos) (Value, *fault) {
	b.off = from
	kind := Symbol
	if b.src[b.off] == ':' {
		kind = Keyword
		b.off++
	}
	var name strings.Builder
	for b.off < len(b.src) {
		if b.src[b.off] == '|' {
			part, f := b.longText(b.off+1, '|')
			if f != nil {
				return Value{}, f
			}
			name.WriteString(part)
			continue
		}
		at := b.off
		for b.off < len(b.src) && classes[b.src[b.off]]&atom != 0 {
			b.off++
		}
		if at == b.off {
			break
		}
		if f := checkName(b.src[at:b.off], at); f != nil {
			return Value{}, f
		}
		name.WriteString(lower(b.src[at:b.off]))
	}
	if kind == Symbol {
		return Sym(name.String()).At(pos), nil
	}
	return Key(name.String()).At(pos), nil
}
