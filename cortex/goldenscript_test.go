package cortex_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

const goldenTools = `
(defaults :unknown-tool :ask)
(deftool note :doc "Keep a note." :params (:text string) :required (:text) :tier :allow :effect :local)
(deftool look :doc "Look around." :params (:text string) :tier :allow :effect :none)
(deftool pay :doc "Pay." :params (:to string :amount (number 0 1000000)) :required (:to :amount)
  :tier :allow :effect :external :spends (:money :amount))
(deftool risky :doc "Do something risky." :params (:what string) :tier :ask :effect :external)
(deftool never :doc "Never." :params (:what string) :tier :deny)
(deftool shell :doc "Run a command." :params (:cmd string) :required (:cmd) :tier :allow :effect :external)
(deftool read-file :doc "Read." :params (:path string) :required (:path) :tier :allow :effect :none)
(definvariant payments-stay-small
  :when (= action.tool "pay")
  :holds (<= (+ action.args.amount (spent :money :day)) 1000)
  :reason "more than 1000 a day")
`

const goldenSkills = `
(defskill words
  :priority 100
  :trigger (= action.tool "note")
  :gate ((reject rude :when (contains? action.args.text "rude") :reason "notes are polite")
         (ask secret :when (contains? action.args.text "secret") :reason "a secret needs a yes" :approvers :finance :quorum 2)
         (rewrite short :when (> (len action.args.text) 40) :set (:text "(too long)") :reason "notes are short")))
(deflist deleting "rm" "rmdir" "shred")
(defskill commands
  :priority 90
  :trigger (= action.tool "shell")
  :gate ((reject deletes :when (some (shell action.args.cmd) (in it.name deleting)) :reason "deletes")
         (ask elsewhere :when (some (shell action.args.cmd) (some it.redirects (under? it.target "/etc"))) :reason "writes to /etc")))
(defskill paths
  :priority 80
  :trigger (= action.tool "read-file")
  :gate ((reject outside :when (not (under? action.args.path facts.env.cwd)) :reason "stay in the workspace")))
(defskill often
  :priority 10
  :gate ((reject too-often :when (> (len (calls "note")) %d) :reason "too often")
         (ask quiet :when (= (get facts.ctx.mood "") "quiet") :reason "ask first while it is quiet")))
`

// goldenTime is a wall clock that the script sets, and an uptime that it cannot. The
// engine reads both whenever it likes.
type goldenTime struct {
	mu   sync.Mutex
	wall time.Time
	up   time.Duration
	boot int
}

func (c *goldenTime) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.wall
}

func (c *goldenTime) uptime() (boot string, up time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fmt.Sprint("boot-", c.boot), c.up
}

// add passes time on either clock.
func (c *goldenTime) add(wall, up time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wall, c.up = c.wall.Add(wall), c.up+up
}

// restart starts the machine anew.
func (c *goldenTime) restart() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.boot, c.up = c.boot+1, 0
}

// golden writes a record with something of everything in it: each step is a method.
type golden struct {
	*cortex.Engine
	t    *testing.T
	opt  cortex.Options
	time *goldenTime
	came []act.State // what calls of tools report, in order; then done
}

// Act reports what the script wants to have come of it.
func (g *golden) Act(context.Context, act.Call) (act.Receipt, error) {
	state := act.Done
	if len(g.came) > 0 {
		state, g.came = g.came[0], g.came[1:]
	}
	return act.Receipt{State: state, Text: "so", Result: sexpr.Plist("ok", sexpr.Bool(true))}, nil
}

const goldenScript = `
(:form (:type :request :target :tool :payload (:tool "note" :args (:text "hello"))))
(:reply "noted")
(:form (:type :request :target :tool :payload (:tool "note" :args (:text "rude words"))))
(:form (:type :request :target :tool :payload (:tool "note" :args (:text "kind words"))))
(:reply "noted, politely")
(:form (:type :request :target :tool :payload (:tool "risky" :args (:what "by a model"))))
(:reply "it was done")
(:form (:type :request :target :tool :payload (:tool "pay" :args (:to "bob" :amount 7))))
(:repeat t :reply "ok")
`

var (
	goldenAna = cortex.Approver{Name: "ana", Via: "api"}
	goldenBen = cortex.Approver{Name: "ben", Via: "api"}
	goldenCho = cortex.Approver{Name: "cho", Via: "api"}
)

