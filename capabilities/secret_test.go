package capabilities

import (
	"context"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/cortextest"
	"github.com/opencortex-go/cortex/cortex/keyfile"
	"github.com/opencortex-go/cortex/skills"
)

// The log of a run keeps its inputs as they are, so that no version with a secret input comes into the
// registry.
func TestASecretInputIsRefused(t *testing.T) {
	b := newBench(t, deployRules, deploy)
	v := read(t, `(defcapability x.secret :version "1.0.0" :owner "o" :scope :project
  :inputs (:app string :pin (string :secret t)) :required (:app :pin) :once (:key ("k" :app))
  :plan ((s :tool "set" :args (:name "{{app}}" :image "{{pin}}") :undo "a word harms nothing")))`)
	require.ErrorIs(t, b.caps.Register(t.Context(), v, "op"), ErrSecret)
	_, _, err := b.caps.Find(t.Context(), "x.secret", "")
	require.ErrorIs(t, err, ErrNoVersion)
}

// vault has one secret.
type vault struct{}

func (vault) Secret(context.Context, string) (string, error) { return "hunter2-hunter2", nil }

// A step names a secret of the vault: its tool gets it, and no record holds it.
func TestAStepTakesASecretOfTheVault(t *testing.T) {
	w := &world{fails: map[string]bool{}, keys: map[string]string{}}
	caps := New()
	got := ""
	w.does = func(_ string, c act.Call) act.Receipt {
		got = c.Action.Args().GetText("image")
		return act.Receipt{State: act.Done}
	}
	keys, err := keyfile.Open(filepath.Join(t.TempDir(), "keys"))
	require.NoError(t, err)
	b := &bench{t: t, w: w, caps: caps}
	b.m = cortextest.NewMachine(t, 1, cortex.Options{Live: true, Capabilities: caps, Keys: keys, Vault: vault{},
		Rules: fstest.MapFS{"rules.lisp": {Data: []byte(`
(deftool set :params (:name string :image string) :required (:name :image) :secret (:image) :tier :ask :effect :external)
(defaults :unknown-tool :deny)`)}}, Tools: []act.Tool{{Schema: &skills.Tool{Name: "set"}, Actuator: act.Func(
			func(_ context.Context, c act.Call) (act.Receipt, error) { return w.does("set", c), nil })}}})
	b.e = b.m.Start()
	b.inForce(read(t, `(defcapability x.vault :version "1.0.0" :owner "o" :scope :project :inputs (:app string) :required (:app)
  :once (:key ("k" :app)) :plan ((s :tool "set" :args (:name "{{app}}" :image (:vault "pin")) :undo "a word harms nothing")))`))
	card := b.asks("x.vault", `(:app "shop")`)
	b.approve(card.Token)
	r := b.does("x.vault", `(:app "shop")`)
	require.Equal(t, act.Done, r.State, r.Error)
	require.Equal(t, "hunter2-hunter2", got)
	require.NoError(t, b.e.Journal().Records(1, func(r cortex.Record) error {
		require.NotContains(t, r.Body.String(), "hunter2", "%d %s", r.Seq, r.Kind)
		return nil
	}))
	b.replays()
}
