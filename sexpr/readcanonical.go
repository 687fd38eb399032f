package sexpr

// ReadCanonical reads a text in canonical form, exactly as [Canonical] writes it, in
// one pass. It returns false for every other text; [Read] then finds the error, if
// there is one. So a canonical text can be verified without printing it again. The
// values share memory with src, and have the positions that Read gives them.
func ReadCanonical(src string) (Value, bool) {
	b := builders.Get().(*builder)
	defer b.release()
	b.begin(src, start)
	for b.off < len(src) {
		v, ok := b.canonicalDatum()
		for ok && len(b.open) > 0 { // what may follow inside a list
			b.done = append(b.done, v)
			if b.off == len(src) {
				return Value{}, false
			}
			b.off++
			if src[b.off-1] == ' ' {
				break
			}
			if ok = src[b.off-1] == ')' && wellFormed(b.done[b.open[len(b.open)-1].from:]); ok {
				v = b.close()
			}
		}
		switch {
		case !ok, len(b.open) == 0 && b.off < len(src):
			return Value{}, false
		case len(b.open) == 0:
			return v, true
		}
	}
	return Value{}, false
}

// canonicalDatum opens lists up to the first atom, and reads that.
func (b *builder) canonicalDatum() (Value, bool) {
	for b.off < len(b.src) && b.src[b.off] == '(' {
		if len(b.open) == maxDepth {
			return Value{}, false
		}
		b.open = append(b.open, frame{from: len(b.done), pos: b.here()})
		b.off++
	}
	if b.off == len(b.src) {
		return Value{}, false
	}
	pos, end := b.here(), b.off+1
	switch c := b.src[b.off]; {
	case c == '"':
		for end < len(b.src) && classes[b.src[end]]&escaped == 0 {
			end++
		}
		if end < len(b.src) && b.src[end] == '"' { // most strings
			v := Value{kind: String, pos: pos, text: b.src[b.off+1 : end]}
			b.off = end + 1
			return v, true
		}
		from := b.off
		text, f := b.longText(from+1, '"')
		return b.asPrinted(Value{kind: String, pos: pos, text: text}, from, f)
	case c == ':':
		for end < len(b.src) && classes[b.src[end]]&atom != 0 {
			end++
		}
		if name := b.src[b.off+1 : end]; isBareKey(name) && (end == len(b.src) || b.src[end] != '|') {
			b.off = end
			return Value{kind: Keyword, pos: pos, text: name}, true
		}
	case isDigit(c) && (c != '0' || end == len(b.src) || !isDigit(b.src[end])):
		n := uint64(c - '0')
		for end < len(b.src) && isDigit(b.src[end]) && end-b.off < 18 { // of which no overflow comes
			n = 10*n + uint64(b.src[end]-'0')
			end++
		}
		if end == len(b.src) || classes[b.src[end]]&atom == 0 && b.src[end] != '|' { // most numbers
			b.off = end
			return Value{kind: Int, pos: pos, num: n}, true
		}
	case classes[c]&atom == 0 && c != '|':
		return Value{}, false
	}
	from := b.off
	v, f := b.atom(pos)
	return b.asPrinted(v, from, f)
}

// asPrinted reports whether an atom that was read from the text since from is
// spelled there as it is printed.
func (b *builder) asPrinted(v Value, from int, f *fault) (Value, bool) {
	if f != nil {
		return Value{}, false
	}
	p := printer{dst: b.printed[:0], canonical: true}
	err := p.value(&v, 0)
	b.printed = p.dst
	return v, err == nil && string(p.dst) == b.src[from:b.off]
}

// wellFormed reports whether a list of these is not a plist, or is one in canonical
// order.
func wellFormed(items []Value) bool {
	if len(items) == 0 || items[0].kind != Keyword {
		return true
	}
	for i := 0; i < len(items); i += 2 {
		if items[i].kind != Keyword || i > 0 && items[i-2].text >= items[i].text {
			return false
		}
	}
	return len(items)%2 == 0
}
