package daemon

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The daemon chooses how effects happen by name, whatever its settings leave out.
func TestTheDaemonChoosesOneMode(t *testing.T) {
	for _, c := range []struct {
		live, observe bool
		want          [3]bool // live, dry, observe
		says          string
	}{
		{false, false, [3]bool{false, true, false}, "dry"},
		{true, false, [3]bool{true, false, false}, "live"},
		{false, true, [3]bool{false, false, true}, "observing"},
	} {
		dir := t.TempDir()
		write(t, dir, "rules/r.lisp", "")
		opt, err := (&Config{Dir: dir + "/record", Rules: []string{dir + "/rules"}, Log: "text", TrustRules: true,
			Live: c.live, Observe: c.observe}).engine()
		require.NoError(t, err)
		assert.Equal(t, c.want, [3]bool{opt.Live, opt.Dry, opt.Observe})
		assert.Equal(t, c.says, Mode(c.live, c.observe))
	}
}
