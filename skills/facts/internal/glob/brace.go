package glob

import "fmt"

// Alternatives writes {a,b} out. Braces do not nest deeper than the input is
// long, and the number of texts is bounded.
func Alternatives(glob string) ([]string, error) {
	todo, done := []string{glob}, []string(nil)
	for len(todo) > 0 {
		g := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		open, parts, end := firstBrace(g)
		if open < 0 {
			done = append(done, g)
		}
		for _, p := range parts {
			todo = append(todo, g[:open]+p+g[end+1:])
		}
		if len(todo)+len(done) > MaxAlts {
			return nil, fmt.Errorf("the path pattern %q has more than %d alternatives", glob, MaxAlts)
		}
	}
	return done, nil
}

// firstBrace finds the first group in braces and what stands between its commas.
func firstBrace(g string) (open int, parts []string, end int) {
	open, depth, last := -1, 0, 0
	for i := 0; i < len(g); i++ {
		switch g[i] {
		case '\\':
			i++
		case '{':
			if depth++; depth == 1 {
				open, last = i, i+1
			}
		case ',':
			if depth == 1 {
				parts = append(parts, g[last:i])
				last = i + 1
			}
		case '}':
			if depth == 0 {
				continue
			}
			if depth--; depth == 0 {
				return open, append(parts, g[last:i]), i
			}
		}
	}
	return -1, nil, 0
}
