package lsp

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"strconv"

	"github.com/sourcegraph/jsonrpc2"
)

// maxMessage bounds what a client sends at once: a text of the largest size that is read,
// with every character escaped.
const maxMessage = 16 << 20

// codec reads and writes messages as the protocol frames them. It reads no more than a
// message may have.
type codec struct{ jsonrpc2.VSCodeObjectCodec }

// ReadObject reads one message.
func (codec) ReadObject(in *bufio.Reader, v any) error {
	header, err := textproto.NewReader(in).ReadMIMEHeader()
	if err != nil {
		return err
	}
	n, err := strconv.ParseInt(header.Get("Content-Length"), 10, 64)
	if err != nil || n < 0 || n > maxMessage {
		return fmt.Errorf("a message of %q bytes, expected at most %d", header.Get("Content-Length"), maxMessage)
	}
	raw := make([]byte, n)
	if _, err := io.ReadFull(in, raw); err != nil {
		return err
	}
	return json.Unmarshal(raw, v)
}
