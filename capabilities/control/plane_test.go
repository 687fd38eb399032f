package control_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/capabilities"
	"github.com/opencortex-go/cortex/capabilities/control"
	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

const rules = `
(deftool read :params (:name string) :required (:name) :tier :allow :effect :none)
(deftool drop :params (:name string) :required (:name) :tier :deny :effect :external)
(defaults :unknown-tool :deny)
`

// plans are one of the organisation, one of the project, and one that a rule refuses.
const plans = `
(defcapability org.look :version "1.0.0" :owner "o" :scope :org :inputs (:app string) :required (:app)
  :plan ((look :tool "read" :args (:name "{{app}}") :undo "only reads")))
(defcapability own.look :version "1.0.0" :owner "o" :scope :project :inputs (:app string) :required (:app)
  :plan ((look :tool "read" :args (:name "{{app}}") :undo "only reads")))
(defcapability org.drop :version "1.0.0" :owner "o" :scope :org :inputs (:app string) :required (:app)
  :once (:key ("drop" :app))
  :plan ((go :tool "drop" :args (:name "{{app}}") :undo "nothing to do")))
`

// request is one that the server got.
type request struct {
	path, body, signature string
}

// server is a control plane over TCP, as a test has it answer.
type server struct {
	*httptest.Server
	mu     sync.Mutex
	got    []request
	answer func(w http.ResponseWriter, r *http.Request, body string)
}

const key = "plane-key-7"

func serve(t *testing.T) *server {
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPost || r.Header.Get("Authorization") != "Bearer "+key {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		s.mu.Lock()
		s.got = append(s.got, request{r.URL.Path, string(body), r.Header.Get("Cortex-Signature")})
		answer := s.answer
		s.mu.Unlock()
		answer(w, r, string(body))
	}))
	t.Cleanup(s.Close)
	return s
}

// says sets what the server answers to everything.
func (s *server) says(status int, body string) {
	s.does(func(w http.ResponseWriter, _ *http.Request, _ string) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

func (s *server) does(f func(w http.ResponseWriter, r *http.Request, body string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = f
}

func (s *server) requests() []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]request(nil), s.got...)
}

type bench struct {
	t     *testing.T
	dir   string
	s     *server
	e     *cortex.Engine
	caps  *capabilities.Capabilities
	plane *control.Plane
}

// newBench starts an engine under a plane, with the plans in force.
func newBench(t *testing.T, change ...func(*control.Options)) *bench {
	t.Helper()
	b := &bench{t: t, dir: t.TempDir(), s: serve(t)}
	b.s.says(http.StatusOK, `{"answer":"allow"}`)
	b.open(change...)
	t.Cleanup(func() { assert.NoError(t, b.e.Close()) })
	all, err := form.Read("plans.lisp", []byte(plans))
	require.NoError(t, err)
	for _, v := range all {
		require.NoError(t, b.caps.Register(t.Context(), v, "op"))
		for _, s := range []capabilities.State{capabilities.Tested, capabilities.OnTrial, capabilities.InForce} {
			require.NoError(t, b.caps.Move(t.Context(), v.ID, v.Version, s, "op", ""))
		}
	}
	return b
}

func (b *bench) open(change ...func(*control.Options)) {
	b.t.Helper()
	opt := control.Options{URL: b.s.URL + "/v1", Key: key, Project: "shop", Timeout: 300 * time.Millisecond}
	for _, f := range change {
		f(&opt)
	}
	plane, err := control.New(opt)
	require.NoError(b.t, err)
	b.plane, b.caps = plane, capabilities.Under(plane)
	b.e, err = cortex.Open(b.t.Context(), cortex.Options{Dir: b.dir, Live: true, Heartbeat: time.Hour,
		Capabilities: b.caps, Env: sexpr.Plist("env", sexpr.Str("staging")),
		Rules: fstest.MapFS{"rules.lisp": {Data: []byte(rules)}},
		Tools: []act.Tool{tool("read"), tool("drop")}})
	require.NoError(b.t, err)
}

