package secrets

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/opencortex-go/cortex/internal/canary"
)

// A finder lists a credential as it stands in a text, and leaves the rest: a whole private key as well ends where it
// ends.
func TestFinderLeavesTheRest(t *testing.T) {
	find := NewFinder()
	for _, secret := range canary.Texts(1, 14) {
		text := "the release waits for " + secret + "\nand for the words behind it"
		found := find(text)
		assert.NotEmpty(t, found, secret)
		rest := text
		for _, x := range found {
			rest = strings.ReplaceAll(rest, x, "")
		}
		assert.Contains(t, rest, "the release waits for")
		assert.Contains(t, rest, "and for the words behind it", secret)
	}
	assert.Empty(t, find("the release waits for the words behind it"))
}
