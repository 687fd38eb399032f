package mcp_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/opencortex-go/cortex/adapters/mcp"
)

// script is what a server writes, byte for byte, when it is asked something: by method, or by the name of the tool
// that is called. $ID is the id of the request, and $N what the request before had. What has no line is answered as
// a plain server does. It reads with universal newlines, as Python's text files do.
type script map[string]string

const plainly = `{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"ran"}]}}` + "\n"

// play is a server that follows a script, and notes in a file each tools/call that it reads.
func play(in io.Reader, out io.Writer, written, notes string) {
	var s script
	if err := json.Unmarshal([]byte(written), &s); err != nil {
		panic(err)
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	lines.Split(universal)
	for lines.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
			Result json.RawMessage
			Params struct{ Name string }
		}
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			continue
		}
		if m.Method == "tools/call" || m.Result != nil {
			note(notes, lines.Text())
		}
		if m.ID == nil || m.Method == "" {
			continue
		}
		key := m.Method
		if m.Method == "tools/call" {
			key = m.Params.Name
		}
		says, ok := s[key]
		if !ok {
			says = map[string]string{
				"initialize": `{"jsonrpc":"2.0","id":$ID,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},` +
					`"serverInfo":{"name":"w","version":"1"}}}` + "\n",
				"ping":       `{"jsonrpc":"2.0","id":$ID,"result":{}}` + "\n",
				"tools/list": `{"jsonrpc":"2.0","id":$ID,"result":{"tools":[{"name":"read"},{"name":"write"}]}}` + "\n",
			}[m.Method]
			if m.Method == "tools/call" {
				says = plainly
			}
		}
		_, _ = io.WriteString(out, strings.NewReplacer("$ID", string(m.ID), "$FF", "\xff").Replace(rows(says)))
	}
}

// rows writes as many rows as a text asks for.
func rows(says string) string {
	before, after, ok := strings.Cut(says, "$ROWS")
	if !ok {
		return says
	}
	digits := len(after) - len(strings.TrimLeft(after, "0123456789"))
	n, _ := strconv.Atoi(after[:digits])
	return before + strings.Repeat("row ", n) + after[digits:]
}

// universal splits as readers with universal newlines do: after LF, CR, or both.
func universal(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if i := strings.IndexAny(string(data), "\r\n"); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

func note(path, line string) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, _ = fmt.Fprintln(f, line)
		_ = f.Close()
	}
}

// playing is that server behind a proxy.
func playing(s script, notes string) mcp.Command {
	self, _ := os.Executable()
	written, _ := json.Marshal(s)
	return mcp.Command{Args: []string{self}, Env: append(os.Environ(), "MCP_TEST_SCRIPT="+string(written),
		"MCP_TEST_NOTES="+notes), Err: os.Stderr}
}
