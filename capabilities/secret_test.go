package capabilities

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The log of a run keeps its inputs as they are, so that no version with a secret input comes into the
// registry.
func TestASecretInputIsRefused(t *testing.T) {
	b := newBench(t, deployRules, deploy)
	v := read(t, `(defcapability x.secret :version "1.0.0" :owner "o" :scope :project
  :inputs (:app string :pin (string :secret t)) :required (:app :pin) :once (:key ("k" :app))
  :plan ((s :tool "set" :args (:name "{{app}}" :image "{{pin}}") :undo "a word harms nothing")))`)
	require.ErrorIs(t, b.caps.Register(t.Context(), v, "op"), ErrSecret)
	_, _, err := b.caps.Find(t.Context(), "x.secret", "")
	require.ErrorIs(t, err, ErrNoVersion)
}
