package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// teller prints the tour, one labelled line after another. Folders, which differ from
// run to run, are printed under names that do not. Tokens, digests and times are
// printed as they are; in shape, which is compared, they stand under names too.
type teller struct {
	out   io.Writer
	shape bytes.Buffer
	names []string // found and shown, in turn
	forms []string // found, and what stands for it in shape
	err   error
}

// call has name shown wherever found would be printed.
func (t *teller) call(found, shown string) { t.names = append(t.names, found, shown) }

// like has found compared by its shape alone.
func (t *teller) like(found, shape string) { t.forms = append(t.forms, found, shape) }

// printed is text as it is printed, and as it is compared.
func (t *teller) printed(text string) (shown, shape string) {
	shown = strings.NewReplacer(t.names...).Replace(text)
	return shown, strings.NewReplacer(t.forms...).Replace(shown)
}

func (t *teller) write(shown, shape string) {
	t.shape.WriteString(shape)
	if t.err == nil {
		_, t.err = io.WriteString(t.out, shown)
	}
}

func (t *teller) printf(format string, args ...any) { t.write(t.printed(fmt.Sprintf(format, args...))) }

// title opens a scene with what it shows.
func (t *teller) title(number int, title, story string) {
	t.printf("\n%d. %s\n", number, title)
	for _, line := range wrapped(story, 92, "") {
		t.printf("   %s\n", line)
	}
	t.printf("\n")
}

// say prints text behind a label; what does not fit stands below it.
func (t *teller) say(label, text string) {
	shown, shape := t.printed(text)
	t.write(labelled(label, shown), labelled(label, shape))
}

func labelled(label, text string) string {
	var b strings.Builder
	for i, line := range wrapped(text, 84, "  ") {
		if i > 0 {
			label = ""
		}
		fmt.Fprintf(&b, "   %-10s| %s\n", label, line)
	}
	return b.String()
}

// wrapped breaks text at blanks into lines of at most width characters, as far as
// words allow. Lines that go on begin with indent.
func wrapped(text string, width int, indent string) []string {
	var out []string
	for _, para := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		line := ""
		for _, word := range strings.Split(para, " ") {
			if line != "" && len(line)+1+len(word) > width {
				out = append(out, line)
				line = indent + word
				continue
			}
			if line == "" {
				line = word
			} else {
				line += " " + word
			}
		}
		out = append(out, line)
	}
	return out
}

// colours paints the words that a decision begins with, on a terminal.
type colours struct{ out io.Writer }

func (c colours) Write(p []byte) (int, error) {
	text := string(p)
	for word, code := range map[string]string{"ALLOW": "32", "DENY": "31", "ASK": "33"} {
		text = strings.ReplaceAll(text, "| "+word+" ", "| \x1b["+code+"m"+word+"\x1b[0m ")
	}
	if _, err := io.WriteString(c.out, text); err != nil {
		return 0, err
	}
	return len(p), nil
}

// same compares the tour with what was recorded, line by line.
func same(got, want string) error {
	if got == want {
		return nil
	}
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		if at(g, i) != at(w, i) {
			return fmt.Errorf("line %d differs from the recorded tour:\n  found    %q\n  expected %q", i+1, at(g, i), at(w, i))
		}
	}
	return nil
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}
