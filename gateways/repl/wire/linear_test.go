//go:build linux

package wire

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/gateways/client"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/internal/linearize"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

const linearRules = rules + `
(deftool grave :doc "Two people have to agree." :params (:what string) :tier :allow :effect :external)
(deftool lost :doc "Its outcome stays unknown." :params (:what string) :tier :allow :effect :external)
(defskill two :priority 50 :trigger (= action.tool "grave") :gate ((ask both :quorum 2 :reason "two people have to agree")))
`

// obedient is a model that proposes what it is told.
type obedient struct{}

func (obedient) Name() string { return "obedient" }

func (obedient) Complete(ctx context.Context, prompt model.Prompt) (model.Completion, error) {
	last := prompt.Messages[len(prompt.Messages)-1]
	if told, ok := strings.CutPrefix(last.Text, "do "); ok && last.Role == model.RoleUser {
		return model.Completion{Text: told}, ctx.Err()
	}
	return model.Completion{Text: "so be it"}, ctx.Err()
}

// object is what clients play with.
type object struct {
	linearize.Object
	people int
	token  string
	intent uint64
	since  time.Time
	done   atomic.Bool // it was carried out
}

// thing is the argument that names an object.
func (o *object) thing() string { return fmt.Sprint("n", o.Number) }

// playhouse is a server that is closed and opened again while three clients play.
type playhouse struct {
	t       *testing.T
	dir     string
	clock   atomic.Int64
	history *linearize.History
	fault   func(linearize.In, linearize.Out) linearize.Out // what a client is told instead; nil: the truth
	numbers int
	objects sync.Map // by thing

	mu      sync.RWMutex // held for writing while the house changes
	h       *house
	clients []*client.Conn
	secret  string
}

func newPlayhouse(t *testing.T) *playhouse {
	p := &playhouse{t: t, dir: t.TempDir(), history: linearize.NewHistory()}
	p.clock.Store(1_800_000_000)
	p.open()
	return p
}

// Act carries out what was approved, and reports some as unknown.
func (p *playhouse) Act(_ context.Context, c act.Call) (act.Receipt, error) {
	what, _ := c.Action.Native()["what"].(string)
	x, ok := p.objects.Load(what)
	if !ok {
		return act.Receipt{State: act.Done}, nil // an edited one
	}
	o := x.(*object)
	if o.Kind == linearize.Permit {
		p.history.Saw(linearize.In{On: o.Object, Do: linearize.Begin}, o.since, linearize.Out{How: linearize.Did})
		p.history.Saw(linearize.In{On: o.Object, Do: linearize.Wonder}, o.since, linearize.Out{How: linearize.Unknown})
		return act.Receipt{State: act.Unknown, Error: "no answer"}, nil
	}
	o.done.Store(true)
	p.history.Saw(linearize.In{On: o.Object, Do: linearize.Consume, Of: o.people}, o.since,
		linearize.Out{How: linearize.Did})
	return act.Receipt{State: act.Done}, nil
}

// open opens the house and connects three clients.
func (p *playhouse) open() {
	p.h = open(p.t, "", func(s setup) {
		s.Engine.Dir = filepath.Join(p.dir, "record")
		s.Engine.Rules = fstest.MapFS{"rules.lisp": {Data: []byte(linearRules)}}
		s.Engine.Models.Providers = []model.Provider{obedient{}}
		s.Engine.Clock.Now = func() time.Time { return time.Unix(p.clock.Load(), 0) }
		s.Engine.Approvals.Classes = map[string][]string{"operator": {"ana"}}
		s.Engine.Tools = nil
		for _, name := range []string{"note", "risky", "never", "grave", "lost"} {
			s.Engine.Tools = append(s.Engine.Tools, act.Tool{Schema: &skills.Tool{Name: name}, Actuator: p})
		}
		s.Engine.Handlers = []cortex.Handler{func(_ context.Context, sig cortex.Signal) (bool, string, error) {
			return sig.Text == "hello", "taken", nil
		}}
		s.Wire.Socket, s.Wire.Approvals = filepath.Join(p.dir, "cortex.sock"), filepath.Join(p.dir, "cortex-approve.sock")
	})
	if p.secret == "" {
		var err error
		p.secret, err = p.h.engine.Approvals().Pair(p.t.Context(), false)
		require.NoError(p.t, err)
	}
	p.clients = nil
	for range 3 {
		c, err := client.Dial(context.Background(), p.h.opt.Approvals)
		require.NoError(p.t, err)
		require.NoError(p.t, c.Auth(context.Background(), p.secret))
		p.clients = append(p.clients, c)
	}
}

func (p *playhouse) close() {
	p.h.shut()
	for _, c := range p.clients {
		_ = c.Close()
	}
}

