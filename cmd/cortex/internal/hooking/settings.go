package hooking

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tailscale/hujson"

	"github.com/opencortex-go/cortex/adapters/hooks"
)

// Settings are the hooks of one host, for one user or one project.
type Settings struct {
	Dialect hooks.Dialect
	File    string        // the host's settings file
	Program string        // absolute path of this program
	Args    []string      // for every hook, such as --standalone
	Wait    time.Duration // how long the host waits for a hook; 0 means the dialect's limit
}

// FileOf is the settings file of a dialect's host: of the user, or of a project folder.
func FileOf(d hooks.Dialect, project string, getenv func(string) string) (string, error) {
	home, err := os.UserHomeDir()
	return hostOf(d).file(project, home, getenv), err
}

// leastWait is the shortest time in which a slow machine surely judges.
const leastWait = 10 * time.Second

// Line is the command that the host is to run for each event.
func (s Settings) Line() (string, error) {
	timeout, err := findTimeout()
	if err != nil {
		return "", err
	}
	return line(s.Dialect, program{s.Program, s.Args, timeout}, s.wait())
}

func (s Settings) wait() time.Duration {
	if s.Wait == 0 {
		return s.Dialect.Limit()
	}
	return s.Wait
}

// Install writes the hooks, in place of those that an earlier Install wrote. What else stands in
// the file stays as it is, comments and order too, where the file can be read. A copy of the file
// as it was is kept beside it; its path is returned, "" if there was no file.
func (s Settings) Install() (backup string, err error) {
	if w := s.wait(); w < leastWait || w > s.Dialect.Limit() {
		return "", fmt.Errorf("the host waits %s for a hook, expected from %s to %s", w, leastWait, s.Dialect.Limit())
	}
	command, err := s.Line()
	if err != nil {
		return "", err
	}
	return s.edit(func(v *hujson.Value) error {
		h := hostOf(s.Dialect)
		if h.version > 0 && v.Find("/version") == nil {
			if err := patch(v, "add", "/version", strconv.Itoa(h.version)); err != nil {
				return err
			}
		}
		if v.Find("/hooks") == nil {
			if err := patch(v, "add", "/hooks", "{}"); err != nil {
				return err
			}
		}
		for _, e := range h.entries(command, s.wait()) {
			at := "/hooks/" + e.event
			if v.Find(at) == nil {
				if err := patch(v, "add", at, "[]"); err != nil {
					return err
				}
			}
			if err := patch(v, "add", at+"/-", e.value); err != nil {
				return fmt.Errorf("%s: hooks.%s is not a list: %w", s.File, e.event, err)
			}
		}
		return nil
	})
}

// Uninstall takes out what Install wrote. A file that holds nothing more is removed.
func (s Settings) Uninstall() (backup string, err error) {
	return s.edit(func(*hujson.Value) error { return nil })
}

// Installed returns the command of this program's hooks in the file, "" if there is none.
func (s Settings) Installed() (string, error) {
	v, _, err := s.read()
	if err != nil {
		return "", err
	}
	command := ""
	err = s.each(&v, func(_ string, c string) { command = c })
	return command, err
}

// edit reads the file, takes out our hooks, lets f change it, and writes it.
func (s Settings) edit(f func(*hujson.Value) error) (backup string, err error) {
	if real, err := filepath.EvalSymlinks(s.File); err == nil {
		s.File = real // a link stays a link
	}
	v, was, err := s.read()
	if err != nil {
		return "", err
	}
	if err := s.clean(&v); err != nil {
		return "", err
	}
	if err := f(&v); err != nil {
		return "", err
	}
	if was == nil { // what is there keeps its form
		v.Format()
	}
	text := v.Pack()
	if was != nil {
		if string(text) == string(was) {
			return "", nil
		}
		backup = s.File + ".before-cortex"
		if err := write(backup, was, s.File); err != nil {
			return "", err
		}
	}
	if empty(v) {
		if was == nil {
			return "", nil
		}
		return backup, os.Remove(s.File)
	}
	return backup, write(s.File, text, s.File)
}

// empty reports whether nothing but the format's version is left.
func empty(v hujson.Value) bool {
	o, ok := v.Value.(*hujson.Object)
	return ok && (len(o.Members) == 0 || len(o.Members) == 1 && v.Find("/version") != nil)
}

// each calls f with the place and the command of each of our hooks, last one first.
func (s Settings) each(v *hujson.Value, f func(at, command string)) error {
	var events map[string][]struct {
		Command string `json:"command"`
		Bash    string `json:"bash"`
		Hooks   []struct {
			Command string `json:"command"`
		} `json:"hooks"`
	}
	if err := hooksOf(*v, &events); err != nil {
		return fmt.Errorf("%s has hooks of an unknown form, so it stays as it is: %w", s.File, err)
	}
	for event, list := range events {
		for i := len(list) - 1; i >= 0; i-- {
			at := fmt.Sprintf("/hooks/%s/%d", pointer(event), i)
			for j := len(list[i].Hooks) - 1; j >= 0; j-- {
				if c := list[i].Hooks[j].Command; ours(s.Dialect, c) {
					f(fmt.Sprintf("%s/hooks/%d", at, j), c)
				}
			}
			if c := list[i].Command + list[i].Bash; ours(s.Dialect, c) {
				f(at, c)
			}
		}
	}
	return nil
}

func pointer(key string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(key) }

// clean takes our hooks out, and the lists that they leave empty.
func (s Settings) clean(v *hujson.Value) error {
	var at []string
	if err := s.each(v, func(place, _ string) { at = append(at, place) }); err != nil {
		return err
	}
	for _, place := range at {
		if err := patch(v, "remove", place, ""); err != nil {
			return err
		}
		for up := place; ; {
			up = up[:strings.LastIndex(up, "/")]
			parent := v.Find(up)
			if up == "" || parent == nil {
				break
			}
			if a, ok := parent.Value.(*hujson.Array); ok && len(a.Elements) == 0 {
				group := up[:strings.LastIndex(up, "/")]
				if strings.HasSuffix(up, "/hooks") && group != "" { // a group without hooks
					up = group
				}
				if err := patch(v, "remove", up, ""); err != nil {
					return err
				}
				continue
			}
			if o, ok := parent.Value.(*hujson.Object); ok && len(o.Members) == 0 {
				if err := patch(v, "remove", up, ""); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func patch(v *hujson.Value, op, path, value string) error {
	o := map[string]any{"op": op, "path": path}
	if value != "" {
		o["value"] = json.RawMessage(value)
	}
	return v.Patch([]byte(literal([]any{o})))
}

// write puts a file in place at once, with the rights of another if that exists.
func write(file string, text []byte, like string) error {
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(like); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), ".cortex-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	_, err = tmp.Write(text)
	if err := errors.Join(err, tmp.Chmod(mode), tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), file)
}
