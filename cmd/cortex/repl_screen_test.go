package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/oracle"
)

// screen is a terminal with a program on it: tmux, driven as a person would.
// Nothing waits for a time, everything for what is to be seen.
type screen struct {
	t            testing.TB
	tmux, socket string
}

// open starts a program, given as a line of shell, on a terminal of 24 rows and
// 80 columns.
func (pl place) open(line string) *screen {
	pl.t.Helper()
	return pl.openRows(line, 24)
}

func (pl place) openRows(line string, rows int) *screen {
	pl.t.Helper()
	s := &screen{t: pl.t, tmux: oracle.Find(pl.t, "tmux"), socket: filepath.Join(pl.t.TempDir(), "tmux")}
	pl.t.Cleanup(func() { _ = exec.Command(s.tmux, "-S", s.socket, "kill-server").Run() })
	link := pl.path("cortex")
	if _, err := os.Lstat(link); err != nil {
		require.NoError(pl.t, os.Symlink(executable(pl.t), link)) // under this name a test binary is the program
	}
	env := fmt.Sprintf("cd '%s'; trap : INT; export PATH='%s':$PATH HOME='%s' XDG_STATE_HOME='%s' XDG_CONFIG_HOME='%s' "+
		"CORTEX_SOCKET='%s' INPUTRC=/dev/null LC_ALL=C.UTF-8 NO_COLOR=1; ",
		pl.dir, pl.dir, pl.dir, pl.path("home"), pl.path("config"), pl.path("run/c.sock"))
	s.do("-u", "new-session", "-d", "-x", "80", "-y", strconv.Itoa(rows), "sh", "-c", env+line)
	return s
}

func (s *screen) do(args ...string) string {
	s.t.Helper()
	out, err := exec.Command(s.tmux, append([]string{"-S", s.socket, "-f", os.DevNull}, args...)...).CombinedOutput()
	require.NoError(s.t, err, "tmux %v: %s", args, out)
	return string(out)
}

// press presses keys: names as tmux has them, such as Enter, and texts.
func (s *screen) press(keys ...string) {
	s.t.Helper()
	s.do(append([]string{"send-keys", "--"}, keys...)...)
}

// types types a text letter by letter, and Enter.
func (s *screen) types(text string) {
	s.t.Helper()
	s.do("send-keys", "-l", "--", text)
	s.press("Enter")
}

// asks types a form at the prompt and waits for its result and the next prompt:
// what is typed while a form is evaluated is kept, but shows where it may.
func (s *screen) asks(form, result string) {
	s.t.Helper()
	s.types(form)
	s.says(form + "\n" + result + "\ncortex>")
}

// paste pastes a text; bracketed, the program is told that it is one.
func (s *screen) paste(text string, bracketed bool) {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "paste")
	require.NoError(s.t, os.WriteFile(file, []byte(text), 0o600))
	s.do("load-buffer", file)
	if bracketed {
		s.do("paste-buffer", "-p")
		return
	}
	s.do("paste-buffer")
}

var changing = []struct {
	what *regexp.Regexp
	name string
}{
	{regexp.MustCompile(`^cortex (devel|v\d\S*)$`), "cortex VERSION"},
	{regexp.MustCompile(`approval [a-z2-7]{16}|"[a-z2-7]{16}"`), "TOKEN"},
}

// look is what is on the screen, without what differs from run to run.
func (s *screen) look() string {
	s.t.Helper()
	lines := strings.Split(s.do("capture-pane", "-p"), "\n")
	for i, l := range lines {
		for _, c := range changing {
			l = c.what.ReplaceAllString(l, c.name)
		}
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// shows waits until this is on the screen and nothing else.
func (s *screen) shows(want string) {
	s.t.Helper()
	s.until(func(now string) bool { return now == strings.Trim(want, "\n") }, func(now string) {
		assert.Equal(s.t, strings.Trim(want, "\n"), now)
	})
}

// says waits until a text is on the screen.
func (s *screen) says(text string) {
	s.t.Helper()
	s.until(func(now string) bool { return strings.Contains(now, text) }, func(now string) {
		assert.Contains(s.t, now, text)
	})
}

// insists presses a key until a text is on the screen, as people do: one that comes
// before a form is under way belongs to the editor.
func (s *screen) insists(key, text string) {
	s.t.Helper()
	var next time.Time
	s.until(func(now string) bool {
		if strings.Contains(now, text) {
			return true
		}
		if time.Now().After(next) {
			s.press(key)
			next = time.Now().Add(3 * time.Second)
		}
		return false
	}, func(now string) { assert.Contains(s.t, now, text) })
}

func (s *screen) until(done func(string) bool, fail func(string)) {
	s.t.Helper()
	for late := time.Now().Add(20 * time.Second); ; {
		now := s.look()
		if done(now) {
			return
		}
		if time.Now().After(late) {
			fail(now)
			s.t.FailNow()
		}
	}
}