func (p *playhouse) client(i int) (*client.Conn, *cortex.Engine) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.clients[i], p.h.engine
}

// deal has the model propose what clients then play with.
func (p *playhouse) deal() (all []*object) {
	c, _ := p.client(0)
	for i := range 24 {
		p.numbers++
		o := &object{Object: linearize.Object{Number: p.numbers}, since: time.Now()}
		tool := []string{"risky", "grave", "risky", "lost", "", ""}[i%6]
		switch tool {
		case "":
			o.Kind = linearize.Key
		case "lost":
			o.Kind = linearize.Permit
		default:
			o.Kind, o.people = linearize.Card, map[string]int{"risky": 1, "grave": 2}[tool]
		}
		all = append(all, o)
		if o.Kind == linearize.Key {
			continue
		}
		p.objects.Store(o.thing(), o)
		r, err := c.Signal(context.Background(),
			client.Message{Session: fmt.Sprint("s", i), Text: fmt.Sprintf(`do (:tool %q :args (:what %q))`, tool, o.thing())})
		require.NoError(p.t, err)
		if o.token = r.Approval; o.Kind == linearize.Card {
			require.NotEmpty(p.t, o.token, r.Notice)
		}
	}
	doubts, err := p.h.engine.Operations().Doubts(context.Background())
	require.NoError(p.t, err)
	for _, d := range doubts {
		if x, ok := p.objects.Load(d.Action.Native()["what"]); ok {
			x.(*object).intent = d.Intent
		}
	}
	return all
}

var moves = map[linearize.Kind][]string{
	linearize.Card: {linearize.Approve, linearize.Approve, linearize.Deny, linearize.Edit, linearize.Read,
		linearize.Read, linearize.Read, linearize.Read},
	linearize.Permit: {linearize.Settle},
	linearize.Key:    {linearize.Accept},
}

// play lets one client make one move.
func (p *playhouse) play(client int, rng *rand.Rand, o *object) {
	list := moves[o.Kind]
	in := linearize.In{On: o.Object, Do: list[rng.IntN(len(list))], Of: o.people}
	if in.Do == linearize.Approve {
		in.Who = []string{"operator", "operator", "ana"}[rng.IntN(3)]
	}
	p.history.Do(in, func() linearize.Out {
		c, e := p.client(client)
		out := p.do(c, e, o, in)
		if p.fault != nil {
			out = p.fault(in, out)
		}
		return out
	})
}

func (p *playhouse) do(c *client.Conn, e *cortex.Engine, o *object, in linearize.In) linearize.Out {
	ctx := context.Background()
	eval := func(format string, args ...any) (sexpr.Value, error) {
		form, err := sexpr.Read("form", fmt.Sprintf(format, args...))
		if err != nil {
			return form, err
		}
		r, err := c.Eval(ctx, form)
		return r.Value, err
	}
	var err error
	switch in.Do {
	case linearize.Approve:
		if in.Who == "ana" { // who comes through another gateway
			err = e.Approve(ctx, o.token, cortex.Approver{Name: "ana", Via: "telegram"})
		} else {
			_, err = eval(`(approve %q)`, o.token)
		}
	case linearize.Deny:
		_, err = eval(`(deny %q "no")`, o.token)
	case linearize.Edit:
		_, err = eval(`(edit %q (quote (:what "another %d")))`, o.token, o.Number)
	case linearize.Settle:
		_, err = eval(`(settle %d :happened)`, o.intent)
	case linearize.Read:
		v, err := eval(`(approval %q)`, o.token)
		if err != nil {
			return linearize.Out{}
		}
		slots, _ := v.Get("slots")
		by, _ := slots.Items()[0].Get("by")
		return linearize.Out{How: linearize.Did, State: v.GetText("state"), Filled: by.Len()}
	case linearize.Accept:
		r, err := c.Signal(ctx, client.Message{Text: "hello", Session: "keys", Key: o.thing()})
		if err != nil {
			return linearize.Out{}
		}
		return linearize.Out{How: linearize.Did, Signal: r.Signal, Repeat: r.Repeat}
	}
	return linearize.Out{How: said(o, err)}
}

// said tells what an error says of an operation, as a client reads it.
func said(o *object, err error) linearize.How {
	switch {
	case err == nil:
		return linearize.Did
	case strings.Contains(err.Error(), "takes no more answers") && !strings.Contains(err.Error(), o.token):
		return linearize.Did // an edit: it is the new card that takes none
	case strings.Contains(err.Error(), "takes no more answers"), strings.Contains(err.Error(), "not an approver"),
		strings.Contains(err.Error(), "not in doubt"):
		return linearize.Refused
	}
	return linearize.Unknown
}

