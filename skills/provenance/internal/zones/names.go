package zones

import (
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/lexicon"
)

// Names are the names of tools that give away a text which speaks to an agent: those
// that no other text would have, such as send_money and createIssue.
type Names struct {
	byWord map[string][]string // in small letters, by the first word
	first  [256]uint64         // how long those words are that begin with a byte, as bits
}

// NewNames returns the names among these that stand out.
func NewNames(l *lexicon.Lexicon, tools []string) *Names {
	n := &Names{byWord: map[string][]string{}}
	for _, t := range tools {
		if !StandsOut(t) {
			continue
		}
		low := strings.ToLower(t)
		if toks := l.Tokens(low); len(toks) > 0 && toks[0].Word {
			n.byWord[toks[0].Key] = append(n.byWord[toks[0].Key], low)
			n.first[toks[0].Key[0]] |= long(toks[0].Key)
		}
	}
	return n
}

// long is a bit for a length, the last for 63 and more.
func long(word string) uint64 { return 1 << min(len(word), 63) }

// StandsOut reports whether a name is long and made of several words without a space.
func StandsOut(tool string) bool {
	return len(tool) > 5 && len(lexicon.Split(tool)) > 1 && !strings.Contains(tool, " ")
}

// name is a tool's name in a text.
type name struct {
	token int
	tool  string
}

// find lists the names in a text, in order.
func (n *Names) find(text string, toks []lexicon.Token) []name {
	var out []name
	if n == nil || len(n.byWord) == 0 {
		return nil
	}
	for i := range toks {
		t := &toks[i]
		if !t.Word || n.first[t.Key[0]]&long(t.Key) == 0 {
			continue
		}
		for _, tool := range n.byWord[t.Key] {
			if end := t.Start + len(tool); end <= len(text) && strings.EqualFold(text[t.Start:end], tool) &&
				(end == len(text) || !lexicon.IsWord(text[end:])) {
				out = append(out, name{i, tool})
			}
		}
	}
	return out
}
