package words

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// NFKC folds the compatibility forms of a text: full-width letters, ligatures. It is
// for the user's text, never for an argument.
func NFKC(s string) string {
	if ascii(s) {
		return s
	}
	return norm.NFKC.String(s)
}

// Skeleton folds what looks alike into one spelling, in small letters, and drops what
// is not seen. It is for finding what lowers an origin.
func Skeleton(s string) string {
	if ascii(s) {
		return strings.ToLower(s)
	}
	return strings.Map(alike, strings.ToLower(norm.NFKC.String(strings.Map(alike, s))))
}

// Twin is Skeleton for single values: it also folds the digits and pairs of letters
// that look like other letters, as paypa1 and rnicrosoft do.
func Twin(s string) string {
	s = Skeleton(s)
	if !strings.ContainsFunc(s, unicode.IsLetter) {
		return s
	}
	return twins.Replace(s)
}

var twins = strings.NewReplacer("0", "o", "1", "l", "i", "l", "|", "l", "rn", "m", "vv", "w")

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// alike maps a character to the ASCII one that it looks like; -1 drops it.
func alike(r rune) rune {
	switch {
	case r < utf8.RuneSelf:
		return r
	case unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Mn, r) || r == '\u115f' || r == '\u1160' || r == '\u3164':
		return -1
	case unicode.Is(unicode.Pd, r):
		return '-'
	case unicode.IsSpace(r):
		return ' '
	}
	if to, ok := lookalikes[r]; ok {
		return to
	}
	return r
}

// lookalikes are the letters of other scripts that a reader takes for ASCII ones.
var lookalikes = pairs(
	"аa ӓa ɑa αa ӕa ьb Ьb ЬB ВB вb сc ϲc ⅽc СC ԁd ⅾd ɗd еe ёe ҽe εe ЕE ϝf ƒf ɡg ցg һh հh ңh НH ΗH іi їi ɩi ιi ӏl ΙI ІI " +
		"ӀI ⅼl ǀl ןl јj ϳj ЈJ " +
		"кk κk ΚK КK мm ΜM МM ոn пn ηn ΝN оo οo օo ഠo ०0 ০0 ΟO ОO рp ρp ⍴p ΡP РP ԛq զq гr ᴦr ѕs ꜱs ЅS тt τt ΤT ТT ցg υu սu " +
		"ᴜu νv ѵv ᴠv ԝw ѡw шw ᴡw " +
		"хx χx ΧX ХX уy үy γy ʏy ΥY УY ᴢz ζz ΖZ ΑA АA ΒB ΕE ƅb ʙb ᴄc ᴅd ᴇe ꞓe ɢg ʜh ɪi ᴊj ᴋk ʟl ᴍm ɴn ᴏo ᴘp ʀr ᴛt ıi ȷj łl " +
		"øo đd ħh ŧt " +
		"∕/ ⁄/ ⧸/ ╱/ ․. ‧. ･. 。. ．. ∶: ꞉: ﹕: ＠@ ﹫@ ˗- ٠0 ۰0 Ο0 ‚, ٫, ＿_ ﹍_ ′' ʼ' ’' ‘' ˈ' ＂\" “\" ”\" ∖\\ ⟋/ ѳo ѻo ԍg ԋh զq")

func pairs(s string) map[rune]rune {
	out := map[rune]rune{}
	for _, p := range strings.Fields(s) {
		from, n := utf8.DecodeRuneInString(p)
		to, _ := utf8.DecodeRuneInString(p[n:])
		if _, dup := out[from]; !dup {
			out[from] = to
		}
	}
	return out
}
