package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// TestR41_LearnWritesCandidates: from the record to a file and a table, by the command line alone; and what was
// learnt changes nothing in the record.
func TestR41_LearnWritesCandidates(t *testing.T) {
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "mined")
	script := ""
	for i := range 6 {
		script += fmt.Sprintf(`(:form (:tool "show" :args (:app "shop-%d")) :usage (:in 100 :out 9))
			(:form (:tool "restart" :args (:app "shop-%d")) :usage (:in 100 :out 9)) (:reply "done" :usage (:in 100 :out 9))`, i, i)
	}
	play, err := model.NewScripted("script", "script.lisp", script)
	require.NoError(t, err)
	did := func(context.Context, act.Call) (act.Receipt, error) {
		return act.Receipt{State: act.Done, Text: "ok"}, nil
	}
	e, err := cortex.Open(t.Context(), cortex.Options{Dir: dir, Live: true,
		Models: cortex.Models{Providers: []model.Provider{play}},
		Rules: fstest.MapFS{"r.lisp": {Data: []byte(`(deftool show :params (:app string) :tier :allow :effect :none)
			(deftool restart :params (:app string) :tier :allow :effect :external)`)}},
		Tools: []act.Tool{{Schema: &skills.Tool{Name: "show"}, Actuator: act.Func(did)},
			{Schema: &skills.Tool{Name: "restart"}, Actuator: act.Func(did)}},
		Traces: engine.Traces{Mode: engine.TraceDigest}})
	require.NoError(t, err)
	for i := range 6 {
		text := fmt.Sprintf("Please restart shop-%d.", i)
		_, err := e.Submit(t.Context(), cortex.Signal{Sensor: "user-input", Text: text, Session: fmt.Sprint("s", i),
			Principal: "ann"})
		require.NoError(t, err)
	}
	head := e.Journal().Head()
	require.NoError(t, e.Close())

	code, text := runs(t, "", "learn", "--dir", dir, "--out", out)
	require.Equal(t, exitDone, code, text)
	assert.Regexp(t, `(?m)^candidate  mined\.show-restart-[0-9a-f]{8}  6 traces, 100% successful, 0\.50 of the tokens$`, text)
	assert.Contains(t, text, "1 candidates, 0 left out, of 6 traces, 6 of them successful, with 12 calls")
	files, err := filepath.Glob(filepath.Join(out, "mined.show-restart-*.lisp"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	data, err := os.ReadFile(files[0])
	require.NoError(t, err)
	_, err = sexpr.ReadAll(files[0], string(data))
	require.NoError(t, err)
	assert.Contains(t, string(data), `(s1 :tool "show" :args (:app "{{app}}") :ms 1000 :undo "only reads")`)

	code, text = runs(t, "", "learn", "--dir", dir, "--out", out, "--json")
	require.Equal(t, exitDone, code, "the same once more: its file is there")
	var got struct {
		Calls      int
		Candidates []struct{ ID, Text string }
	}
	require.NoError(t, json.Unmarshal([]byte(text), &got))
	assert.Equal(t, 12, got.Calls)
	assert.Equal(t, string(data), got.Candidates[0].Text)

	code, text = runs(t, "", "learn", "--dir", dir, "--support", "7")
	assert.Equal(t, exitDone, code)
	assert.Contains(t, text, "0 candidates")
	code, text = runs(t, "", "learn", "--dir", dir, "--cost", "0.4")
	assert.Equal(t, exitDone, code)
	assert.Contains(t, text, "as one call it would take 0.50 of what it took in tokens, expected at most 0.40")
	code, _ = runs(t, "", "learn", "--dir", dir, "--success", "2")
	assert.Equal(t, exitError, code)

	code, text = runs(t, "", "journal", "verify", "--dir", dir)
	assert.Equal(t, exitDone, code)
	assert.Contains(t, text, head.String(), "nothing was written")

	t.Run("on record", func(t *testing.T) { learntIsOnRecord(t, dir, string(data)) })
}

// learntIsOnRecord: a candidate is a file and a record, entered by an operator, once; it stands in no registry.
func learntIsOnRecord(t *testing.T, dir, file string) {
	secret := filepath.Join(t.TempDir(), "secret")
	code, text := runs(t, "", "learn", "--dir", dir, "--enter", "--secret", secret)
	require.NotEqual(t, exitDone, code, "it takes an operator: %s", text)
	code, text = runs(t, "", "approvals", "pair", "--dir", dir, "--secret", secret)
	require.Equal(t, exitDone, code, text)
	for range 2 { // entered twice, it is there once
		code, text = runs(t, "", "learn", "--dir", dir, "--enter", "--secret", secret)
		require.Equal(t, exitDone, code, text)
		assert.Regexp(t, `(?m)^candidate  mined\.show-restart-[0-9a-f]{8}  6 traces, .*; on record$`, text)
	}
	code, text = runs(t, "", "learn", "--dir", dir)
	require.Equal(t, exitDone, code, text)
	assert.Contains(t, text, "; on record\n", "a later look finds it")
	code, text = runs(t, "", "capability", "list", "--dir", dir)
	require.Equal(t, exitDone, code, text)
	assert.Equal(t, "no capabilities\n", text)

	e, err := cortex.Open(t.Context(), cortex.Options{Dir: dir, Inspect: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, e.Close()) }()
	log, err := e.Hosts().Logs().Read(t.Context(), "candidates")
	require.NoError(t, err)
	require.Len(t, log.Events, 1)
	var got struct{ Digest, State, By string }
	require.NoError(t, json.Unmarshal([]byte(log.Events[0].Data), &got))
	assert.Equal(t, "mined", got.State)
	assert.NotEmpty(t, got.By)
	of, err := sexpr.ParseDigest(got.Digest)
	require.NoError(t, err)
	_, kept, err := e.Hosts().Logs().Content(of)
	require.NoError(t, err)
	assert.Equal(t, file, kept, "the record has the text of the file")
}
