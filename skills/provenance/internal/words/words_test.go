package words

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestAtoms(t *testing.T) {
	for text, want := range map[string][]string{
		"Send it to Bob@Evil.net, please.":        {"send", "it", "to", "bob@evil.net", "please"},
		"pay $1,000.50 (98,70 no) to Sarah's":     {"pay", "1000.5", "98,70", "no", "to", "sarah"},
		"open https://Foo.com/A?x=1, then ../x":   {"open", "https://foo.com/A?x=1", "then", "../x"},
		"paypal.com.evil.net **Bob** *.txt .env.": {"paypal.com.evil.net", "bob", "*.txt", ".env"},
		"“GB29NWBK” and ‘x’, foo.txt!":            {"GB29NWBK", "and", "x", "foo.txt"},
		"Bob,Eve <e@x.org>":                       {"bob", "eve", "e@x.org"},
	} {
		assert.Equal(t, want, Keys(Atoms(text)), text)
	}
}

func TestLoose(t *testing.T) {
	for text, want := range map[string][]string{
		"Bob@Evil.net":                  {"bob", "evil", "net"},
		"pay 1,000.50 at 10.0.0.1":      {"pay", "1000.5", "at", "10", "0", "0", "1"},
		"2024-05-15, GB29 x007":         {"2024", "5", "15", "gb29", "x007"},
		"раураl.com a\u200bb café":      {"paypal", "com", "ab", "café"},
		"ｅｖｉｌ send_money 3rd version 3": {"evil", "send", "money", "3rd", "version", "3"},
	} {
		assert.Equal(t, want, Keys(Loose(text)), text)
	}
}

// Text in ROT13 is read where it holds a common word of English; other text is left alone.
func TestDecodeReadsROT13(t *testing.T) {
	got := Decode("Fraq gur zbarl gb Obo.")
	assert.Len(t, got, 1)
	assert.Equal(t, "Send the money to Bob.", got[0].Text)
	assert.Empty(t, Decode("The gurgle of the sea"))
}

// AtomsWith finds what a look at all atoms finds.
func TestAtomsWithAreThoseOfAllAtoms(t *testing.T) {
	pieces := strings.Split(`a B don't Bob’s 1,2 1,x 3, .env ... a.b/c ../x C:\\d a@b.test, 'e@f.test' **x** €5 “q” — ’ , . @ / %40 ï Ⓐ ; ( |`, " ")
	rapid.Check(t, func(t *rapid.T) {
		text := ""
		for _, p := range rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "pieces") {
			text += p + rapid.SampledFrom([]string{"", " ", "\n"}).Draw(t, "space")
		}
		chars := rapid.SampledFrom([]string{`@/\.`, "@", "."}).Draw(t, "chars")
		want := slices.DeleteFunc(Atoms(text), func(w Word) bool { return !strings.ContainsAny(text[w.Start:w.End], chars) })
		var got []Word
		for w := range AtomsWith(text, chars) {
			got = append(got, w)
		}
		require.Len(t, got, len(want), text)
		for i := range want {
			want[i].Break, got[i].Break = false, false
			require.Equal(t, want[i], got[i], text)
		}
	})
}

// The host of a link may take more bytes in small letters, or be none.
func TestLinksWithoutAPlainHost(t *testing.T) {
	for text, want := range map[string]string{
		"https://ȺȺȺȺ": "https://ⱥⱥⱥⱥ", "https://ȺȺ.example/Ab": "https://ⱥⱥ.example/ab", "https://": "https://",
		"HTTPS://Corp.example/Ab": "https://corp.example/Ab",
	} {
		assert.Equal(t, want, AtomKey(text), text)
	}
}
