package card

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Visible returns text in a form that a person can trust: quoted, on one line, with
// misleading characters written as \u{HEX}. Those are controls, characters that
// reorder, join, hide or blank, compatibility forms of others, and letters that look
// like those of another script: foreign ones within a word, and words of look-alikes
// only. Ordinary words of the world's scripts stay readable.
func Visible(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	rtl := false
	for len(text) > 0 {
		word := leadingWord(text)
		if word == "" {
			r, n := utf8.DecodeRuneInString(text)
			single(&b, r, n)
			text = text[n:]
			continue
		}
		rtl = spell(&b, word) || rtl
		text = text[len(word):]
	}
	b.WriteByte('"')
	if rtl {
		// Right-to-left text stays inside its quotation marks.
		return "\u2068" + b.String() + "\u2069"
	}
	return b.String()
}

// Plain makes untrusted text safe to show. Characters other than visible ones, line
// breaks and tabs are written as \u{HEX}, so that the text cannot control a terminal
// or reorder other text. The marks of [Visible] stay unchanged. All output of the
// program, the REPL and the editors for people goes through Plain; output for
// programs does not.
func Plain(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			b.WriteRune(utf8.RuneError)
		case r == '\n', r == '\t', unicode.IsPrint(r):
			b.WriteString(text[i : i+n])
		case r == apart:
			if n = setApart(text[i:]); n > 0 {
				b.WriteString(text[i : i+n])
				break
			}
			n = utf8.RuneLen(r)
			escape(&b, r)
		default:
			escape(&b, r)
		}
		i += n
	}
	return b.String()
}

// apart begins a part that Visible isolates, and togetherAgain ends it.
const (
	apart         = '\u2068'
	togetherAgain = '\u2069'
)

// setApart is the length, in bytes, of the isolated part at the beginning of text,
// marks included; 0 if Visible did not write it.
func setApart(text string) int {
	begin := len(string(apart))
	for i, r := range text[begin:] {
		switch {
		case r == togetherAgain && i > 1 && text[begin] == '"' && text[begin+i-1] == '"':
			return begin + i + len(string(togetherAgain))
		case !unicode.IsPrint(r):
			return 0
		}
	}
	return 0
}

// leadingWord is the run of letters and marks at the beginning of text.
func leadingWord(text string) string {
	for i, r := range text {
		if r == utf8.RuneError || !unicode.In(r, unicode.L, unicode.M) {
			return text[:i]
		}
	}
	return text
}

// single writes a character that is not a letter.
func single(b *strings.Builder, r rune, n int) {
	switch {
	case r == utf8.RuneError && n == 1:
		b.WriteString(`\u{fffd}`)
	case r == '"', r == '\\':
		b.WriteByte('\\')
		b.WriteRune(r)
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\r':
		b.WriteString(`\r`)
	case r == '\t':
		b.WriteString(`\t`)
	case ' ' <= r && r <= '~', plain(r):
		b.WriteRune(r)
	default:
		escape(b, r)
	}
}

func escape(b *strings.Builder, r rune) { fmt.Fprintf(b, `\u{%x}`, r) }

// blank are characters that draw nothing and that Unicode calls symbols.
const blank = '\u2800'

// plain reports whether a character beyond ASCII shows as itself.
func plain(r rune) bool {
	return unicode.IsGraphic(r) && !unicode.IsSpace(r) && r != blank &&
		!unicode.In(r, unicode.Cf, unicode.Z, unicode.Co, unicode.Other_Default_Ignorable_Code_Point,
			unicode.Variation_Selector) &&
		norm.NFKC.IsNormalString(string(r))
}

// spell writes a word and reports whether it has right-to-left letters.
func spell(b *strings.Builder, word string) (rtl bool) {
	scripts := map[string]bool{}
	alike := true
	for _, r := range word {
		if s := scriptOf(r); s != "" {
			scripts[s] = true
		}
		alike = alike && strings.ContainsRune(lookAlikes, r)
	}
	mixed := scripts["Latin"] && len(scripts) > 1
	marks := 0
	for _, r := range word {
		s := scriptOf(r)
		if unicode.Is(unicode.M, r) {
			marks++
		} else {
			marks = 0
		}
		switch {
		case r <= '~':
			b.WriteRune(r)
		case !plain(r), s == "" && !unicode.Is(unicode.M, r), alike, mixed && s != "Latin", marks > 2:
			escape(b, r)
		case s == "Latin" && !western(r):
			escape(b, r)
		default:
			b.WriteRune(r)
			rtl = rtl || s == "Arabic" || s == "Hebrew"
		}
	}
	return rtl
}

// readable are the scripts whose words are shown. Letters of other scripts, many of
// which look like Latin ones, are escaped.
var readable = []string{
	"Latin", "Cyrillic", "Greek", "Armenian", "Georgian", "Hebrew", "Arabic", "Devanagari", "Bengali", "Gurmukhi",
	"Gujarati", "Tamil", "Telugu",
	"Kannada", "Malayalam", "Sinhala", "Thai", "Lao", "Khmer", "Myanmar", "Tibetan", "Ethiopic", "Hangul", "Hiragana",
	"Katakana", "Han", "Bopomofo",
}

// scriptOf returns the script of a letter; "" for a letter that is escaped, and for
// marks, which belong to the letter before them.
func scriptOf(r rune) string {
	if r <= '~' {
		if 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' {
			return "Latin"
		}
		return ""
	}
	for _, s := range readable {
		if unicode.Is(unicode.Scripts[s], r) {
			return s
		}
	}
	return ""
}

// western reports whether a Latin letter beyond ASCII belongs to an alphabet in
// use: an ASCII letter with marks, or one of a few others. Phonetic and small
// capital letters do not count: they look like ASCII ones.
func western(r rune) bool {
	base, _ := utf8.DecodeRuneInString(norm.NFD.String(string(r)))
	return base <= '~' || strings.ContainsRune("ßæøœðþłđħŋÆØŒÐÞŁĐĦŊ", r)
}

// lookAlikes are the Cyrillic, Greek and Armenian letters that are drawn like
// letters of the Latin alphabet (after Unicode Technical Standard 39).
const lookAlikes = "асеорхуѕіјһԁԛԝӏкмтвнгпԍԌүҮӀАВСЕНІЈКМОРЅТХУԚԜҺ" +
	"οναικρτυχωηγΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϳͿ" +
	"աոսօզցւհյՕՍԼՏ"
