package api_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/adapters/api/client"
)

// A result settles the call that it is of, once: not one of another session, nor one that was denied or is over.
func TestAResultIsTakenOnceAndInItsSession(t *testing.T) {
	d := newDaemon(t)
	done := client.Outcome{State: "done", Result: json.RawMessage(`"ok"`)}
	refused := func(err error) {
		t.Helper()
		var no *client.Refused
		require.ErrorAs(t, err, &no)
		assert.Equal(t, http.StatusNotFound, no.Status)
	}
	no := d.judge("edit", `{"path":"/etc/passwd"}`, 0)
	refused(d.Finish(t.Context(), "test", "s1", `edit{"path":"/etc/passwd"}`, no.Record, done))
	r := d.judge("edit", `{"path":"a"}`, 0)
	refused(d.Finish(t.Context(), "test", "s2", `edit{"path":"a"}`, r.Intent, done))
	refused(d.Finish(t.Context(), "other", "s1", "", r.Intent, done))
	refused(d.Finish(t.Context(), "test", "s1", "another", 0, done))
	require.NoError(t, d.Finish(t.Context(), "test", "s1", "", r.Intent, done))
	refused(d.Finish(t.Context(), "test", "s1", "", r.Intent, done))
	refused(d.Finish(t.Context(), "test", "s1", `edit{"path":"a"}`, 0, done))
	open, err := d.engine.Hosts().Open(d.session(r.Record))
	require.NoError(t, err)
	assert.Empty(t, open)
}

// I6: a caller gives a capability its inputs. What Cortex fills in, such as the plan, it cannot give, nor what no
// plan has.
func TestI6_ACallCannotNameItsPlan(t *testing.T) {
	d, _, did := capable(t)
	for _, args := range []string{
		`{"branch":"main","plan":"sha256:00"}`, `{"branch":"main","Plan":"sha256:00"}`, `{"branch":"main","step":"note"}`,
		`{"branch":"main","via":"x"}`, `{"branch":"main","BRANCH":"x"}`, `{"branch":{"plan":"x"}}`, `{"branch":"{{work.said}}"}`,
	} {
		r, o, err := d.Call(t.Context(), client.Request{Session: "s1", Host: "test", Tool: "repo.release",
			Args: json.RawMessage(args)})
		require.NoError(t, err, args)
		assert.NotEqual(t, "allow", r.Kind, args)
		assert.Empty(t, o, args)
		t.Log(args, r.Kind, r.Text(), string(r.Args))
	}
	assert.Empty(t, did)
	_, _, err := d.Call(t.Context(), client.Request{Session: "s1", Host: "test", Tool: "Repo.Release", Args: json.RawMessage(`{"branch":"main"}`)})
	require.Error(t, err)
}
