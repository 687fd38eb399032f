package skills

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
)

// shelf is a policy with these skills for every tool.
type shelf struct {
	Policy
	skills []*Skill
}

func (s shelf) Skills(string) []*Skill { return s.skills }
func (s shelf) Len() int               { return len(s.skills) }

func TestJoin(t *testing.T) {
	book := shelf{skills: []*Skill{{Name: "b", Priority: 5}, {Name: "d"}}}
	arranged := 0
	p, err := Join(book, sexpr.DigestText("test", "x"), []*Skill{
		{Name: "a", Priority: 5, Gates: []Gate{nil}}, {Name: "c", Tools: []string{"pay"}, Gates: []Gate{nil, nil}},
	}, func([]*Skill) { arranged++ })
	require.NoError(t, err)
	names := func(tool string) (out string) {
		for _, s := range p.Skills(tool) {
			out += s.Name
		}
		return out
	}
	for range 2 {
		assert.Equal(t, "abcd", names(""))
		assert.Equal(t, "abcd", names("pay"))
		assert.Equal(t, "abd", names("mail"))
	}
	assert.Equal(t, 3, arranged, "a merge is remembered")
	for i := range 2 * maxJoined {
		p.Skills(fmt.Sprint("invented ", i))
	}
	assert.Len(t, p.(*joined).cache, maxJoined)
	assert.Equal(t, 2+3, p.Len())
	assert.Equal(t, sexpr.DigestText("test", "x"), p.Hash())
	assert.Len(t, book.skills, 2, "the book is as it was")

	_, err = Join(book, p.Hash(), []*Skill{{Name: "d"}}, nil)
	assert.ErrorContains(t, err, `there are two skills "d"`)
}
