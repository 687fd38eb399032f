package notes

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/sexpr"
)

// The limits of a note, in bytes where nothing else is said.
const (
	MaxTitle = 1 << 10
	MaxTag   = 128
	MaxTags  = 64 // in number
	MaxProps = 64 // in number
	MaxProp  = 4 << 10
	MaxBody  = 1 << 20
	MaxDepth = 64      // of the tree: notes above each other
	MaxFile  = 4 << 20 // of a text that is imported
	MaxNotes = 10_000  // in one change
)

// ID names a note, whatever becomes of it: "note_" and 26 letters of base32 in lower case.
type ID string

// Digest names content: SHA-256.
type Digest = sexpr.Digest

var (
	encoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)
	idForm   = regexp.MustCompile(`^note_[a-z2-7]{26}$`)
)

// derive makes the n-th id of a change out of a text that no other change has.
func derive(nonce string, n int) ID {
	sum := sha256.Sum256([]byte("cortex/note/id/1\n" + strconv.Itoa(n) + "\n" + nonce))
	return ID("note_" + encoding.EncodeToString(sum[:16]))
}

// Valid reports whether id has the form of an id.
func (id ID) Valid() bool { return idForm.MatchString(string(id)) }

// Object is what a note says. It never changes: another text is another object.
type Object struct {
	Title    string   `json:"title"`
	Status   string   `json:"status,omitempty"`   // "TODO", "DONE", as the file has it
	Priority string   `json:"priority,omitempty"` // "A"
	Tags     []string `json:"tags,omitempty"`
	Props    []Prop   `json:"props,omitempty"` // in the order of the file; a key may be there twice
	Body     string   `json:"body,omitempty"`  // in the language of its file, without a line break at its end
}

// Prop is a property of a note.
type Prop struct {
	Key   string `json:"key"`
	Value string `json:"value,omitempty"`
}

// Check returns the first thing that is wrong with o: what is too long, or would not stay what it is on
// its way through files, records and prompts.
func (o *Object) Check() error {
	if err := line("title", o.Title, MaxTitle); err != nil {
		return err
	}
	if len(o.Tags) > MaxTags || len(o.Props) > MaxProps {
		return fmt.Errorf("%d tags and %d properties: want at most %d and %d", len(o.Tags), len(o.Props), MaxTags, MaxProps)
	}
	for i, tag := range o.Tags {
		if err := CheckTag(tag); err != nil {
			return err
		}
		if slices.Contains(o.Tags[:i], tag) {
			return fmt.Errorf("tag %q is there twice", tag)
		}
	}
	for _, x := range []struct{ what, text string }{{"status", o.Status}, {"priority", o.Priority}} {
		if err := line(x.what, x.text, MaxTag); err != nil {
			return err
		}
		if strings.ContainsAny(x.text, " \t") {
			return fmt.Errorf("%s %q: want one word", x.what, x.text)
		}
	}
	for _, p := range o.Props {
		err := errors.Join(line("name of a property", p.Key, MaxTag), line("property "+p.Key, p.Value, MaxProp))
		if err != nil {
			return err
		}
		if p.Key == "" {
			return errors.New("a property without a name")
		}
	}
	return text("body", o.Body, MaxBody)
}

// CheckTag returns an error if tag is none: 1 to [MaxTag] bytes, without spaces and colons.
func CheckTag(tag string) error {
	if err := line("tag", tag, MaxTag); err != nil {
		return err
	}
	if tag == "" || strings.ContainsFunc(tag, func(r rune) bool { return r == ':' || isSpace(r) }) {
		return fmt.Errorf("tag %q: want one word without colons", tag)
	}
	return nil
}

// text checks a text that may have lines.
func text(what, s string, most int) error {
	switch {
	case len(s) > most:
		return fmt.Errorf("%s of %d bytes: want at most %d", what, len(s), most)
	case !utf8.ValidString(s):
		return fmt.Errorf("%s: it is not UTF-8", what)
	case strings.ContainsAny(s, "\x00\uFEFF"):
		return fmt.Errorf("%s: it has a NUL or a byte order mark", what)
	}
	return nil
}

// line checks a text of one line, by everything that some reader takes for the end of one.
func line(what, s string, most int) error {
	if err := text(what, s, most); err != nil {
		return err
	}
	if strings.ContainsFunc(s, endsLine) {
		return fmt.Errorf("%s %.40q: want one line", what, s)
	}
	return nil
}

func endsLine(r rune) bool {
	return r < ' ' && r != '\t' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029
}

// Text is the canonical form of o, which is checked before.
func (o *Object) Text() (string, error) {
	if err := o.Check(); err != nil {
		return "", err
	}
	out, err := canon.Of(o)
	return string(out), err
}

// ReadObject reads what [Object.Text] wrote.
func ReadObject(text string) (*Object, error) {
	o := &Object{}
	if err := strict([]byte(text), o); err != nil {
		return nil, fmt.Errorf("note: %w", err)
	}
	return o, o.Check()
}

// strict decodes text, all of it, into v.
func strict(text []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is text behind the value")
	}
	return nil
}
