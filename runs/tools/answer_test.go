package tools

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		out        any
		err        error
		text, json string
	}{
		{&Reply{Kind: "ok", Text: "Do it."}, nil, "Do it.", `{"kind":"ok","text":"Do it.",
			"run":{"label":"","runId":"","workflowId":""},"isComplete":false,"pending":null,
			"preferences":{},"nextIntent":"","nextCall":null}`},
		{Workflows{[]Workflow{{ID: "a.b", Description: "Does b."}},
			[]Broken{{Source: "user/x.lisp", Errors: []string{"bad"}}}}, nil,
			"a.b: Does b.\nuser/x.lisp cannot be started: bad\n" +
				"To begin one, call start_workflow with its id and your goal.",
			`{"workflows":[{"workflowId":"a.b","name":"","description":"Does b.","version":"","kind":"","workflowHash":"",
			"idStatus":""}],"validationWarnings":[{"source":"user/x.lisp","errors":["bad"]}]}`},
		{&Candidates{Candidates: []Candidate{}}, nil,
			"No run fits. Ask with other words, or without any for the newest runs.", `{"candidates":[],"totalEligible":0}`},
		{Inspected{ID: "a.b", Compiled: []byte("{}")}, nil, `{"workflowId":"a.b","workflowHash":"","mode":"","compiled":{}}`,
			`{"workflowId":"a.b","workflowHash":"","mode":"","compiled":{}}`},
	} {
		got := AnswerOf(c.out, c.err)
		assert.Equal(t, c.text, got.Text)
		assert.JSONEq(t, c.json, string(got.JSON))
		assert.False(t, got.Failed)
	}
}

// Row 128: an agent gets the envelope, and hears nothing of what failed inside.
func TestRow128_ErrorsAreAnswers(t *testing.T) {
	for _, c := range []struct {
		out  any
		err  error
		json string
	}{
		{nil, Failed(NotFound, "there is no workflow x", "call list_workflows"), `{"error":{"code":"NOT_FOUND",
			"message":"there is no workflow x","suggestion":"call list_workflows","retry":{"kind":"not_retryable"}}}`},
		{nil, errors.New("/var/lib is full"), `{"error":{"code":"INTERNAL_ERROR",
			"message":"something failed inside; the operator's log has it","suggestion":"try again later",
			"retry":{"kind":"not_retryable"}}}`},
		{42, nil, `{"error":{"code":"INTERNAL_ERROR",
			"message":"something failed inside; the operator's log has it","suggestion":"try again later",
			"retry":{"kind":"not_retryable"}}}`},
	} {
		got := AnswerOf(c.out, c.err)
		assert.JSONEq(t, c.json, string(got.JSON))
		assert.True(t, got.Failed)
		assert.NotContains(t, got.Text, "/var")
	}
}
