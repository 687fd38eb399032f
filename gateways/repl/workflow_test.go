package repl

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/runs"
	"github.com/opencortex-go/cortex/runs/library"
	"github.com/opencortex-go/cortex/runs/tools"
	"github.com/opencortex-go/cortex/sexpr"
)

// workflowDesk is two people at an engine that runs a workflow of two steps.
func workflowDesk(t *testing.T) (ann, bob *Session) {
	t.Helper()
	rules := fstest.MapFS{"r.lisp": {Data: []byte(testRules)}}
	e, err := cortex.Open(t.Context(), cortex.Options{Rules: rules, Live: true})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, e.Close()) })
	files := fstest.MapFS{"w.json": {Data: []byte(`{"id":"a.two","name":"n","description":"Two steps.","version":"1.0.0",
		"steps":[{"id":"one","title":"First","prompt":"Do one."},{"id":"two","title":"Second","prompt":"Do two."}]}`)}}
	all, err := runs.New(runs.Options{Logs: e.Hosts().Logs(),
		Library: library.NewLive([]library.Root{{FS: files, Kind: plans.KindUser}}, plans.Options{})})
	require.NoError(t, err)
	r := New(Options{Engine: e, Runs: all})
	at := func(name string) *Session {
		return r.Session(Caller{Peer: perceive.Peer{Source: "repl", Principal: name, Session: "repl/" + name + "/main"}})
	}
	return at("ann"), at("bob")
}

// callTool makes a call, and returns its answer.
func callTool(t *testing.T, s *Session, tool, params string) (failed bool, text string, data map[string]any) {
	t.Helper()
	r, err := s.Eval(t.Context(), sexpr.ListOf(sexpr.Sym("workflow-call"), sexpr.Str(tool), sexpr.Str(params)))
	require.NoError(t, err)
	assert.Equal(t, r.Value.GetText("text")+"\n", r.Out)
	require.NoError(t, json.Unmarshal([]byte(r.Value.GetText("json")), &data))
	return r.Value.GetTrue("failed"), r.Value.GetText("text"), data
}

func TestWorkflowCalls(t *testing.T) {
	ann, bob := workflowDesk(t)
	failed, text, _ := callTool(t, ann, "list_workflows", "")
	assert.False(t, failed)
	assert.Contains(t, text, "a.two: Two steps.")
	failed, text, began := callTool(t, ann, "start_workflow", `{"workflowId":"a.two","goal":"see how it goes"}`)
	require.False(t, failed, text)
	assert.Contains(t, text, "Do one.")
	token := began["continueToken"].(string)
	failed, _, refused := callTool(t, bob, "continue_workflow", `{"continueToken":"`+token+`","notes":"mine now"}`)
	assert.True(t, failed, "a run belongs to its principal: %v", refused)
	failed, text, _ = callTool(t, ann, "continue_workflow", `{"continueToken":"`+token+`","notes":"did one"}`)
	require.False(t, failed, text)
	assert.Contains(t, text, "Do two.")
}

// What is wrong with a call is an answer that helps, and not an error of the form.
func TestWorkflowCallMistakes(t *testing.T) {
	ann, _ := workflowDesk(t)
	for _, c := range []struct{ tool, params, code, says string }{
		{"start_workflow", `{"workflowId":"a.tow","goal":"g"}`, "NOT_FOUND", "did you mean a.two?"},
		{"start_workflow", `{"workflowID":"a.two","goal":"g"}`, "VALIDATION_ERROR", "did you mean workflowId?"},
		{"continue_workflow", `{"continueToken":"t","notes":"a","output":{"notesMarkdown":"b"}}`, "VALIDATION_ERROR",
			"notes: is another name of output.notesMarkdown"},
		{"continue_workflw", `{}`, "VALIDATION_ERROR", "did you mean continue_workflow?"},
		{"list_workflows", `{"tags":`, "VALIDATION_ERROR", ""},
		{"continue_workflow", `{"continueToken":"t"}`, "TOKEN_INVALID_FORMAT", ""},
	} {
		failed, text, data := callTool(t, ann, c.tool, c.params)
		assert.True(t, failed, c.params)
		assert.Equal(t, c.code, data["error"].(map[string]any)["code"], c.params)
		assert.Contains(t, text, c.says)
	}
	for _, form := range []string{
		"(workflow-call)", "(workflow-call list_workflows)", `(workflow-call "list_workflows" ())`,
		`(workflow-call "list_workflows" "{}" :session "repl/bob/main")`,
	} {
		_, err := eval(ann, form)
		var e *Error
		require.ErrorAs(t, err, &e, form)
		assert.Equal(t, CodeSyntax, e.Code, form)
	}
	_, err := eval(newDesk(t, "").plain, `(workflow-call "list_workflows")`)
	require.ErrorContains(t, err, "this daemon runs no workflows")
}

// heard notes who a call was made as, and fails.
type heard struct{ by runs.Caller }

func (h *heard) Call(_ context.Context, by runs.Caller, _ tools.Call) (any, error) {
	h.by = by
	return nil, tools.AsError(errors.New("the disk /var is gone"))
}

// I6: whose run it is comes from the connection, and only the secret makes a caller a
// person. Why something failed inside is in the log, and not in the answer.
func TestI6_WorkflowCallersAreThoseOfTheConnection(t *testing.T) {
	var log bytes.Buffer
	h := &heard{}
	d := newDesk(t, "")
	r := New(Options{Engine: d.Engine, Runs: h, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	for _, c := range []struct {
		caller Caller
		want   runs.Caller
	}{
		{d.plain.c, runs.Caller{Principal: "ann", Session: "repl/ann/main"}},
		{d.operator.c, runs.Caller{Principal: "ann", Session: "repl/ann/main", Person: true}},
	} {
		failed, text, _ := callTool(t, r.Session(c.caller), "list_workflows", "{}")
		assert.True(t, failed)
		assert.NotContains(t, text, "/var")
		assert.Equal(t, c.want, h.by)
	}
	assert.Contains(t, log.String(), "the disk /var is gone")
}
