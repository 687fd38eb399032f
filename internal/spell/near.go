// Package spell finds the name that somebody meant and misspelt.
package spell

import "strings"

// DidYouMean returns "; did you mean x?" for the name that is nearest to a
// misspelt one, or "" if none is near.
func DidYouMean(name string, known []string) string {
	if name == "" || len(name) > 128 {
		return ""
	}
	best, least := "", 1+(len(name)-1)/4
	for _, k := range known {
		if d := distance(strings.ToLower(name), strings.ToLower(k), least); d <= least && (best == "" || d < least) {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + strings.TrimSuffix(best, "?") + "?" // a name may end in one itself
}

// distance is the number of letters to insert, drop, change or swap that turn a
// into b; any number over most if it is more than that.
func distance(a, b string, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	var before, prev, row []int
	prev, row, before = make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			same := 1
			if a[i-1] == b[j-1] {
				same = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+same)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, prev, row = prev, row, before
	}
	return prev[len(b)]
}
