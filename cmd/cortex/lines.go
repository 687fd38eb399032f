package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxLine is how long a line of input may be, in bytes.
const maxLine = 16 << 20

// errLineTooLong says that a line was read over, not kept.
var errLineTooLong = fmt.Errorf("the line is longer than %d MiB", maxLine>>20)

// lines reads lines of bounded length. What is longer is skipped to its end
// without being held in memory.
type lines struct {
	r *bufio.Reader
	n int // lines so far
}

func newLines(r io.Reader) *lines { return &lines{r: bufio.NewReaderSize(r, 64<<10)} }

// next returns the next line without its end. It returns errLineTooLong for one
// that was skipped, and io.EOF after the last. The slice is the caller's.
func (l *lines) next() ([]byte, error) {
	var line []byte
	long, begun := false, false
	for {
		part, err := l.r.ReadSlice('\n')
		begun = begun || len(part) > 0
		if len(line)+len(part) > maxLine+1 {
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
			return nil, errLineTooLong
		}
		return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), nil
	}
}

// waiting reports whether the next line would have to be waited for, so that
// answers should be on their way.
func (l *lines) waiting() bool { return l.r.Buffered() == 0 }
