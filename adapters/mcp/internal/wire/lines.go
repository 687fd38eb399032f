package wire

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"sync"
)

// MaxMessage bounds one message, in bytes.
const MaxMessage = 64 << 20

// Lines reads and writes messages, one a line.
type Lines struct {
	In *bufio.Reader

	Mu  sync.Mutex
	Out io.Writer
}

// NewLines reads lines from in, and writes them to out.
func NewLines(in io.Reader, out io.Writer) *Lines {
	return &Lines{In: bufio.NewReaderSize(in, 64<<10), Out: out}
}

// Read returns the next line that is not empty.
func (l *Lines) Read() ([]byte, error) {
	var line []byte
	for {
		part, err := l.In.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > MaxMessage:
			return nil, fmt.Errorf("found a message of more than %d bytes", MaxMessage)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return nil, err
		}
		for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r') {
			line = line[:len(line)-1]
		}
		if len(line) > 0 {
			return line, nil
		}
		if err != nil {
			return nil, err
		}
		line = nil
	}
}

// Write writes one message.
func (l *Lines) Write(m *Message) error {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	_, err := l.Out.Write(append(m.raw[:len(m.raw):len(m.raw)], '\n'))
	return err
}
