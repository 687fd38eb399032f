package daemon_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/daemon"
	"github.com/opencortex-go/cortex/skills/rules"
)

func TestAsksThatNoMemberCanAnswer(t *testing.T) {
	book, err := rules.Load(fstest.MapFS{"r.lisp": {Data: []byte(`(deftool pay :params (:amount number) :tier :allow)
(defskill money :gate ((ask grave :approvers :finance) (ask four :approvers :board :quorum 4) (ask two :quorum 2)
                       (deny none :when (= action.tool "x"))))`)}})
	require.NoError(t, err)
	all := func(c daemon.Config) (ids []string) {
		return append(ids, c.Unanswerable(book)...)
	}
	assert.Len(t, all(daemon.Config{}), 3)
	c := daemon.Config{Agent: "agent", Approvals: daemon.Approvals{
		Classes:  map[string][]string{"finance": {"agent"}, "board": {"ann", "ben", "agent"}, "operator": {"ann"}},
		Escalate: map[string]daemon.Escalates{"board": {To: "operator"}}}}
	assert.Equal(t, []string{
		"money/grave asks :finance, which has no members: its cards cannot be answered",
		"money/four asks 4 of :board, which has 3: its cards cannot be answered",
	}, all(c), "the agent does not count; a class has those whom it escalates to, each once")
	c.Accounts = []daemon.Account{{Name: "eve", Classes: []string{"finance", "board"}}}
	assert.Empty(t, all(c))
	assert.Empty(t, c.Unanswerable(nil))
}
