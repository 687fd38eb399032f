package main

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// mutant is one change to one file, and the tests that have to fail with it.
type mutant struct {
	at      string // table:line
	file    string // path from the root, with slashes
	breaks  string // what goes wrong with it, for people
	tests   []test
	old     string // whole lines; they stand in the file once
	new     string
	because string // why no test can see it; "" says that one has to
}

// test names tests of one package; without names it is all that the package has
// in the short form.
type test struct {
	pkg   string // folder, from the root
	names []string
}

// read reads all tables of a folder, in the order of their names.
func read(dir fs.FS) ([]mutant, error) {
	names, err := fs.Glob(dir, "*.txt")
	if err != nil {
		return nil, err
	}
	var all []mutant
	for _, name := range names {
		text, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, err
		}
		some, err := parse(name, string(text))
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// parse reads one table. doc.go says what it looks like.
func parse(name, text string) ([]mutant, error) {
	var all []mutant
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		at := fmt.Sprintf("%s:%d", name, i+1)
		if file, ok := strings.CutPrefix(line, "== "); ok {
			all = append(all, mutant{at: at, file: file})
			continue
		}
		if len(all) == 0 {
			continue // what the table says of itself
		}
		if err := all[len(all)-1].add(line); err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
	}
	for i := range all {
		if err := all[i].complete(); err != nil {
			return nil, fmt.Errorf("%s: %w", all[i].at, err)
		}
	}
	return all, nil
}

// add takes in one more line.
func (m *mutant) add(line string) error {
	if line == "" {
		return nil
	}
	if words, ok := strings.CutPrefix(line, "tests:"); ok {
		m.test(strings.Fields(words))
		return nil
	}
	if why, ok := strings.CutPrefix(line, "survives because "); ok {
		m.because = why
		return nil
	}
	switch code := line[1:] + "\n"; line[0] {
	case ' ':
		m.old, m.new = m.old+code, m.new+code
	case '-':
		m.old += code
	case '+':
		m.new += code
	default:
		if m.breaks != "" || m.old != "" {
			return fmt.Errorf("%q is a second sentence, or a line of code that does not begin with a blank, - or +", line)
		}
		m.breaks = line
	}
	return nil
}

func (m *mutant) test(words []string) {
	t := test{pkg: path.Dir(m.file)}
	if len(words) > 0 && strings.HasPrefix(words[0], "./") {
		t.pkg, words = words[0][2:], words[1:]
	}
	t.names = words
	m.tests = append(m.tests, t)
}

func (m *mutant) complete() error {
	if m.file == "" || m.breaks == "" || m.old == m.new || m.old == "" {
		return fmt.Errorf("%s lacks its file, the sentence that says what it breaks, or lines that it changes", m.file)
	}
	if len(m.tests) == 0 {
		m.test(nil)
	}
	return nil
}

// apply returns the file's text with the mutant in it, and the line it is at.
func (m *mutant) apply(text string) (string, int, error) {
	from := -1
	for i := 0; i < len(text); i += strings.IndexByte(text[i:]+"\n", '\n') + 1 { // old is whole lines
		if !strings.HasPrefix(text[i:], m.old) {
			continue
		}
		if from >= 0 {
			return "", 0, fmt.Errorf("%s: the old lines stand in %s more than once", m.at, m.file)
		}
		from = i
	}
	if from < 0 {
		return "", 0, fmt.Errorf("%s: the old lines do not stand in %s", m.at, m.file)
	}
	line := 1 + strings.Count(text[:from], "\n")
	for _, l := range strings.SplitAfter(m.old, "\n") { // context is not where it is
		if !strings.HasPrefix(m.new, l) || l == "" {
			break
		}
		line++
	}
	return text[:from] + m.new + text[from+len(m.old):], line, nil
}

// pattern is what -run takes for tests of these names; "" takes all.
func pattern(names []string) string {
	var each []string
	for _, name := range names {
		parts := strings.Split(name, "/")
		for i, p := range parts {
			parts[i] = "^" + regexp.QuoteMeta(p) + "$"
		}
		each = append(each, strings.Join(parts, "/"))
	}
	slices.Sort(each)
	return strings.Join(slices.Compact(each), "|")
}
