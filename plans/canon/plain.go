package canon

import (
	"bytes"
	"slices"
	"strings"
)

// maxPlain bounds how deep plain reads.
const maxPlain = 100

// plain writes JSON in canonical form that spells its tokens as that form does: its strings are
// copied, its members sorted. It leaves the rest to jcs: other escapes, names that are not ASCII,
// numbers that are no short integers, and all that is wrong.
type plain struct {
	in  []byte // what is left
	out []byte
}

// member is where a member of an object stands in the output, which never moves.
type member struct {
	name     []byte // without quotes
	from, to int
}

// canonical returns the canonical form of text, which is UTF-8. ok is false if plain leaves it.
func canonical(text []byte) (out []byte, ok bool) {
	p := plain{in: text, out: make([]byte, 0, len(text))}
	if !p.value(0) {
		return nil, false
	}
	p.space()
	return p.out, len(p.in) == 0
}

func (p *plain) space() {
	for len(p.in) > 0 && (p.in[0] == ' ' || p.in[0] == '\n' || p.in[0] == '\t' || p.in[0] == '\r') {
		p.in = p.in[1:]
	}
}

// take takes this byte, if it comes next, behind white space.
func (p *plain) take(c byte) bool {
	p.space()
	if len(p.in) == 0 || p.in[0] != c {
		return false
	}
	p.copy(1)
	return true
}

// copy takes n bytes.
func (p *plain) copy(n int) { p.out, p.in = append(p.out, p.in[:n]...), p.in[n:] }

func (p *plain) value(depth int) bool {
	p.space()
	if len(p.in) == 0 || depth > maxPlain {
		return false
	}
	switch c := p.in[0]; {
	case c == '"':
		return p.text()
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.array(depth)
	case c == '-' || c >= '0' && c <= '9':
		return p.integer()
	}
	for _, word := range []string{"true", "false", "null"} {
		if bytes.HasPrefix(p.in, []byte(word)) {
			p.copy(len(word))
			return true
		}
	}
	return false
}

// text takes a string whose escapes are those of the canonical form.
func (p *plain) text() bool {
	in := p.in
	for i := 1; i < len(in); i++ {
		for in[i] >= ' ' && in[i] != '"' && in[i] != '\\' {
			if i++; i == len(in) {
				return false
			}
		}
		switch {
		case in[i] == '"':
			p.copy(i + 1)
			return true
		case in[i] < ' ':
			return false
		}
		if i++; i == len(in) || strings.IndexByte(`"\bfnrt`, in[i]) < 0 && !control(in[i:]) {
			return false
		}
	}
	return false
}

// control says whether an escape stands for a control character that is spelled by its number.
func control(in []byte) bool {
	if len(in) < 5 || in[0] != 'u' || in[1] != '0' || in[2] != '0' {
		return false
	}
	return in[3] == '1' && strings.IndexByte("0123456789abcdef", in[4]) >= 0 ||
		in[3] == '0' && strings.IndexByte("01234567bef", in[4]) >= 0
}

// integer takes a number that every reader takes for the same: at most 15 digits.
func (p *plain) integer() bool {
	sign := 0
	if p.in[0] == '-' {
		sign = 1
	}
	n := sign
	for n < len(p.in) && p.in[n] >= '0' && p.in[n] <= '9' {
		n++
	}
	digits := p.in[sign:n]
	if len(digits) == 0 || len(digits) > 15 || digits[0] == '0' && n > 1 {
		return false
	}
	if n < len(p.in) && strings.IndexByte(",]} \n\t\r", p.in[n]) < 0 {
		return false
	}
	p.copy(n)
	return true
}

func (p *plain) array(depth int) bool {
	p.take('[')
	if p.take(']') {
		return true
	}
	for p.value(depth + 1) {
		if p.take(']') {
			return true
		}
		if !p.take(',') {
			return false
		}
	}
	return false
}

func (p *plain) object(depth int) bool {
	p.take('{')
	from := len(p.out)
	if p.take('}') {
		return true
	}
	var room [16]member
	members, sorted := room[:0], true
	for {
		m := member{from: len(p.out)}
		if p.space(); len(p.in) == 0 || p.in[0] != '"' || !p.text() {
			return false
		}
		m.name = p.out[m.from+1 : len(p.out)-1]
		if slices.ContainsFunc(m.name, func(c byte) bool { return c == '\\' || c >= 0x80 }) {
			return false // it is sorted by what it means
		}
		if !p.take(':') || !p.value(depth+1) {
			return false
		}
		m.to = len(p.out)
		sorted = sorted && (len(members) == 0 || bytes.Compare(members[len(members)-1].name, m.name) < 0)
		members = append(members, m)
		switch {
		case p.take(','):
		case p.take('}'):
			return sorted || p.sort(from, members)
		default:
			return false
		}
	}
}

// sort puts the members of the object that was just taken in order; false if one is there twice.
func (p *plain) sort(from int, members []member) bool {
	slices.SortFunc(members, func(a, b member) int { return bytes.Compare(a.name, b.name) })
	for i := range members[1:] {
		if bytes.Equal(members[i].name, members[i+1].name) {
			return false
		}
	}
	was := slices.Clone(p.out[from:])
	out := p.out[:from]
	for i, m := range members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, was[m.from-from:m.to-from]...)
	}
	p.out = append(out, '}')
	return true
}
