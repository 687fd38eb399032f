package talk

import (
	"errors"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/lines"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/sexpr"
)

// chunk is a piece of input that holds whole forms, if it can be read at all.
type chunk struct {
	text  string
	first int // the number of its first line
}

func (c chunk) read() ([]sexpr.Value, error) { return sexpr.Reader{Code: true}.ReadAll("", c.text) }

// open reports whether more input at its end would make the chunk whole: a
// parenthesis, a string or a quote is open.
func (c chunk) open() bool {
	_, err := c.read()
	var read *sexpr.Error
	return errors.As(err, &read) && read.Incomplete
}

// place says where in all of the input an error is: where it says itself, else at
// the form it is about.
func (c chunk) place(err error, form sexpr.Pos) (sexpr.Pos, error) {
	var read *sexpr.Error
	var of *repl.Error
	switch {
	case errors.As(err, &read) && read.Pos.Line > 0:
		form, err = read.Pos, &repl.Error{Code: repl.CodeSyntax, Err: errors.New(read.Msg)}
	case errors.As(err, &of) && of.Pos.Line > 0:
		form = of.Pos
	}
	form.Line += int32(c.first - 1)
	return form, err
}

// chunks cuts input into chunks: as few lines as make whole forms.
type chunks struct {
	lines *lines.Reader
}

// next returns the next chunk, and io.EOF behind the last.
func (in *chunks) next() (chunk, error) {
	c := chunk{first: in.lines.Count() + 1}
	var text strings.Builder
	for {
		line, err := in.lines.Next()
		if errors.Is(err, io.EOF) && text.Len() > 0 {
			return c, nil // as it is: reading it says what is missing
		}
		if err != nil {
			return chunk{}, err
		}
		text.Write(line)
		text.WriteByte('\n')
		c.text = text.String()
		if !c.open() {
			return c, nil
		}
	}
}

// words reports whether a line is plain text and no form: it begins with a letter
// and goes on behind the first word.
func words(line string) bool {
	line = strings.TrimSpace(line)
	r, _ := utf8.DecodeRuneInString(line)
	word, rest, _ := strings.Cut(line, " ")
	return unicode.IsLetter(r) && strings.TrimSpace(rest) != "" && !strings.ContainsAny(word, "()\"|;\n")
}
