package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const sharedPlan = `(defcapability shop.look :version "1.0.0" :owner "plane" :scope :org
  :inputs (:word string) :required (:word) :once (:key ("look" :word))
  :plan ((look :tool "shell" :args (:cmd "echo {{word}}") :undo "only reads"))
  :tests ((works :inputs (:word "hello") :stubs (:look (:text "hello")) :expect (:status :ok :steps ("look"))))
  :fuzz (:count 2))`

// A daemon under a control plane, by the command line alone: what the plane shares is registered, promoted and put
// in force by people, its starts are ruled on, doctor says when the plane is lost, and a replay asks no plane.
func TestR35_ADaemonUnderAControlPlane(t *testing.T) {
	var lost atomic.Bool
	var mu sync.Mutex
	asked := map[string]int{}
	plane := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		asked[r.URL.Path]++
		mu.Unlock()
		assert.NotContains(t, string(body), "canary")
		answer := map[string]any{"answer": "allow", "until": "1"}
		switch {
		case lost.Load():
			w.WriteHeader(http.StatusBadGateway)
			return
		case r.Header.Get("Authorization") != "Bearer the-key":
			w.WriteHeader(http.StatusUnauthorized)
			return
		case r.URL.Path == "/promotions":
			answer = map[string]any{"answer": "accepted", "reason": "welcome"}
			assert.NotEmpty(t, r.Header.Get("Cortex-Signature"))
		case strings.Contains(string(body), `"since":""`):
			answer["skills"] = []string{sharedPlan}
		}
		assert.NoError(t, json.NewEncoder(w).Encode(answer))
	}))
	t.Cleanup(plane.Close)
	count := func(path string) int {
		mu.Lock()
		defer mu.Unlock()
		return asked[path]
	}

	pl := newPlace(t)
	pl.write("plane-key", "the-key\n")
	pl.alter("c.toml", "[[providers]]", fmt.Sprintf("[control]\nurl = %q\nkey_file = \"plane-key\"\nproject = \"shop\"\n"+
		"every = \"100ms\"\n[[providers]]", plane.URL))
	pl.write("script.lisp", `(:form (:type :request :target :tool :payload (:tool "shop.look" :args (:word "canary"))) :when ("look"))
(:reply "seen" :repeat t)`)
	pl.shows("approvals", "pair", "--dir", "state", "--secret", "secret")
	d := pl.start()
	order := func(args ...string) string {
		return pl.shows(append(append([]string{"capability"}, args...), "--dir", "state")...)
	}
	require.Eventually(t, func() bool { return strings.Contains(order("list"), "registered") }, 20*time.Second,
		50*time.Millisecond)
	secret := []string{"--secret", pl.path("secret")}
	order(append([]string{"test", "shop.look"}, secret...)...)
	assert.Contains(t, order(append([]string{"promote", "shop.look"}, secret...)...),
		`shop.look 1.0.0, unit 1 of 1, made up 2 of 2: the control plane says accepted: "welcome"`)
	assert.Contains(t, order(append([]string{"try", "shop.look"}, secret...)...), "is on-trial")
	assert.Contains(t, order(append([]string{"activate", "shop.look"}, secret...)...), "is in-force")
	assert.Zero(t, count("/policy/check"), "no start yet")
	assert.Equal(t, "seen", say(t, d.dial(), "s", "have a look").Text)
	assert.Positive(t, count("/policy/check"))
	assert.Contains(t, order("stats"), "shop.look  1 calls")
	assert.NotContains(t, pl.shows("doctor", "--config", "c.toml"), "control plane")

	lost.Store(true)
	d.says("the control plane is lost")
	assert.Contains(t, pl.shows("doctor", "--config", "c.toml"), "degraded: the control plane was not reached")
	lost.Store(false)
	d.says("the control plane answers again")
	assert.NotContains(t, pl.shows("doctor", "--config", "c.toml"), "degraded")
	d.signal(syscall.SIGTERM)
	require.Zero(t, d.end())
	before := count("/policy/check")
	assert.Regexp(t, `[1-9]\d* decisions derived again, 0 differences`, pl.shows("replay", "--dir", "state"))
	assert.Equal(t, before, count("/policy/check"))
	assert.Contains(t, order("promote", "shop.look", "--secret", pl.path("secret")), "no control plane is set up here")
}
