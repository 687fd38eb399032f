package mcp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
)

// event is one server-sent event.
type event struct {
	raw  []byte // with the empty line that ends it
	data []byte
	id   string
	wait time.Duration // before the stream is opened again, if the server says
}

// events reads server-sent events, with their bytes: libraries give what an event says, and
// the proxy passes on how it was said.
type events struct{ in *bufio.Reader }

func newEvents(r io.Reader) *events { return &events{bufio.NewReaderSize(r, 32<<10)} }

// next returns the next event; io.EOF after the last. An event that the stream breaks off in
// was never sent.
func (e *events) next() (event, error) {
	var ev event
	has := false
	for {
		line, err := e.line()
		if err != nil {
			return event{}, err
		}
		ev.raw = append(ev.raw, line...)
		if len(ev.raw) > maxMessage {
			return event{}, fmt.Errorf("found an event of more than %d bytes", maxMessage)
		}
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if len(line) == 0 {
			return ev, nil
		}
		if bytes.IndexByte(line, '\r') >= 0 {
			return event{}, errors.New("found a carriage return within a line, which parsers read in two ways")
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "data":
			if has {
				ev.data = append(ev.data, '\n')
			}
			ev.data, has = append(ev.data, value...), true
		case "id":
			ev.id = string(value)
		case "retry":
			if ms, err := strconv.Atoi(string(value)); err == nil && ms >= 0 && ms < 1<<20 {
				ev.wait = time.Duration(ms) * time.Millisecond
			}
		}
	}
}

// line returns the next line with its end.
func (e *events) line() ([]byte, error) {
	var line []byte
	for {
		part, err := e.in.ReadSlice('\n')
		line = append(line, part...)
		if errors.Is(err, bufio.ErrBufferFull) && len(line) <= maxMessage {
			continue
		}
		return line, err
	}
}

// asEvent is a message as an event.
func asEvent(raw []byte) []byte {
	return fmt.Appendf(nil, "event: message\ndata: %s\n\n", oneLine(raw))
}
