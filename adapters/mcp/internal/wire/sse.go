package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
)

// Event is one server-sent event.
type Event struct {
	Raw  []byte // with the empty line that ends it
	Data []byte
	ID   string
	Wait time.Duration // before the stream is opened again, if the server says
}

// Events reads server-sent events, with their bytes: libraries give what an event says, and
// the proxy passes on how it was said.
type Events struct{ In *bufio.Reader }

// NewEvents reads a stream of events.
func NewEvents(r io.Reader) *Events { return &Events{bufio.NewReaderSize(r, 32<<10)} }

// Next returns the next event; io.EOF after the last. An event that the stream breaks off in
// was never sent.
func (e *Events) Next() (Event, error) {
	var ev Event
	has := false
	for {
		line, err := e.Line()
		if err != nil {
			return Event{}, err
		}
		ev.Raw = append(ev.Raw, line...)
		if len(ev.Raw) > MaxMessage {
			return Event{}, fmt.Errorf("found an event of more than %d bytes", MaxMessage)
		}
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if len(line) == 0 {
			return ev, nil
		}
		if bytes.IndexByte(line, '\r') >= 0 {
			return Event{}, errors.New("found a carriage return within a line, which parsers read in two ways")
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "data":
			if has {
				ev.Data = append(ev.Data, '\n')
			}
			ev.Data, has = append(ev.Data, value...), true
		case "id":
			ev.ID = string(value)
		case "retry":
			if ms, err := strconv.Atoi(string(value)); err == nil && ms >= 0 && ms < 1<<20 {
				ev.Wait = time.Duration(ms) * time.Millisecond
			}
		}
	}
}

// Line returns the next line with its end.
func (e *Events) Line() ([]byte, error) {
	var line []byte
	for {
		part, err := e.In.ReadSlice('\n')
		line = append(line, part...)
		if errors.Is(err, bufio.ErrBufferFull) && len(line) <= MaxMessage {
			continue
		}
		return line, err
	}
}

// AsEvent is a message as an event.
func AsEvent(raw []byte) []byte {
	return fmt.Appendf(nil, "event: message\ndata: %s\n\n", OneLine(raw))
}

// OneLine is a message on one line.
func OneLine(raw []byte) []byte {
	if bytes.IndexByte(raw, '\n') < 0 && bytes.IndexByte(raw, '\r') < 0 {
		return raw
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}
