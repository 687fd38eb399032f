package control_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/capabilities"
	"github.com/opencortex-go/cortex/capabilities/control"
	"github.com/opencortex-go/cortex/cortex"
)

// shared is a plan file with one capability of this id and version.
func shared(id, version, doc string) string {
	return fmt.Sprintf(`(defcapability %s :version %q :owner "o" :scope :org :doc %q :inputs (:app string) :required (:app)
  :plan ((look :tool "read" :args (:name "{{app}}") :undo "only reads")))`, id, version, doc)
}

func answerOf(t *testing.T, until string, skills ...any) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"until": until, "skills": append([]any{}, skills...)})
	require.NoError(t, err)
	return string(text)
}

func (b *bench) last() request {
	all := b.s.requests()
	return all[len(all)-1]
}

// R32: what the plane shares, by project and time, is registered and no more. What cannot be registered is
// refused by itself, and what is there cannot be changed.
func TestR32_WhatIsSharedIsOnlyRegistered(t *testing.T) {
	b := newBench(t)
	b.s.says(200, answerOf(t, "2026-01-02", shared("new.look", "1.0.0", "looks"), "(defcapability broken)",
		map[string]any{"id": "not.a.manifest"}, 7, shared("own.look", "1.0.0", "another plan"),
		shared("new.peek", "2.0.0", "peeks")))
	got, err := b.plane.Sync(t.Context(), b.caps)
	require.NoError(t, err)
	assert.Equal(t, []string{"new.look 1.0.0", "new.peek 2.0.0"}, got.Registered)
	require.Len(t, got.Refused, 4)
	assert.Contains(t, got.Refused[3], "a version never changes")
	assert.JSONEq(t, `{"project":"shop","since":""}`, b.last().body)
	for _, id := range []string{"new.look", "new.peek"} {
		e, _, err := b.caps.Find(t.Context(), id, "")
		require.NoError(t, err)
		assert.Equal(t, capabilities.Registered, e.State)
		assert.Equal(t, "control plane", e.By)
		d, _, err := b.start(id, "shop")
		require.Error(t, err, "a person has not put it in force")
		assert.Equal(t, "tool/unknown", d.Key)
	}
	e, _, err := b.caps.Find(t.Context(), "own.look", "")
	require.NoError(t, err)
	assert.Equal(t, capabilities.InForce, e.State, "what is in force stays as it is")

	b.s.says(200, answerOf(t, "2026-01-03"))
	_, err = b.plane.Sync(t.Context(), b.caps)
	require.NoError(t, err)
	assert.JSONEq(t, `{"project":"shop","since":"2026-01-02"}`, b.last().body)
	b.again()
	b.s.says(200, `{"skills":[]}`)
	_, err = b.plane.Sync(t.Context(), b.caps)
	require.ErrorContains(t, err, `no "until"`)
	assert.JSONEq(t, `{"project":"shop","since":"2026-01-02"}`, b.last().body, "as far as something was shared")
	require.Error(t, b.plane.Trouble())

	many := make([]any, 101)
	for i := range many {
		many[i] = shared(fmt.Sprintf("x.c%d", i), "1.0.0", "x")
	}
	b.s.says(200, answerOf(t, "2026-01-04", many...))
	_, err = b.plane.Sync(t.Context(), b.caps)
	require.ErrorContains(t, err, "101 capabilities in one answer")
	all, err := b.caps.List(t.Context())
	require.NoError(t, err)
	assert.Len(t, all, 5)
	b.replays()
}

