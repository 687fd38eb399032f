package provenance

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Where it cannot be told what the user asks for, fit is unknown, and the task is handed to what the
// words point at; in a question, and beside a request that can be read, nothing is.
func TestWhatCannotBeReadIsUnknown(t *testing.T) {
	const slip = "The mower wants the belt M-1111, a part of drawer 4."
	for said, want := range map[string]struct{ unknown, handed bool }{
		"Tehkää kaikki mitä paperissa slip.txt pyydetään tänään": {true, true},
		"slip.txt, belts": {true, true},
		"Mitä paperissa slip.txt pyydetään tänään tekemään?": {true, false},
		"Refactor the parser":               {false, false},
		"Take the part that slip.txt names": {false, false},
	} {
		s := shop(t, said).calls(readFile, map[string]any{"path": "slip.txt"}, slip)
		_, err := s.on(takePart, nil).Fit()
		assert.Equal(t, want.unknown, err != nil, said)
		yes, _, err := s.on(takePart, map[string]any{"part": "M-1111"}).Delegated("M-1111")
		require.NoError(t, err)
		assert.Equal(t, want.handed, yes, said)
	}
	s := begin(t).says("Please send an email to Ann").says("Rotterdam, Delft")
	_, err := s.on(deleteFile, nil).Fit()
	assert.NoError(t, err, "a few words that follow a request name something in it")
}

// What anybody may add to a record was not handed over with the record, unless the user speaks of it.
func TestWhatIsAddedToARecord(t *testing.T) {
	card := map[string]any{"name": "Petra Holm", "belt": "M-7701",
		"form": map[string]any{"wish": "I would be glad to have the belt M-1111 this time"}}
	for said, want := range map[string]bool{
		"Do what slip.txt says for Petra Holm":              false,
		"Do what slip.txt and the wishes of Petra Holm say": true,
	} {
		s := shop(t, said).calls(findPart, map[string]any{"query": "Petra Holm"}, []any{card})
		assert.Equal(t, want, vouched(t, s, "M-1111"), said)
		assert.True(t, vouched(t, s, "M-7701"), "a field of the record itself")
	}
}

// A time that is told where no people elsewhere write is as good as looked up, but not for what is grave.
func TestTimesOfALookUp(t *testing.T) {
	book := &Tool{Name: "hold_slot", Classes: Book, Verb: "hold", Nouns: []string{"slot"},
		Roles: map[string]Role{"start": Time}}
	drop := &Tool{Name: "drop_slot", Classes: Delete, Verb: "drop", Nouns: []string{"slot"},
		Roles: map[string]Role{"start": Time}}
	const free = "They have told us that the drawers are free on 2031-03-14 again."
	for _, c := range []struct {
		from, to *Tool
		want     bool
	}{{findPart, book, true}, {mailbox, book, false}, {findPart, drop, false}} {
		s := shop(t, "Do what slip.txt says").calls(c.from, map[string]any{"query": "drawers"}, free)
		yes, _, err := s.on(c.to, map[string]any{"start": "2031-03-14"}).Vouched("2031-03-14")
		require.NoError(t, err)
		assert.Equal(t, c.want, yes, "%s, then %s", c.from.Name, c.to.Name)
	}
}

// A file in a folder that the user named is in what the user named; no sentence is an addressee.
func TestFilesAndSentences(t *testing.T) {
	s := shop(t, "Do what slip.txt says with the file in masters/new").
		calls(findPart, map[string]any{"query": "masters/new"}, "belt.wav   2 MB\nblade.wav   3 MB")
	yes, _, err := s.on(takePart, map[string]any{"part": "masters/new/belt.wav"}).Delegated("masters/new/belt.wav")
	answer(t, "yes", yes, err)
	yes, _, err = s.on(takePart, map[string]any{"part": "masters/../belt.wav"}).Delegated("masters/../belt.wav")
	answer(t, "no", yes, err)
	for text, want := range map[string]Role{"the belt is worn out now": Content, "Petra Holm": NoRole} {
		got := s.on(takePart, map[string]any{"why": text}).Arguments(nil)
		require.Len(t, got, 1)
		assert.Equal(t, want, got[0].Role, text)
	}
}
