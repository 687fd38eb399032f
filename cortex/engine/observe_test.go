package engine

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/reason"
)

const shellRules = `
(deftool shell :params (:cmd command :timeout (integer 1 300)) :required (:cmd) :tier :allow)
(defskill s :gate
  ((deny rude :when (contains? action.args.cmd "rude") :reason "be polite")
   (rewrite plain :when (contains? action.args.cmd "list") :set (:cmd "ls"))))`

// Observing lets an action run whatever is decided, but never against the guard.
func TestI1_ObservingKeepsSelfProtection(t *testing.T) {
	protected := func(o *Options) {
		o.Live, o.Observe = false, true
		o.Protected = reason.Places{Paths: []string{"/srv/guard"}}
	}
	for name, tt := range map[string]struct{ rules, args string }{
		"as it is":              {shellRules, `(:cmd "rm -rf /srv/guard")`},
		"an unknown argument":   {shellRules, `(:cmd "rm -rf /srv/guard" :colour "red")`},
		"a wrong type":          {shellRules, `(:cmd "rm -rf /srv/guard" :timeout "long")`},
		"a misspelled argument": {shellRules, `(:command "rm -rf /srv/gu*")`},
		"hidden, and broken":    {shellRules, `(:cmd "rm -rf /srv/gu''ard" :timeout "long")`},
		"no rules":              {`; none`, `(:cmd "rm -rf /srv/guard")`},
		"a word not known":      {shellRules, `(:cmd "rm -rf $X")`},
		"that is refused":       {shellRules, `(:cmd "rm -rf $X rude")`},
		"that is rewritten":     {shellRules, `(:cmd "rm -rf $X; list")`},
		"a line not plain":      {shellRules, `(:cmd "ls ${X:-/srv}")`},
	} {
		b := newBench(t, tt.rules, "", protected)
		d := b.decideOn("shell", tt.args)
		p, err := b.Begin(t.Context(), d)
		assert.ErrorAs(t, err, new(*ledger.NotAllowed), name)
		assert.Nil(t, p, name)
		b.intact()
	}
	b := newBench(t, shellRules, "", protected)
	p, err := b.Begin(t.Context(), b.decideOn("shell", `(:cmd "echo rude")`))
	require.NoError(t, err, "what has nothing to do with the guard goes through")
	assert.True(t, p.Observed())
}
