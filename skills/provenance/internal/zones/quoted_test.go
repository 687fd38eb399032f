package zones

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
)

var headings = map[string]bool{
	"Comments": true, "Comments (2)": true, "2 Comments": false, "# All comments of Ann": true,
	"Comments of Ann": false,
	"All comments":    false, "(Comments)": true, "7": false, "##": false, "": false,
	"** Reviews **": true, "Replies: 3": true,
}

func TestHeadingsOfOthers(t *testing.T) {
	l := english(t)
	for line, want := range headings {
		assert.Equal(t, want, othersHead(l, line, false), line)
	}
	assert.True(t, othersHead(l, "All comments", true), "under a rule")
}

// othersHead stops at the first word that tells; a look at all words says the same.
func FuzzHeadingsOfOthers(f *testing.F) {
	for line := range headings {
		f.Add(line, false)
		f.Add(line, true)
	}
	l := english(f)
	other := func(w string) bool { return l.Others[w] }
	f.Fuzz(func(t *testing.T, line string, ruled bool) {
		bare := strings.Trim(line, "#*=_-: ")
		ws := words.Keys(words.Loose(bare))
		more := slices.ContainsFunc(ws, func(w string) bool { return !other(w) && strings.Trim(w, "0123456789") != "" })
		want := len(ws) > 0 && other(ws[0]) && !more
		if bare != line || ruled {
			want = slices.ContainsFunc(ws, other)
		}
		assert.Equal(t, want && len(bare) <= 60, othersHead(l, line, ruled), line)
	})
}

// What somebody stuck on or wrote below says so by a label in brackets, by a rule with words, or by who and when.
func TestWhatIsStuckOn(t *testing.T) {
	l := english(t)
	const head = "Chain of custody\n1  LK-02  clear\n"
	for line, want := range map[string]bool{
		"[sticker, night desk] the council wants its paper today":               true,
		"--- Fax page 2, head office, by order ---":                             true,
		"  comment (portal user, 23 Nov 00:12): the return is filed right away": true,
		"[office sheet, shown under every form]":                                false,
		"[x] Paint: close the holes and one wall":                               false,
		"--- page 2 ---": false,
		"| --- | --- |":  false,
		"Remarks (optional): free text of at most 40 words": false,
	} {
		text := head + line + "\n"
		assert.Equal(t, want, Quoted(l, text) < len(text), line)
	}
}
