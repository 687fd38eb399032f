package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
)

// What a lens says is what stands in the record.
func TestFiringsAreCounted(t *testing.T) {
	rules, record := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(rules, "a.lisp"), []byte(`
(deftool look :params (:at string :to string) :tier :allow)
(deftool launch :params (:what string) :tier :allow)
(deftool paint :params (:what string) :tier :allow)
(defskill s :gate ((deny rocket :when (= action.text "rocket"))
                   (ask fence :when (contains? action.text "e"))
                   (deny never :when (= action.text "x"))))
(definvariant errs :when (= action.tool "look") :holds (= action.args.to "x"))`), 0o600))
	_, err := makeRecord(record, rules, "")
	require.NoError(t, err)

	f := &firings{flag: opening.RecordFlag{Dir: record}, p: &program{ctx: t.Context()}, counts: map[string]int{}}
	_, _, whole := f.Fired()
	assert.False(t, whole)
	ctx, stop := context.WithCancel(t.Context())
	changed, ended := make(chan struct{}, 10), make(chan error)
	go func() { ended <- f.Read(ctx, func() { changed <- struct{}{} }) }()
	select {
	case <-changed:
	case <-time.After(20 * time.Second):
		require.FailNow(t, "the record was not read")
	}
	counts, decisions, whole := f.Fired()
	assert.True(t, whole)
	assert.Equal(t, 3, decisions)
	assert.Equal(t, map[string]int{"s/rocket": 1, "s/fence": 2, "invariant/errs": 1}, onlyRules(counts))
	stop()
	require.NoError(t, <-ended)

	f = &firings{flag: opening.RecordFlag{Dir: t.TempDir()}, p: &program{ctx: t.Context()}, counts: map[string]int{}}
	assert.ErrorContains(t, f.Read(t.Context(), func() {}), "no record in it")
}

// onlyRules leaves out the tiers of tools and the like.
func onlyRules(counts map[string]int) map[string]int {
	out := map[string]int{}
	for _, k := range []string{"s/rocket", "s/fence", "s/never", "invariant/errs"} {
		if counts[k] > 0 {
			out[k] = counts[k]
		}
	}
	return out
}
