package rules

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// A word that a function does not take is one mistake, and is told once.
func TestAWrongWordIsToldOnce(t *testing.T) {
	_, err := Loader{}.Load(Root{FS: fstest.MapFS{"r.lisp": {Data: []byte(`
(deftool pay :params (:amount number) :required (:amount) :tier :allow :spends (:money :amount))
(defskill s :gate ((deny r :when (> (spent :money :week) 3) :reason "x")))`)}}})
	var list ErrorList
	require.ErrorAs(t, err, &list)
	require.Len(t, list, 1, "%v", list)
	require.Contains(t, list[0].Msg, `period of spent is :hour, :day or :session, found "week"`)
}
