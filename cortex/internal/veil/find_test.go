package veil

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/opencortex-go/cortex/sexpr"
)

// What is found in a long text is remembered, so that the writer does not look again; a text that holds too much is
// hidden whole, and so is one that is a secret as a whole.
func TestALongTextIsReadBeforeTheWriterWaits(t *testing.T) {
	looks := 0
	f := newFinder(func(text string) []string {
		looks++
		if strings.HasPrefix(text, "all") {
			return []string{text}
		}
		return []string{"the-secret-one"}
	})
	v := &Veil{keys: nil, found: f}
	long := strings.Repeat("long ", longLooked)
	v.Look(sexpr.Str(long))
	assert.Zero(t, looks, "nothing is hidden without keys")
	assert.Equal(t, []string{"the-secret-one"}, f.text(long))
	assert.Equal(t, []string{"the-secret-one"}, f.text(strings.Clone(long)))
	assert.Equal(t, 1, looks)
	all := "all " + long
	assert.Equal(t, []string{all}, f.text(all))
	assert.Equal(t, []string{all}, f.text(all))
	assert.Equal(t, 2, looks)
}
