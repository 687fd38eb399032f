package skills

import (
	"fmt"
	"slices"
	"sync"

	"github.com/opencortex-go/cortex/sexpr"
)

// Join returns the policy of book with more skills between its own, by priority and
// then by name, under a hash of its own. A skill without Tools judges actions on every
// tool. A name that two skills have is an error. After each merge arrange may replace
// skills in the merged list; nil changes nothing.
func Join(book Policy, hash sexpr.Digest, more []*Skill, arrange func([]*Skill)) (Policy, error) {
	taken := map[string]bool{}
	for _, s := range slices.Concat(book.Skills(""), more) {
		if taken[s.Name] {
			return nil, fmt.Errorf("there are two skills %q: names are unique over rule files, plugins and gates in Go",
				s.Name)
		}
		taken[s.Name] = true
	}
	return &joined{Policy: book, hash: hash, more: more, arrange: arrange, cache: map[string][]*Skill{}}, nil
}

// joined is a policy with further skills.
type joined struct {
	Policy  // all else is the book's
	hash    sexpr.Digest
	more    []*Skill
	arrange func([]*Skill)

	mu    sync.Mutex
	cache map[string][]*Skill // by tool
}

// maxJoined bounds how many tools a policy remembers its skills for: models choose the
// names of undeclared tools.
const maxJoined = 256

// Under implements [Layered].
func (j *joined) Under() Policy { return j.Policy }

// Hash names the book and all that was joined to it.
func (j *joined) Hash() sexpr.Digest { return j.hash }

// Len counts the gates of both.
func (j *joined) Len() int {
	n := j.Policy.Len()
	for _, s := range j.more {
		n += len(s.Gates)
	}
	return n
}

// Skills merges both.
func (j *joined) Skills(tool string) []*Skill {
	j.mu.Lock()
	defer j.mu.Unlock()
	if known, ok := j.cache[tool]; ok {
		return known
	}
	all := slices.Clone(j.Policy.Skills(tool))
	for _, s := range j.more {
		if len(s.Tools) == 0 || tool == "" || slices.Contains(s.Tools, tool) {
			all = append(all, s)
		}
	}
	Sort(all)
	if j.arrange != nil {
		j.arrange(all)
	}
	if len(j.cache) < maxJoined {
		j.cache[tool] = all
	}
	return all
}
