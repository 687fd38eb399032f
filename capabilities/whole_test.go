package capabilities

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/cortextest"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

const deploy = `
(defcapability deploy.appservice
  :version "1.0.0" :owner "team" :scope :project
  :inputs (:app string :image string) :required (:app :image) :outputs (:endpoint string)
  :once (:key ("deploy" :app :image))
  :plan ((was :tool "read" :args (:name "{{app}}") :out (:previous text) :undo "only reads")
         (set-image :tool "set" :args (:name "{{app}}" :image "{{image}}")
                    :undo (:tool "set" :args (:name "{{app}}" :image "{{work.previous}}")))
         (restart :tool "restart" :args (:name "{{app}}") :undo "a restart changes nothing that lasts")
         (healthy :tool "read" :args (:name "{{app}}") :undo "only reads"))
  :result (:endpoint "https://{{app}}.example.net"))
`

const deployRules = `
(deftool read :params (:name string) :required (:name) :tier :allow :effect :none)
(deftool set :params (:name string :image string) :required (:name :image) :tier :ask :effect :external)
(deftool restart :params (:name string) :required (:name) :tier :ask :effect :external)
(defaults :unknown-tool :deny)
`

// world is what the steps of tests act on. It outlives the machine.
type world struct {
	mu    sync.Mutex
	calls []string
	keys  map[string]string // the calls, by idempotency key
	fails map[string]bool
	vague map[string]bool                           // whose outcome is not known
	does  func(tool string, c act.Call) act.Receipt // in place of all that
}

func (w *world) tool(name string) act.Tool {
	return act.Tool{Schema: &skills.Tool{Name: name}, Actuator: act.Func(
		func(_ context.Context, c act.Call) (act.Receipt, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.calls = append(w.calls, name+" "+c.Action.Args().String())
			w.keys[c.Key] = c.Action.Digest().String()
			if w.does != nil {
				return w.does(name, c), nil
			}
			if w.vague[name] {
				return act.Receipt{State: act.Unknown, Error: "the line broke"}, nil
			}
			if w.fails[name] {
				return act.Receipt{State: act.Failed, Error: "it broke"}, nil
			}
			return act.Receipt{State: act.Done, Text: "v1"}, nil
		})}
}

type bench struct {
	t    *testing.T
	m    *cortextest.Machine
	e    *cortex.Engine
	w    *world
	caps *Capabilities

	options cortex.Options
}

// newBench starts an engine with these rules, in which the capabilities are in force.
func newBench(t *testing.T, rules, plans string, gates ...cortex.Gate) *bench {
	t.Helper()
	b := &bench{t: t, w: &world{fails: map[string]bool{}, keys: map[string]string{}}, caps: New()}
	b.options = cortex.Options{Live: true, Heartbeat: 24 * time.Hour, Capabilities: b.caps,
		Gates: gates, Rules: fstest.MapFS{"rules.lisp": {Data: []byte(rules)}},
		Tools: []act.Tool{b.w.tool("read"), b.w.tool("set"), b.w.tool("restart")}}
	b.m = cortextest.NewMachine(t, 1, b.options)
	b.e = b.m.Start()
	all, err := form.Read("plans.lisp", []byte(plans))
	require.NoError(t, err)
	for _, v := range all {
		b.inForce(v)
	}
	return b
}

// inForce brings a version through its states.
func (b *bench) inForce(v *form.Capability) {
	b.t.Helper()
	require.NoError(b.t, b.caps.Register(b.t.Context(), v, "op"))
	for _, s := range []State{Tested, OnTrial, InForce} {
		require.NoError(b.t, b.caps.Move(b.t.Context(), v.ID, v.Version, s, "op", ""))
	}
}

func (b *bench) facts() *cortex.Facts {
	f := &cortex.Facts{}
	f.Session.ID, f.Session.Principal = "s", "user"
	return f
}

func (b *bench) action(tool, args string) *cortex.Action {
	b.t.Helper()
	v, err := sexpr.Read("args", args)
	require.NoError(b.t, err)
	a, err := skills.NewAction(tool, v, "")
	require.NoError(b.t, err)
	return a
}

// asks starts a capability, which has to ask, and returns the card.
func (b *bench) asks(tool, args string) *cortex.Approval {
	b.t.Helper()
	_, err := b.e.Do(b.t.Context(), b.action(tool, args), b.facts())
	var held *cortex.Held
	require.ErrorAs(b.t, err, &held)
	return held.Approval
}

// does starts a capability that is allowed.
func (b *bench) does(tool, args string) cortex.Receipt {
	b.t.Helper()
	r, err := b.e.Do(b.t.Context(), b.action(tool, args), b.facts())
	require.NoError(b.t, err)
	return r
}

func (b *bench) approve(token string) {
	b.t.Helper()
	require.NoError(b.t, b.e.Approve(b.t.Context(), token, cortex.Approver{Name: "op", Classes: []string{"operator"}}))
}

// replays asserts that the whole record replays to the same decisions.
func (b *bench) replays() {
	b.t.Helper()
	rep, err := b.e.Replay(b.t.Context(), cortex.ReplayOptions{})
	require.NoError(b.t, err)
	require.Positive(b.t, rep.Decisions)
	require.Zero(b.t, rep.Skipped)
	require.Empty(b.t, rep.Differences, fmt.Sprint(rep.Differences))
}

func TestAPlanIsJudgedWholeAndAskedOnce(t *testing.T) {
	b := newBench(t, deployRules, deploy)
	a := b.asks("deploy.appservice", `(:app "shop" :image "v2")`)
	require.Len(t, a.Slots, 2)
	assert.Equal(t, "set-image", a.Slots[0].Of.Step)
	assert.Equal(t, `(:image "v2" :name "shop")`, a.Slots[0].Of.Action.Args().String())
	assert.Empty(t, b.w.calls)

	b.approve(a.Token)
	r := b.does("deploy.appservice", `(:app "shop" :image "v2")`)
	assert.Equal(t, act.Done, r.State, "%v", r)
	assert.Equal(t, `deploy.appservice 1.0.0: ok (:endpoint "https://shop.example.net")`, r.Text)
	assert.Equal(t, []string{`read (:name "shop")`, `set (:image "v2" :name "shop")`, `restart (:name "shop")`,
		`read (:name "shop")`}, b.w.calls)
	b.replays()
}

// read reads a plan file of one capability.
func read(t *testing.T, text string) *form.Capability {
	t.Helper()
	all, err := form.Read("plans.lisp", []byte(text))
	require.NoError(t, err)
	return all[0]
}

func resultWith(id string) sexpr.Value { return sexpr.Plist("id", sexpr.Str(id)) }

func waitMS(n int) { time.Sleep(time.Duration(n) * time.Millisecond) }