// writeGolden writes the golden record into dir: the checked-in one was written by it
// on commit b0855d1 (CORTEX_GOLDEN=FOLDER go test -run TestGoldenScript ./cortex).
func writeGolden(t *testing.T, dir string) {
	g := &golden{t: t, time: &goldenTime{wall: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC), up: time.Hour}}
	p, err := model.NewScripted("script", "script.lisp", goldenScript)
	require.NoError(t, err)
	g.opt = cortex.Options{
		Dir: dir, Reserve: 4096, Live: true, Heartbeat: 1000 * time.Hour,
		Approvals: cortex.ApprovalOptions{TTL: 1000 * time.Hour,
			Classes: map[string][]string{"operator": {"ana", "ben"}, "finance": {"ben", "cho"}}},
		Clock: cortex.ClockOptions{Now: g.time.now, Uptime: g.time.uptime},

		Env:    sexpr.Plist("cwd", sexpr.Str("/srv/shop"), "home", sexpr.Str("/home/agent")),
		Lookup: func(_, path string) (string, error) { return filepath.Clean(path), nil },
		Models: cortex.Models{Providers: []model.Provider{p}}, Protected: reason.Places{Paths: []string{"/etc/golden"}},
		Checkpoints: cortex.Checkpoints{Outside: filepath.Join(t.TempDir(), "seen")},
		Retain:      cortex.Retain{Age: 72 * time.Hour},
	}
	for _, name := range []string{"note", "look", "pay", "risky", "never", "shell", "read-file"} {
		g.opt.Tools = append(g.opt.Tools, act.Tool{Schema: &skills.Tool{Name: name}, Actuator: g})
	}
	g.rules(50)
	g.reopen()

	g.judge("old")
	g.decide("old", "risky", `(:what "that still waits when retention comes")`)
	g.pass(120 * time.Hour)
	g.judge("kept")
	retained, err := g.Operations().Retain(t.Context())
	require.NoError(t, err)
	require.Positive(t, retained.Removed)
	g.opt.Retain, g.opt.Approvals.TTL = cortex.Retain{}, 48*time.Hour
	g.reopen()

	g.people()
	g.everyState("early")
	g.models()
	g.judge("more")
	g.compensations()
	g.rolledBack()

	g.rules(40) // another policy: what is open is superseded
	g.everyState("late")
	g.clocks()
	g.judge("late")
	g.observed()
	g.everyState("last")
	g.doubts()
	g.must(g.Engine.Close())
}

func (g *golden) must(err error) {
	g.t.Helper()
	require.NoError(g.t, err)
}

func (g *golden) pass(d time.Duration) { g.time.add(d, d) }

// reopen begins another run; the machine was started anew, too.
func (g *golden) reopen() {
	if g.Engine != nil {
		g.must(g.Engine.Close())
	}
	g.time.restart()
	var err error
	g.Engine, err = cortex.Open(g.t.Context(), g.opt)
	g.must(err)
}

func (g *golden) rules(often int) {
	g.opt.Rules = fstest.MapFS{"tools.lisp": {Data: []byte(goldenTools)},
		"skills.lisp": {Data: fmt.Appendf(nil, goldenSkills, often)}}
	if g.Engine != nil {
		g.reopen()
	}
}

func (g *golden) decide(session, tool, args string) *cortex.Decision {
	g.t.Helper()
	v, err := sexpr.Read("args", args)
	g.must(err)
	a, err := cortex.NewAction(tool, v, "because")
	g.must(err)
	g.pass(time.Second)
	d, err := g.Decide(g.t.Context(), a,
		&cortex.Facts{Session: skills.Session{ID: session, Principal: "p-" + session}, Env: g.opt.Env})
	g.must(err)
	return d
}

func (g *golden) begin(d *cortex.Decision) *cortex.Permit {
	g.t.Helper()
	p, err := g.Begin(g.t.Context(), d)
	g.must(err)
	return p
}

func (g *golden) did(d *cortex.Decision, state act.State) uint64 {
	g.t.Helper()
	p := g.begin(d)
	g.must(p.Finish(g.t.Context(), cortex.Receipt{State: state, Text: "so"}))
	return p.ID()
}

// people pairs, sets facts, throws the kill switch.
func (g *golden) people() {
	ctx := g.t.Context()
	_, err := g.Approvals().Pair(ctx, false)
	g.must(err)
	g.must(g.Operations().SetFact(ctx, "mood", sexpr.Str("lively"), goldenAna))
	g.must(g.Operations().KillSwitch(ctx, true, goldenAna))
	g.decide("killed", "note", `(:text "nothing passes")`)
	g.must(g.Operations().KillSwitch(ctx, false, goldenAna))
}

