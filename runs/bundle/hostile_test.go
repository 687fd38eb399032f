package bundle

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/runs/tools"
)

func TestT79_NothingThatWasTamperedWithIsImported(t *testing.T) {
	here, there := newWorld(t), newWorld(t)
	text := here.export(here.lively("r1"))
	before := there.dump()
	tried := map[tools.Code]int{}
	for i, x := range tamperings() {
		if tried[x.want]++; testing.Short() && i%3 != 0 && tried[x.want] > 2 {
			continue // each code is tried twice at least
		}
		t.Run(x.name, func(t *testing.T) {
			_, err := Import(t.Context(), there.l, "bob", x.tampered(t, text))
			assert.Equal(t, x.want, code(t, err), "%v", err)
			assert.Equal(t, before, there.dump(), "the store is untouched")
		})
	}
	there.take(text)
}

func TestT79_TextsThatAreNoBundles(t *testing.T) {
	here, there := newWorld(t), newWorld(t)
	text := string(here.export(here.lively("r1")))
	before := there.dump()
	deep := strings.Repeat("[", 1<<20)
	for name, c := range map[string]struct {
		text string
		want tools.Code
	}{
		"nothing":         {"", InvalidFormat},
		"cut":             {text[:len(text)/2], InvalidFormat},
		"twice":           {text + text, InvalidFormat},
		"a list":          {"[]", InvalidFormat},
		"null":            {"null", InvalidFormat},
		"deep":            {deep, InvalidFormat},
		"deep in a place": {strings.Replace(text, `"place":"`, `"deep":`+deep+`,"place":"`, 1), InvalidFormat},
		"a member twice":  {strings.Replace(text, `{`, `{"bundleId":"x",`, 1), InvalidFormat},
		"other letters":   {strings.Replace(text, `"bundleId"`, `"bundleID"`, 1), InvalidFormat},
		"a stranger":      {strings.Replace(text, `{`, `{"aside":1,`, 1), InvalidFormat},
		"null for a map":  {strings.Replace(text, `"snapshots":{`, `"snapshots":null,"x":{`, 1), InvalidFormat},
		"no UTF-8":        {strings.Replace(text, "did one", "did \xff", 1), InvalidFormat},
		"half a letter":   {strings.Replace(text, "did one", `did \ud800`, 1), InvalidFormat},
		"version 7":       {`{"bundleSchemaVersion":7,"what":"ever"}`, UnsupportedVersion},
		"large":           {strings.Repeat(" ", MaxBytes+1), InvalidFormat},
	} {
		_, err := Import(t.Context(), there.l, "bob", []byte(c.text))
		assert.Equal(t, c.want, code(t, err), name)
	}
	assert.Equal(t, before, there.dump())
	there.take([]byte(" \n" + text + "\n")) // white space around it does no harm
}

// Every byte of the session counts.
func TestT79_AnyByteOfTheSession(t *testing.T) {
	w := newWorld(t)
	text := w.export(w.lively("r1"))
	from := strings.Index(string(text), `"session":{`)
	step := 97
	if testing.Short() {
		step = 1997
	}
	for i := from; i < len(text); i += step {
		changed := slices.Clone(text)
		changed[i] ^= 1
		_, err := Read(changed)
		require.Error(t, err, "byte %d: %q", i, text[max(0, i-20):min(len(text), i+20)])
	}
}

// forge seals a text as far as it can be: manifest and integrity are those of what is there.
func forge(text []byte) []byte {
	b, err := parse(text)
	if err != nil || b.checkEvents() != nil {
		return text
	}
	cuts, total := b.Session.segments(), uint64(len(b.events))
	if slices.ContainsFunc(cuts, func(s Segment) bool { return s.First > s.Last || s.Last >= total }) {
		cuts = []Segment{{Last: total - 1}}
	}
	if b.Session.Manifest, err = manifest(b.Session.ID, b.events, cuts); err != nil || b.seal() != nil {
		return text
	}
	out, err := b.Text()
	if err != nil {
		return text
	}
	return out
}

// Whatever a text is, it is refused with a code of the closed set and nothing is written, or it is
// imported whole, and exported again the session is the same.
func FuzzImport(f *testing.F) {
	here := newWorld(f)
	text := here.export(here.lively("r1"))
	f.Add(text, false)
	for i, x := range tamperings() {
		if testing.Short() && i%24 != 0 { // TestT79_NothingThatWasTamperedWithIsImported tries more
			continue
		}
		f.Add(x.tampered(f, text), true)
	}
	before := here.j.Last()
	f.Fuzz(func(t *testing.T, text []byte, forged bool) {
		if forged {
			text = forge(text)
		}
		b, err := Read(text)
		if err != nil || b.Session.Damage != nil {
			_, err := Import(context.Background(), here.l, "bob", text)
			require.Contains(t, []tools.Code{InvalidFormat, UnsupportedVersion, IntegrityFailed, MissingSnapshot,
				MissingWorkflow, EventOrderInvalid, ManifestOrderInvalid}, code(t, err))
			require.Equal(t, before, here.j.Last())
			return
		}
		there := newWorld(t)
		in := there.take(text)
		again, err := Read(there.export(in.Session))
		require.NoError(t, err)
		want, err := canon.Of(b.Session)
		require.NoError(t, err)
		got, err := canon.Of(again.Session)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
		require.Equal(t, b.events, again.events)
	})
}
