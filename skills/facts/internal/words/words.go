// Package words makes sets of words from text, for the tables of package facts.
package words

import "strings"

// Of makes a set of the words in s.
func Of(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}