// everyState leaves approvals in every state there is.
func (g *golden) everyState(name string) {
	ctx := g.t.Context()
	ask := func(what string) string {
		d := g.decide(name, "risky", fmt.Sprintf(`(:what "%s")`, what))
		require.Equal(g.t, reason.Ask, d.Kind, "%s", d.Key)
		return d.Approval
	}
	old := ask("expired")
	g.pass(49 * time.Hour)
	g.must(g.Operations().Maintain(ctx))
	a, err := g.Approvals().Get(ctx, old)
	g.must(err)
	require.EqualValues(g.t, "expired", a.State)

	g.must(g.Deny(ctx, ask("denied"), goldenAna, "no"))
	g.must(g.Withdraw(ctx, ask("withdrawn"), a.Requester))
	_, err = g.Edit(ctx, ask("edited, so superseded"), goldenAna, sexpr.Plist("what", sexpr.Str("as edited")))
	g.must(err)
	g.must(g.Approve(ctx, ask("consumed"), goldenAna))
	g.did(g.decide(name, "risky", `(:what "consumed")`), act.Done)
	g.must(g.Approve(ctx, ask("approved"), goldenAna))
	pending := ask("pending")
	g.must(g.Approvals().Post(ctx,
		cortex.Posting{Token: pending, Gateway: "telegram", Chat: "1", Nonce: strings.Repeat(name, 8)}))
	g.must(g.Approvals().Post(ctx,
		cortex.Posting{Token: pending, Gateway: "telegram", Chat: "1", Message: "17", Nonce: strings.Repeat(name, 8)}))
	quorum := g.decide(name, "note", `(:text "a secret")`)
	g.must(g.Approve(ctx, quorum.Approval, goldenBen)) // one of two
	second := g.decide(name, "note", `(:text "a secret of two")`)
	g.must(g.Approve(ctx, second.Approval, goldenBen))
	g.must(g.Approve(ctx, second.Approval, goldenCho))
}

// models has models ask, be refused, wait for people and spend.
func (g *golden) models() {
	ctx := g.t.Context()
	for i, text := range []string{"one", "two", "three"} {
		out, err := g.Submit(ctx,
			cortex.Signal{Source: "cli", Session: "talk", Principal: "ann", Key: fmt.Sprint("key-", i), Text: text})
		g.must(err)
		if out.Approval != "" {
			g.must(g.Approve(ctx, out.Approval, goldenAna))
		}
		g.must(g.Operations().Wait(ctx))
	}
	_, err := g.Hosts().Cursors().Accept(ctx, cortex.Signal{Source: "telegram", Sensor: "noted", Key: "9", Text: "seen"},
		cortex.Cursor{Source: "telegram", At: 9})
	g.must(err)
	g.came = []act.State{act.Unknown}
	_, err = g.Submit(ctx, cortex.Signal{Source: "cli", Session: "doubt", Principal: "ann", Text: "pay"})
	g.must(err)
	found, err := g.Operations().Doubts(ctx)
	g.must(err)
	require.Len(g.t, found, 1)
	_, err = g.Operations().Retry(ctx, found[0].Intent, goldenAna)
	g.must(err)
	g.must(g.Operations().Wait(ctx))
}

// judge has decisions of all kinds made, and carries out what is allowed.
func (g *golden) judge(name string) {
	for i, c := range []struct{ tool, args string }{
		{"note", `(:text "plain")`}, {"note", `(:text "rude")`}, {"note", `(:text "` + strings.Repeat("long ", 20) + `")`},
		{"never", `(:what "x")`}, {"nope", `(:x 1)`}, {"note", `(:txt "no such key")`}, {"look", `{}`},
		{"shell", `(:cmd "ls -l | wc -l")`}, {"shell", `(:cmd "sudo sh -c 'rm -rf /'")`},
		{"shell", `(:cmd "echo x > /etc/motd")`},
		{"shell", `(:cmd "cat /etc/golden/rules")`}, {"shell", `(:cmd "$(tool) it")`},
		{"read-file", `(:path "/srv/shop/a/../b")`}, {"read-file", `(:path "/srv/other")`},
		{"pay", `(:to "bob" :amount 400)`}, {"pay", `(:to "bob" :amount 400)`}, {"pay", `(:to "bob" :amount 400)`},
	} {
		if d := g.decide(name, c.tool, c.args); d.Kind == reason.Allow {
			g.did(d, []act.State{act.Done, act.Failed, act.Nothing}[i%3])
		}
	}
}

