package lines

import (
	"errors"
	"io"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
)

// Chunk is a piece of input that holds whole forms, if it can be read at all.
type Chunk struct {
	Text  string
	First int // the number of its first line
}

// Read returns the forms in it, or a [sexpr.Error].
func (c Chunk) Read() ([]sexpr.Value, error) { return sexpr.Reader{Code: true}.ReadAll("", c.Text) }

// Open reports whether more input at its end would make the chunk whole: a
// parenthesis, a string or a quote is open.
func (c Chunk) Open() bool {
	_, err := c.Read()
	var read *sexpr.Error
	return errors.As(err, &read) && read.Incomplete
}

// Chunks cuts input into chunks: as few lines as make whole forms.
type Chunks struct {
	*Reader
}

// NewChunks returns the chunks of r.
func NewChunks(r io.Reader) Chunks { return Chunks{New(r)} }

// Next returns the next chunk, ErrTooLong for a line that was skipped, and io.EOF behind
// the last.
func (in Chunks) Next() (Chunk, error) {
	c := Chunk{First: in.Count() + 1}
	var text strings.Builder
	for {
		line, err := in.Reader.Next()
		if errors.Is(err, io.EOF) && text.Len() > 0 {
			return c, nil // as it is: reading it says what is missing
		}
		if err != nil {
			return Chunk{}, err
		}
		text.Write(line)
		text.WriteByte('\n')
		c.Text = text.String()
		if !c.Open() {
			return c, nil
		}
	}
}
