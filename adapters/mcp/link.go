package mcp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
)

// link is a connection to a server over which messages go both ways, one at a time.
type link interface {
	// send returns when the message is on its way. It may be called by several goroutines.
	send(ctx context.Context, raw []byte) error
	// receive returns the next message of the server; io.EOF after the last.
	receive() ([]byte, error)
	// close ends the connection, and waits for what it started.
	close() error
}

// maxMessage bounds one message, in bytes.
const maxMessage = 64 << 20

// lines reads and writes messages, one a line.
type lines struct {
	in *bufio.Reader

	mu  sync.Mutex
	out io.Writer
}

func newLines(in io.Reader, out io.Writer) *lines {
	return &lines{in: bufio.NewReaderSize(in, 64<<10), out: out}
}

// read returns the next line that is not empty.
func (l *lines) read() ([]byte, error) {
	var line []byte
	for {
		part, err := l.in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxMessage:
			return nil, fmt.Errorf("found a message of more than %d bytes", maxMessage)
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

// write writes one message.
func (l *lines) write(raw []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := l.out.Write(append(raw[:len(raw):len(raw)], '\n'))
	return err
}
