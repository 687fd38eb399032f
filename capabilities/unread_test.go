package capabilities

import (
	"bytes"
	"log/slog"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/cortextest"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/reason/model"
)

// A registry that is damaged is not one without capabilities: none is offered, the log and List say why, and
// so does the refusal of each start. Other tools go on, and the record replays.
func TestADamagedRegistryIsLoud(t *testing.T) {
	var said bytes.Buffer
	w := &world{fails: map[string]bool{}, keys: map[string]string{}}
	b := &bench{t: t, w: w, caps: New()}
	b.m = cortextest.NewMachine(t, 1, cortex.Options{Live: true, Heartbeat: 24 * time.Hour, Capabilities: b.caps,
		Logger: slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{Level: slog.LevelError})),
		Rules:  fstest.MapFS{"rules.lisp": {Data: []byte(deployRules)}}})
	b.e = b.m.Start()
	all, err := form.Read("deploy.lisp", []byte(deploy))
	require.NoError(t, err)
	b.inForce(all[0])
	start := b.action("deploy.appservice", `(:app "shop" :image "v2")`)
	d, err := b.e.Decide(t.Context(), start, b.facts())
	require.NoError(t, err)
	assert.Equal(t, "ask", d.Kind.String())

	damage(t, b.caps)
	assert.Empty(t, said.String())
	b.e = b.m.Start()

	_, err = b.caps.List(t.Context())
	require.ErrorContains(t, err, "the registry of capabilities, event")
	assert.Contains(t, said.String(), "capabilities cannot be read")
	assert.Contains(t, said.String(), "event")
	_, known := b.e.Rules().Policy().Tool("deploy.appservice")
	assert.False(t, known)
	text, tools, err := b.e.Hosts().Bulletin(cortex.Signal{Session: "s", Text: "deploy"})
	require.NoError(t, err)
	assert.Equal(t, whyUnread, text)
	assert.Empty(t, tools)

	d, err = b.e.Decide(t.Context(), start, b.facts())
	require.NoError(t, err)
	assert.Equal(t, "deny", d.Kind.String())
	assert.Equal(t, whyUnread, d.Reasons[0].Text)
	d, err = b.e.Decide(t.Context(), b.action("read", `(:name "shop")`), b.facts())
	require.NoError(t, err)
	assert.Equal(t, "allow", d.Kind.String(), "other tools go on")
	rep, err := b.e.Replay(t.Context(), cortex.ReplayOptions{})
	require.NoError(t, err)
	assert.Positive(t, rep.Decisions)
	assert.Empty(t, rep.Differences)
}

// A model that calls a capability all the same is told why it may not.
func TestADamagedRegistryIsToldToTheModel(t *testing.T) {
	script, err := model.NewScripted("script", "script.lisp", `
(:form (:type :request :target :tool :payload (:tool "deploy.appservice" :args (:app "shop" :image "v2")) :explanation "as asked") :when ("deploy"))
(:reply "done" :repeat t)`)
	require.NoError(t, err)
	caps := New()
	m := cortextest.NewMachine(t, 1, cortex.Options{Live: true, Heartbeat: 24 * time.Hour, Capabilities: caps,
		Models: cortex.Models{Providers: []model.Provider{script}},
		Rules:  fstest.MapFS{"rules.lisp": {Data: []byte(deployRules)}}})
	m.Start()
	damage(t, caps)
	out, err := m.Start().Submit(t.Context(), cortex.Signal{Type: "event", Sensor: "user-input", Principal: "ana",
		Session: "s", Text: "deploy it"})
	require.NoError(t, err)
	require.NotEmpty(t, out.Decisions)
	assert.Equal(t, "deny", out.Decisions[0].Kind.String())
	assert.Contains(t, out.Decisions[0].Reasons[0].Text, "capabilities cannot be read")
}

// damage enters something into the registry that does not move a version.
func damage(t *testing.T, caps *Capabilities) {
	t.Helper()
	_, err := caps.logs.Append(t.Context(), logs.Write{Log: registryLog, Family: registryFamily, By: "op"},
		func(tx *logs.Tx) error {
			_, err := tx.Event(logs.Event{ID: "x", Kind: "moved", Dedupe: "x", Data: `{"id":7}`})
			return err
		})
	require.NoError(t, err)
}
