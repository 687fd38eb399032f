package capabilities_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/capabilities"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/engine"
)

// With nothing registered, an engine with capabilities has the policy of one without.
func TestWithNothingRegisteredThePolicyStays(t *testing.T) {
	rules := fstest.MapFS{"rules.lisp": {Data: []byte(`(deftool read :params (:name string) :tier :allow)`)}}
	var hashes []string
	for _, caps := range []engine.Capabilities{nil, capabilities.New()} {
		e, err := cortex.Open(t.Context(), cortex.Options{Rules: rules, Capabilities: caps})
		require.NoError(t, err)
		hashes = append(hashes, e.Rules().Policy().Hash().String())
		require.NoError(t, e.Close())
	}
	assert.Equal(t, hashes[0], hashes[1])
}
