package org

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/notes"
)

// maxLine bounds one line, in bytes: what the parser takes in one piece.
const maxLine = 60 << 10

// maxDrawer is how many lines a drawer may have. A note has fewer properties, and says so.
const maxDrawer = 4 * notes.MaxProps

var (
	headingForm  = regexp.MustCompile(`^(\*+)[ \t]+(.*)$`)
	tagsForm     = regexp.MustCompile(`(?:^|[ \t])(:[\p{L}\p{M}\p{N}_@#%:/\-]+:)[ \t]*$`)
	planningForm = regexp.MustCompile(`^[ \t]*(?:SCHEDULED|DEADLINE|CLOSED):`)
	drawerForm   = regexp.MustCompile(`(?i)^[ \t]*:PROPERTIES:[ \t]*$`)
	propertyForm = regexp.MustCompile(`^[ \t]*:[^\s:]+:(?:[ \t]|$)`)
	endForm      = regexp.MustCompile(`(?i)^[ \t]*:END:[ \t]*$`)
	settingForm  = regexp.MustCompile(`(?i)^[ \t]*#\+(TITLE|FILETAGS|TODO|SEQ_TODO|TYP_TODO):[ \t]*(.*?)[ \t]*$`)
	escapedForm  = regexp.MustCompile(`^,+\*+[ \t]`)
	starsForm    = regexp.MustCompile(`^,*\*+[ \t]`)
)

// section is a heading with the lines below it, up to the next heading. The first section of a file has
// no heading.
type section struct {
	line  int // of the heading, from 1
	level int // 0 for the first
	head  string
	body  []string
}

// split cuts a text into sections, and returns an error for a text that no note can hold as it is.
func split(name, text string) ([]section, error) {
	if len(text) > notes.MaxFile {
		err := fmt.Errorf("%d bytes: want at most %d", len(text), notes.MaxFile)
		return nil, &notes.LineError{File: name, Line: 1, Err: err}
	}
	lines := strings.Split(strings.TrimPrefix(text, "\uFEFF"), "\n")
	if n := len(lines); lines[n-1] == "" {
		lines = lines[:n-1]
	}
	out := []section{{line: 1}}
	for i, l := range lines {
		l = strings.TrimSuffix(l, "\r")
		if err := fits(l); err != nil {
			return nil, &notes.LineError{File: name, Line: i + 1, Err: err}
		}
		if m := headingForm.FindStringSubmatch(l); m != nil {
			out = append(out, section{line: i + 1, level: len(m[1]), head: strings.TrimSpace(m[2])})
			continue
		}
		at := &out[len(out)-1]
		at.body = append(at.body, l)
	}
	return out, nil
}

func fits(line string) error {
	switch {
	case len(line) > maxLine:
		return fmt.Errorf("a line of %d bytes: want at most %d", len(line), maxLine)
	case !utf8.ValidString(line):
		return errors.New("it is not UTF-8")
	case strings.ContainsAny(line, "\x00\uFEFF"):
		return errors.New("a NUL or a byte order mark")
	case strings.Contains(line, "\r"):
		return errors.New("a carriage return within the line")
	}
	return nil
}

// takeDrawer cuts a property drawer off the beginning of lines; a planning line may stand before it, and
// stays. The drawer is nil if there is none. What is long, or has other lines, is none: go-org takes very
// long to find that out.
func takeDrawer(lines []string) (drawer, rest []string) {
	at := 0
	if len(lines) > 0 && planningForm.MatchString(lines[0]) {
		at = 1
	}
	if at == len(lines) || !drawerForm.MatchString(lines[at]) {
		return nil, lines
	}
	for i := at + 1; i < len(lines); i++ {
		switch {
		case endForm.MatchString(lines[i]):
			return lines[at : i+1], append(append([]string{}, lines[:at]...), lines[i+1:]...)
		case i-at > maxDrawer || !propertyForm.MatchString(lines[i]):
			return nil, lines
		}
	}
	return nil, lines
}

// bodyOf is the text of a note: its lines without the comma that keeps stars from being a heading, and
// without empty lines at its end.
func bodyOf(lines []string) string {
	out := make([]string, len(lines))
	for i, l := range lines {
		if escapedForm.MatchString(l) {
			l = l[1:]
		}
		out[i] = l
	}
	return strings.TrimRight(strings.Join(out, "\n"), "\n")
}
