package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/adapters/api"
	"github.com/opencortex-go/cortex/adapters/api/client"
	"github.com/opencortex-go/cortex/capabilities"
	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/skills"
)

const release = `
(defcapability repo.release
  :version "1.0.0" :owner "team" :scope :project :doc "Marks a branch as released."
  :inputs (:branch string) :required (:branch) :outputs (:said string)
  :once (:key ("release" :branch))
  :plan ((edit :tool "edit" :args (:path "VERSION") :out (:said text) :undo "the next one edits it again")
         (push :tool "push" :args (:branch "{{branch}}") :undo (:tool "push" :args (:branch "before")))
         (note :tool "edit" :args (:path "{{work.said}}") :undo "only notes"))
  :result (:said "{{work.said}}"))
`

// capable is a daemon in which repo.release is in force, and tells what its steps did.
func capable(t *testing.T) (d *daemon, caps *capabilities.Capabilities, did chan string) {
	t.Helper()
	caps, did = capabilities.New(), make(chan string, 100)
	var tools []act.Tool
	for _, name := range []string{"edit", "push"} {
		tools = append(tools, act.Tool{Schema: &skills.Tool{Name: name}, Actuator: act.Func(
			func(_ context.Context, c act.Call) (act.Receipt, error) {
				did <- c.Action.Canonical()
				return act.Receipt{State: act.Done, Text: "v2"}, nil
			})})
	}
	d = newDaemon(t, func(o *cortex.Options) { o.Capabilities, o.Tools, o.Heartbeat = caps, tools, time.Hour })
	all, err := form.Read("release.lisp", []byte(release))
	require.NoError(t, err)
	require.NoError(t, caps.Register(t.Context(), all[0], "op"))
	for _, to := range []capabilities.State{capabilities.Tested, capabilities.OnTrial, capabilities.InForce} {
		require.NoError(t, caps.Move(t.Context(), "repo.release", "1.0.0", to, "op", ""))
	}
	return d, caps, did
}

func (d *daemon) call(branch string, hold time.Duration) (client.Ruling, client.Outcome) {
	d.t.Helper()
	r, o, err := d.Call(d.t.Context(), client.Request{Session: "s1", Host: "test", Tool: "repo.release",
		Args: json.RawMessage(`{"branch":"` + branch + `"}`), Hold: hold})
	require.NoError(d.t, err)
	return r, o
}

// A capability is called as any tool is: judged, asked about on one card that shows each step with exactly its
// bytes, and after one yes run by the daemon.
func TestACapabilityIsCalled(t *testing.T) {
	d, _, did := capable(t)
	r, o := d.call("main", 0)
	assert.Equal(t, "ask", r.Kind)
	assert.Empty(t, o)
	var c api.Card
	require.NoError(t, json.Unmarshal([]byte(d.ask(http.MethodGet, "cards/"+r.Token, nil)), &c))
	require.Len(t, c.Steps, 3)
	assert.Equal(t, "edit", c.Steps[0].Name)
	assert.False(t, c.Steps[0].Asks)
	assert.JSONEq(t, `{"path":"VERSION"}`, string(c.Steps[0].Action.Args))
	assert.True(t, c.Steps[1].Asks)
	assert.Equal(t, "push", c.Steps[1].Action.Tool)
	assert.JSONEq(t, `{"branch":"main"}`, string(c.Steps[1].Action.Args))
	assert.NotEmpty(t, c.Steps[1].Digest)
	assert.NotEmpty(t, c.Steps[1].Reasons)
	assert.Contains(t, c.Steps[1].Note, "people are asked before it is made up for")
	assert.Nil(t, c.Steps[2].Action, "it is open")
	assert.Contains(t, c.Steps[2].Note, "only when it is due")
	assert.Empty(t, did)

	require.NoError(t, d.engine.Approve(t.Context(), r.Token, cortex.Approver{Name: "ana"}))
	r, o = d.call("main", 0)
	assert.Equal(t, "allow", r.Kind)
	assert.Equal(t, "done", o.State)
	assert.Equal(t, `repo.release 1.0.0: ok (:said "v2")`, o.Text)
	assert.Contains(t, string(o.Result), `"outputs":{"said":"v2"}`)
	require.Len(t, did, 3)
	assert.Contains(t, <-did, "VERSION")
	assert.Contains(t, <-did, "main")
	assert.Contains(t, <-did, "v2")
}

