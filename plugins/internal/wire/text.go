package wire

import (
	"strconv"
	"strings"
)

// MaxLine is where Printable cuts, in bytes.
const MaxLine = 2000

// Printable returns s without what a terminal would act on, cut to a line.
func Printable(s string) string {
	q := strconv.Quote(strings.ToValidUTF8(Clip(s, MaxLine), "\uFFFD"))
	q = q[1 : len(q)-1]
	return strings.ReplaceAll(q, `\"`, `"`)
}

// Clip returns s, cut after n bytes where it is longer, with "..." to say so.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "..."
}
