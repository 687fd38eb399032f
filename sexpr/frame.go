package sexpr

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// ErrFrame is the cause of every error after which a stream of frames is unusable,
// because the next frame cannot be found. An error in a frame's text is different:
// the next frames can still be read.
var ErrFrame = errors.New("the stream of frames is broken")

const (
	headerLen  = 6         // hex digits
	maxFrame   = 1<<24 - 1 // the largest length they can express
	maxLeading = 4096      // bytes of white space before a header
	frameFile  = "frame"
)

// WriteFrame writes v as one frame: six hex digits, the length in bytes, and then
// the text of v. If v cannot be printed or is too long, it returns an error and
// writes nothing. It does not apply the limits of a reader.
func WriteFrame(w io.Writer, v Value) error {
	text, err := AppendPrint([]byte("000000"), v)
	if err != nil {
		return err
	}
	n := len(text) - headerLen
	if n > maxFrame {
		return broken("a text of "+count(n, "byte"), "at most "+count(maxFrame, "byte"))
	}
	copy(text, fmt.Sprintf("%06X", n))
	if _, err := w.Write(text); err != nil {
		return fmt.Errorf("write a frame of %d bytes: %w", n, err)
	}
	return nil
}

// ReadFrame reads one frame, whose text must be one plist, and white space before
// it. At the end of the stream it returns io.EOF. A length that is not six hex digits
// or exceeds the limit, and a stream that ends within a frame, are errors with the
// cause [ErrFrame] (rows 2-5, 7-10): report it to the peer and close.
func (r Reader) ReadFrame(in *bufio.Reader) (Value, error) {
	text, err := r.FrameText(in, nil)
	if err != nil {
		return Value{}, err
	}
	return r.Message(text)
}

// FrameText is the first half of [Reader.ReadFrame]: it reads a frame's bytes without
// parsing them. It first calls room, unless nil, with the length, and returns an
// error of room.
func (r Reader) FrameText(in *bufio.Reader, room func(bytes int) error) (string, error) {
	n, err := readHeader(in)
	if err != nil {
		return "", err
	}
	if limit := r.Limits.orDefaults().Bytes; n > limit {
		return "", broken("a frame of "+count(n, "byte"), "at most "+count(limit, "byte"))
	}
	if room != nil {
		if err := room(n); err != nil {
			return "", err
		}
	}
	// The buffer grows with the data, not with the announced length.
	var text bytes.Buffer
	if got, err := io.CopyN(&text, in, int64(n)); err != nil {
		return "", cut(err, "the end of the stream after "+count(int(got), "byte"), "a frame of "+count(n, "byte"))
	}
	return text.String(), nil
}

// Message is the second half: it parses a frame's text, which must be one plist.
func (r Reader) Message(text string) (Value, error) {
	v, err := r.Read(frameFile, text)
	if err == nil && !v.IsPlist() {
		e := valueError(&v, "a "+v.kind.String(), "a plist")
		e.File = frameFile
		err = e
	}
	if err != nil {
		return Value{}, err
	}
	return v, nil
}

// readHeader reads the length of the next frame.
func readHeader(in *bufio.Reader) (int, error) {
	var header [headerLen]byte
	got := 0
	for skipped := 0; got < headerLen; {
		c, err := in.ReadByte()
		switch {
		case err == io.EOF && got == 0:
			return 0, io.EOF
		case err != nil:
			return 0, cut(err, "the end of the stream in a length", "six hex digits")
		case got == 0 && strings.IndexByte(" \t\r\n", c) >= 0:
			if skipped++; skipped > maxLeading {
				return 0, broken("white space without end", "six hex digits")
			}
			continue
		}
		header[got] = c
		got++
	}
	for _, c := range header {
		if !isHex(c) {
			return 0, broken("the length "+quoted(string(header[:])), "six hex digits")
		}
	}
	n, err := strconv.ParseUint(string(header[:]), 16, 32)
	return int(n), err
}

func broken(found, expected string) *Error {
	return &Error{File: frameFile, Found: found, Expected: expected, Msg: "found " + found + ", expected " + expected,
		Err: ErrFrame}
}

// cut says that a stream ended, or failed, within a frame.
func cut(err error, found, expected string) error {
	e := broken(found, expected)
	if !errors.Is(err, io.EOF) {
		e.Msg = "read a frame: " + err.Error()
		e.Err = errors.Join(ErrFrame, err)
	}
	return e
}