func tool(name string) act.Tool {
	return act.Tool{Schema: &skills.Tool{Name: name}, Actuator: act.Func(
		func(_ context.Context, c act.Call) (act.Receipt, error) {
			return act.Receipt{State: act.Done, Text: "canary-output " + c.Action.Args().GetText("name")}, nil
		})}
}

// again starts the engine again on the same record.
func (b *bench) again(change ...func(*control.Options)) {
	b.t.Helper()
	require.NoError(b.t, b.e.Close())
	b.open(change...)
}

// start starts a capability, and returns the decision on that.
func (b *bench) start(id, app string) (d *cortex.Decision, r cortex.Receipt, err error) {
	b.t.Helper()
	before := b.e.Journal().Last()
	a, err := cortex.NewAction(id, map[string]string{"app": app}, "")
	require.NoError(b.t, err)
	f := &cortex.Facts{}
	f.Session.ID, f.Session.Principal, f.Session.Roles = "s", "user", []string{"dev"}
	r, err = b.e.Do(b.t.Context(), a, f)
	require.NoError(b.t, b.e.Journal().Records(before+1, func(rec cortex.Record) error {
		if rec.Kind != record.KindDecision {
			return nil
		}
		x, err := record.DecisionFrom(rec)
		if err == nil && x.Action.Tool() == id {
			d = x
		}
		return err
	}))
	return d, r, err
}

// replays asserts that the record replays without a difference, and that nothing is asked.
func (b *bench) replays() {
	b.t.Helper()
	before := len(b.s.requests())
	rep, err := b.e.Replay(b.t.Context(), cortex.ReplayOptions{})
	require.NoError(b.t, err)
	require.Positive(b.t, rep.Decisions)
	require.Zero(b.t, rep.Skipped)
	require.Empty(b.t, rep.Differences, fmt.Sprint(rep.Differences))
	assert.Len(b.t, b.s.requests(), before, "a replay asks no plane")
}

// events are those of the plane's log, by kind.
func (b *bench) events() (out []string) {
	log, err := b.e.Hosts().Logs().Read(b.t.Context(), "control-plane")
	require.NoError(b.t, err)
	for _, e := range log.Events {
		out = append(out, e.Kind)
	}
	return out
}

// ruling is the ruling that a decision holds.
func ruling(t *testing.T, d *cortex.Decision) (r capabilities.Ruling) {
	t.Helper()
	for _, l := range d.Lookups {
		if l.Function == "capability/control" {
			require.NoError(t, json.Unmarshal([]byte(l.Result), &r))
			return r
		}
	}
	t.Fatalf("the decision holds no ruling: %v", d.Lookups)
	return r
}

var operator = cortex.Approver{Name: "ann", Classes: []string{"operator"}}

// R31: the plane is asked about each start, with no input in the question. It denies with its reason, or has
// people asked. What it allows, rules still judge. The decision holds what it ruled.
func TestR31_ThePlaneOnlyNarrows(t *testing.T) {
	b := newBench(t)
	_, r, err := b.start("org.look", "canary-input")
	require.NoError(t, err)
	assert.Equal(t, act.Done, r.State)
	got := b.s.requests()
	require.NotEmpty(t, got)
	assert.Equal(t, "/v1/policy/check", got[0].path)
	assert.Regexp(t, `^\{"capability":"org.look","env":"staging","plan":"sha256:[0-9a-f]{64}","project":"shop",`+
		`"roles":\["dev"\],"scope":"org","version":"1.0.0"\}$`, got[0].body)

	d, _, err := b.start("org.drop", "shop")
	require.Error(t, err, "a rule denies the step, whatever the plane allows")
	assert.Equal(t, "org.drop/step/go", d.Key)
	assert.Equal(t, capabilities.RulingAllow, ruling(t, d).Answer)

	b.s.says(200, `{"answer":"deny","reason":"not on a Friday\n"}`)
	d, _, err = b.start("own.look", "shop")
	require.Error(t, err)
	assert.Equal(t, "control/denied", d.Key)
	assert.Equal(t, `the control plane denies own.look: "not on a Friday\n"`, d.Reasons[0].Text)
	assert.True(t, d.Retry, "R42: the model may fall back on a plan of its own")
	assert.Equal(t, capabilities.RulingDeny, ruling(t, d).Answer)

	b.s.says(200, `{"answer":"needs_promotion","reason":"only in test so far"}`)
	_, _, err = b.start("org.look", "shop")
	var held *cortex.Held
	require.ErrorAs(t, err, &held)
	assert.Contains(t, held.Decision.Asks[0].Reason.Text, `not promoted to this environment yet: "only in test so far"`)
	require.NoError(t, b.e.Approve(t.Context(), held.Approval.Token, operator))
	r, err = held.Wait(t.Context())
	require.NoError(t, err)
	assert.Equal(t, act.Done, r.State)

	assert.Equal(t, []string{"ruled", "ruled", "ruled", "ruled"}, b.events(), "one for each change of a ruling")
	b.s.Close()
	b.replays()
}

