package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/adapters/api"
	"github.com/opencortex-go/cortex/adapters/api/client"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// do sends one request to the daemon, and reads the answer into out.
func (d *daemon) do(method, path, body string, out any) (code int) {
	d.t.Helper()
	h := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", d.socket)
	}}}
	defer h.CloseIdleConnections()
	req, err := http.NewRequestWithContext(d.t.Context(), method, "http://cortex/v1/"+path, strings.NewReader(body))
	require.NoError(d.t, err)
	res, err := h.Do(req)
	require.NoError(d.t, err)
	defer func() { _ = res.Body.Close() }()
	require.NoError(d.t, json.NewDecoder(res.Body).Decode(out))
	return res.StatusCode
}

// session is the name on record of the session of a decision.
func (d *daemon) session(record uint64) string {
	d.t.Helper()
	_, name, err := d.engine.Hosts().Decision(record)
	require.NoError(d.t, err)
	return name
}

// receipts are the results on record, by what the actions did.
func (d *daemon) receipts() map[string]string {
	d.t.Helper()
	out, intents := map[string]string{}, map[uint64]string{}
	require.NoError(d.t, d.engine.Journal().Records(1, func(r cortex.Record) error {
		switch r.Kind {
		case "intent":
			args, _ := r.Body.Get("args")
			intents[r.Seq] = args.GetText("to")
		case "receipt":
			result, _ := r.Body.Get("result")
			out[intents[uint64(r.Body.GetInt("intent"))]] = r.Body.GetText("state") + " " + result.String()
		}
		return nil
	}))
	return out
}

// An id names one call: while it is open, another one of that id is refused, and nothing is recorded of it.
func TestI1_AnIdNamesOneCall(t *testing.T) {
	d := newDaemon(t)
	_, err := d.Words(t.Context(), "test", "s1", "Write to ann@corp.com and to bob@corp.com.")
	require.NoError(t, err)
	send := func(host, call, to string) (client.Ruling, error) {
		return d.Judge(t.Context(), client.Request{Session: "s1", Host: host, Call: call, Tool: "send",
			Args: json.RawMessage(fmt.Sprintf(`{"to":%q,"text":"hi"}`, to))})
	}
	refused := func(err error, code int) {
		t.Helper()
		var no *client.Refused
		require.ErrorAs(t, err, &no)
		assert.Equal(t, code, no.Status, no.Text)
	}
	done := func(text string) client.Outcome {
		return client.Outcome{State: "done", Result: json.RawMessage(fmt.Sprintf("%q", text))}
	}
	ann, err := send("test", "c1", "ann@corp.com")
	require.NoError(t, err)
	require.Equal(t, "allow", ann.Kind, ann.Text())
	before := d.engine.Journal().Last()
	for _, to := range []string{"bob@corp.com", "ann@corp.com"} {
		_, err = send("test", "c1", to)
		refused(err, http.StatusConflict)
	}
	assert.Equal(t, before, d.engine.Journal().Last(), "nothing was decided")

	bob, err := send("test", "c2", "bob@corp.com")
	require.NoError(t, err)
	refused(d.Finish(t.Context(), "test", "s1", "c1", bob.Intent, done("mixed up")), http.StatusNotFound)
	require.NoError(t, d.Finish(t.Context(), "test", "s1", "c2", 0, done("to bob")))
	require.NoError(t, d.Finish(t.Context(), "test", "s1", "c1", ann.Intent, done("to ann")))
	assert.Equal(t, map[string]string{"ann@corp.com": `done "to ann"`, "bob@corp.com": `done "to bob"`}, d.receipts())
	again, err := send("test", "c1", "bob@corp.com")
	require.NoError(t, err, "its id is free again")

	// After a restart the daemon knows no ids: a call is then named by its intent.
	d.serve()
	refused(d.Finish(t.Context(), "test", "s1", "c7", 0, done("of another")), http.StatusNotFound)
	require.NoError(t, d.Finish(t.Context(), "test", "s1", "c1", again.Intent, done("to bob once more")))
	assert.Equal(t, `done "to bob once more"`, d.receipts()["bob@corp.com"])
}

// Two calls of one id that people are asked about: one yes opens the first that goes on, and not both.
func TestI1_AnIdNamesOneCallWhilePeopleAreAsked(t *testing.T) {
	d := newDaemon(t)
	type answer struct {
		r   client.Ruling
		err error
	}
	got := make(chan answer, 2)
	for _, branch := range []string{"one", "two"} {
		go func() {
			r, err := d.Judge(context.WithoutCancel(t.Context()), client.Request{Session: "s1", Host: "test", Call: "c1",
				Tool: "push", Args: json.RawMessage(fmt.Sprintf(`{"branch":%q}`, branch)), Hold: time.Minute})
			got <- answer{r, err}
		}()
	}
	var cards []string
	require.Eventually(t, func() bool {
		cards = nil
		for a, err := range d.engine.Pending(t.Context()) {
			require.NoError(t, err)
			cards = append(cards, a.Token)
		}
		return len(cards) == 2
	}, time.Minute, 5*time.Millisecond)
	for _, c := range cards {
		require.NoError(t, d.engine.Approve(t.Context(), c, cortex.Approver{Name: "ana", Via: "test"}))
	}
	allowed := 0
	for range 2 {
		a := <-got
		if a.err == nil && a.r.Kind == "allow" {
			allowed++
			continue
		}
		var no *client.Refused
		require.ErrorAs(t, a.err, &no)
		assert.Equal(t, http.StatusConflict, no.Status)
	}
	assert.Equal(t, 1, allowed)
}

