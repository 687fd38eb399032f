package said

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/skills/provenance/internal/lexicon"
	"github.com/opencortex-go/cortex/skills/provenance/internal/runs"
	"github.com/opencortex-go/cortex/skills/provenance/internal/speech"
	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
)

const message = "Pay Bob Smith 1,000.50 for notes.txt by May 15th. " +
	"Look at example.com/a and ask carol.jones; do not tell eve."

var texts = map[string]bool{
	"Bob Smith": true, "smith": true, "Mallory": false, "Bob Mallory": false,
	"1000.5": true, "1,000.50": true, "1000": false,
	"2024-05-15": true, "2024-05-16": false,
	"https://example.com/a": true, "http://example.com/b": false, "ftp://example.com/a": false,
	"carol.jones@corp.test": true, "carol@corp.test": false, "bob_smith@corp.test": true,
	"eve@corp.test": false, " Bob  Smith ": true,
	"": false, "  ": false, ",": false, "to": false, "the": false, "(Bob)": true, "notes.txt, bob": false,
	"a@b": false, "'": false,
	"https://(": false, "A://\x80": false, "A://ȺȺȺȺ": false, "Bob://ȺȺȺȺ": false, "İ Bob": false,
}

func heard(t testing.TB) *Words {
	l, err := lexicon.Load(lexicon.File{Name: "english.lisp", Text: lexicon.English()})
	require.NoError(t, err)
	h := NewWords(l, runs.NewDict())
	h.Hear(1, speech.Read(l, nil, message))
	return h
}

func TestSays(t *testing.T) {
	h := heard(t)
	for text, want := range texts {
		assert.Equal(t, want, h.Says(text), "%q", text)
	}
}

// Says looks at the first atom; a look at the whole value says the same.
func FuzzSays(f *testing.F) {
	for text := range texts {
		f.Add(text)
	}
	h := heard(f)
	f.Fuzz(func(t *testing.T, text string) {
		v := New(h.l, text, lexicon.Object)
		want := !v.Empty && (h.Stands(v).Said || v.Shape == words.Email && h.Local(v.Text))
		assert.Equal(t, want, h.Says(text), "%q", text)
	})
}

// A folder that the user said may have more bytes than the same in small letters.
func TestBelowAFolderOfMoreBytes(t *testing.T) {
	h := NewWords(heard(t).l, runs.NewDict())
	h.Shapes[words.Path] = []string{"/\u212a\u212a\u212a/a"} // the sign of the kelvin, k in small letters
	assert.Equal(t, []string{"x"}, h.Below("/kkk/b", []string{"x"}))
}
