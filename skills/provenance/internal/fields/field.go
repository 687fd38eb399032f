package fields

import (
	"strings"
	"unicode/utf8"
)

// Field is one value of a result.
type Field struct {
	Record int    // from 1; 0 is the result as a whole
	Key    string // of the value, as written; "" if it has none
	Under  string // the keys of the objects that it stands in, "form.answers"
	Text   string
	Kind   Kind
	Offset int // of a line: where it stands in the text field before it
}

// Kind is how a field stands in its result.
type Kind uint8

// The kinds. A line stands in the text field before it, too.
const (
	Value Kind = iota // an entire structured value
	Name              // a key
	Line              // one line of a list
	Text              // text without a shape
)

// Result is a result taken apart.
type Result struct {
	Fields []Field
	Nested map[int32]bool // records in a list inside an object, which may have other authors
	Cut    bool           // it ends in the middle of a value
	Opaque bool           // a part of it could not be read as text
}

// MaxDepth is how deep values may nest before they count as one record.
const MaxDepth = 64

// builder collects fields.
type builder struct {
	Result
	records int
	under   string // the keys on the way, see [Field]
}

// under names what stands under a key in an object that stands under others.
func under(outer, key string) string {
	if outer == "" || key == "" {
		return outer + key
	}
	return outer + "." + key
}

func (b *builder) record() int {
	b.records++
	return b.records
}

// nest notes that a record stands in a list inside an object.
func (b *builder) nest(rec int) {
	if b.Nested == nil {
		b.Nested = map[int32]bool{}
	}
	b.Nested[int32(rec)] = true
}

func (b *builder) add(rec int, key, text string, k Kind) {
	if strings.TrimSpace(text) == "" {
		return
	}
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		b.Opaque = true
		return
	}
	if k == Name {
		key = b.under[strings.LastIndexByte(b.under, '.')+1:] // names beside each other are of one object
	}
	b.Fields = append(b.Fields, Field{Record: rec, Key: key, Under: b.under, Text: text, Kind: k})
}

// Split takes a text apart by the first shape that fits.
func Split(text string) Result {
	b := &builder{}
	trimmed := strings.TrimSpace(text)
	switch {
	case trimmed == "":
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		b.Opaque = true
	case b.literals(trimmed):
	case b.table(trimmed):
	case b.csv(trimmed), b.aligned(trimmed), b.titled(trimmed):
	case b.yaml(trimmed):
	default:
		b.text(trimmed)
	}
	b.compact(text)
	return b.Result
}

// compact copies the fields out of a text that is mostly something else, so that they do
// not hold all of it in memory.
func (b *builder) compact(text string) {
	sum := 0
	for _, f := range b.Fields {
		sum += len(f.Text)
	}
	if 2*sum >= len(text) {
		return
	}
	for i := range b.Fields {
		f := &b.Fields[i]
		f.Text = strings.Clone(f.Text)
	}
}

// reset drops what a reader collected before it found that the shape does not fit.
func (b *builder) reset() bool {
	*b = builder{}
	return false
}

// text enters text without a shape, and its lines if it is a list with one item a line.
func (b *builder) text(text string) {
	if short(text) {
		b.add(0, "", text, Value)
		return
	}
	b.add(0, "", text, Text)
	columns := columned(text)
	if !columns && !listed(text) {
		return
	}
	offset, first := 0, true
	for line := range strings.Lines(text) {
		item := strings.Trim(line, " \t\r\n-*•")
		if first {
			if _, after, ok := strings.Cut(item, ": "); ok {
				item = after
			}
		}
		if item != "" && (len(item) <= 80 || columns) {
			rec := b.record()
			b.line(rec, item, offset)
			for _, c := range cellsOf(line) {
				if columns && c.text != item {
					b.line(rec, c.text, offset+c.at)
				}
			}
		}
		first = first && strings.TrimSpace(line) == ""
		offset += len(line)
	}
}

// line enters a line of a list, or a cell of one, that begins at an offset in the text.
func (b *builder) line(record int, text string, offset int) {
	b.add(record, "", text, Line)
	b.Fields[len(b.Fields)-1].Offset = offset
}

// columned reports whether at least two lines of a text, and half of them, have three cells or more.
func columned(text string) bool {
	lines, wide := 0, 0
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			lines++
			if len(cellsOf(line)) > 2 {
				wide++
			}
		}
	}
	return wide > 1 && 2*wide >= lines
}

// cellAt is a part of a line between two spaces or more, or tabs.
type cellAt struct {
	text string
	at   int // where it begins
}

// maxCells is how many cells a line may have and still be one of columns.
const maxCells = 32

// cellsOf returns the cells of a line, or none if it has more than maxCells.
func cellsOf(line string) (out []cellAt) {
	from := 0
	for i := 0; i <= len(line); i++ {
		if i < len(line) && line[i] != '\t' && (line[i] != ' ' || i+1 == len(line) || line[i+1] != ' ') {
			continue
		}
		cell := strings.TrimLeft(line[from:i], " \t")
		if text := strings.TrimSpace(cell); text != "" {
			if out = append(out, cellAt{text, i - len(cell)}); len(out) > maxCells {
				return nil
			}
		}
		from = i
	}
	return out
}

// short reports whether a text is a single value rather than prose.
func short(text string) bool {
	return len(text) <= 60 && !strings.Contains(text, "\n") && len(strings.Fields(text)) <= 4
}

// listed reports whether a text has at least three lines, half of them short.
func listed(text string) bool {
	lines, brief := 0, 0
	for line := range strings.Lines(text) {
		if n := len(strings.TrimSpace(line)); n > 0 {
			lines++
			if n <= 60 {
				brief++
			}
		}
	}
	return lines >= 3 && 2*brief > lines
}

// Wordy reports whether a text has at least n words with white space between them.
func Wordy(text string, n int) bool {
	for range strings.FieldsSeq(text) {
		if n--; n == 0 {
			return true
		}
	}
	return false
}

// Tells reports whether a field tells its record from others: not a number, a flag, a text.
func Tells(kind Kind, text string) bool {
	if kind == Name || kind == Text || len(text) < 4 || len(strings.Fields(text)) > 12 {
		return false
	}
	switch strings.ToLower(text) {
	case "true", "false", "none", "null", "received", "sent", "read":
		return false
	}
	return strings.Trim(text, "0123456789.: -") != ""
}