// round lets the clients play with the same objects.
func (p *playhouse) round(seed uint64) {
	all := p.deal()
	var wg sync.WaitGroup
	for i := range 6 { // two requests of each client at a time
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		wg.Go(func() {
			for range 60 {
				if i == 0 && rng.IntN(60) < 2 {
					p.happen(rng.IntN(3), all)
				}
				p.play(i%3, rng, all[rng.IntN(len(all))])
			}
		})
	}
	wg.Wait()
	require.NoError(p.t, p.h.engine.Operations().Wait(context.Background()))
	for _, o := range all {
		if o.Kind == linearize.Card && !o.done.Load() { // it may have been about to be
			p.history.Saw(linearize.In{On: o.Object, Do: linearize.Consume, Of: o.people}, o.since,
				linearize.Out{How: linearize.Unknown})
		}
		p.objects.Delete(o.thing())
	}
	p.tidy(all)
}

// happen is what happens to all objects at once.
func (p *playhouse) happen(what int, all []*object) {
	var cards, permits []linearize.In
	do := linearize.Expire
	if what > 0 {
		do = linearize.Restart
	}
	for _, o := range all {
		in := linearize.In{On: o.Object, Do: do, Of: o.people}
		switch o.Kind {
		case linearize.Card:
			cards = append(cards, in)
		case linearize.Permit:
			permits = append(permits, in)
		}
	}
	if what == 0 {
		p.history.All(append(cards, permits...), func() { p.clock.Add(25 * 3600) })
		return
	}
	p.history.All(permits, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.close()
		p.open()
	})
}

// tidy reads every card once more and ends what is left.
func (p *playhouse) tidy(all []*object) {
	c, e := p.client(0)
	for _, o := range all {
		if o.Kind != linearize.Card {
			continue
		}
		in := linearize.In{On: o.Object, Do: linearize.Read, Of: o.people}
		p.history.Do(in, func() linearize.Out { return p.do(c, e, o, in) })
	}
	for a, err := range e.Pending(context.Background()) {
		require.NoError(p.t, err)
		require.NoError(p.t, e.Withdraw(context.Background(), a.Token, a.Requester))
	}
	doubts, err := e.Operations().Doubts(context.Background())
	require.NoError(p.t, err)
	for _, d := range doubts {
		require.NoError(p.t, e.Operations().Settle(context.Background(), d.Intent, true, cortex.Approver{Name: "ana"}))
	}
}

func (p *playhouse) run(operations int, seed uint64) []string {
	for n := uint64(0); p.history.Len() < operations; n++ {
		p.round(seed + n)
	}
	return p.history.Check()
}

// Cards, doubts and dedupe keys behave, for three clients on Unix sockets and a
// person at another gateway, as if one at a time had touched them, while the
// server and its engine are restarted under their hands.
func TestLinear_ThreeClients(t *testing.T) {
	operations, histories, failures, all := crashtest.Number("CORTEX_LINEAR", 1500), crashtest.Number("CORTEX_HISTORIES",
		1), 0, 0
	begun, count := time.Now(), map[string]int{}
	for i := range histories {
		p := newPlayhouse(t)
		wrong := p.run(operations, 1+uint64(i)*1e6)
		p.close()
		if len(wrong) > 0 {
			failures++
			t.Errorf("history %d: %d objects have no order, such as %s", i, len(wrong), wrong[0])
		}
		all += p.history.Len()
		for k, n := range p.history.Counts() {
			count[k] += n
		}
	}
	for _, want := range []string{"card-approve did",
		"card-approve refused", "card-deny did", "card-edit did", "card-consume did", "card-read did", "permit-settle did",
		"permit-settle refused", "key-accept did"} {
		assert.Positive(t, count[want], "%s: %v", want, count)
	}
	crashtest.Result{Harness: "linear-clients", Trials: histories, Seed: 1, Failures: failures,
		More: fmt.Sprintf("operations=%d seconds=%.0f %v", all, time.Since(begun).Seconds(), count)}.Report(t)
}

// A client that is told something else than what happened is found out.
func TestLinear_ThreeClients_NegativeControl(t *testing.T) {
	crashtest.Long(t)
	for name, fault := range map[string]func(linearize.In, linearize.Out) linearize.Out{
		"a no that was refused is shown as taken": func(in linearize.In, out linearize.Out) linearize.Out {
			if in.Do == linearize.Deny && out.How == linearize.Refused {
				out.How = linearize.Did
			}
			return out
		},
		"a repeat is shown as new": func(in linearize.In, out linearize.Out) linearize.Out {
			out.Repeat = false
			return out
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlayhouse(t)
			p.fault = fault
			wrong := p.run(600, 1)
			p.close()
			require.NotEmpty(t, wrong)
			t.Logf("RESULT control=%q found-by=linear-clients: %s", name, wrong[0])
		})
	}
}
