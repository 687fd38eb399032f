package hooking

import (
	"encoding/json"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/adapters/hooks"
)

// The exit codes of `cortex hook --sealed`: only the installed line knows them. No shell, no signal
// and no other program ends with one by accident, so what ends otherwise has not ruled.
const (
	ruledZero = 92 // the host is to see exit code 0
	ruledTwo  = 93 // the host is to see exit code 2
)

// Seal is the exit code that stands for one of a reply.
func Seal(code int) int {
	if code == 0 {
		return ruledZero
	}
	return ruledTwo
}

// program is what a line starts.
type program struct {
	path    string   // of this program
	args    []string // after `hook --dialect X --sealed`
	timeout string   // of timeout(1), with its options
}

// plain are the words that stand in a line without quotes of their own. A line is quoted once, for
// any shell, and must not need more.
var plain = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./ -]+$`)

// findTimeout finds timeout(1). It is the one that ends its whole process group, so that nothing which
// a stuck program has started keeps the line from ending.
func findTimeout() (string, error) {
	path, err := exec.LookPath("timeout")
	if err != nil {
		return "", fmt.Errorf("timeout is not installed, and without it a stuck hook would not block: install coreutils "+
			"(on macOS: brew install coreutils, and have its gnubin folder in PATH): %w", err)
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", err
	}
	return `"` + path + `" -s KILL`, nil
}

// line is the command that a host runs. It starts the program with a time limit, and passes its
// output on if it has ruled. Every other end, also of a program that is missing, was killed, or is
// another one, is a denial with a text. It needs nothing of the shell that the host starts it with
// but single quotes.
func line(d hooks.Dialect, p program, wait time.Duration) (string, error) {
	for _, word := range append([]string{p.path}, p.args...) {
		if !plain.MatchString(word) {
			return "", fmt.Errorf("%q cannot stand in a hook: only letters, digits, spaces and _@%%+=:,./- can; move it, "+
				"or use a link", word)
		}
	}
	var words strings.Builder
	for _, a := range p.args {
		fmt.Fprintf(&words, ` "%s"`, a)
	}
	blocked := d.Block(notJudged)
	var otherwise strings.Builder
	for _, s := range []struct{ text, to string }{{blocked.Stdout, ""}, {blocked.Stderr, " >&2"}} {
		if s.text != "" {
			fmt.Fprintf(&otherwise, `printf "%%s\n" "%s"%s; `, quoted(s.text), s.to)
		}
	}
	seconds := int(math.Ceil((wait - margin(wait)/2).Seconds()))
	return fmt.Sprintf(`/bin/sh -c 'o=$(%s %d "%s" hook --dialect %s --sealed --wait %s%s); c=$?; `+
		`if [ $c = %d ]; then printf "%%s" "$o"; exit 0; fi; if [ $c = %d ]; then printf "%%s" "$o"; exit 2; fi; %sexit %d'`,
		p.timeout, seconds, p.path, d.Name(), wait, words.String(), ruledZero, ruledTwo, otherwise.String(),
		blocked.Code), nil
}

// notJudged is what the model reads if this program did not come to a ruling.
const notJudged = unjudged + ", so it is blocked. The user can run cortex hook selftest to see why."

// quoted is a text between the double quotes of a shell, all of which stand between single quotes.
func quoted(s string) string {
	s = strings.TrimSuffix(s, "\n")
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "`", "\\`", "$", `\$`, "'", "").Replace(s)
}

// ours recognises a line of this program for a dialect.
func ours(d hooks.Dialect, command string) bool {
	return strings.Contains(command, "hook --dialect "+d.Name()+" --sealed")
}

// literal is JSON of a value that always has it.
func literal(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
	return strings.TrimSpace(b.String())
}