// compensations leaves one that did, and one that failed and was settled.
func (g *golden) compensations() {
	ctx := g.t.Context()
	for _, came := range []act.State{act.Done, act.Failed} {
		paid := g.did(g.decide("sorry", "pay", `(:to "cho" :amount 3)`), act.Done)
		a, err := cortex.NewAction("note", sexpr.Plist("text", sexpr.Str("sorry")), "")
		g.must(err)
		d, err := g.Compensations().Decide(ctx, paid, a, nil)
		g.must(err)
		by := g.did(d, came)
		if came == act.Failed {
			g.must(g.Operations().Settle(ctx, by, true, goldenAna))
		}
	}
	g.must(g.Operations().EndSession(ctx, "sorry", goldenAna))
}

// rolledBack goes back behind a checkpoint that was seen, and has that accepted.
func (g *golden) rolledBack() {
	ctx := g.t.Context()
	_, err := g.Operations().Checkpoint(ctx)
	g.must(err)
	g.must(g.Engine.Close())
	before := filepath.Join(g.t.TempDir(), "before")
	g.must(os.CopyFS(before, os.DirFS(g.opt.Dir)))
	g.Engine = nil
	g.reopen()
	g.decide("forgotten", "note", `(:text "that is forgotten")`)
	_, err = g.Operations().Checkpoint(ctx)
	g.must(err)
	g.must(g.Engine.Close())
	g.must(os.RemoveAll(g.opt.Dir))
	g.must(os.CopyFS(g.opt.Dir, os.DirFS(before)))
	g.must(os.Chmod(g.opt.Dir, 0o700))
	g.Engine, g.opt.Checkpoints.AcceptRollback = nil, true
	g.reopen()
	g.opt.Checkpoints.AcceptRollback = false
	_, err = g.Operations().Checkpoint(ctx) // what is outside is of this record again
	g.must(err)
}

// clocks sets the wall clock forwards and back.
func (g *golden) clocks() {
	for _, by := range []time.Duration{3 * time.Hour, -time.Hour} {
		g.decide("clock", "pay", `(:to "dan" :amount 1)`)
		g.time.add(by, 0)
		g.decide("clock", "pay", `(:to "dan" :amount 2)`)
	}
}

// observed records what would have been, and what runs dry.
func (g *golden) observed() {
	was := g.opt
	for _, change := range []func(*cortex.Options){
		func(o *cortex.Options) { o.Live, o.Observe = false, true },
		func(o *cortex.Options) { o.Live, o.Dry = false, true },
	} {
		g.opt = was
		change(&g.opt)
		g.reopen()
		for _, text := range []string{"plain", "rude", "secret"} {
			d := g.decide("observed", "note", `(:text "`+text+`")`)
			switch {
			case g.opt.Observe:
				g.did(d, act.Done)
			case d.Kind == reason.Allow:
				g.begin(d)
			}
		}
	}
	g.opt = was
	g.reopen()
}

// doubts leaves an intent whose run has ended, one past its deadline, and one that was
// reported as unknown.
func (g *golden) doubts() {
	ctx := g.t.Context()
	g.begin(g.decide("doubt", "pay", `(:to "eve" :amount 1)`))
	g.begin(g.decide("doubt", "look", `(:text "that never came back")`))
	g.reopen()
	g.begin(g.decide("doubt", "pay", `(:to "eve" :amount 2)`))
	g.pass(time.Hour)
	g.did(g.decide("doubt", "pay", `(:to "eve" :amount 3)`), act.Unknown)
	settled := g.did(g.decide("doubt", "pay", `(:to "eve" :amount 4)`), act.Unknown)
	g.must(g.Operations().Settle(ctx, settled, false, goldenAna))
	require.Equal(g.t, reason.KeyInDoubt, g.decide("doubt", "pay", `(:to "eve" :amount 3)`).Key)
	found, err := g.Operations().Doubts(ctx)
	g.must(err)
	require.Len(g.t, found, 3)
}

// kindsOf counts the records of each kind.
func kindsOf(t *testing.T, e *cortex.Engine) map[string]int {
	n := map[string]int{}
	require.NoError(t, e.Journal().Records(1, func(r cortex.Record) error { n[r.Kind]++; return nil }))
	return n
}