// A call waits for people, if it is asked to, and runs on their yes. On a no nothing runs.
func TestACallOfACapabilityWaitsForPeople(t *testing.T) {
	d, _, did := capable(t)
	answer := func(f func(token string) error) (client.Ruling, client.Outcome) {
		done := make(chan error, 1)
		go func() {
			for {
				for a, err := range d.engine.Pending(context.Background()) {
					if err == nil {
						err = f(a.Token)
					}
					done <- err
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
		}()
		r, o := d.call("main", 20*time.Second)
		require.NoError(t, <-done)
		return r, o
	}
	who := cortex.Approver{Name: "ana"}
	r, o := answer(func(token string) error { return d.engine.Deny(context.Background(), token, who, "not today") })
	assert.Equal(t, "deny", r.Kind)
	assert.Contains(t, r.Text(), "not today")
	assert.Empty(t, o)
	assert.Empty(t, did)
	r, o = answer(func(token string) error { return d.engine.Approve(context.Background(), token, who) })
	assert.Equal(t, "allow", r.Kind)
	assert.Equal(t, "done", o.State)
	assert.Len(t, did, 3)
}

// No caller runs a capability itself, and no other tool is run for a caller.
func TestOnlyTheDaemonRunsCapabilities(t *testing.T) {
	d, _, did := capable(t)
	_, err := d.Judge(t.Context(), client.Request{Session: "s1", Host: "test", Tool: "repo.release",
		Args: json.RawMessage(`{"branch":"main"}`)})
	var no *client.Refused
	require.ErrorAs(t, err, &no)
	assert.Equal(t, http.StatusBadRequest, no.Status)
	assert.Contains(t, no.Text, "/v1/call")
	r, err := d.Decide(t.Context(), client.Request{Session: "s1", Host: "test", Tool: "repo.release",
		Args: json.RawMessage(`{"branch":"main"}`)})
	require.NoError(t, err)
	require.NoError(t, d.engine.Approve(t.Context(), r.Token, cortex.Approver{Name: "ana"}))
	begin := map[string]any{"session": map[string]string{"id": "s1", "host": "test"}, "record": r.Record}
	assert.Contains(t, d.ask(http.MethodPost, "begin", begin), "/v1/call")
	_, _, err = d.Call(t.Context(), client.Request{Session: "s1", Host: "test", Tool: "edit",
		Args: json.RawMessage(`{"path":"a"}`)})
	require.ErrorAs(t, err, &no)
	assert.Equal(t, http.StatusNotFound, no.Status)
	assert.Empty(t, did)
}

// A list of capabilities has what may be started. A caller can wait until it is another one.
func TestCapabilitiesAreListed(t *testing.T) {
	d, caps, _ := capable(t)
	all, version, err := d.Capabilities(t.Context(), "", 0)
	require.NoError(t, err)
	require.Len(t, all, 1)
	assert.Equal(t, "repo.release", all[0].Name)
	assert.Equal(t, "Marks a branch as released.", all[0].Description)
	assert.Contains(t, string(all[0].Schema), `"branch"`)
	began := time.Now()
	_, same, err := d.Capabilities(t.Context(), version, time.Second)
	require.NoError(t, err)
	assert.Equal(t, version, same)
	assert.GreaterOrEqual(t, time.Since(began), time.Second)

	moved := make(chan error, 1)
	go func() {
		moved <- caps.Move(context.Background(), "repo.release", "1.0.0", capabilities.Revoked, "op", "")
	}()
	all, other, err := d.Capabilities(t.Context(), version, 20*time.Second)
	require.NoError(t, err)
	require.NoError(t, <-moved)
	assert.Empty(t, all)
	assert.NotEqual(t, version, other)
}

// ask makes a request as a program without a client does, and returns the answer's body.
func (d *daemon) ask(method, path string, body any) string {
	d.t.Helper()
	text, err := json.Marshal(body)
	require.NoError(d.t, err)
	c := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", d.socket)
	}}}
	defer c.CloseIdleConnections()
	req, err := http.NewRequestWithContext(d.t.Context(), method, "http://cortex/v1/"+path, bytes.NewReader(text))
	require.NoError(d.t, err)
	res, err := c.Do(req)
	require.NoError(d.t, err)
	defer func() { assert.NoError(d.t, res.Body.Close()) }()
	answer, err := io.ReadAll(res.Body)
	require.NoError(d.t, err)
	return string(answer)
}
