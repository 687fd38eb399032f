package daemon

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/plans"

	"github.com/opencortex-go/cortex/runs/library"
)

// flow is a workflow.
const flow = `(:id "mine.one" :name "One" :version "1.0.0" :steps ((:id "a" :title "A" :prompt "Do it.")))`

// All workflows that ship can be started, also beside folders of one's own.
func TestShippedWorkflowsAreAlwaysThere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "flows")
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "one.lisp"), []byte(flow), 0o600))
	for _, own := range [][]string{nil, {dir}} {
		roots, err := (&Config{Workflows: own, TrustRules: true}).workflows()
		require.NoError(t, err)
		l := library.Load(roots, plans.Options{})
		assert.Empty(t, l.Broken())
		for _, id := range []string{"bug_hunt", "database_migration", "document_review", "release"} {
			w, err := l.Find("examples." + id)
			require.NoError(t, err)
			assert.Equal(t, plans.KindBundled, w.Kind)
		}
		assert.Equal(t, 4+len(own), l.Len())
	}
}

// A folder of workflows is held to what rule files are held to: it must be there, other users
// may not write it, and no action may touch it.
func TestI6_WorkflowsAreKeptAsRulesAre(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "one.lisp")
	require.NoError(t, os.WriteFile(file, []byte(flow), 0o600))
	c := Config{Workflows: []string{dir}}
	assert.Contains(t, c.own(), dir)

	_, err := (&Config{Workflows: []string{file, filepath.Join(dir, "none")}}).workflows()
	var faults Faults
	require.ErrorAs(t, err, &faults)
	require.Len(t, faults, 2)
	assert.Contains(t, faults[0].Text, "one.lisp is not a folder")
	assert.Contains(t, faults[1].Text, "no such file or directory")

	require.NoError(t, os.Chmod(file, 0o666))
	roots, err := c.workflows()
	require.NoError(t, err)
	l := library.Load(roots, plans.Options{})
	_, err = l.Find("mine.one")
	require.Error(t, err)
	require.Len(t, l.Unread(), 1)
	require.ErrorIs(t, l.Unread()[0], ErrUntrusted)
	require.Len(t, l.Broken(), 1)
	assert.NotContains(t, l.Broken()[0].Errors[0], dir, "an agent hears no path of the machine")
}

// The watch sees a workflow that changes, comes or goes.
func TestWorkflowsArePartOfTheFingerprint(t *testing.T) {
	dir := t.TempDir()
	d := &daemon{cfg: Config{Workflows: []string{dir}, TrustRules: true}}
	seen := map[[32]byte]bool{d.fingerprint(): true}
	for _, name := range []string{"one.lisp", "two.json"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(flow), 0o600))
		assert.NotContains(t, seen, d.fingerprint(), name)
		seen[d.fingerprint()] = true
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes.md"), []byte("x"), 0o600))
	assert.Contains(t, seen, d.fingerprint())
	require.NoError(t, os.Remove(filepath.Join(dir, "one.lisp")))
	assert.NotContains(t, seen, d.fingerprint())
}

// What workflows may name comes from packs and templates; what is wrong with one is a fault of its
// setting.
func TestPacksAndTemplatesOfTheHouse(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	pack := write("house.lisp", `(:refs ((:id "house.refs.tone" :text "Write plainly.")))`)
	write("templates/look.json", `{"id":"routine-look","name":"n","description":"d","version":"1.0.0","steps":`+
		`[{"id":"see","title":"See","prompt":"Look at {what}."}]}`)
	c := &Config{TrustRules: true, Runs: Runs{Packs: []string{pack}, Templates: []string{filepath.Join(dir, "templates")}}}
	reg, err := c.registry()
	require.NoError(t, err)
	p, err := plans.Compile(plans.Source{Name: "w", Text: []byte(`{"id":"a.b","name":"n","description":"d","version":"1.0.0",` +
		`"steps":[{"id":"one","title":"One","templateCall":{"templateId":"wr.templates.routine.look","args":{"what":"it"}}}]}`)},
		plans.Options{Registry: reg})
	require.NoError(t, err)
	assert.Contains(t, string(p.Canonical()), "Look at it.")

	c.Runs = Runs{Packs: []string{write("broken.lisp", "(:refs")}, Templates: []string{filepath.Join(dir, "none")},
		Autonomy: "always"}
	_, err = c.registry()
	for _, want := range []string{"runs.packs", "runs.templates", "runs.autonomy"} {
		require.ErrorContains(t, err, want)
	}
}
