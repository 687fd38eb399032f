package zones

import (
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/lexicon"
)

// segments cuts the tokens where a sentence ends, at line breaks, tags and dashes, and where
// the title of a link or the value of an attribute begins. It appends to out, which is empty.
func (s *scan) segments(out []span) []span {
	out = slices.Grow(out, len(s.toks)/16)
	at := span{}
	for i := range s.toks {
		if i > at.from && s.opens(i) {
			at.to = i
			out = append(out, at)
			at = span{from: i}
		}
		at.begins |= s.toks[i].Begins
	}
	at.to = len(s.toks)
	return append(out, at)
}

// opens reports whether a segment begins with a token.
func (s *scan) opens(i int) bool {
	t := &s.toks[i]
	if t.Word && !t.Line && i > 0 && s.toks[i-1].Word {
		return false // most words; all below is about marks and lines
	}
	switch {
	case t.Line, t.Key == "<" && t.Spaced:
		return true
	case i > 0 && t.Spaced && endsSegment(s.toks[i-1].Key), i > 0 && s.toks[i-1].Key == ">":
		return true
	case t.Key == "-" && t.Spaced && i+1 < len(s.toks) && s.toks[i+1].Spaced, t.Key == "•":
		return true
	}
	return t.Key == `"` && opensTitle(s.text[:t.Start])
}

// opensTitle reports whether a quote behind this text opens the title of a Markdown link, as
// in [more](/page "title"), or the value of an attribute, as in title="...".
func opensTitle(before string) bool {
	if strings.HasSuffix(before, "=") {
		return true
	}
	link := strings.TrimRight(before, " ")
	if len(link) == len(before) {
		return false
	}
	return strings.Contains(link[strings.LastIndexAny(link, " )\n")+1:], "](")
}

func endsSegment(key string) bool {
	switch key {
	case ".", "!", "?", ";", ":":
		return true
	}
	return false
}

// directive returns the first token of the first segment with a directive, or -1.
func (s *scan) directive() int {
	for _, sg := range s.segs {
		if len(s.verbs(sg)) > 0 {
			return sg.from
		}
	}
	return -1
}

// verbs lists the verbs by which a segment tells its reader to act.
func (s *scan) verbs(sg span) []string {
	const may = lexicon.IsCommand | lexicon.InSubordinators | lexicon.InCalls | lexicon.InModals | lexicon.InPassives
	if sg.begins&may == 0 {
		return nil
	}
	var room [32]string // enough for most sentences
	toks, ws := s.toks[sg.from:sg.to], s.r.Keys(room[:0], sg.from, sg.to)
	var out []string
	add := func(v string) {
		if s.l.Commands(v) {
			out = append(out, v)
		}
	}
	i := s.skip(toks, ws)
	if i < len(ws) && toks[i].Word && toks[i].Begins&lexicon.IsCommand != 0 && i+1 < len(ws) && !s.noun(ws[i+1:]) &&
		!s.dotted(toks[i+1:]) {
		out = append(out, ws[i])
	}
	if n := begun(&s.l.Subordinators, lexicon.InSubordinators, toks, ws, i); n > 0 {
		if j := comma(ws, i+n); j > 0 {
			add(at(ws, s.aside(ws, j+1)))
		}
	}
	for i := range toks {
		if toks[i].Begins&(lexicon.InCalls|lexicon.InModals|lexicon.InPassives) != 0 {
			out = s.asked(out, toks, ws, i)
		}
	}
	if len(out) == 0 {
		return nil
	}
	for i := range toks { // what is joined to it
		if toks[i].Begins&lexicon.IsJoin != 0 {
			add(at(ws, s.aside(ws, i+1)))
		}
	}
	return out
}

// begun returns how many words a pattern covers from word i on, or 0. Most words begin none.
func begun(p *lexicon.Patterns, begins lexicon.Begins, toks []lexicon.Token, ws []string, i int) int {
	if i >= len(toks) || toks[i].Begins&begins == 0 {
		return 0
	}
	return p.At(ws[i:])
}

// asked appends the verbs that a call, a modal or a passive at word i asks for.
func (s *scan) asked(out []string, toks []lexicon.Token, ws []string, i int) []string {
	if n := begun(&s.l.Calls, lexicon.InCalls, toks, ws, i); n > 0 {
		if v := at(ws, s.aside(ws, i+n)); s.l.Commands(v) {
			out = append(out, v)
		}
	}
	if n := begun(&s.l.Modals, lexicon.InModals, toks, ws, i); n > 0 {
		if v := at(ws, s.aside(ws, i+n)); !s.l.Soft[v] && s.l.Commands(v) {
			out = append(out, v)
		}
	}
	if n := begun(&s.l.Passives, lexicon.InPassives, toks, ws, i); n > 0 {
		if v := s.l.Base(at(ws, s.aside(ws, i+n))); v != "" && !s.l.Soft[v] {
			out = append(out, v)
		}
	}
	return out
}

// skip passes what may stand before an imperative.
func (s *scan) skip(toks []lexicon.Token, ws []string) int {
	i := 0
	for range 24 {
		if i >= len(ws) {
			return i
		}
		n := begun(&s.l.Fillers, lexicon.InFillers, toks, ws, i)
		if n == 0 && !lexicon.IsWord(ws[i]) {
			n = 1
		}
		if n == 0 {
			return i
		}
		i += n
	}
	return i
}

// aside passes words such as "also" and "then".
func (s *scan) aside(ws []string, i int) int {
	for i < len(ws) && s.l.Asides[ws[i]] && i+1 < len(ws) {
		i++
	}
	return i
}

func at(ws []string, i int) string {
	if i >= 0 && i < len(ws) {
		return ws[i]
	}
	return ""
}

// comma finds the comma that ends a subordinate clause.
func comma(ws []string, from int) int {
	for i := from + 1; i < len(ws) && i < from+24; i++ {
		switch ws[i] {
		case ",":
			return i
		case ";":
			return -1
		}
	}
	return -1
}

// dotted reports whether what follows a verb makes it the first part of a name in the first cell of a row:
// "lock.cellar   locked".
func (s *scan) dotted(after []lexicon.Token) bool {
	if len(after) < 2 || after[0].Key != "." || after[0].Spaced || after[1].Spaced || !after[1].Word {
		return false
	}
	rest := s.text[after[1].End:]
	return strings.HasPrefix(rest, "  ") || strings.HasPrefix(rest, "\t")
}

// noun reports whether what follows a verb shows that it is a noun: "order of", "Note:".
func (s *scan) noun(after []string) bool {
	switch after[0] {
	case ":", "#", "=", ")", ",":
		return true
	}
	if s.l.NotAfter[after[0]] {
		return true
	}
	if c := after[0][0]; c < '0' || c > '9' {
		return false
	}
	if len(after) == 1 {
		return true
	}
	switch after[1] {
	case ".", ",", ";", ":", "(", ")", "-", "is", "was", "has", "have", "will":
		return true
	}
	return false
}
