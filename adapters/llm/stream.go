package llm

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"

	"github.com/tmaxmax/go-sse"
)

// assembly puts the pieces of a streamed answer together. It makes the body that would
// have come without streaming, so that the same code reads and checks both. Callers get
// whole answers only.
type assembly interface {
	// add takes in one event. An error ends the answer.
	add(event map[string]json.RawMessage) error
	// body is the whole answer, or an error that says what is missing.
	body() (map[string]any, error)
}

// brokenStream is the error of a stream that did not bring a whole answer.
type brokenStream struct {
	text  string
	again bool // the endpoint may do better at once
}

func (e *brokenStream) Error() string { return e.text }

func wrongStream(format string, args ...any) error {
	return &brokenStream{text: "the stream " + fmt.Sprintf(format, args...)}
}

// cutStream is a stream that ended without an error before the answer was whole.
func cutStream(missing string) error {
	return &brokenStream{text: "the stream ended too early: " + missing, again: true}
}

// overhead is how much longer a stream may be than the answer in it: a piece of a few
// letters comes in an envelope of some hundred.
const overhead = 64

func isStream(resp *http.Response) bool {
	media, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return err == nil && media == "text/event-stream"
}

// assemble reads a stream and returns the body of its answer.
func (c *client) assemble(resp *http.Response) ([]byte, error) {
	a, size := c.assembly(), int64(0)
	for event, err := range sse.Read(resp.Body, &sse.ReadConfig{MaxEventSize: int(c.MaxBytes)}) {
		if err != nil {
			return nil, err
		}
		if size += int64(len(event.Data)); size > c.MaxBytes*overhead {
			return nil, wrongStream("is longer than %d bytes", c.MaxBytes*overhead)
		}
		done, err := feed(a, event.Data)
		if err != nil {
			return nil, err
		}
		if done {
			break
		}
	}
	body, err := a.body()
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(body)
	if err == nil && int64(len(data)) > c.MaxBytes {
		err = fmt.Errorf("the answer is longer than %d bytes", c.MaxBytes)
	}
	return data, err
}

// feed adds an event. It returns true for OpenAI's mark of the end.
func feed(a assembly, data string) (done bool, err error) {
	if data == "" {
		return false, nil
	}
	if data == "[DONE]" {
		return true, nil
	}
	if err := strict([]byte(data)); err != nil {
		return false, err
	}
	event, err := object([]byte(data))
	if err != nil {
		return false, wrongStream("has an event that is not a JSON object")
	}
	if text := complaint(event); text != "" {
		return false, &brokenStream{text: "the stream broke off with an error: " + text, again: passing(event["error"])}
	}
	return false, a.add(event)
}

// passing reports whether an error is one of load, which another try may not meet.
func passing(raw json.RawMessage) bool {
	e, err := object(raw)
	if err != nil {
		return false
	}
	for _, key := range []string{"type", "code"} {
		switch kind, _ := textOf(e[key]); kind {
		case "overloaded_error", "api_error", "server_error", "rate_limit_error", "rate_limit_exceeded":
			return true
		}
	}
	return false
}

// indexOf is the place of a piece in its answer; -1 if it names none.
func indexOf(raw json.RawMessage) (int, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return -1, nil
	}
	var n int
	if err := json.Unmarshal(raw, &n); err != nil || n < 0 || n >= maxPieces {
		return 0, wrongStream("has a piece with the index %.20s, expected 0 to %d", raw, maxPieces-1)
	}
	return n, nil
}

// maxPieces bounds the blocks and calls of one answer while it is put together.
const maxPieces = 1024
