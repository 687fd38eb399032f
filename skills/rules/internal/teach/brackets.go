package teach

import (
	"fmt"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
)

// bracket is one ( of a text.
type bracket struct {
	pos  sexpr.Pos
	name string // how it begins: "(defskill a"
	last bool   // nothing else stands on its line
}

func (b bracket) String() string { return fmt.Sprintf("%s at %s", b.name, b.pos) }

// outline is what the brackets of a text, and the indentation of its lines, tell.
type outline struct {
	open   []bracket // now, innermost last
	line   int32     // of the last line before this one that holds anything
	early  string    // where indentation says that a bracket is missing, and which
	at     sexpr.Pos // the end of what was read last
	lack   sexpr.Pos // and what that was where the bracket is missing
	late   string    // where it says that there is one too many
	closed string    // the last top-level form, and where it ended
	ended  int32     // the line of that
}

// Unclosed explains a text that ends inside a form: which form is never closed, and where
// the indentation of what follows says that it should be. The place is where the bracket
// seems to be missing, or where the form begins.
func Unclosed(text string) (hint string, at sexpr.Pos) {
	var o outline
	o.read(text)
	switch {
	case len(o.open) == 0:
		return "", sexpr.Pos{}
	case o.early != "":
		return o.early, o.lack
	}
	inner := o.open[len(o.open)-1]
	if len(o.open) == 1 {
		return inner.String() + " is never closed", inner.pos
	}
	return fmt.Sprintf("%s, in %s, is never closed", inner, o.open[0]), inner.pos
}

// Extra explains a ) that closes nothing.
func Extra(text string) string {
	var o outline
	o.read(text)
	if o.late != "" {
		return o.late
	}
	if o.closed == "" {
		return "it closes nothing"
	}
	return o.closed
}

// Unquoted explains a text that ends inside a string: the first in which a line begins as
// code does is the one whose end is missing.
func Unquoted(text string) (hint string, at sexpr.Pos) {
	s := scanner{text: text, pos: sexpr.Pos{Line: 1, Col: 1}}
	for s.next() {
		if s.kind != aString {
			continue
		}
		at = s.start
		if _, after, ok := strings.Cut(s.token, "\n"); ok && strings.IndexByte("(:", firstByte(after)) >= 0 {
			break
		}
	}
	return fmt.Sprintf("the string that begins at %s is never closed", at), at
}

// firstByte is the first of a text that is no white space; 0 if there is none.
func firstByte(text string) byte {
	if text = strings.TrimSpace(text); text == "" {
		return 0
	}
	return text[0]
}

// read goes through a text up to its end, or to a ) that closes nothing.
func (o *outline) read(text string) {
	s := scanner{text: text, pos: sexpr.Pos{Line: 1, Col: 1}}
	for s.next() {
		if s.first && s.kind != aClose {
			o.indented(s.start, s.ahead())
		}
		switch s.kind {
		case anOpen:
			o.open = append(o.open, bracket{s.start, s.ahead(), s.alone()})
		case aClose:
			if len(o.open) == 0 {
				return
			}
			if len(o.open) == 1 {
				o.closed = fmt.Sprintf("%s is closed already, at %s", o.open[0], s.start)
				o.ended = s.start.Line
			}
			o.open = o.open[:len(o.open)-1]
		}
		o.line, o.at = s.pos.Line, s.pos
	}
}

// indented looks at the first thing of a line: what is open and begins no further left
// should have been closed before it. What begins at the margin ends all guesses about
// forms that are closed after all.
func (o *outline) indented(at sexpr.Pos, name string) {
	if len(o.open) == 0 {
		if at.Col > 1 && o.closed != "" && o.late == "" {
			o.late = fmt.Sprintf("%s, but line %d is indented as a part of it; is a ) too many on line %d?", o.closed, at.Line,
				o.ended)
		}
		if at.Col == 1 {
			o.early, o.late = "", ""
		}
		return
	}
	if o.early != "" && at.Col > 1 {
		return
	}
	for i, b := range o.open {
		if b.pos.Col < at.Col || b.last || b.pos.Line == at.Line {
			continue
		}
		if at.Col == 1 && o.early != "" {
			return // the line that was found first is in the same form
		}
		missing := "a ) is"
		if n := len(o.open) - i; n > 1 {
			missing = fmt.Sprintf("%d ) are", n)
		}
		o.lack = o.at
		o.early = fmt.Sprintf("%s is never closed; by the indentation of line %d, %q, %s missing at the end of line %d",
			b, at.Line, name, missing, o.line)
		return
	}
}
