// Package lines reads input line by line, with a bound on how long a line may be.
package lines

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Max is how long a line may be, in bytes.
const Max = 16 << 20

// ErrTooLong says that a line was read over, not kept.
var ErrTooLong = fmt.Errorf("the line is longer than %d MiB", Max>>20)

// Reader reads lines of bounded length. What is longer is skipped to its end
// without being held in memory.
type Reader struct {
	r *bufio.Reader
	n int // lines so far
}

// New returns a reader of the lines of r.
func New(r io.Reader) *Reader { return &Reader{r: bufio.NewReaderSize(r, 64<<10)} }

// Next returns the next line without its end. It returns ErrTooLong for one
// that was skipped, and io.EOF after the last. The slice is the caller's.
func (l *Reader) Next() ([]byte, error) {
	var line []byte
	long, begun := false, false
	for {
		part, err := l.r.ReadSlice('\n')
		begun = begun || len(part) > 0
		if len(line)+len(part) > Max+1 {
			line, long = nil, true
		}
		if !long {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && (!errors.Is(err, io.EOF) || !begun):
			return nil, err
		}
		l.n++
		if long {
			return nil, ErrTooLong
		}
		return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), nil
	}
}

// Waiting reports whether the next line would have to be waited for, so that
// answers should be on their way.
func (l *Reader) Waiting() bool { return l.r.Buffered() == 0 }

// Count is how many lines have been read, also those that were skipped.
func (l *Reader) Count() int { return l.n }
