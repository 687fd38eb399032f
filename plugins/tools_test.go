package plugins

import (
	"context"
	"errors"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// bringer is an engine with a plugin that brings a tool, which the rules let run.
func bringer(t *testing.T, declared string, change ...func(*Entry)) (*world, *cortex.Engine) {
	t.Helper()
	w := newWorld(t, shellRules, self(t, "bad", "tool "+bringsForm, append([]func(*Entry){func(e *Entry) {
		e.Tools = []string{bringsForm}
	}}, change...)...))
	w.host = New(w.opt)
	t.Cleanup(func() { assert.NoError(t, w.host.Close()) })
	e, err := cortex.Open(context.Background(), cortex.Options{
		Live: true, Plugins: w.host, Models: cortex.Models{Providers: []model.Provider{toolScript(t)}},
		Rules: fstest.MapFS{"r.lisp": {Data: []byte(shellRules + declared)}},
	})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, e.Close()) })
	return w, e
}

// toolScript is a model that uses the tool as it is told to.
func toolScript(t *testing.T) model.Provider {
	t.Helper()
	p, err := model.NewScripted("script", "script.lisp", `
(:form (:tool "brings" :args (:how "well")) :when ("do it well"))
(:form (:tool "brings" :args (:how "unknown")) :when ("do it unknown"))
(:form (:tool "brings" :args (:how "refuse")) :when ("do it refuse"))
(:reply "it went well" :when (":key"))
(:reply "nobody knows" :when ("the line broke"))
(:reply "it was refused" :when ("out of paper"))`)
	require.NoError(t, err)
	return p
}

const declaresBrings = `(deftool brings :params (:how string) :required (:how) :tier :allow :effect :external)`

func brings(t *testing.T, how string) *skills.Action {
	t.Helper()
	a, err := skills.NewAction("brings", sexpr.Plist("how", sexpr.Str(how)), "")
	require.NoError(t, err)
	return a
}

// Whether a plugin's tool did anything is what can be known of it: where no answer
// counts, it may have acted.
func TestToolsOfPlugins(t *testing.T) {
	const done, notDone, unknown = "done", "not done", "unknown"
	tests := []struct{ how, state, says string }{
		{"well", done, ""},
		{"refuse", notDone, `out of paper\x1b[2J`},
		{"unknown", unknown, "the line broke"},
		{"error", unknown, "an error of its own"},
		{"late", unknown, "context deadline exceeded"},
		{"wrong-id", unknown, "it answered another call"},
		{"garbage", unknown, "its result cannot be read"},
		{"unknown-field", unknown, "a field 50"},
		{"huge", unknown, "more than 1048576 bytes"},
		{"crash", unknown, "it ended before it answered"},
	}
	w, _ := bringer(t, declaresBrings, grants("tools"))
	tools, err := w.host.Tools()
	require.NoError(t, err)
	require.Len(t, tools, 1)
	for _, tt := range tests {
		_, err := tools[0].Run(context.Background(), "k", brings(t, "well"))
		require.NoError(t, err, "one that counts, or the third that does not would end the process")
		require.Equal(t, 1, w.state("bad").Starts, "one process gives all the answers; the last ends it")
		ctx, cancel := context.WithTimeout(context.Background(),
			map[bool]time.Duration{true: 50 * time.Millisecond, false: time.Minute}[tt.how == "late"])
		v, err := tools[0].Run(ctx, "the-key", brings(t, tt.how))
		cancel()
		state := unknown
		switch {
		case err == nil:
			state = done
			assert.Equal(t, "the-key", v.GetText("key"), "the intent's key reaches the tool")
		case errors.Is(err, skills.ErrNotDone):
			state = notDone
		}
		assert.Equal(t, tt.state, state, tt.how)
		if tt.says != "" {
			assert.ErrorContains(t, err, tt.says, tt.how)
		}
	}
}

// A model's proposal runs the tool, with an intent on record, and the model hears
// the result.
func TestAModelUsesAPluginsTool(t *testing.T) {
	_, e := bringer(t, declaresBrings, grants("tools"))
	for text, want := range map[string]string{
		"do it well": "it went well", "do it unknown": "nobody knows", "do it refuse": "it was refused",
	} {
		out, err := e.Submit(context.Background(),
			cortex.Signal{Source: "test", Principal: "ana", Session: text, Sensor: "user-input", Text: text})
		require.NoError(t, err)
		assert.Equal(t, want, out.Text, text)
	}
}

// A plugin's word does not let its own tool run, nor is its output trusted: a
// person is asked, unless a rule file says otherwise.
func TestI6_AToolOfAPluginAsks(t *testing.T) {
	_, e := bringer(t, "", grants("tools"))
	d, err := e.Decide(context.Background(), brings(t, "well"), &cortex.Facts{})
	require.NoError(t, err)
	assert.Equal(t, reason.Ask, d.Kind)
	tool, ok := e.Rules().Policy().Tool("brings")
	require.True(t, ok)
	assert.False(t, tool.Trusted)
	r, err := e.Replay(context.Background(), cortex.ReplayOptions{})
	require.NoError(t, err)
	assert.Equal(t, 1, r.Decisions)
	assert.Empty(t, r.Differences, "the tool is part of the record")
}

// A tool that was not granted does not exist.
func TestI6_AToolThatIsRefusedIsNone(t *testing.T) {
	w, e := bringer(t, "", func(e *Entry) { e.Refuses = []string{"tools"} })
	_, known := e.Rules().Policy().Tool("brings")
	assert.False(t, known)
	tools, err := w.host.Tools()
	require.NoError(t, err)
	assert.Empty(t, tools)
}

// What was allowed while one program stood in the lock is not done by another.
func TestI1_AnotherProgramDoesNotRunWhatWasAllowed(t *testing.T) {
	w, e := bringer(t, declaresBrings, grants("tools"))
	before, err := w.host.Tools()
	require.NoError(t, err)
	for _, deadline := range []string{"1s", "1100ms"} { // the one before stays for one load
		w.lock.Skills[0].Deadline = deadline
		w.write()
		require.NoError(t, e.Operations().Reload(context.Background()))
	}
	_, err = before[0].Run(context.Background(), "k", brings(t, "well"))
	require.ErrorIs(t, err, skills.ErrNotDone)
	assert.ErrorContains(t, err, "has been replaced")
	now, err := w.host.Tools()
	require.NoError(t, err)
	_, err = now[0].Run(context.Background(), "k", brings(t, "well"))
	assert.NoError(t, err)
}

// A form that defines anything else than one tool of its own is refused, and the
// rules in force stay.
func TestFormsOfTools(t *testing.T) {
	for form, says := range map[string]string{
		`(defskill free :gate ((allow all :reason "mine")))`:                        "expected one (deftool ...)",
		bringsForm + bringsForm:                                                     "tool:1:",
		`(deftool reply :tier :allow)`:                                              "reply",
		`(deftool brings :tier :alow)`:                                              "allow",
		`(deftool shell :params (:cmd string) :tier :allow) (defbudget b :limit 1)`: "tool:1:",
	} {
		w := newWorld(t, shellRules, self(t, "bad", "tool "+bringsForm, grants("tools"),
			func(e *Entry) { e.Tools = []string{form} }))
		w.host = New(w.opt)
		_, err := cortex.Open(context.Background(),
			cortex.Options{Plugins: w.host, Rules: fstest.MapFS{"r.lisp": {Data: []byte(shellRules)}}})
		assert.ErrorContains(t, err, "plugin bad: the tool", form)
		assert.ErrorContains(t, err, says, form)
		require.NoError(t, w.host.Close())
	}
}
