package library

import (
	"encoding/json"
	"io/fs"
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/runs/tools"
)

// text is a workflow with one step.
func text(id, more string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte(`{"id":"` + id + `","name":"n","description":"d","version":"1.0.0"` + more +
		`,"steps":[{"id":"one","title":"First","prompt":"Do one."}]}`)}
}

func load(files fstest.MapFS) *Library {
	return Load([]Root{{FS: files, Kind: plans.KindUser}}, plans.Options{})
}

func ids(w tools.Workflows) (out []string) {
	for _, x := range w.Workflows {
		out = append(out, x.ID)
	}
	return out
}

// Row 118: by namespace, then workflows before routines, then id; what an id is, and what it
// should be.
func TestRow118_ListIsSorted(t *testing.T) {
	l := load(fstest.MapFS{
		"z.json":          text("b.alpha", ""),
		"deep/er/y.json":  text("a.routine-first", ""),
		"x.json":          text("a.second", ""),
		"w.json":          text("a.first", `,"tags":["red","blue"]`),
		"v.json":          text("old-one", ""),
		".hidden/no.json": text("a.hidden", ""),
		".no.json":        text("a.hidden2", ""),
		"notes.md":        {Data: []byte("not a workflow")},
	})
	all := l.List(&tools.ListWorkflows{IncludeSources: true})
	assert.Equal(t, []string{"a.first", "a.second", "a.routine-first", "b.alpha", "old-one"}, ids(all))
	assert.Empty(t, all.Warnings)
	first, routine, old := all.Workflows[0], all.Workflows[2], all.Workflows[4]
	found, err := l.Find("a.first")
	require.NoError(t, err)
	assert.Equal(t, tools.Workflow{ID: "a.first", Name: "n", Description: "d", Version: "1.0.0", Kind: "workflow",
		Hash: found.Plan.Hash().String(), IDStatus: "namespaced", Source: "user/w.json",
		Tags: []string{"red", "blue"}}, first)
	assert.Equal(t, "routine", routine.Kind)
	assert.Equal(t, "user/deep/er/y.json", routine.Source)
	assert.Equal(t, []string{"legacy", "user.old_one"}, []string{old.IDStatus, old.SuggestedID})
	assert.Equal(t, []string{"a.first"}, ids(l.List(&tools.ListWorkflows{Tags: []string{"green", "blue"}})))
	assert.Empty(t, ids(l.List(&tools.ListWorkflows{Tags: []string{"green"}})))
	assert.Empty(t, l.List(&tools.ListWorkflows{}).Workflows[0].Source)
}

func TestFind(t *testing.T) {
	l := load(fstest.MapFS{"dir/w.json": text("a.first", "")})
	w, err := l.Find("a.first")
	require.NoError(t, err)
	assert.Equal(t, []any{"dir/w.json", plans.KindUser, "a.first"}, []any{w.Ref, w.Kind, w.Plan.WorkflowID})
	for id, says := range map[string]string{"a.frist": "did you mean a.first?", "": "call list_workflows"} {
		_, err = l.Find(id)
		var e *tools.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, tools.NotFound, e.Code)
		assert.ErrorContains(t, err, says)
	}
}

// What does not compile is in the list with all that is wrong with it, and says so to a start.
func TestBrokenFilesStay(t *testing.T) {
	l := load(fstest.MapFS{
		"good.json": text("a.good", ""),
		"bad.lisp": {Data: []byte("(:id \"a.bad\" :name \"n\" :version \"1.0.0\"\n" +
			" :steps ((:id \"one\" :titel \"x\" :prompt \"p\")\n  (:id \"ONE\" :title \"y\" :prompt \"p\")))")},
		"torn.json":  {Data: []byte(`{"id":"a.torn",`)},
		"large.json": {Data: make([]byte, maxFile+1)},
	})
	all := l.List(&tools.ListWorkflows{})
	assert.Equal(t, []string{"a.good"}, ids(all))
	require.Len(t, all.Warnings, 3)
	bad := all.Warnings[0]
	assert.Equal(t, "a.bad", bad.ID)
	assert.Equal(t, "user/bad.lisp", bad.Source)
	require.Greater(t, len(bad.Errors), 1, bad.Errors)
	assert.Contains(t, bad.Errors[0], "user/bad.lisp:2:")
	assert.Equal(t, []string{"it has more than 1048576 bytes"}, all.Warnings[1].Errors)
	assert.Equal(t, []string{"user/bad.lisp", "user/large.json", "user/torn.json"},
		[]string{bad.Source, all.Warnings[1].Source, all.Warnings[2].Source})
	_, err := l.Find("a.bad")
	var e *tools.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, tools.PreconditionFailed, e.Code)
	assert.Equal(t, bad.Errors, e.Details["errors"])
	assert.ErrorContains(t, err, bad.Errors[0])
}

