package zones

import (
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/lexicon"
	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
)

// Quoted returns where the words of others begin in a text: lines that start with >, the
// head of an earlier mail, or a heading such as "Comments". It is the text's length if none do.
func Quoted(l *lexicon.Lexicon, text string) int {
	at, ruled := 0, false
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		if strings.HasPrefix(bare, ">") || at > 0 && (strings.HasPrefix(bare, "From:") || stuckOn(l, bare)) ||
			othersHead(l, bare, ruled) {
			return at
		}
		if i := added(l, line); i >= 0 {
			return at + i
		}
		if bare != "" {
			ruled = strings.Trim(bare, "-=_*") == ""
		}
		at += len(line)
	}
	return len(text)
}

// added returns where in a line a sentence of somebody else begins, by the label before it: "Remark from the
// online form: ..."; -1 if none does. A label has at most 60 bytes.
func added(l *lexicon.Lexicon, line string) int {
	for from := 0; ; {
		i := strings.Index(line[from:], ": ")
		if i < 0 {
			return -1
		}
		end := from + i
		from = end + len(": ")
		start := max(0, end-60)
		if i := strings.LastIndex(line[start:end], ". "); i >= 0 || start == 0 {
			start += i + 1
		} else {
			continue // it is longer
		}
		if strings.Count(strings.TrimSpace(line[from:min(len(line), from+60)]), " ") < 3 {
			continue // a value, and no sentence
		}
		who := line[strings.LastIndexByte(line[:end], '(')+1 : end] // comment (portal user, 23 Nov): ...
		adder, whose := false, strings.HasSuffix(who, ")") && strings.Contains(who, ",")
		for w, n, ok := words.NextLoose(line[:end], start); ok; w, n, ok = words.NextLoose(line[:end], n) {
			adder = adder || l.Adders[w.Key]
			whose = whose || l.Whose[w.Key] || strings.HasSuffix(w.Key, "'s")
		}
		if adder && whose {
			return start
		}
	}
}

// stuckOn reports whether a line begins what somebody put under a text: with a label in brackets that says so,
// "[sticker, night desk] ...", or as a rule with words in it, and not just a page's number: "--- Fax, head office ---".
func stuckOn(l *lexicon.Lexicon, line string) bool {
	label, rest, ok := strings.Cut(strings.TrimPrefix(line, "["), "]")
	ruled := strings.HasPrefix(line, "---") && strings.HasSuffix(line, "---")
	if ruled {
		label = strings.Trim(line, "- ")
	} else if !ok || line[0] != '[' || strings.Count(strings.TrimSpace(rest), " ") < 3 {
		return false
	}
	n := 0
	for w, i, ok := words.NextLoose(label, 0); ok; w, i, ok = words.NextLoose(label, i) {
		if !ruled && l.Adders[w.Key] {
			return true
		}
		n++
	}
	return ruled && n > 3
}

// othersHead reports whether a line is a heading under which others write: one with the marks
// of a heading, or under a rule, or one that says nothing else: "Comments (2)".
func othersHead(l *lexicon.Lexicon, line string, ruled bool) bool {
	bare := strings.Trim(line, "#*=_-: ")
	if bare == "" || len(bare) > 60 {
		return false
	}
	marked, n := bare != line || ruled, 0
	for w, i, ok := words.NextLoose(bare, 0); ok; w, i, ok = words.NextLoose(bare, i) {
		other := l.Others[w.Key]
		if marked && other {
			return true
		}
		if !marked && !other && (n == 0 || strings.Trim(w.Key, "0123456789") != "") {
			return false // most lines, at their first word
		}
		n++
	}
	return !marked && n > 0
}
