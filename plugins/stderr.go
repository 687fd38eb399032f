package plugins

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/plugins/internal/wire"
)

// What a plugin may write to the log: bursts of lines, then so many a second. The
// rest is counted, and read all the same, so that the plugin never waits on a full pipe.
const (
	logBurst     = 50
	logPerSecond = 10
)

// lineLog turns what a plugin writes into log lines. A JSON object with @level and
// @message, as go-hclog and the Go guest write them, keeps its level, its message
// and its plain members; any other line is a message. Close it to flush.
type lineLog struct {
	log *slog.Logger

	mu      sync.Mutex
	line    []byte // what has been written of the current line, cut
	tokens  float64
	at      time.Time
	dropped int
	last    []string // the newest lines, as far as an error shows them
}

func newLineLog(log *slog.Logger) *lineLog {
	return &lineLog{log: log, tokens: logBurst, at: time.Now()}
}

// Write takes any part of any number of lines, and never fails.
func (l *lineLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(b)
	for {
		line, rest, ended := bytes.Cut(b, []byte{'\n'})
		l.line = append(l.line, line[:min(len(line), wire.MaxLine+1-len(l.line))]...)
		if !ended {
			return n, nil
		}
		l.end()
		b = rest
	}
}

// Close logs what is left.
func (l *lineLog) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.line) > 0 {
		l.end()
	}
	l.told()
	return nil
}

// lastWords is what the plugin wrote last, for an error; "" for nothing.
func (l *lineLog) lastWords() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.last, "\n")
}

// end logs the line, if there are not too many of them.
func (l *lineLog) end() {
	now := time.Now()
	l.tokens = min(logBurst, l.tokens+now.Sub(l.at).Seconds()*logPerSecond)
	l.at = now
	if l.tokens < 1 {
		l.dropped++
	} else {
		l.tokens--
		l.told()
		logLine(l.log, l.line)
	}
	const most = 10
	l.last = append(l.last[max(0, len(l.last)+1-most):], wire.Printable(wire.Clip(string(l.line), 400)))
	l.line = l.line[:0]
}

func (l *lineLog) told() {
	if l.dropped > 0 {
		l.log.Warn("lines of a plugin were dropped: it writes too many", "lines", l.dropped)
		l.dropped = 0
	}
}

func logLine(log *slog.Logger, line []byte) {
	level, text, attrs := slog.LevelInfo, string(line), []slog.Attr(nil)
	var members map[string]any
	if len(line) > 0 && line[0] == '{' && json.Unmarshal(line, &members) == nil {
		if m, ok := members["@message"].(string); ok {
			text = m
			level = levelOf(members["@level"])
			attrs = plain(members)
		}
	}
	log.LogAttrs(context.Background(), level, wire.Printable(text), attrs...)
}

func levelOf(x any) slog.Level {
	word, _ := x.(string)
	var l slog.Level
	if strings.EqualFold(word, "trace") || l.UnmarshalText([]byte(word)) != nil {
		return slog.LevelDebug
	}
	return l
}

// plain are the members of a line that a log can hold: strings, numbers, booleans,
// under their own names and apart from ours.
func plain(members map[string]any) []slog.Attr {
	const most = 16
	var out []any
	for k, v := range members {
		if strings.HasPrefix(k, "@") || len(out) == most {
			continue
		}
		switch v := v.(type) {
		case string:
			out = append(out, slog.String(wire.Printable(k), wire.Printable(v)))
		case bool, float64:
			out = append(out, slog.Any(wire.Printable(k), v))
		}
	}
	if out == nil {
		return nil
	}
	return []slog.Attr{slog.Group("said", out...)}
}

// firstLine reads the handshake, one short line, and leaves the rest to drain.
func firstLine(r io.Reader) (string, *bufio.Reader, error) {
	const most = 16 << 10 // a certificate is in it
	in := bufio.NewReaderSize(r, most)
	line, cut, err := in.ReadLine()
	if err != nil {
		return "", in, err
	}
	if cut {
		return "", in, errors.New("its first line is longer than 16 KiB")
	}
	return string(line), in, nil
}