// R35: whatever keeps an answer away, the last ruling on the same question holds, the decision says so, and
// that the plane is lost is on record and visible. A question that was never answered refuses what is of the
// organisation, and leaves what is of the project to the rules.
func TestR35_TheLastRulingHoldsWhileThePlaneIsLost(t *testing.T) {
	status := func(code int, body string) func(*bench) { return func(b *bench) { b.s.says(code, body) } }
	for name, breaks := range map[string]func(*bench){
		"down":            func(b *bench) { b.s.Close() },
		"an error":        status(500, `{"answer":"allow"}`),
		"another success": status(202, `{"answer":"allow"}`),
		"no JSON":         status(200, `allow`),
		"half of it":      status(200, `{"answer":"allow"`),
		"two values":      status(200, `{"answer":"allow"}{"answer":"deny"}`),
		"a key twice":     status(200, `{"answer":"deny","answer":"allow"}`),
		"another key":     status(200, `{"Answer":"allow"}`),
		"another word":    status(200, `{"answer":"perhaps"}`),
		"another kind":    status(200, `{"answer":true}`),
		"a list":          status(200, `["allow"]`),
		"too long":        status(200, `{"answer":"allow","reason":"`+strings.Repeat("x", 1<<20)+`"}`),
		"no answer in time": func(b *bench) {
			b.s.does(func(_ http.ResponseWriter, r *http.Request, _ string) { <-r.Context().Done() })
		},
		"elsewhere": func(b *bench) {
			other := serve(b.t)
			other.says(200, `{"answer":"allow"}`)
			b.s.does(func(w http.ResponseWriter, r *http.Request, _ string) {
				http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
			})
			b.t.Cleanup(func() { assert.Empty(b.t, other.requests(), "the key goes nowhere else") })
		},
		"the wrong key": func(b *bench) { b.again(func(o *control.Options) { o.Key = "another" }) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			_, _, err := b.start("org.look", "shop")
			require.NoError(t, err)
			require.NoError(t, b.plane.Trouble())
			breaks(b)
			d, r, err := b.start("org.look", "shop")
			require.NoError(t, err, "it was allowed before")
			assert.Equal(t, act.Done, r.State)
			used := ruling(t, d)
			assert.Equal(t, capabilities.RulingAllow, used.Answer)
			assert.NotEmpty(t, used.Cached, "the decision says that it used the last ruling, and why")
			require.ErrorContains(t, b.plane.Trouble(), "what it ruled last holds")
			assert.Contains(t, b.events(), "degraded")

			d, _, err = b.start("org.drop", "shop")
			require.Error(t, err)
			assert.Equal(t, "control/unreachable", d.Key, "it was never ruled on")
			assert.NotEmpty(t, ruling(t, d).Cached)
			_, _, err = b.start("own.look", "shop")
			require.NoError(t, err, "local ones go on")
			b.replays()
			b.again()
			assert.Error(t, b.plane.Trouble(), "also after a restart, until it answers")
		})
	}
}

