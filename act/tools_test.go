package act_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

func TestRegistry(t *testing.T) {
	p := &probe{}
	r := registry(t, p.tool("b"), p.tool("a"))
	assert.Equal(t, []string{"a", "b"}, []string{r.Tools()[0].Name, r.Tools()[1].Name})
	got, ok := r.Tool("a")
	require.True(t, ok)
	assert.Equal(t, "a", got.Name)
	_, ok = r.Tool("A")
	assert.False(t, ok, "another spelling is another tool")
	_, err := r.Find("nope")
	var missing *act.NotFoundError
	require.ErrorAs(t, err, &missing)
	assert.Equal(t, "nope", missing.Name)

	var none *act.Registry
	_, err = none.Find("a")
	require.EqualError(t, err, "Tool 'a' not found")
	assert.Empty(t, none.Tools())
	_, err = new(act.Registry).Find("a")
	require.Error(t, err)
}

func TestRegistryReportsEveryMistake(t *testing.T) {
	p := &probe{}
	_, err := act.NewRegistry(p.tool("shell"), p.tool("Shell"), act.Tool{Actuator: p},
		act.Tool{Schema: &skills.Tool{Name: "idle"}}, p.tool(""))
	require.EqualError(t, err, strings.Join([]string{
		`act: tools "shell" and "Shell" have one name, case aside`,
		`act: tool 3 has no schema with a name`,
		`act: tool "idle" has no actuator`,
		`act: tool 5 has no schema with a name`,
	}, "\n"))
}

// cause is a signal that the engine has recorded.
var cause = perceive.Signal{
	Type: "event", Key: "k1", Sensor: "user-input", Source: "tui", Principal: "ana", Roles: []string{"dev"},
	Session: "s1", Text: "please", Payload: sexpr.Plist("sensor", sexpr.Key("user-input")), Depth: 3, Root: 17,
}

// feedback wants a signal with this payload, on behalf of cause and one deeper.
func feedback(t *testing.T, r *act.Registry, tool string, rc act.Receipt, payload string) {
	t.Helper()
	s, ok := r.Feedback(cause, tool, rc)
	require.True(t, ok)
	assert.Equal(t, payload, s.Payload.String())
	want := cause
	want.Key, want.Text, want.Depth, want.Sensor, want.Payload = "", "", 4, s.Sensor, s.Payload
	assert.Equal(t, want, s)
	p, _ := s.Payload.Get("sensor")
	assert.True(t, p.IsKey(s.Sensor))
}

// Row 72: a known tool's text is what the user reads, and comes back as
// tool-output one deeper.
func TestRow072_KnownToolFeedsBack(t *testing.T) {
	b := setUp(t)
	r, err := b.Dispatch(t.Context(), b.permit(t, "x"))
	require.NoError(t, err)
	assert.Equal(t, "hi", r.Show("echo"))
	feedback(t, registry(t, b.tool("echo")), "echo", r,
		`(:sensor :tool-output :tool "echo" :result (:status :success :content "hi"))`)
}

// Row 73: an unknown tool is a tool-error.
func TestRow073_UnknownTool(t *testing.T) {
	b := setUp(t)
	p, err := b.Dispatcher.Begin(t.Context(), b.allow(action(t, "nope")))
	require.NoError(t, err)
	r, err := b.Dispatch(t.Context(), p)
	require.NoError(t, err)
	assert.Equal(t, act.Nothing, r.State)
	assert.Equal(t, "Tool 'nope' not found", r.Error)
	feedback(t, registry(t), "nope", r,
		`(:sensor :tool-error :tool "nope" :state :nothing :message "Tool 'nope' not found")`)
}

