package speech

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// What ties work to a text hands the task over, whatever the verb; what only reads, compares, or
// names a text that does not stand anywhere yet, does not.
func TestWorkIsTiedToASource(t *testing.T) {
	l := english(t)
	sources := map[string]bool{l.Stem("recipe"): true, l.Stem("docket"): true}
	for text, want := range map[string]bool{
		"Rig the tent per their checklist":                             true,
		"Prime the pump following procedure 7b":                        true,
		"Walk it down the garden list, thanks":                         true,
		"Can you shepherd this through Noor's handbook page":           true,
		"Pls see to the hall as noted in the letter":                   true,
		"Glaze the pots the way the kiln sheet has it":                 true,
		"Would you square away whatever Omar jotted on the note":       true,
		"Sort out everything she's put on the list":                    true,
		"Could you actuate Lea's docket 12":                            true,
		"Square the docket with the bank":                              true,
		"Sail the boat through all of it. The guide is on the wiki":    true,
		"Apply the corrections that Noor suggests on the list":         true,
		"Ida's list hangs in the barn. Log the lot":                    true,
		"Lea's docket is in, so whatever she wants changed, see to it": true,
		"A bit on the list is odd, can you take care of that":          true,

		"Tell me what she wants changed in the docket":      false,
		"Apply the corrections we suggested on the list":    false,
		"Log the whole lot, and the lamp":                   false,
		"Look through the checklist":                        false,
		"Tell me what Omar put on the note":                 false,
		"What did she put on the list?":                     false,
		"I like the page on boats":                          false,
		"As I wrote on the list, go ahead":                  false,
		"Send it by mail":                                   false,
		"Draft a checklist":                                 false,
		"Could you actuate a docket":                        false,
		"Invite the same people as the other list on May 3": false,
		"Open the page made by the team's handbook":         false,
		"Water the roses as needed. The list is long":       false,
		"Copy all PDF files to the stick":                   false,
		"Never rig it per their checklist":                  false,
		"What's a good summary of my dockets":               false,
	} {
		s := Read(l, sources, text)
		s.Settle(l, sources, false)
		assert.Equal(t, want, len(s.Delegations) > 0, text)
	}
}

// A tool's word for what it reads is a kind of source only where the session has such a tool.
func TestSourcesOfTheSession(t *testing.T) {
	l := english(t)
	assert.Empty(t, Read(l, nil, "Could you actuate Lea's docket 12").Delegations)
	assert.NotEmpty(t, Read(l, map[string]bool{l.Stem("docket"): true}, "Could you actuate Lea's docket 12").Delegations)
}

// A sentence that names its source by nothing of its own means one that was named before.
func TestSentencesThatMeanASourceNamedBefore(t *testing.T) {
	l := english(t)
	for text, want := range map[string]bool{
		"Rig the tent per their checklist":             true,
		"Prime the pump following procedure 7b":        false,
		"Rig the tent per the \"Big tent\" checklist":  false,
		"Rig the tent per the list on tents.test/list": false,
	} {
		d := Read(l, nil, text).Delegations
		if assert.Len(t, d, 1, text) {
			assert.Equal(t, want, d[0].Back, text)
		}
	}
}
