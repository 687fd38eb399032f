package speech

import (
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/lexicon"
)

// maxQuote is how many words a quotation may have and still be a value that the user gave.
const maxQuote = 12

// own parts a message into the user's own words and the texts of others in it: fenced,
// forwarded and long quoted text. In a message that carries the marks of a host or a
// transcript nothing is the user's own; foreign reports that.
func own(l *lexicon.Lexicon, text string) (words string, sources []string, foreign bool) {
	low := strings.ToLower(text)
	for _, m := range l.HostMarks {
		if strings.Contains(low, strings.ToLower(m)) {
			return "", []string{text}, true
		}
	}
	words, sources = lines(l, text)
	words, quoted := quotations(words)
	return words, append(sources, quoted...), false
}

// lines takes out what is fenced, forwarded or quoted by whole lines.
func lines(l *lexicon.Lexicon, text string) (string, []string) {
	var mine strings.Builder
	var sources []string
	all := strings.SplitAfter(text, "\n")
	for i := 0; i < len(all); {
		n, inner := block(l, all[i:])
		if n == 0 {
			mine.WriteString(all[i])
			i++
			continue
		}
		if long(inner) || !strings.HasPrefix(strings.TrimSpace(all[i]), ">") {
			sources = append(sources, inner)
			mine.WriteString("\n\n")
		} else {
			mine.WriteString(inner)
		}
		i += n
	}
	return mine.String(), sources
}

func long(s string) bool {
	return strings.Contains(strings.TrimSpace(s), "\n") || len(strings.Fields(s)) > maxQuote
}

// block returns how many of the lines are one text of others, and that text; 0 if the
// first line begins none.
func block(l *lexicon.Lexicon, all []string) (int, string) {
	first := strings.TrimSpace(all[0])
	for _, fence := range []string{"```", "~~~"} {
		if strings.HasPrefix(first, fence) {
			return fenced(all, fence)
		}
	}
	if strings.HasPrefix(first, ">") {
		var b strings.Builder
		n := 0
		for n < len(all) && strings.HasPrefix(strings.TrimSpace(all[n]), ">") {
			b.WriteString(strings.TrimLeft(strings.TrimSpace(all[n]), "> ") + "\n")
			n++
		}
		return n, strings.TrimSpace(b.String())
	}
	bare := strings.ToLower(strings.Trim(first, "-*_=: "))
	for _, f := range l.Forwarded {
		if bare == f {
			return len(all), strings.Join(all, "")
		}
	}
	if header(l, all[0]) && len(all) > 1 && header(l, all[1]) {
		return len(all), strings.Join(all, "")
	}
	return 0, ""
}

func fenced(all []string, fence string) (int, string) {
	first := strings.TrimSpace(all[0])
	if len(first) > 2*len(fence) && strings.HasSuffix(first, fence) {
		return 1, strings.TrimSuffix(strings.TrimPrefix(first, fence), fence)
	}
	for i := 1; i < len(all); i++ {
		if strings.HasPrefix(strings.TrimSpace(all[i]), fence) {
			return i + 1, strings.Join(all[1:i], "")
		}
	}
	return len(all), strings.Join(all[1:], "")
}

// header reports whether a line is one of a mail's head.
func header(l *lexicon.Lexicon, line string) bool {
	key, value, ok := strings.Cut(strings.TrimLeft(line, " \t*"), ":")
	return ok && l.Headers[strings.ToLower(strings.Trim(key, " *"))] && strings.TrimSpace(value) != ""
}

var closing = map[rune]string{'"': `"`, '“': "”", '„': "“", '«': "»", '\'': "'", '‘': "’"}

// quotations takes out quotations of more than one line or maxQuote words.
func quotations(text string) (string, []string) {
	var mine strings.Builder
	var sources []string
	from, skip := 0, 0
	unclosed := map[string]bool{}
	for i, r := range text {
		end := closing[r]
		if i < skip || end == "" || unclosed[end] || !opens(text, i) {
			continue
		}
		start := i + len(string(r))
		n := closes(text[start:], end)
		if n < 0 {
			unclosed[end] = true
			continue
		}
		if inner := text[start : start+n]; long(inner) {
			mine.WriteString(text[from:i] + "\n\n")
			sources = append(sources, inner)
			from = start + n + len(end)
		}
		skip = start + n + len(end)
	}
	return mine.String() + text[from:], sources
}

// opens reports whether a quotation mark can open one here: after a space or bracket.
func opens(text string, i int) bool {
	return i == 0 || strings.IndexByte(" \t\r\n([{:=", text[i-1]) >= 0
}

// closes finds where a quotation ends: at a mark that no letter follows.
func closes(text, end string) int {
	for at := 0; ; {
		i := strings.Index(text[at:], end)
		if i < 0 {
			return -1
		}
		at += i
		if rest := text[at+len(end):]; rest == "" || !lexicon.IsWord(rest) {
			return at
		}
		at += len(end)
	}
}
