package prompt

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// How much is remembered: entries, and bytes of one entry.
const (
	maxHistory = 1000
	maxEntry   = 16 << 10
)

// history is what was typed before, one JSON string a line in a file that only
// its owner may read. What begins with a blank is not kept.
type history struct {
	path    string
	entries []string
}

// historyPath is where a file stands in the user's state.
func historyPath(file string) (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); dir != "" {
		return filepath.Join(dir, "cortex", file), nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "state", "cortex", file), err
}

// openHistory reads the history at path; there may be none yet. A file that has
// grown to twice what is remembered is written anew.
func openHistory(path string) (*history, error) {
	h := &history{path: path}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return h, err
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return h, err
	}
	in := bufio.NewScanner(f)
	in.Buffer(nil, 8*maxEntry)
	lines := 0
	for ; in.Scan(); lines++ {
		var entry string
		if json.Unmarshal(in.Bytes(), &entry) == nil {
			h.keep(entry)
		}
	}
	if err := errors.Join(in.Err(), f.Chmod(0o600), f.Close()); err != nil {
		return h, err
	}
	if lines >= 2*maxHistory {
		return h, h.rewrite()
	}
	return h, nil
}

// keep remembers an entry, and forgets the oldest.
func (h *history) keep(entry string) {
	h.entries = append(h.entries, entry)
	if n := len(h.entries) - maxHistory; n > 0 {
		h.entries = h.entries[n:]
	}
}

// rewrite replaces the file by what is remembered.
func (h *history) rewrite() error {
	var text []byte
	for _, e := range h.entries {
		text = append(text, line(e)...)
	}
	if err := os.WriteFile(h.path+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(h.path+".new", h.path)
}

func line(entry string) []byte {
	text, _ := json.Marshal(entry) // a string always has JSON
	return append(text, '\n')
}

// Write adds an entry; each goes to the file at once, in one piece, so that
// several terminals can share it.
func (h *history) Write(entry string) (int, error) {
	if strings.TrimSpace(entry) == "" || entry[0] == ' ' || len(entry) > maxEntry ||
		(len(h.entries) > 0 && h.entries[len(h.entries)-1] == entry) {
		return len(h.entries), nil
	}
	h.keep(entry)
	f, err := os.OpenFile(h.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return len(h.entries), err
	}
	_, err = f.Write(line(entry))
	return len(h.entries), errors.Join(err, f.Close())
}

var errNoEntry = errors.New("no such entry in the history")

// GetLine returns an entry; 0 is the oldest.
func (h *history) GetLine(i int) (string, error) {
	if i < 0 || i >= len(h.entries) {
		return "", errNoEntry
	}
	return h.entries[i], nil
}

// Len returns how many entries there are.
func (h *history) Len() int { return len(h.entries) }

// Dump returns all entries.
func (h *history) Dump() any { return h.entries }
