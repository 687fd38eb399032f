package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// bench is one run.
type bench struct {
	cortex string // the program
	rules  string // the folder of the shipped rules
	tools  string // the file of tools, or ""
	skills string // the lock file of skills that judge code, or ""

	lexicon  string // the file of words, or ""
	reviewed string // the folder of reviewed declarations, or ""
}

// atOnce is how many suites are judged at once.
const atOnce = 2

// run judges the requests of one file and writes the decisions to another.
func (b *bench) run(ctx context.Context, requests, decisions string) error {
	suites, n, err := read(requests)
	if err != nil {
		return err
	}
	known, err := readTools(b.tools)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "guard")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	answers := make([][]byte, n)
	errs := make([]error, len(suites))
	slots := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	for i, s := range suites {
		slots <- struct{}{}
		all.Go(func() {
			errs[i] = b.judge(ctx, filepath.Join(dir, fmt.Sprint(i)), known, s, answers)
			<-slots
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return os.WriteFile(decisions, bytes.Join(append(answers, nil), []byte("\n")), 0o644)
}

// judge judges the requests of a suite. Files that it needs stand in dir, which it makes.
func (b *bench) judge(ctx context.Context, dir string, known tools, s *suite, answers [][]byte) error {
	rules, err := b.fit(ctx, dir, known, s)
	if err != nil {
		return fmt.Errorf("suite %q: %w", s.name, err)
	}
	args := []string{"decide"}
	if runsCode(rules) {
		if s.lines, err = placed(s.lines); err != nil {
			return fmt.Errorf("suite %q: %w", s.name, err)
		}
		rules = append(rules, filepath.Join(b.rules, "code", "shell-words.lisp")) // includes the others
		args = append(args, "--plugins", b.skills)
	}
	for _, r := range rules {
		args = append(args, "--rules", r)
	}
	out, err := b.call(ctx, bytes.Join(s.lines, nil), args...)
	if err != nil {
		return fmt.Errorf("suite %q: %w", s.name, err)
	}
	lines := bytes.Split(bytes.TrimSuffix(out, []byte("\n")), []byte("\n"))
	if len(lines) != len(s.at) {
		return fmt.Errorf("suite %q: %d requests got %d answers", s.name, len(s.at), len(lines))
	}
	for i, at := range s.at {
		answers[at] = lines[i]
	}
	return nil
}

// fit gives the rules that fit a suite: the guard, and what was reviewed or is drafted of its tools.
func (b *bench) fit(ctx context.Context, dir string, known tools, s *suite) ([]string, error) {
	rules := []string{filepath.Join(b.rules, "guard")}
	if b.reviewed != "" {
		name := filepath.Join(b.reviewed, filepath.Base(s.name)+".lisp")
		if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
			return append(rules, name), err
		}
	}
	list, err := known.of(s)
	if err != nil || list == nil {
		return rules, err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	from, to := filepath.Join(dir, "tools.json"), filepath.Join(dir, "tools.lisp")
	if err := os.WriteFile(from, list, 0o600); err != nil {
		return nil, err
	}
	declare := []string{"tools", "declare", from}
	if b.lexicon != "" {
		declare = append(declare, "--lexicon", b.lexicon)
		words, err := b.words(dir)
		if err != nil {
			return nil, err
		}
		rules = append(rules, words)
	}
	text, err := b.call(ctx, nil, declare...)
	if err != nil {
		return nil, err
	}
	return append(rules, to), os.WriteFile(to, text, 0o600)
}

// words makes a rule file that names the lexicon.
func (b *bench) words(dir string) (string, error) {
	text, err := os.ReadFile(b.lexicon)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "lexicon.words"), text, 0o600)
	}
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "lexicon.lisp")
	return name, os.WriteFile(name, []byte(`(lexicon "lexicon.words")`), 0o600)
}

// call runs the program, and returns what it prints.
func (b *bench) call(ctx context.Context, in []byte, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, b.cortex, args...)
	var out, told bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(in), &out, &told
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", b.cortex, args[0], err, bytes.TrimSpace(told.Bytes()))
	}
	return out.Bytes(), nil
}
