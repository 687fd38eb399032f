package sexpr

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits bound what a reader accepts. They hold for one text.
type Limits struct {
	Bytes  int // of the text; 0: 1 MiB
	Depth  int // of lists and quotes inside each other; 0: 64
	Atoms  int // keywords, symbols, strings and numbers, and as many lists; 0: 100 000
	String int // bytes of one string or name, once its escapes are read; 0: 256 KiB
}

func (l Limits) orDefaults() Limits {
	or := func(n, def int) int {
		if n == 0 {
			return def
		}
		return n
	}
	return Limits{Bytes: or(l.Bytes, 1<<20), Depth: or(l.Depth, 64), Atoms: or(l.Atoms, 100_000),
		String: or(l.String, 256<<10)}
}

// Reader reads values from text. The zero Reader is ready to use, and may be
// used by many goroutines at once.
type Reader struct {
	Limits Limits
	Code   bool // accept 'x, and read it as (quote x): for rule files and the REPL
}

// Read reads exactly one datum. Invalid text, and text after the datum, are an
// [*Error]. The file is only named in errors. The values share memory with src.
func (r Reader) Read(file, src string) (Value, error) {
	all, err := r.read(file, src, true)
	if err != nil {
		return Value{}, err
	}
	if len(all) == 0 {
		f := fault{off: len(src), found: "nothing", expected: "a datum", incomplete: true}
		return Value{}, f.locate(file, src, start)
	}
	return all[0], nil
}

// ReadAll reads all the data in src; there may be none.
func (r Reader) ReadAll(file, src string) ([]Value, error) {
	return r.read(file, src, false)
}

func (r Reader) read(file, src string, single bool) ([]Value, error) {
	limits := r.Limits.orDefaults()
	if len(src) > limits.Bytes {
		return nil, tooLong(file, len(src), limits.Bytes)
	}
	if f := checkText(src); f != nil {
		return nil, f.locate(file, src, start)
	}
	l := newFormLexer(file, src, limits, r.Code)
	l.single = single
	return parse(l)
}

// Read reads exactly one datum with the zero [Reader].
func Read(file, src string) (Value, error) { return Reader{}.Read(file, src) }

// ReadAll reads all the data in src with the zero [Reader].
func ReadAll(file, src string) ([]Value, error) { return Reader{}.ReadAll(file, src) }

func tooLong(file string, n, most int) error {
	f := fault{found: count(n, "byte"), expected: "at most " + count(most, "byte")}
	return f.locate(file, "", start)
}

func tooNested(off, most int) *fault {
	return &fault{off: off, found: "a list or quote at depth " + strconv.Itoa(most+1),
		expected: "at most depth " + strconv.Itoa(most)}
}

// start is where a text begins.
var start = Pos{Line: 1, Col: 1}

const byteOrderMark = "\uFEFF"

// checkText finds bytes that texts may not hold: invalid UTF-8, NUL and byte order
// marks.
func checkText(src string) *fault {
	if !utf8.ValidString(src) {
		off := 0
		for off < len(src) {
			r, n := utf8.DecodeRuneInString(src[off:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			off += n
		}
		return &fault{off: off, found: "a byte that is not UTF-8", expected: "UTF-8 text"}
	}
	if i := strings.IndexByte(src, 0); i >= 0 {
		return &fault{off: i, found: "a NUL character", expected: `text without it, or \u{0} in a string`}
	}
	if i := strings.Index(src, byteOrderMark); i >= 0 {
		return &fault{off: i, found: "a byte order mark (U+FEFF)", expected: `text without it, or \u{feff} in a string`}
	}
	return nil
}

// asError returns err as the *Error it must be.
func asError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Msg: err.Error(), Err: err}
}
