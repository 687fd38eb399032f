package gateways

import (
	"context"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/perceive"
)

// An answer that could not be put on record is an error, so that its update comes
// again, and is not told as given.
func TestAnAnswerThatIsNotOnRecordIsNotTold(t *testing.T) {
	e, err := cortex.Open(t.Context(), cortex.Options{Dry: true, Rules: fstest.MapFS{"r.lisp": {Data: []byte(`(deftool x)`)}}})
	require.NoError(t, err)
	defer func() { assert.NoError(t, e.Close()) }()
	d := &Desk{opt: Options{Engine: e}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, approve := range []bool{true, false} {
		text, err := d.decide(ctx, named{name: "one"}, Account{Principal: "ann"}, perceive.Answer{Token: "x", Approve: approve})
		assert.ErrorIs(t, err, context.Canceled)
		assert.Empty(t, text)
	}
}