// Row 116: of two files with one id none takes the place of the other, also where one is
// bundled and where one does not compile.
func TestRow116_NoneShadows(t *testing.T) {
	roots := []Root{
		{FS: fstest.MapFS{"one.json": text("a.twice", ""), "b.json": text("b.half", ""), "c.json": text("c.once", "")},
			Kind: plans.KindBundled},
		{FS: fstest.MapFS{"two.json": text("a.twice", ""), "b.json": text("b.half", `,"agentRole":7`)},
			Kind: plans.KindUser, Name: "mine"},
	}
	l := Load(roots, plans.Options{})
	assert.Equal(t, []string{"c.once"}, ids(l.List(&tools.ListWorkflows{})))
	require.Len(t, l.Broken(), 4)
	for _, id := range []string{"a.twice", "b.half"} {
		_, err := l.Find(id)
		var e *tools.Error
		require.ErrorAs(t, err, &e, id)
		assert.Equal(t, tools.PreconditionFailed, e.Code)
	}
	_, err := l.Find("a.twice")
	require.ErrorContains(t, err, `the id "a.twice" is that of bundled/one.json and of user/mine/two.json`)
}

// Reserved ids are for what ships.
func TestRow116_ReservedIDs(t *testing.T) {
	l := load(fstest.MapFS{"w.json": text("cortex.mine", "")})
	require.Len(t, l.Broken(), 1)
	assert.Contains(t, l.Broken()[0].Errors[0], "the namespace cortex is reserved")
}

func TestInspect(t *testing.T) {
	l := load(fstest.MapFS{"w.json": text("a.first", `,"preconditions":["a clean tree"]`), "o.json": text("old", "")})
	whole, err := l.Inspect(&tools.InspectWorkflow{WorkflowID: "a.first"})
	require.NoError(t, err)
	p, err := plans.Load(whole.Compiled)
	require.NoError(t, err)
	assert.Equal(t, []string{"preview", p.Hash().String()}, []string{whole.Mode, whole.Hash})
	little, err := l.Inspect(&tools.InspectWorkflow{WorkflowID: "a.first", Mode: "metadata"})
	require.NoError(t, err)
	var says map[string]any
	require.NoError(t, json.Unmarshal(little.Compiled, &says))
	assert.Equal(t, map[string]any{"workflowId": "a.first", "name": "n", "description": "d", "version": "1.0.0",
		"preconditions": []any{"a clean tree"}, "steps": 1.0}, says)
	old, err := l.Inspect(&tools.InspectWorkflow{WorkflowID: "old"})
	require.NoError(t, err)
	assert.Equal(t, []string{"the id has no namespace, such as project.name"}, old.Warnings)
	_, err = l.Inspect(&tools.InspectWorkflow{WorkflowID: "odl"})
	require.ErrorContains(t, err, "did you mean old?")
}

// A reload makes another library; who holds the old one keeps it as it was.
func TestReloadSwaps(t *testing.T) {
	files := fstest.MapFS{"w.json": text("a.first", "")}
	l := NewLive([]Root{{FS: files, Kind: plans.KindUser}}, plans.Options{})
	before := l.Now()
	files["x.json"] = text("a.second", "")
	files["w.json"] = &fstest.MapFile{Data: []byte("(")}
	assert.Equal(t, []string{"a.first"}, ids(l.List(&tools.ListWorkflows{})))
	l.Reload()
	assert.Equal(t, []string{"a.second"}, ids(l.List(&tools.ListWorkflows{})))
	require.Len(t, l.Now().Broken(), 1)
	_, err := before.Find("a.first")
	require.NoError(t, err)
}

// A folder that cannot be read is in the list, without the path that only the operator hears of.
func TestUnreadFolders(t *testing.T) {
	l := Load([]Root{{FS: os.DirFS("/nowhere/at/all"), Kind: plans.KindUser, Name: "all"}}, plans.Options{})
	says := []string{"it cannot be read; the operator's log says why"}
	require.Equal(t, []tools.Broken{{Source: "user/all", Errors: says}}, l.Broken())
	require.Len(t, l.Unread(), 1)
	require.ErrorIs(t, l.Unread()[0], fs.ErrNotExist)
	assert.ErrorContains(t, l.Unread()[0], "user/all: ")
}

// To open a pipe would wait for a writer.
func TestPipesAreNotOpened(t *testing.T) {
	l := load(fstest.MapFS{"p.lisp": {Mode: fs.ModeNamedPipe}})
	require.Len(t, l.Broken(), 1)
	assert.Equal(t, []string{"it is not a regular file"}, l.Broken()[0].Errors)
}
