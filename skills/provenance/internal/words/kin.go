package words

import (
	"strings"
	"unicode"
)

// minKin is how many letters of a beginning two words of one family share, at least.
const minKin = 5

var umlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "é", "e", "è", "e", "ê", "e",
	"à", "a", "á", "a", "ç", "c", "í", "i", "ñ", "n", "ó", "o", "ú", "u", "ã", "a", "õ", "o", "ą", "a",
	"ć", "c", "ę", "e", "ł", "l", "ń", "n", "ś", "s", "ź", "z", "ż", "z")

// Kin reports whether two words in small letters are of one family by how they begin: "inspection" and
// "inspector", "maengel" and "Mängelliste". Words of less than five letters have none but themselves.
func Kin(a, b string) bool {
	if a != "" && b != "" && a[0] != b[0] && a[0] < 0x80 && b[0] < 0x80 {
		return false // most words, and no fold makes their first letters the same
	}
	x, y := []rune(umlauts.Replace(a)), []rune(umlauts.Replace(b))
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return n >= minKin || n == len(x) && n == len(y) || n >= 4 && (n == len(x) || n == len(y)) && len(x)+len(y)-2*n <= 1
}

// Runs cuts a name such as "bed6-discharge.txt" into its runs of letters, folded as words are.
func Runs(name string) []string {
	return strings.FieldsFunc(Skeleton(name), func(r rune) bool { return !unicode.IsLetter(r) })
}
