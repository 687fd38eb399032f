package origin

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/provenance"
)

// The sizes of evidence: how many values it names, and how many characters of a text it
// quotes.
const (
	maxNamed  = 2
	maxQuoted = 90
	maxPlace  = 40
)

// Evidence says to people, a sentence a line, what in the session makes a clause ask that
// rests on origin: the directive that asks for the action, the place of each value that
// the user did not give, and what would have made the question unnecessary. It is "" if
// nothing is known, and if no condition has asked about the case's action yet.
//
// It quotes texts that others wrote, in “ ”, cut to 90 characters, on one line and without
// control characters. What shows it must still treat it as a text of others.
func Evidence(c *skills.Case) string {
	v, ok := c.Shared(viewKey).(*provenance.View)
	if !ok {
		return ""
	}
	var lines []string
	if n, at, err := v.Commanded(provenance.ByAny); err == nil && n > 0 {
		lines = append(lines, "this asks for it: "+seen(at))
	}
	var given []string
	for _, a := range v.Arguments(nil) {
		if a.Err != nil || a.Origin <= provenance.Trusted || a.Role == provenance.Content || len(given) == maxNamed {
			continue
		}
		switch name := quote(a.Path, maxPlace); {
		case a.Origin >= provenance.Prose:
			lines = append(lines, name+" stands here: "+seen(a.Where))
			given = append(given, name)
		case a.Strong && a.Origin != provenance.Record:
			lines = append(lines, name+" stands nowhere that could be read")
			given = append(given, name)
		}
	}
	if without := unneeded(v, given); without != "" {
		lines = append(lines, "there would be no such question if the user had "+without)
	}
	return strings.Join(lines, "\n")
}

// unneeded is what the user could have said for the question not to come; "" if that
// is not known.
func unneeded(v *provenance.View, given []string) string {
	var out []string
	if len(given) > 0 {
		out = append(out, "given "+strings.Join(given, " and ")+" in the task")
	}
	fit, err := v.Fit()
	if err == nil && (fit < 1 || fit < 2 && len(given) == 0) {
		out = append(out, "asked for this kind of action")
	}
	return strings.Join(out, " and ")
}

// seen is a place and what stands there: field “body” of item 2 of what “read_mail”
// returned (record 17): “...”.
func seen(at provenance.Where) string {
	var parts []string
	if at.Key != "" {
		parts = append(parts, "field "+quote(at.Key, maxPlace))
	}
	if at.Record > 0 {
		parts = append(parts, fmt.Sprintf("item %d", at.Record))
	}
	if at.Tool != "" {
		parts = append(parts, "what "+quote(at.Tool, maxPlace)+" returned")
	}
	place := strings.Join(parts, " of ")
	if at.Ref > 0 {
		place += fmt.Sprintf(" (record %d)", at.Ref)
	}
	return strings.TrimSpace(place) + ": " + quote(at.Text, maxQuoted)
}

// quote puts a text of others between marks that it cannot close, on one line.
func quote(text string, most int) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r == '“' || r == '”' || r == '„' || r == '"':
			return '\''
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, text)
	if r := []rune(clean); len(r) > most {
		clean = string(r[:most]) + "..."
	}
	return "“" + clean + "”"
}
