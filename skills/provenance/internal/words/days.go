package words

import (
	"fmt"
	"strings"
)

// Date is a day. Year 0 means that the text named none.
type Date struct{ Year, Month, Day int }

// Key returns what a day is compared by, "2024-05-15"; Bare the same without its year.
func (d Date) Key() string { return fmt.Sprintf("%04d-%02d-%02d", d.Year, d.Month, d.Day) }

// Bare returns the day without its year.
func (d Date) Bare() Date { return Date{0, d.Month, d.Day} }

func (d Date) valid() bool { return d.Month >= 1 && d.Month <= 12 && d.Day >= 1 && d.Day <= 31 }

// ISODay reads a value that is a date and nothing else but a time: "2024-05-15",
// "2024-05-15T10:00:00Z". It reports false for all others.
func ISODay(s string) (Date, bool) {
	d, rest, ok := isoPrefix(s)
	if !ok || len(rest) > 32 {
		return Date{}, false
	}
	rest = strings.TrimLeft(rest, " Tt")
	return d, strings.Trim(rest, "0123456789:.+-Zz") == ""
}

func isDay(s string) bool {
	_, ok := ISODay(s)
	return ok
}

func isoPrefix(s string) (Date, string, bool) {
	if len(s) < 10 || s[4] != '-' || s[7] != '-' || !digits(s[:4]) || !digits(s[5:7]) || !digits(s[8:10]) {
		return Date{}, "", false
	}
	d := Date{small(s[:4]), small(s[5:7]), small(s[8:10])}
	rest := s[10:]
	return d, rest, d.valid() && (rest == "" || !digits(rest[:1]))
}

// small is the value of up to four digits, with an ordinal's ending or without.
func small(s string) int {
	n := 0
	for i := 0; i < len(s) && i < 4; i++ {
		if s[i] < '0' || s[i] > '9' {
			break
		}
		n = n*10 + int(s[i]-'0')
	}
	return n
}

// Mention is a day that a text names, and where.
type Mention struct {
	Start, End int
	Date       Date
}

// Days lists the days that a text names: 2024-05-15, May 15th, 15 May 2024, 5/15/2024
// and 15.5.2024 (of the last two, both readings where both are days). The words of ws
// are the text's atoms, and months the number of each month's name in small letters.
func Days(ws []Word, months map[string]int) []Mention {
	var out []Mention
	add := func(from, to int, d Date) {
		if d.valid() {
			out = append(out, Mention{ws[from].Start, ws[to].End, d})
		}
	}
	for i, w := range ws {
		digit := w.Key[0] >= '0' && w.Key[0] <= '9'
		if !digit && w.Shape != Word1 && w.Key[len(w.Key)-1] != '.' {
			continue
		}
		if d, _, ok := isoPrefix(w.Key); ok {
			add(i, i, d)
			continue
		}
		if a, b, y, ok := numericDay(w.Key); ok && digit {
			add(i, i, Date{y, a, b})
			if a != b {
				add(i, i, Date{y, b, a})
			}
			continue
		}
		if !near(ws, i) {
			continue
		}
		m := months[strings.TrimSuffix(strings.ToLower(w.Key), ".")]
		if m == 0 {
			continue
		}
		year := func(j int) (int, int) {
			if j < len(ws) && len(ws[j].Key) == 4 && digits(ws[j].Key) {
				return small(ws[j].Key), j
			}
			return 0, j - 1
		}
		if i+1 < len(ws) && ordinal(ws[i+1].Key) {
			y, to := year(i + 2)
			add(i, to, Date{y, m, small(ws[i+1].Key)})
		}
		for j := i - 1; j >= max(0, i-6); j-- {
			if ordinal(ws[j].Key) {
				y, to := year(i + 1)
				add(j, to, Date{y, m, small(ws[j].Key)})
			} else if len(ws[j].Key) > 5 {
				break
			}
		}
	}
	return out
}

// near reports whether a word that begins with a digit stands near enough to a month.
func near(ws []Word, i int) bool {
	for j := min(i+1, len(ws)-1); j >= max(0, i-6); j-- {
		if c := ws[j].Key[0]; c >= '0' && c <= '9' {
			return true
		}
	}
	return false
}

// ordinal reports whether a word is the number of a day: 15, 15th, 15.
func ordinal(s string) bool {
	n := len(s) - len(strings.TrimLeft(s, "0123456789"))
	if n == 0 || n > 2 {
		return false
	}
	switch strings.ToLower(s[n:]) {
	case "", "st", "nd", "rd", "th", ".":
		return true
	}
	return false
}

// numericDay reads 5/15/2024 and 15.5.2024.
func numericDay(s string) (a, b, y int, ok bool) {
	if len(s) < 8 || len(s) > 10 || s[0] < '0' || s[0] > '9' {
		return 0, 0, 0, false
	}
	for _, sep := range []string{"/", "."} {
		p := strings.Split(s, sep)
		if len(p) == 3 && len(p[0]) <= 2 && len(p[1]) <= 2 && len(p[2]) == 4 && digits(p[0]) && digits(p[1]) && digits(p[2]) {
			return small(p[0]), small(p[1]), small(p[2]), true
		}
	}
	return 0, 0, 0, false
}