// A host whose hooks have no ids names a call by what it does: two that do the same at a time both run, and each has
// its receipt.
func TestHooksNameEqualCallsAlike(t *testing.T) {
	d := newDaemon(t)
	var open [2]client.Ruling
	for i := range open {
		var err error
		open[i], err = d.Judge(t.Context(), client.Request{Session: "s1", Host: "gemini", Call: "call-1", Tool: "edit",
			Args: json.RawMessage(`{"path":"a"}`)})
		require.NoError(t, err)
		require.Equal(t, "allow", open[i].Kind)
	}
	_, err := d.Judge(t.Context(), client.Request{Session: "s1", Host: "gemini", Call: "call-1", Tool: "edit",
		Args: json.RawMessage(`{"path":"b"}`)})
	require.Error(t, err)
	name := d.session(open[0].Record)
	for left := range open {
		still, err := d.engine.Hosts().Open(name)
		require.NoError(t, err)
		require.Len(t, still, len(open)-left)
		require.NoError(t, d.Finish(t.Context(), "gemini", "s1", "call-1", 0, client.Outcome{State: "done"}))
	}
	still, err := d.engine.Hosts().Open(name)
	require.NoError(t, err)
	assert.Empty(t, still)
}

// A key stands for one message of one session: with another text it is refused, and in another session it is another.
func TestAKeyStandsForOneMessage(t *testing.T) {
	d := newDaemon(t)
	say := func(session, key, text string, code int) (heard api.Heard) {
		t.Helper()
		assert.Equal(t, code, d.do(http.MethodPost, "words",
			fmt.Sprintf(`{"session":{"id":%q,"host":"test"},"key":%q,"text":%q}`, session, key, text), &heard))
		return heard
	}
	first := say("s1", "k1", "Write to ann@corp.com.", 200)
	assert.Equal(t, first, say("s1", "k1", "Write to ann@corp.com.", 200))
	say("s1", "k1", "Write to bob@corp.com.", http.StatusConflict)
	assert.NotEqual(t, first, say("s2", "k1", "Write to bob@corp.com.", 200))
	assert.NotEqual(t, first, say("s1", "k2", "Write to ann@corp.com.", 200))
	assert.Equal(t, "mail/told", d.judge("send", `{"to":"bob@corp.com","text":"x"}`, 0).Key)
}

// A caller sees cards and events of its own sessions: not those of messengers, the REPL or other callers.
func TestACallerSeesItsOwnSessions(t *testing.T) {
	d := newDaemon(t)
	a, err := cortex.NewAction("push", sexpr.Plist("branch", sexpr.Str("theirs")), "")
	require.NoError(t, err)
	theirs, err := d.engine.Decide(t.Context(), a,
		&cortex.Facts{Session: skills.Session{ID: "telegram/7", Principal: "bo"}})
	require.NoError(t, err)
	require.NotEmpty(t, theirs.Approval)
	mine := d.judge("push", `{"branch":"mine"}`, 0)

	var cards []api.Card
	require.Equal(t, 200, d.do(http.MethodGet, "cards", "", &cards))
	require.Len(t, cards, 1)
	assert.Equal(t, mine.Token, cards[0].Token)
	var card api.Card
	assert.Equal(t, 200, d.do(http.MethodGet, "cards/"+mine.Token, "", &card))
	assert.Equal(t, http.StatusNotFound, d.do(http.MethodGet, "cards/"+theirs.Approval+"?hold=30", "", &card))
	var none struct{}
	assert.Equal(t, http.StatusNotFound, d.do(http.MethodPost, "withdraw",
		fmt.Sprintf(`{"session":{"id":"s1","host":"test"},"token":%q}`, theirs.Approval), &none))

	h := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", d.socket)
	}}}
	defer h.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://cortex/v1/events", nil)
	require.NoError(t, err)
	req.Header.Set("Last-Event-ID", "0")
	res, err := h.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	var seen bytes.Buffer
	buf := make([]byte, 4096)
	for !strings.Contains(seen.String(), fmt.Sprintf("id: %d\n", mine.Record)) {
		n, err := res.Body.Read(buf)
		require.NoError(t, err)
		seen.Write(buf[:n])
	}
	assert.Contains(t, seen.String(), "event: rulebook")
	assert.NotContains(t, seen.String(), "telegram/7")
}
