package slotted

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// MaxFilled bounds a line with its values, in bytes: Linux hands a program no longer word, and
// a shell takes its line as one.
const MaxFilled = 128<<10 - 1

// Whole reports whether a slot is a whole word.
func (s *Line) Whole(slot int) bool { return s.whole[slot] }

// Fill puts values into the slots, one for each. A slot that is a whole word takes any text
// without NUL that does not begin with -, and quotes it as it needs. A slot in a longer word takes
// what [Letters] says. The line that it returns has the words of the one that was read, with the
// values in their places; it is parsed again to see that. The error is an [Error] of the first
// value that cannot stand where it would.
func (s *Line) Fill(values []string) (string, error) {
	for i, value := range values {
		if why := s.refuses(i, value); why != "" {
			return "", &Error{i, why}
		}
	}
	line, places := s.put(func(i int) string {
		if s.whole[i] {
			return quote(values[i])
		}
		return values[i]
	})
	for i, at := range places {
		if !s.whole[i] && Dots(line, at) {
			return "", &Error{i, "makes .. with what stands beside it"}
		}
	}
	if err := s.same(line, places, values); err != nil {
		return "", err
	}
	return line, nil
}

func (s *Line) refuses(i int, value string) string {
	switch {
	case !s.whole[i] && !Letters(value):
		return "is not made of letters, digits, ., _ and -"
	case strings.HasPrefix(value, "-") && s.begins(i):
		return "begins with -"
	case strings.ContainsRune(value, 0):
		return "has a NUL"
	case !utf8.ValidString(value):
		return "is not UTF-8"
	}
	return ""
}

// begins reports whether a word begins with the slot.
func (s *Line) begins(i int) bool {
	return slices.ContainsFunc(s.nodes, func(n Slot) bool { return n.Start == s.slots[i].Start })
}

// Letters reports whether a value may stand in a longer word or text: ASCII letters, digits, dots,
// underscores and dashes, at least one, and no two dots in a row.
func Letters(value string) bool {
	other := func(r rune) bool { return !letter(r) && (r < '0' || r > '9') && !strings.ContainsRune("._-", r) }
	return value != "" && !strings.Contains(value, "..") && !strings.ContainsFunc(value, other)
}

func letter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// Dots reports whether what stands at a place of a text makes two dots in a row with its neighbour.
func Dots(text string, at Slot) bool {
	return strings.Contains(text[max(0, at.Start-1):min(len(text), at.End+1)], "..")
}

// quote is a value as one word of every shell. Other quotes would not be plain.
func quote(value string) string {
	if value != "" && letter(rune(value[0])) && Letters(value) && !syntax.IsKeyword(value) {
		return value
	}
	return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
}

// same sees that a line has the words of the one that was read: each part of it begins and ends
// where it did, and a slot that is a whole word says its value and nothing else.
func (s *Line) same(line string, places []Slot, values []string) error {
	if len(line) > MaxFilled {
		return &Error{longest(values), fmt.Sprintf("makes a line of %d bytes", len(line))}
	}
	f, err := parse(line)
	if err != nil {
		return &Error{longest(values), "makes a line that cannot be read"}
	}
	moved := func(offset int) int {
		by := 0
		for i, slot := range s.slots {
			if slot.End <= offset {
				by = places[i].End - slot.End
			}
		}
		return offset + by
	}
	found := nodes(f)
	for i, n := range s.nodes {
		if i >= len(found) || found[i] != (Slot{moved(n.Start), moved(n.End)}) {
			return &Error{s.near(n), changes}
		}
	}
	if len(found) != len(s.nodes) {
		return &Error{len(values) - 1, changes}
	}
	said := words(line, f)
	for i, place := range places {
		if s.whole[i] && said[place] != values[i] {
			return &Error{i, changes}
		}
	}
	return nil
}

const changes = "changes the words of the command"

// words are what the words of a line say, by their places.
func words(line string, f *syntax.File) map[Slot]string {
	all := map[Slot]string{}
	syntax.Walk(f, func(n syntax.Node) bool {
		w, ok := n.(*syntax.Word)
		if ok {
			all[span(w)] = says(line, w)
		}
		return !ok
	})
	return all
}

// says is the text of a word of plain letters and single quotes, and NUL, which no value has, for
// any other. The parser leaves carriage returns out, so what quotes hold is read off the line.
func says(line string, w *syntax.Word) string {
	var b strings.Builder
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.SglQuoted:
			if part.Dollar {
				return "\x00"
			}
			b.WriteString(line[part.Left.Offset()+1 : part.Right.Offset()])
		case *syntax.Lit:
			text := strings.TrimPrefix(part.Value, `\`)
			if part.Value != `\'` && !Letters(part.Value) {
				return "\x00"
			}
			b.WriteString(text)
		default:
			return "\x00"
		}
	}
	return b.String()
}

// longest is the slot with the longest value.
func longest(values []string) (slot int) {
	for i, v := range values {
		if len(v) > len(values[slot]) {
			slot = i
		}
	}
	return slot
}

// near is the first slot that ends in or behind a part of the line, or the last.
func (s *Line) near(n Slot) int {
	i := slices.IndexFunc(s.slots, func(slot Slot) bool { return slot.End >= n.Start })
	if i < 0 {
		return len(s.slots) - 1
	}
	return i
}
