package form_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/capabilities/form"
)

// Whatever the text: Read says what is wrong, or returns what prints, loads and reads as itself.
func FuzzRead(f *testing.F) {
	for _, c := range mistakes {
		f.Add([]byte(c.text))
	}
	for _, name := range []string{"deploy.lisp", "container.lisp", "container.json"} {
		f.Add([]byte(file(f, "testdata/"+name)))
	}
	for i := range uint64(20) {
		plist, manifest, err := twins(rand.New(rand.NewPCG(3, i)))
		require.NoError(f, err)
		f.Add([]byte(plist))
		f.Add([]byte(manifest))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		all, err := form.Read("p", text)
		if err != nil {
			assert.Empty(t, all)
			return
		}
		for _, c := range all {
			again, err := form.Read("p", []byte(c.Print()))
			require.NoError(t, err)
			require.Len(t, again, 1)
			assert.Equal(t, c.Hash(), again[0].Hash())
			loaded, err := form.Load(c.Canonical())
			require.NoError(t, err)
			assert.Equal(t, c.Hash(), loaded.Hash())
			assert.NotNil(t, c.Tool())
			for i := range c.Steps {
				c.Open(&c.Steps[i])
				_, _ = c.Fill(&c.Steps[i], form.Seen{})
			}
		}
	})
}