// Row 75: a tool that throws is a tool-error with its message.
func TestRow075_ToolThrows(t *testing.T) {
	b := setUp(t)
	b.then = func(context.Context, act.Call) (act.Receipt, error) { return act.Receipt{}, errors.New("boom") }
	r, err := b.Dispatch(t.Context(), b.permit(t, "x"))
	require.NoError(t, err)
	assert.Equal(t, "ERROR [echo]: boom", r.Show("echo"))
	feedback(t, registry(t, b.tool("echo")), "echo", r,
		`(:sensor :tool-error :tool "echo" :state :failed :message "boom")`)
}

// Row 76: nested arguments are taken, and a tool's name in any case; what is
// judged and run has one spelling.
func TestRow076_NestedArgsAnyCase(t *testing.T) {
	for _, src := range []string{
		`(:type :request :target :tool :payload (:tool "Echo" :args ((:text "x"))))`,
		`(:type :request :payload (:tool ECHO :args (:args (:TEXT "x"))))`,
		`(:tool :echo :args (:text "x"))`,
	} {
		b := setUp(t)
		form, err := sexpr.Read("reply", src)
		require.NoError(t, err)
		a, _, err := skills.Propose(form, registry(t, b.tool("echo")))
		require.NoError(t, err, src)
		p, err := b.Dispatcher.Begin(t.Context(), b.allow(a))
		require.NoError(t, err)
		r, err := b.Dispatch(t.Context(), p)
		require.NoError(t, err)
		assert.Equal(t, act.Done, r.State, r.Error)
		require.Len(t, b.calls, 1)
		assert.Equal(t, `(:args (:text "x") :target :tool :tool "echo" :type :request)`, b.calls[0].Action.Canonical())
	}
}

// Row 77: a silent tool gives no feedback; the shell does.
func TestRow077_SilentTools(t *testing.T) {
	sh, err := act.NewShell(act.ShellOptions{Dir: t.TempDir()})
	require.NoError(t, err)
	r := registry(t, sh.Tool(), act.Reply(nil))
	for _, rc := range []act.Receipt{{State: act.Done}, {State: act.Failed, Error: "gone"}} {
		_, ok := r.Feedback(cause, "reply", rc)
		assert.False(t, ok)
		_, ok = r.Feedback(cause, "shell", rc)
		assert.True(t, ok)
	}
}

// Row 78: an unknown target goes back to the requester as an error.
func TestRow078_UnknownTarget(t *testing.T) {
	form, err := sexpr.Read("reply", `(:type :request :target :toaster :payload (:action :toast))`)
	require.NoError(t, err)
	_, _, err = skills.Propose(form, registry(t))
	require.ErrorContains(t, err, "unknown :target")
}

func TestShow(t *testing.T) {
	tests := []struct {
		r    act.Receipt
		want string
	}{
		{act.Receipt{State: act.Done, Text: "hi"}, "hi"},
		{act.Receipt{State: act.Done}, "TOOL [x] RESULT: done"},
		{act.Receipt{State: act.Done, Result: sexpr.ListOf(text("a"), text("b"))}, `TOOL [x] RESULT: ("a" "b")`},
		{act.Receipt{State: act.Done, Result: sexpr.Plist("n", sexpr.Int64(3))}, "TOOL [x] RESULT: (:n 3)"},
		{act.Receipt{State: act.Failed, Error: "no"}, "ERROR [x]: no"},
		{act.Receipt{State: act.Failed, Error: "exit status 3", Text: "ERROR [3]: no"}, "ERROR [3]: no"},
		{act.Receipt{State: act.Failed}, "ERROR [x]: it failed and did not say why"},
		{act.Receipt{State: act.Nothing}, "ERROR [x]: nothing was done"},
		{act.Receipt{State: act.Unknown}, "ERROR [x]: it is not known whether it happened"},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, tt.r.Show("x"))
	}
}

// run begins and dispatches one call of a tool.
func run(t testing.TB, tool act.Tool, kv ...any) act.Receipt {
	t.Helper()
	l := newLedger()
	d := act.NewDispatcher(l, registry(t, tool))
	p, err := d.Begin(t.Context(), l.allow(action(t, tool.Schema.Name, kv...)))
	require.NoError(t, err)
	r, err := d.Dispatch(t.Context(), p)
	require.NoError(t, err)
	d.Close()
	require.Equal(t, []act.Receipt{r}, l.of(p))
	return r
}

