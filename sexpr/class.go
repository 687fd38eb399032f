package sexpr

// What a byte may be outside strings and bars. The bits of an atom's bytes,
// put together, say which of its readings are possible.
const (
	blank   uint8 = 1 << iota // space, tab, line feed, carriage return, form feed
	atom                      // part of a bare atom
	upper                     // A-Z, to be folded
	colon                     // : in an atom
	brace                     // { or } in an atom
	inText                    // ends the plain run inside a string or bars: " | \ newline, or not ASCII
	escaped                   // ends the plain run inside a canonical string: " \ a control, or not ASCII
)

// classes maps each byte to its bits.
var classes = func() (t [256]uint8) {
	for _, c := range " \t\n\r\f" {
		t[c] = blank
	}
	for c := 'a'; c <= 'z'; c++ {
		t[c] = atom
		t[c-'a'+'A'] = atom | upper
	}
	for _, c := range "0123456789!$%&*+-./<=>?@^_~" {
		t[c] = atom
	}
	t[':'] = atom | colon
	t['{'], t['}'] = atom|brace, atom|brace
	for _, c := range "\"|\\\n" {
		t[c] |= inText
	}
	for c := 0x80; c < 0x100; c++ {
		t[c] = inText | escaped
	}
	for c := range byte(' ') {
		t[c] |= escaped
	}
	t['"'], t['\\'], t[0x7f] = t['"']|escaped, t['\\']|escaped, t[0x7f]|escaped
	return t
}()

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isBareKey reports whether a keyword of this name is written without bars.
func isBareKey(name string) bool {
	if name == "" || name[0] < 'a' || name[0] > 'z' {
		return false
	}
	for i := 1; i < len(name); i++ {
		if c := name[i]; (c < 'a' || c > 'z') && !isDigit(c) && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

// isBareSymbol reports whether a symbol of this name is written without bars:
// whether the bare name reads as that symbol again.
func isBareSymbol(name string) bool {
	if name == "{}" {
		return true
	}
	if name == "" || looksNumeric(name) {
		return false
	}
	dots := true
	for i := 0; i < len(name); i++ {
		if classes[name[i]] != atom {
			return false
		}
		dots = dots && name[i] == '.'
	}
	return !dots
}
