package plugins

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"time"
)

// What a plugin may write to the log: bursts of lines, then so many a second. The
// rest is counted, and read all the same, so that nobody waits on a full pipe.
const (
	maxLogLine   = 2000 // bytes; the rest of a line is cut
	logBurst     = 50
	logPerSecond = 10
)

// logLines turns what a plugin writes to stderr into log lines until the pipe
// ends. A JSON object with @level and @message, as go-hclog and the Go guest write
// them, keeps its level, its message and its plain members; any other line is a
// message.
func logLines(r io.Reader, log *slog.Logger) {
	lines := bufio.NewReaderSize(r, 16<<10)
	tokens, dropped, at := float64(logBurst), 0, time.Now()
	for {
		line, cut, err := lines.ReadLine()
		if err != nil {
			break
		}
		for more := cut; more && err == nil; {
			_, more, err = lines.ReadLine()
		}
		now := time.Now()
		tokens = min(logBurst, tokens+now.Sub(at).Seconds()*logPerSecond)
		at = now
		if tokens < 1 {
			dropped++
			continue
		}
		tokens--
		if dropped > 0 {
			log.Warn("lines of a plugin were dropped: it writes too many", "lines", dropped)
			dropped = 0
		}
		logLine(log, line)
	}
	if dropped > 0 {
		log.Warn("lines of a plugin were dropped: it writes too many", "lines", dropped)
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
	log.LogAttrs(context.Background(), level, printable(text), attrs...)
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
			out = append(out, slog.String(printable(k), printable(v)))
		case bool, float64:
			out = append(out, slog.Any(printable(k), v))
		}
	}
	if out == nil {
		return nil
	}
	return []slog.Attr{slog.Group("said", out...)}
}

// printable is a text without what a terminal would act on, cut to a line.
func printable(s string) string {
	q := strconv.Quote(strings.ToValidUTF8(clip(s, maxLogLine), "\uFFFD"))
	q = q[1 : len(q)-1]
	return strings.ReplaceAll(q, `\"`, `"`)
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
