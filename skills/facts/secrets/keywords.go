package secrets

import "strings"

// keywords finds which rules may match a text at all, in one pass: at each place
// the next two bytes lead to the few keywords that begin with them.
type keywords struct {
	group  [1 << 16]uint16 // two bytes -> index in groups; 0 is none
	groups [][]keyword
	always []int // rules without keywords
}

type keyword struct {
	text  string
	rules []int
}

func newKeywords(rules []*rule) *keywords {
	k := &keywords{groups: [][]keyword{nil}}
	for i, r := range rules {
		if len(r.keywords) == 0 {
			k.always = append(k.always, i)
		}
		for _, w := range r.keywords {
			k.add(w, i)
		}
	}
	return k
}

// add files a keyword; one shorter than two bytes would be in no group, so its
// rule always runs.
func (k *keywords) add(text string, rule int) {
	if len(text) < 2 {
		k.always = append(k.always, rule)
		return
	}
	g := &k.group[pair(text)]
	if *g == 0 {
		*g = uint16(len(k.groups))
		k.groups = append(k.groups, nil)
	}
	group := k.groups[*g]
	for i := range group {
		if group[i].text == text {
			group[i].rules = append(group[i].rules, rule)
			return
		}
	}
	k.groups[*g] = append(group, keyword{text, []int{rule}})
}

func pair(s string) int { return int(s[0])<<8 | int(s[1]) }

// in marks the rules that may match a lower-case text.
func (k *keywords) in(lower string, marks []bool) {
	for _, r := range k.always {
		marks[r] = true
	}
	for i := 0; i+1 < len(lower); i++ {
		g := k.group[pair(lower[i:])]
		if g == 0 {
			continue
		}
		for _, w := range k.groups[g] {
			if strings.HasPrefix(lower[i:], w.text) {
				for _, r := range w.rules {
					marks[r] = true
				}
			}
		}
	}
}