func TestReply(t *testing.T) {
	var said []string
	tool := act.Reply(func(_ context.Context, session, text string) error {
		said = append(said, session+": "+text)
		return nil
	})
	assert.Equal(t, skills.BuiltinTools()[0], tool.Schema)
	r := run(t, tool, "text", text("hello"))
	assert.Equal(t, act.Receipt{State: act.Done, Took: r.Took}, r)
	assert.Equal(t, []string{"s1: hello"}, said)

	for _, kv := range [][]any{{}, {"text", sexpr.Int64(3)}, {"text", text("a"), "to", text("everybody")}} {
		r := run(t, tool, kv...)
		assert.Equal(t, act.Nothing, r.State)
		assert.NotEmpty(t, r.Error)
	}
	assert.Len(t, said, 1)

	tool = act.Reply(func(context.Context, string, string) error { return errors.New("the connection is closed") })
	r = run(t, tool, "text", text("hello"))
	assert.Equal(t, act.Failed, r.State)
	assert.Equal(t, "not delivered: the connection is closed", r.Error)
}

// W4: the system target evaluates nothing; it answers questions from a closed
// list.
func TestW04_SystemEvaluatesNothing(t *testing.T) {
	asked := 0
	tool, err := act.System(act.Query{Name: "status", Doc: "how the engine is",
		Ask: func(context.Context) (sexpr.Value, error) {
			asked++
			return sexpr.Plist("live", sexpr.T()), nil
		}})
	require.NoError(t, err)
	reg := registry(t, tool)
	for _, src := range []string{
		`(:type :request :target :system :payload (:action :eval :code "(delete-everything)"))`,
		`(:type :request :target :system :payload (:action :status :code "(delete-everything)"))`,
		`(:type :request :target :system :payload (:action :create-skill :filename "x" :content "y"))`,
	} {
		form, err := sexpr.Read("reply", src)
		require.NoError(t, err)
		_, _, err = skills.Propose(form, reg)
		require.Error(t, err, src)
	}
	for _, kv := range [][]any{{"action", text("eval")}, {"action", text("status"), "code", text("x")}, {}} {
		assert.Equal(t, act.Nothing, run(t, tool, kv...).State, "and if it had got so far")
	}
	assert.Zero(t, asked)

	form, err := sexpr.Read("reply", `(:type :request :target :system :payload (:action :status))`)
	require.NoError(t, err)
	a, _, err := skills.Propose(form, reg)
	require.NoError(t, err)
	l := newLedger()
	d := act.NewDispatcher(l, reg)
	p, err := d.Begin(t.Context(), l.allow(a))
	require.NoError(t, err)
	r, err := d.Dispatch(t.Context(), p)
	require.NoError(t, err)
	assert.Equal(t, "TOOL [system] RESULT: (:live t)", r.Show("system"))
	assert.Equal(t, 1, asked)
}

func TestSystemOptions(t *testing.T) {
	ask := func(context.Context) (sexpr.Value, error) { return sexpr.Nil(), errors.New("not now") }
	for want, qs := range map[string][]act.Query{
		"act: the system tool needs at least one query":          nil,
		`act: system query "" needs a name and a function`:       {{Ask: ask}},
		`act: system query "status" needs a name and a function`: {{Name: "status"}},
		`act: system query "a" stands twice`:                     {{Name: "a", Ask: ask}, {Name: "a", Ask: ask}},
	} {
		_, err := act.System(qs...)
		require.EqualError(t, err, want)
	}
	tool, err := act.System(act.Query{Name: "status", Ask: ask})
	require.NoError(t, err)
	r := run(t, tool, "action", text("status"))
	assert.Equal(t, act.Failed, r.State)
	assert.Equal(t, "not now", r.Error)
}
