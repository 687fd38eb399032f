package hooking

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/adapters/hooks"
)

// Finding is what Look finds in one settings file.
type Finding struct {
	Settings
	Command string // of the hook; "" where the file cannot be read
	Bad     string // what keeps the hook from judging; "" if nothing does
	Limit   string // what no hook can prevent in this host; "" if nothing is known
}

// limits are what nothing that Install writes can prevent.
var limits = map[string]string{
	"claude": "Claude Code runs tools unjudged if these settings are removed, or with --bare",
	"codex": "Codex runs tools unjudged until somebody has trusted this hook in it, and again after each change; also " +
		"if the file is removed",
	"gemini":  "Gemini CLI runs tools unjudged if these settings are removed",
	"cursor":  "Cursor runs tools unjudged if this file is removed",
	"copilot": "Copilot runs tools unjudged if this file is removed",
}

// Look reads the settings of every host, of the user and of a project folder, and says of each
// that holds a hook of Cortex whether the host runs it, whether it is what Install writes, and whether its program is
// there.
func Look(project string, getenv func(string) string) (out []Finding, err error) {
	seen := map[string]bool{}
	for _, d := range hooks.Dialects() {
		for _, folder := range []string{"", project} {
			s := Settings{Dialect: d}
			if s.File, err = FileOf(d, folder, getenv); err != nil {
				return nil, err
			}
			if seen[s.File] {
				continue
			}
			seen[s.File] = true
			f, err := s.Look(project, getenv)
			if err != nil {
				f.Bad = err.Error()
			}
			if f.Command != "" || f.Bad != "" {
				out = append(out, f)
			}
		}
	}
	return out, nil
}

// Look reads one file of settings, beside those that the host reads when it starts in a project folder.
func (s Settings) Look(project string, getenv func(string) string) (f Finding, err error) {
	f = Finding{Settings: s, Limit: limits[s.Dialect.Name()]}
	if f.Command, err = s.Installed(); err != nil || f.Command == "" {
		return f, err
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return f, err
	}
	if f.Bad = s.Off(project, home, getenv); f.Bad == "" {
		f.Bad = s.wrong(f.Command)
	}
	return f, nil
}

// parts are the program of an installed line, its time, and its arguments.
var parts = regexp.MustCompile(`"([^"]+)" hook --dialect [a-z]+ --sealed --wait ([0-9a-z.]+)((?: "[^"]*")*)\);`)

// wrong says what is wrong with an installed hook; "" if it is what Install would write now.
func (s Settings) wrong(command string) string {
	m := parts.FindStringSubmatch(command)
	if m == nil {
		return "its command is not one that cortex hook install writes"
	}
	wait, err := time.ParseDuration(m[2])
	if err != nil {
		return "its command has no time limit"
	}
	s.Program, s.Wait, s.Args = m[1], wait, nil
	for _, a := range strings.Split(m[3], `"`) {
		if strings.TrimSpace(a) != "" {
			s.Args = append(s.Args, a)
		}
	}
	if info, err := os.Stat(s.Program); err != nil {
		return fmt.Sprintf("its program cannot be started, so every call is blocked: %v", err)
	} else if !info.Mode().IsRegular() || !filepath.IsAbs(s.Program) {
		return s.Program + " is no program"
	}
	line, err := s.Line()
	if err != nil {
		return err.Error()
	}
	missing, err := s.missing(line)
	switch {
	case err != nil:
		return err.Error()
	case len(missing) > 0:
		return "what install writes is not there for " + strings.Join(missing, ", ")
	}
	return ""
}

// missing are the events without the hook that Install writes for them.
func (s Settings) missing(line string) (events []string, err error) {
	v, _, err := s.read()
	if err != nil {
		return nil, err
	}
	var there map[string][]any // in any order of keys: printed again, they are sorted
	if err := hooksOf(v, &there); err != nil {
		return nil, err
	}
	for _, e := range hostOf(s.Dialect).entries(line, s.Wait) {
		var want any
		if err := json.Unmarshal([]byte(e.value), &want); err != nil {
			return nil, err
		}
		found := false
		for _, hook := range there[e.event] {
			found = found || literal(hook) == literal(want)
		}
		if !found {
			events = append(events, e.event)
		}
	}
	return events, nil
}
