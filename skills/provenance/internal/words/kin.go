package words

import (
	"strings"
	"unicode"
)

// minKin is how many letters of a beginning two words of one family share, at least.
const minKin = 5

var umlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "é", "e", "è", "e", "ê", "e",
	"à", "a", "á", "a", "ç", "c", "í", "i", "ñ", "n", "ó", "o", "ú", "u", "ã", "a", "õ", "o", "ą", "a",
	"ć", "c", "ę", "e", "ł", "l", "ń", "n", "ś", "s", "ź", "z", "ż", "z", "č", "c", "ď", "d", "ě", "e", "ň", "n",
	"ř", "r", "š", "s", "ť", "t", "ů", "u", "ý", "y", "ž", "z", "å", "a", "æ", "ae", "ø", "oe", "â", "a", "î", "i",
	"ô", "o", "û", "u", "ë", "e", "ï", "i", "ş", "s", "ğ", "g", "ı", "i", "ő", "oe", "ű", "ue", "ă", "a",
	"ș", "s", "ț", "t")

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

// NamesIn are the names in an address, in small letters: those of its local part, "petra" and "holm" of
// petra.holm@club.example, and last its host's first label.
func NamesIn(address string) []string {
	local, domain, _ := strings.Cut(strings.ToLower(address), "@")
	label, _, _ := strings.Cut(domain, ".")
	return append(strings.FieldsFunc(local, func(r rune) bool { return strings.ContainsRune("._-+", r) }), label)
}