// R33: a report of tests that ran here goes to the plane, signed with the key. Its answer is on record and
// changes no state.
func TestR33_APromotionIsASignedReport(t *testing.T) {
	b := newBench(t)
	report := control.Report{Capability: "org.look", Version: "1.0.0", Env: "staging", Unit: [2]int{2, 2}, Reached: true}
	for _, answer := range []string{"accepted", "waiting", "refused"} {
		b.s.says(200, fmt.Sprintf(`{"answer":%q,"reason":"so it is"}`, answer))
		got, err := b.plane.Promote(t.Context(), report)
		require.NoError(t, err)
		assert.Equal(t, control.Promotion{Report: report, Answer: answer, Reason: "so it is"}, got)
	}
	last := b.last()
	assert.Equal(t, "/v1/promotions", last.path)
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(last.body))
	assert.Equal(t, "hmac-sha256="+hex.EncodeToString(mac.Sum(nil)), last.signature)
	var sent control.Report
	require.NoError(t, json.Unmarshal([]byte(last.body), &sent))
	assert.Equal(t, report, sent)
	assert.Equal(t, []string{"promoted", "promoted", "promoted"}, b.events())
	b.s.says(200, `{"answer":"in-force"}`)
	_, err := b.plane.Promote(t.Context(), report)
	require.ErrorContains(t, err, "none of accepted, waiting and refused")
	e, _, err := b.caps.Find(t.Context(), "org.look", "")
	require.NoError(t, err)
	assert.Equal(t, capabilities.InForce, e.State)
}

// R34: what the plane is told are sums. Nothing that was said, put in or given back, no reason of a person and
// no name of one leaves by any of the four calls; and what has not changed is not sent again.
func TestR34_OnlySumsLeave(t *testing.T) {
	b := newBench(t)
	_, err := b.e.Hosts().Hear(t.Context(), cortex.Signal{Source: "test", Principal: "user", Session: "s",
		Text: "canary-prompt"})
	require.NoError(t, err)
	for i := range 3 {
		_, _, err := b.start("org.look", fmt.Sprintf("canary-input-%d", i))
		require.NoError(t, err)
	}
	require.NoError(t, b.caps.Move(t.Context(), "org.drop", "1.0.0", capabilities.Revoked, "canary-person",
		"canary-reason"))
	b.s.says(200, `{"until":"1"}`)
	_, err = b.plane.Sync(t.Context(), b.caps)
	require.NoError(t, err)
	require.NoError(t, b.plane.Tell(t.Context(), b.caps))
	last := b.last()
	assert.Equal(t, "/v1/telemetry", last.path)
	var got struct {
		Capabilities []struct {
			Capability string
			Calls, OK  int
		}
		Versions map[string]int
	}
	require.NoError(t, json.Unmarshal([]byte(last.body), &got))
	assert.Equal(t, "org.look", got.Capabilities[0].Capability)
	assert.Equal(t, 3, got.Capabilities[0].Calls)
	assert.Equal(t, 3, got.Capabilities[0].OK)
	assert.Equal(t, map[string]int{"in-force": 2, "revoked": 1}, got.Versions)
	n := len(b.s.requests())
	require.NoError(t, b.plane.Tell(t.Context(), b.caps))
	assert.Len(t, b.s.requests(), n, "nothing has changed")
	for _, r := range b.s.requests() {
		assert.NotContains(t, r.body, "canary")
		assert.NotContains(t, r.body, "user")
	}
	b.s.says(500, "")
	_, _, _ = b.start("own.look", "shop")
	require.Error(t, b.plane.Tell(t.Context(), b.caps))
	b.s.says(200, `{}`)
	require.NoError(t, b.plane.Tell(t.Context(), b.caps), "it is told as soon as it is there again")
	require.NoError(t, b.plane.Trouble())
}

// Run looks and tells at once, goes on while the plane is lost, and ends with its context.
func TestR35_RunEndsWithItsContext(t *testing.T) {
	b := newBench(t)
	ctx, stop := context.WithCancel(t.Context())
	told := make(chan string, 8)
	b.s.does(func(w http.ResponseWriter, r *http.Request, _ string) {
		told <- strings.TrimPrefix(r.URL.Path, "/v1/")
		_, _ = w.Write([]byte(answerOf(t, "1", shared("new.look", "1.0.0", "looks"))))
	})
	over := make(chan struct{})
	go func() { defer close(over); b.plane.Run(ctx, b.caps) }()
	assert.Equal(t, "skills/sync", <-told)
	assert.Equal(t, "telemetry", <-told)
	stop()
	<-over
	require.NoError(t, b.plane.Trouble())
	_, _, err := b.caps.Find(t.Context(), "new.look", "1.0.0")
	assert.NoError(t, err)
}
