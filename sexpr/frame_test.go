package sexpr

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// frames returns a stream of these bytes.
func frames(s string) *bufio.Reader { return bufio.NewReader(strings.NewReader(s)) }

// written returns the frame of a value.
func written(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, WriteFrame(&b, mustRead(t, text)))
	return b.String()
}

func TestRow001_FrameOfAHandshake(t *testing.T) {
	assert.Equal(t, `00002C(:type :event :payload (:action :handshake))`,
		written(t, `(:type :EVENT :payload (:action :handshake))`))
}

func TestRow002_HexDigitsOfEitherCase(t *testing.T) {
	for _, header := range []string{"00002c", "00002C"} {
		v, err := Reader{}.ReadFrame(frames(header + `(:type :event :payload (:action :handshake))`))
		require.NoError(t, err)
		assert.True(t, v.Items()[1].IsKey("event"))
	}
}

func TestRow003_WhiteSpaceBeforeAHeader(t *testing.T) {
	in := frames(" \r\n\t000006(:a 1)\n\n000006(:a 2)  \n")
	for want := int64(1); want <= 2; want++ {
		v, err := Reader{}.ReadFrame(in)
		require.NoError(t, err)
		assert.Equal(t, want, v.GetInt("a"))
	}
	_, err := Reader{}.ReadFrame(in)
	assert.Equal(t, io.EOF, err)
	_, err = Reader{}.ReadFrame(frames(strings.Repeat(" ", maxLeading+1) + "000006(:a 1)"))
	assert.ErrorIs(t, err, ErrFrame, "but not without end")
}

func TestRow004_HeaderThatIsNotHex(t *testing.T) {
	noHeader(t, "zzzzzz", "0x00A0", "00000g", "００", "000_0A")
}

func TestRow010_SignsAndBlanksAreNoDigits(t *testing.T) {
	noHeader(t, "+0000A", "0000A ", "-0000A", "00 00A")
}

// noHeader asserts that the stream is broken by each of these headers.
func noHeader(t *testing.T, headers ...string) {
	for _, header := range headers {
		_, err := Reader{}.ReadFrame(frames(header + "(:a 1)    "))
		assert.ErrorIs(t, err, ErrFrame, header)
		assert.ErrorContains(t, err, "frame: found the length ", header)
	}
}

func TestRow005_ShortHeader(t *testing.T) {
	_, err := Reader{}.ReadFrame(frames("0000"))
	assert.ErrorIs(t, err, ErrFrame)
	assert.EqualError(t, err, "frame: found the end of the stream in a length, expected six hex digits")
	_, err = Reader{}.ReadFrame(frames(""))
	assert.Equal(t, io.EOF, err, "between frames the end is not an error")
}

func TestRow007_ShortBody(t *testing.T) {
	v, err := Reader{}.ReadFrame(frames("0000FF(:a 1)    "))
	assert.ErrorIs(t, err, ErrFrame)
	assert.EqualError(t, err, "frame: found the end of the stream after 10 bytes, expected a frame of 255 bytes")
	assert.True(t, v.IsNil(), "nothing is processed")
}

func TestRow008_LengthInBytes(t *testing.T) {
	first := written(t, `(:text "é€")`)
	assert.Equal(t, "00000F", first[:6], "12 characters, 15 bytes")
	in := frames(first + written(t, `(:next 1)`))
	v, err := Reader{}.ReadFrame(in)
	require.NoError(t, err)
	assert.Equal(t, "é€", v.GetText("text"))
	v, err = Reader{}.ReadFrame(in)
	require.NoError(t, err)
	assert.Equal(t, int64(1), v.GetInt("next"))
}

func TestRow009_OverTheLimit(t *testing.T) {
	var err error
	got := allocated(func() { _, err = Reader{}.ReadFrame(frames("FFFFFF(:a 1)")) })
	assert.ErrorIs(t, err, ErrFrame)
	assert.EqualError(t, err, "frame: found a frame of 16777215 bytes, expected at most 1048576 bytes")
	assert.Less(t, got, uint64(64<<10))
	// Within the limit, memory follows what arrives, not what is promised.
	got = allocated(func() { _, err = Reader{}.ReadFrame(frames("0FFFFF(:a 1)")) })
	assert.ErrorIs(t, err, ErrFrame)
	assert.Less(t, got, uint64(64<<10))

	var b bytes.Buffer
	err = WriteFrame(&b, Plist("a", Str(strings.Repeat("x", maxFrame))))
	assert.EqualError(t, err, "frame: found a text of 16777222 bytes, expected at most 16777215 bytes")
	assert.Zero(t, b.Len(), "a longer one would be seven digits, and put the reader out of step")
}

func TestRow011_NothingRunsInAFrame(t *testing.T) {
	in := frames("00000E(:a #.(run 1))000006(:a 2)")
	_, err := Reader{}.ReadFrame(in)
	assert.EqualError(t, err, `frame:1:5: found a # form: "#.", expected data only; # forms but comments are not read`)
}

func TestRow012_OtherBodiesLeaveTheStreamInStep(t *testing.T) {
	for _, body := range []string{"hello!",
		"(a b c", "(a b)c", "(1 2 )", `"text"`, "()    ", "      ", "(a)(b)", "12abc ", "\xff\xff    "} {
		in := frames("000006" + body + "000006(:a 7)")
		_, err := Reader{}.ReadFrame(in)
		var e *Error
		require.ErrorAs(t, err, &e, body)
		assert.NotErrorIs(t, err, ErrFrame, body)
		assert.Equal(t, "frame", e.File)
		v, err := Reader{}.ReadFrame(in)
		require.NoError(t, err, body)
		assert.Equal(t, int64(7), v.GetInt("a"))
	}
}

func TestRow013_RoundTripIsIdentity(t *testing.T) {
	const text = `(:tags ("project") :x (1 2 3))`
	v, err := Reader{}.ReadFrame(frames(written(t, text)))
	require.NoError(t, err)
	assert.Equal(t, text, v.String())
}

func TestFrameStreamFails(t *testing.T) {
	lost := errors.New("line is dead")
	for _, sent := range []string{"0000", "000010(:a"} {
		in := bufio.NewReader(io.MultiReader(strings.NewReader(sent), iotest.ErrReader(lost)))
		_, err := Reader{}.ReadFrame(in)
		assert.ErrorIs(t, err, ErrFrame)
		assert.ErrorIs(t, err, lost)
	}
	// One byte at a time is as good.
	v, err := Reader{}.ReadFrame(bufio.NewReader(iotest.OneByteReader(strings.NewReader("000006(:a 1)"))))
	require.NoError(t, err)
	assert.Equal(t, "(:a 1)", v.String())
	assert.ErrorIs(t, WriteFrame(failing{lost}, v), lost)
	assert.Error(t, WriteFrame(failing{lost}, Str("\xff")))
}

// failing is a writer whose line is dead.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func FuzzFrame(f *testing.F) {
	f.Add([]byte("00002C(:type :event :payload (:action :handshake))"))
	f.Add([]byte(" 000006(:a 1)000006(:b 2)"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		in := bufio.NewReader(bytes.NewReader(stream))
		for range 10 {
			v, err := Reader{}.ReadFrame(in)
			if errors.Is(err, io.EOF) || errors.Is(err, ErrFrame) {
				return
			}
			if err != nil {
				continue
			}
			var b bytes.Buffer
			require.NoError(t, WriteFrame(&b, v))
			back, err := Reader{Limits: Limits{Bytes: maxFrame}}.ReadFrame(bufio.NewReader(&b))
			require.NoError(t, err)
			require.True(t, Equal(v, back))
		}
	})
}