// R35: what was denied stays denied while the plane is lost, also after a restart. Starts do not wait for a
// plane that was just lost. When it answers again, that is on record.
func TestR35_ADenialOutlivesThePlane(t *testing.T) {
	b := newBench(t)
	b.s.says(200, `{"answer":"deny","reason":"no"}`)
	d, _, err := b.start("own.look", "shop")
	require.Error(t, err)
	require.Equal(t, "control/denied", d.Key)
	b.again()
	b.s.says(500, ``)
	before := len(b.s.requests())
	for range 3 {
		d, _, err = b.start("own.look", "shop")
		require.Error(t, err)
		assert.Equal(t, "control/denied", d.Key)
		assert.Contains(t, d.Reasons[0].Text, "as it said at ")
	}
	assert.Len(t, b.s.requests(), before+1, "it is left alone for some seconds")
	b.again()
	b.s.says(200, `{"answer":"allow"}`)
	_, _, err = b.start("own.look", "shop")
	require.NoError(t, err)
	require.NoError(t, b.plane.Trouble())
	assert.Equal(t, []string{"ruled", "degraded", "restored", "ruled"}, b.events())
	b.replays()
}

// With nothing to start, nothing is asked, and the policy is the one without a plane.
func TestR37_NothingIsAskedUnlessSomethingMayStart(t *testing.T) {
	b := newBench(t)
	with := b.e.Rules().Policy().Hash()
	for _, id := range []string{"org.look", "own.look", "org.drop"} {
		require.NoError(t, b.caps.Move(t.Context(), id, "1.0.0", capabilities.Retired, "op", ""))
	}
	without, err := cortex.Open(t.Context(), cortex.Options{Rules: fstest.MapFS{"rules.lisp": {Data: []byte(rules)}},
		Tools: []act.Tool{tool("read"), tool("drop")}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, without.Close()) })
	assert.NotEqual(t, with, b.e.Rules().Policy().Hash())
	assert.Equal(t, without.Rules().Policy().Hash(), b.e.Rules().Policy().Hash())
	_, _, err = b.start("own.look", "shop")
	require.Error(t, err)
	assert.Empty(t, b.s.requests())
}

func TestTheAddressOfAPlane(t *testing.T) {
	for url, ok := range map[string]bool{"https://plane.example/v1": true, "http://127.0.0.1:8080": true,
		"http://localhost/x/": true, "http://[::1]:1/": true, "http://plane.example": false, "": false, "plane": false,
		"https://": false, "ftp://127.0.0.1": false, "https://u:p@plane.example": false, "https://plane.example?x=1": false} {
		_, err := control.New(control.Options{URL: url, Key: "k"})
		assert.Equal(t, ok, err == nil, "%s: %v", url, err)
	}
	_, err := control.New(control.Options{URL: "https://plane.example"})
	assert.ErrorContains(t, err, "without a key")
}

// R35: the last ruling is the one that was asked for last, and not the one that came in last: a slow yes does not
// take the place of a no, in memory or on record.
func TestR35_ASlowYesDoesNotReplaceANo(t *testing.T) {
	b := newBench(t, func(o *control.Options) { o.Timeout = 10 * time.Second })
	asked := capabilities.Asked{Capability: "own.look", Version: "1.0.0", Scope: "project", Roles: []string{}}
	came, free, done := make(chan bool), make(chan bool), make(chan capabilities.Ruling)
	b.s.does(func(w http.ResponseWriter, _ *http.Request, _ string) {
		came <- true
		<-free
		_, _ = io.WriteString(w, `{"answer":"allow"}`)
	})
	go func() { done <- b.plane.Check(asked) }()
	<-came
	b.s.says(http.StatusOK, `{"answer":"deny","reason":"not any more"}`)
	assert.Equal(t, capabilities.RulingDeny, b.plane.Check(asked).Answer)
	close(free)
	assert.Equal(t, capabilities.RulingDeny, (<-done).Answer, "what was asked for later says no by now")
	b.s.says(http.StatusInternalServerError, "")
	assert.Equal(t, capabilities.RulingDeny, b.plane.Check(asked).Answer)
	require.NoError(t, b.e.Close())
	b.open()
	assert.Equal(t, capabilities.RulingDeny, b.plane.Check(asked).Answer, "after a restart too")
}
