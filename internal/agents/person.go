package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"time"
)

// extra are rules of the user's own: one that rewrites, and one about what the user said.
const extra = `(deftool unused :tier :deny)
(defskill rewriting
  :trigger (= action.tool "shell")
  :gate ((rewrite renamed :when (= action.args.cmd "touch before.txt") :set (:cmd "touch ran.txt")
          :reason "another name")))
(defskill saying
  :trigger (= action.tool "shell")
  :gate ((deny unsaid :when (and (starts-with? action.args.cmd "touch said") (not (said? action.args.cmd)))
          :reason "the user did not say so")))
`

// settings are those of a user who has rules of their own beside those that ship.
func (s scene) settings(rules string) error {
	text := fmt.Sprintf("dir = %q\nrules = [%q, %q, %q]\nlive = true\ntrust_rules = true\n", s.record(),
		filepath.Join(rules, "coding"), filepath.Join(rules, "hosts"), filepath.Join(s.root, "rules.lisp"))
	dir := filepath.Join(s.home, ".config", "cortex")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "cortex.toml"), []byte(text), 0o600); err != nil {
		return err
	}
	return s.write("rules.lisp", extra)
}

func (s scene) record() string { return filepath.Join(s.root, "record") }

// answer is a person who answers the first card.
func (s scene) answer(ctx context.Context, word string) {
	for ctx.Err() == nil {
		time.Sleep(200 * time.Millisecond)
		out, err := s.run(ctx, nil, s.program, "approvals", "list", "--json")
		if err != nil {
			continue
		}
		token := regexp.MustCompile(`"(?:token|id)":"([a-z0-9]+)"`).FindStringSubmatch(out)
		if token == nil {
			continue
		}
		args := []string{"approvals", word, token[1]}
		if word == "deny" {
			args = append(args, "--reason", "not now")
		}
		if _, err := s.run(ctx, nil, s.program, args...); err == nil {
			return
		}
	}
}

// stop ends the daemon that a hook has started.
func (s scene) stop() error {
	raw, err := os.ReadFile(filepath.Join(s.home, ".local", "state", "cortex", "agents", "daemon.log"))
	if err != nil {
		return nil // none was started
	}
	for _, m := range regexp.MustCompile(`ready: pid (\d+)`).FindAllSubmatch(raw, -1) {
		pid, err := strconv.Atoi(string(m[1]))
		if err != nil {
			return err
		}
		p, err := os.FindProcess(pid)
		if err != nil || p.Signal(syscall.SIGTERM) != nil {
			continue // it has ended
		}
		for i := 0; i < 500 && p.Signal(syscall.Signal(0)) == nil; i++ {
			time.Sleep(10 * time.Millisecond)
		}
	}
	return nil
}

// field is a text of a JSON object; "" where there is none.
func field(raw []byte, key string) string {
	var o map[string]any
	_ = json.Unmarshal(raw, &o)
	s, _ := o[key].(string)
	return s
}
