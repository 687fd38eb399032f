package recap

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Notes that are short are many, and what stands between them counts as well.
func TestT72_ManyShortNotes(t *testing.T) {
	var all []string
	for i := range 3000 {
		all = append(all, fmt.Sprint("note ", 2999-i))
	}
	for _, room := range []int{200, 1000, 20000} {
		text := pack("**HEAD**", slices.Values(all), room)
		assert.LessOrEqual(t, len(text), room)
		assert.Greater(t, len(text), room-80)
		assert.Contains(t, text, fmt.Sprintf("not shown: %d.", 3000-strings.Count(text, "note ")))
	}
	assert.Empty(t, pack("**HEAD**", slices.Values([]string{}), 1000))
}

func TestANameStandsAsAWord(t *testing.T) {
	for text, want := range map[string]bool{"call probe()": true, "probe": true, "`probe`, again": true, "aprobe": false,
		"probe2 then probe": true, "probe_x": false, "éprobe": false, "": false} {
		assert.Equal(t, want, mentions(text, "probe"), text)
	}
}
