package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Event is one server-sent event, as a stream of the protocol has it.
type Event struct {
	Data    []byte
	HasData bool // it has a line of data, which may be empty
	ID      string
	HasID   bool
	Type    string        // "" for the usual one, "message"
	Wait    time.Duration // before the stream is opened again, if the server says
	HasWait bool
}

// Message reports whether the data of the event is a message: clients pass over events of another type.
func (ev Event) Message() bool { return len(ev.Data) > 0 && (ev.Type == "" || ev.Type == "message") }

// Events reads server-sent events. A line ends with LF, CR or both, as the standard has it.
type Events struct {
	in    *bufio.Reader
	begun bool
	half  bool // the last line ended with CR, and a LF may belong to it
}

// NewEvents reads a stream of events.
func NewEvents(r io.Reader) *Events { return &Events{in: bufio.NewReaderSize(r, 32<<10)} }

// Next returns the next event; io.EOF after the last. An event that the stream breaks off in
// was never sent.
func (e *Events) Next() (Event, error) {
	var ev Event
	size := 0
	for {
		line, err := e.line()
		if err != nil {
			return Event{}, err
		}
		if size += len(line) + 1; size > MaxMessage {
			return Event{}, fmt.Errorf("found an event of more than %d bytes", MaxMessage)
		}
		if len(line) == 0 {
			return ev, nil
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "data":
			if ev.HasData {
				ev.Data = append(ev.Data, '\n')
			}
			ev.Data, ev.HasData = append(ev.Data, value...), true
		case "event":
			ev.Type = string(value)
		case "id":
			if bytes.IndexByte(value, 0) < 0 {
				ev.ID, ev.HasID = string(value), true
			}
		case "retry":
			if ms, err := strconv.Atoi(string(value)); err == nil && ms >= 0 && ms < 1<<20 {
				ev.Wait, ev.HasWait = time.Duration(ms)*time.Millisecond, true
			}
		}
	}
}

// line returns the next line without its end.
func (e *Events) line() ([]byte, error) {
	var line []byte
	if !e.begun {
		e.begun = true
		if head, _ := e.in.Peek(len(bom)); bytes.Equal(head, bom) {
			_, _ = e.in.Discard(len(bom))
		}
	}
	for {
		c, err := e.in.ReadByte()
		switch {
		case err != nil:
			return nil, err
		case c == '\n' && e.half:
			e.half = false
			continue
		case c == '\n', c == '\r':
			e.half = c == '\r'
			return line, nil
		case len(line) > MaxMessage:
			return nil, errors.New("found a line that is too long")
		}
		e.half = false
		line = append(line, c)
	}
}

// With writes the event with a message in place of its data. It leaves out a type or an id with a character that
// ends a line for some reader.
func (ev Event) With(m *Message) []byte {
	var b bytes.Buffer
	if plain(ev.Type) && ev.Type != "" {
		b.WriteString("event: " + ev.Type + "\n")
	}
	if ev.HasID && plain(ev.ID) {
		b.WriteString("id: " + ev.ID + "\n")
	}
	if ev.HasWait {
		fmt.Fprintf(&b, "retry: %d\n", ev.Wait.Milliseconds())
	}
	switch {
	case m != nil:
		b.WriteString("data: ")
		b.Write(m.raw)
		b.WriteByte('\n')
	case ev.HasData:
		b.WriteString("data:\n")
	case b.Len() == 0:
		b.WriteString(":\n") // it keeps the connection alive
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// plain reports whether all readers take a text for one line.
func plain(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == unicode.ReplacementChar || r == '\uFEFF'
	})
}

// AsEvent is a message as an event.
func AsEvent(m *Message) []byte { return Event{Type: "message"}.With(m) }
