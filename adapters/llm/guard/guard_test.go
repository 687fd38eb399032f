package guard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/adapters/llm"
	"github.com/opencortex-go/cortex/adapters/llm/guard"
	"github.com/opencortex-go/cortex/adapters/llm/llmtest"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/skills"
)

const rules = `
(deftool pay :params (:to string :amount integer) :required (:to :amount) :tier :allow)
(deftool look :params (:at string) :required (:at) :tier :allow :effect :none)
(defskill payments :trigger (= action.tool "pay")
  :gate ((deny too-much :when (> action.args.amount 500) :reason "payments stop at 500")
         (rewrite default :when (= action.args.to "default") :set (:to "the treasury"))
         (ask large :when (> action.args.amount 50) :reason "more than 50 needs a yes")))
(defskill manners :trigger (= action.tool "reply")
  :gate ((deny rude :when (contains? action.args.text "idiot") :reason "be polite")))`

// world is an engine, a guard, a scripted model, and what the tools did.
type world struct {
	t      testing.TB
	engine *cortex.Engine
	guard  *guard.Guard
	server *llmtest.Server
	chat   guard.Chat

	mu   sync.Mutex
	done []string
	tool func(ctx context.Context, call act.Call) (act.Receipt, error)
}

func (w *world) did() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string{}, w.done...)
}

func (w *world) act(ctx context.Context, call act.Call) (act.Receipt, error) {
	args, err := json.Marshal(call.Action.Native())
	if err != nil {
		return act.Receipt{}, err
	}
	w.mu.Lock()
	w.done = append(w.done, call.Action.Tool()+" "+string(args))
	w.mu.Unlock()
	if w.tool != nil {
		return w.tool(ctx, call)
	}
	return act.Receipt{State: act.Done, Text: "did " + string(args)}, nil
}

// setting is how a world is made.
type setting struct {
	api    llmtest.API
	stream bool
	dir    string
	opt    guard.Options
	engine func(*cortex.Options)
}

func build(t testing.TB, s setting, script ...llmtest.Answer) *world {
	t.Helper()
	if s.api == "" {
		s.api = llmtest.Chat
	}
	w := &world{t: t, server: llmtest.Serve(s.api, script...), chat: guard.Chat{Session: "chat-1", Principal: "bo"}}
	t.Cleanup(w.server.Close)
	opt := cortex.Options{Dir: s.dir, Live: true, Rules: fstest.MapFS{"r.lisp": {Data: []byte(rules)}},
		Approvals: cortex.ApprovalOptions{Classes: map[string][]string{"operator": {"ana"}}}}
	if s.engine != nil {
		s.engine(&opt)
	}
	var err error
	w.engine, err = cortex.Open(t.Context(), opt)
	require.NoError(t, err)
	client, err := llm.New(llm.Config{Name: "m", Kind: string(s.api), URL: w.server.URL, Model: "m", Stream: s.stream,
		Retries: -1, Timeout: llm.Duration(10 * time.Second)})
	require.NoError(t, err)
	w.guard, err = guard.New(w.engine, client, []act.Tool{
		{Schema: &skills.Tool{Name: "pay"}, Actuator: act.Func(w.act)},
		{Schema: &skills.Tool{Name: "look"}, Actuator: act.Func(w.act)}}, s.opt)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, w.guard.Close())
		require.NoError(t, w.engine.Close())
		require.NoError(t, llm.CloseAll([]model.Provider{client}))
	})
	return w
}

func (w *world) say(text string) guard.Answer {
	w.t.Helper()
	a, err := w.guard.Say(w.t.Context(), &w.chat, text)
	require.NoError(w.t, err)
	return a
}

// results are the result messages of the chat, by call.
func results(c *guard.Chat) map[string]string {
	out := map[string]string{}
	for _, m := range c.Messages {
		if m.Role == model.RoleTool {
			out[m.CallID] += m.Text
		}
	}
	return out
}

// decisions are what is on record of a session: the kinds of its decisions on tools.
func (w *world) decisions() (kinds []string) {
	w.t.Helper()
	require.NoError(w.t, w.engine.Journal().Records(1, func(r cortex.Record) error {
		if r.Kind != record.KindDecision {
			return nil
		}
		d, err := record.DecisionFrom(r)
		if err == nil && r.Body.GetText("tool") != skills.ReplyTool {
			kinds = append(kinds, d.Kind.String())
		}
		return err
	}))
	return kinds
}

func everyWay(t *testing.T, f func(t *testing.T, s setting)) {
	for _, api := range llmtest.APIs() {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/stream=%v", api, stream), func(t *testing.T) { f(t, setting{api: api, stream: stream}) })
		}
	}
}

func call(id, tool, args string) llmtest.Call {
	return llmtest.Call{ID: id, Name: tool, Arguments: args}
}

func calls(c ...llmtest.Call) llmtest.Answer { return llmtest.Answer{Calls: c} }

func words(text string) llmtest.Answer { return llmtest.Answer{Text: text} }

// Each of several calls has one decision, and each its result, whatever came of it.
func TestEveryCallIsDecidedOnceAndAnswered(t *testing.T) {
	everyWay(t, func(t *testing.T, s setting) {
		w := build(t, s,
			calls(call("a", "pay", `{"to":"ann","amount":20}`), call("b", "pay", `{"to":"ann","amount":900}`),
				call("c", "pay", `{"to":"default","amount":5}`), call("d", "pay", `{"to":"ann"}`),
				call("e", "fly", `{}`), call("f", "look", `{"at":"A"}`)),
			words("All done."))
		w.chat.System = "You pay bills."
		a := w.say("pay them")
		assert.Equal(t, guard.Answer{Text: "All done.", Usage: model.Usage{TokensIn: 20, TokensOut: 10}}, a)
		assert.Equal(t, []string{`pay {"amount":20,"to":"ann"}`, `pay {"amount":5,"to":"the treasury"}`, `look {"at":"A"}`},
			w.did())
		got := results(&w.chat)
		require.Len(t, got, 6)
		assert.Equal(t, `did {"amount":20,"to":"ann"}`, got["a"])
		assert.Contains(t, got["b"], "payments stop at 500")
		assert.Equal(t, `did {"amount":5,"to":"the treasury"}`, got["c"])
		assert.Contains(t, got["d"], "amount")
		assert.Contains(t, got["e"], `the tool \"fly\" is unknown, expected one of look, pay, reply`)
		assert.Equal(t, []string{"allow", "deny", "allow", "deny", "allow"}, w.decisions())
		asked := w.server.Asked()
		require.Len(t, asked, 2)
		text, err := json.Marshal(asked[1])
		require.NoError(t, err)
		for _, said := range []string{"payments stop at 500", "did ", "the treasury", "You pay bills.", "is unknown"} {
			assert.Contains(t, string(text), said, "the model is told")
		}
	})
}

// A call runs only if it is whole, and if the answer that holds it was not cut off.
func TestPartsOfCallsDoNotRun(t *testing.T) {
	for i, x := range []struct {
		name   string
		answer llmtest.Answer
		ran    int
		says   string
	}{
		{"cut", llmtest.Answer{Cut: true, Calls: []llmtest.Call{call("a", "pay", `{"to":"ann","amount":1}`),
			call("b", "pay", `{"to":"ann","amount":1}`)}}, 0, "cut off"},
		{"a part", calls(call("a", "pay", `{"to":"ann","amount":1`), call("b", "look", `{"at":"A"}`)), 1, "Not run"},
		{"not JSON", calls(call("a", "pay", `to ann`), call("b", "look", `{"at":"A"}`)), 1, "Not run"},
		{"key twice", calls(call("a", "pay", `{"to":"ann","amount":1,"amount":2}`), call("b", "look", `{"at":"A"}`)), 1, "amount"},
		{"no object", calls(call("a", "pay", `["ann",1]`), call("b", "look", `{"at":"A"}`)), 1, "Not run"},
		{"too large", calls(call("a", "pay", `{"amount":1,"to":"`+strings.Repeat("x", 300<<10)+`"}`), call("b", "look", `{"at":"A"}`)),
			1, "Not run"},
	} {
		everyWay(t, func(t *testing.T, s setting) {
			if testing.Short() && s.api != llmtest.APIs()[i%len(llmtest.APIs())] {
				return // each case by one API, each API with two cases
			}
			w := build(t, s, x.answer, words("Sorry."))
			w.server.Piece = 4000
			a, err := w.guard.Say(t.Context(), &w.chat, "pay")
			if err != nil { // the input is JSON inside the body, so all of the answer is rejected
				require.True(t, s.api == llmtest.Messages && !s.stream, "%s: %v", x.name, err)
				assert.Empty(t, w.did())
				assert.Empty(t, w.decisions())
				return
			}
			assert.Equal(t, "Sorry.", a.Text)
			assert.Len(t, w.did(), x.ran, x.name)
			got := results(&w.chat)
			require.Len(t, got, 2)
			assert.Contains(t, got["a"], x.says)
			assert.Contains(t, got["a"], "Not run")
		})
	}
}

// When the server dies in the middle of an answer, nothing of the answer is done, and the
// chat goes on from where it was.
func TestAServerThatDiesLeavesNothing(t *testing.T) {
	everyWay(t, func(t *testing.T, s setting) {
		for _, at := range []int{1, 100, 250} {
			pay := calls(call("a", "pay", `{"to":"ann","amount":20}`))
			broken := pay
			broken.Dies = at
			w := build(t, s, broken, llmtest.Answer{Status: 429, After: "60"}, pay, words("Paid."))
			_, err := w.guard.Say(t.Context(), &w.chat, "pay")
			require.ErrorContains(t, err, "the model did not answer")
			_, err = w.guard.Resume(t.Context(), &w.chat)
			require.ErrorContains(t, err, "status 429")
			assert.Empty(t, w.did())
			assert.Len(t, w.chat.Messages, 1)
			a, err := w.guard.Resume(t.Context(), &w.chat)
			require.NoError(t, err)
			assert.Equal(t, "Paid.", a.Text)
			assert.Len(t, w.did(), 1)
		}
	})
}

// A call that people have to answer comes back with its token; others of the same answer
// have run by then, and run once.
func TestAskThenResume(t *testing.T) {
	for name, x := range map[string]struct {
		answer func(*world, string) error
		ran    int
		says   string
	}{
		"yes": {func(w *world, token string) error {
			return w.engine.Approve(w.t.Context(), token, cortex.Approver{Name: "ana"})
		}, 2, "did "},
		"no": {func(w *world, token string) error {
			return w.engine.Deny(w.t.Context(), token, cortex.Approver{Name: "ana"}, "not this month")
		}, 1, "not this month"},
		"withdrawn": {func(w *world, token string) error { return w.engine.Withdraw(w.t.Context(), token, "agent") }, 1,
			"withdrawn"},
	} {
		t.Run(name, func(t *testing.T) {
			w := build(t, setting{stream: true},
				calls(call("a", "pay", `{"to":"ann","amount":20}`), call("b", "pay", `{"to":"ann","amount":100}`)), words("Done."))
			a := w.say("pay")
			require.Len(t, a.Held, 1)
			assert.Equal(t, guard.Held{Call: "b", Tool: "pay", Reason: "more than 50 needs a yes", Token: a.Held[0].Token},
				a.Held[0])
			again, err := w.guard.Resume(t.Context(), &w.chat)
			require.NoError(t, err)
			assert.Equal(t, a.Held, again.Held, "it still waits, and no second card is made")
			assert.Len(t, w.did(), 1)
			require.NoError(t, x.answer(w, a.Held[0].Token))
			for range 3 { // also when it is resumed more often than that
				a, err = w.guard.Resume(t.Context(), &w.chat)
				require.NoError(t, err)
				assert.Equal(t, "Done.", a.Text)
			}
			assert.Len(t, w.did(), x.ran)
			assert.Contains(t, results(&w.chat)["b"], x.says)
			assert.Len(t, w.server.Asked(), 2)
		})
	}
}

// The user approves what their own assistant asks for, where they are in the class that may. The
// assistant's name cannot, and neither can the user where the rule excludes them.
func TestTheUserAnswersForTheirAssistant(t *testing.T) {
	for _, excluded := range []bool{false, true} {
		w := build(t, setting{engine: func(o *cortex.Options) {
			o.Approvals.Classes = map[string][]string{"operator": {"bo", "agent"}}
			if excluded {
				barred := strings.Replace(rules, "needs a yes\"", "needs a yes\" :not-user t", 1)
				o.Rules = fstest.MapFS{"r.lisp": {Data: []byte(barred)}}
			}
		}}, calls(call("a", "pay", `{"to":"ann","amount":100}`)), words("Paid."))
		a := w.say("pay ann")
		require.Len(t, a.Held, 1)
		token := a.Held[0].Token
		require.ErrorIs(t, w.engine.Approve(t.Context(), token, cortex.Approver{Name: "agent"}), cortex.ErrNotApprover)
		err := w.engine.Approve(t.Context(), token, cortex.Approver{Name: "bo"})
		if excluded {
			require.ErrorIs(t, err, cortex.ErrNotApprover)
			continue
		}
		require.NoError(t, err)
		a, err = w.guard.Resume(t.Context(), &w.chat)
		require.NoError(t, err)
		assert.Equal(t, "Paid.", a.Text)
		assert.Len(t, w.did(), 1)
	}
}

// A user may go on talking while a call waits: the model is told that it waits, and when
// people have said yes it may call again.
func TestTheUserGoesOnWhileACallWaits(t *testing.T) {
	w := build(t, setting{}, calls(call("a", "pay", `{"to":"ann","amount":100}`)), words("It waits."),
		calls(call("b", "pay", `{"to":"ann","amount":100}`)), words("Paid."))
	a := w.say("pay ann")
	require.Len(t, a.Held, 1)
	assert.Equal(t, "It waits.", w.say("and?").Text)
	assert.Contains(t, results(&w.chat)["a"], "it waits for a person's approval")
	require.NoError(t, w.engine.Approve(t.Context(), a.Held[0].Token, cortex.Approver{Name: "ana"}))
	assert.Equal(t, "Paid.", w.say("ana said yes").Text)
	assert.Len(t, w.did(), 1)
}

// With a time to wait, the call waits for the answer.
func TestAskAndWait(t *testing.T) {
	script := []llmtest.Answer{calls(call("a", "pay", `{"to":"ann","amount":100}`), call("b", "look", `{"at":"A"}`)), words("Done.")}
	w := build(t, setting{opt: guard.Options{Wait: -1}, engine: func(o *cortex.Options) {}}, script...)
	go func() {
		for {
			for a, err := range w.engine.Pending(context.Background()) {
				if err == nil {
					_ = w.engine.Approve(context.Background(), a.Token, cortex.Approver{Name: "ana"}) // the test sees what comes of it
					return
				}
			}
			time.Sleep(time.Millisecond)
		}
	}()
	assert.Equal(t, "Done.", w.say("pay").Text)
	assert.Equal(t, []string{`look {"at":"A"}`, `pay {"amount":100,"to":"ann"}`}, w.did())

	w = build(t, setting{opt: guard.Options{Wait: time.Millisecond}}, script...)
	assert.Len(t, w.say("pay").Held, 1)
}

// The same action in two calls of one answer is one question to people, and one effect.
func TestTwoCallsOneCard(t *testing.T) {
	w := build(t, setting{}, calls(call("a", "pay", `{"to":"ann","amount":100}`), call("b", "pay", `{"to":"ann","amount":100}`)),
		words("Done."))
	a := w.say("pay")
	require.Len(t, a.Held, 2)
	assert.Equal(t, a.Held[0].Token, a.Held[1].Token)
	require.NoError(t, w.engine.Approve(t.Context(), a.Held[0].Token, cortex.Approver{Name: "ana"}))
	a, err := w.guard.Resume(t.Context(), &w.chat)
	require.NoError(t, err)
	assert.Equal(t, "Done.", a.Text)
	assert.Len(t, w.did(), 1)
	assert.Contains(t, results(&w.chat)["b"], "has been run for another call")
}

// A person may put other arguments into a card: these run.
func TestAnEditedCall(t *testing.T) {
	w := build(t, setting{}, calls(call("a", "pay", `{"to":"ann","amount":100}`)), words("Done."))
	a := w.say("pay")
	require.Len(t, a.Held, 1)
	edited, err := cortex.NewAction("pay", map[string]any{"to": "ann", "amount": 60}, "")
	require.NoError(t, err)
	_, err = w.engine.Edit(t.Context(), a.Held[0].Token, cortex.Approver{Name: "ana"}, edited.Args())
	require.NoError(t, err)
	a, err = w.guard.Resume(t.Context(), &w.chat)
	require.NoError(t, err)
	assert.Equal(t, "Done.", a.Text, a.Held)
	assert.Equal(t, []string{`pay {"amount":60,"to":"ann"}`}, w.did())
}

// What a model says is judged as well.
func TestWordsAreJudged(t *testing.T) {
	w := build(t, setting{api: llmtest.Messages}, words("You idiot."), words("Good day."))
	assert.Equal(t, "Good day.", w.say("hi").Text)
	assert.Contains(t, w.chat.Messages[2].Text, "be polite")
	w = build(t, setting{opt: guard.Options{Turns: 2}}, words("You idiot."))
	a := w.say("hi")
	assert.Empty(t, a.Text)
	assert.Contains(t, a.Notice, "the model was asked 2 times")
	w = build(t, setting{}, words(""))
	assert.Contains(t, w.say("hi").Notice, "answered nothing")
}

// An endpoint that begins to count its calls anew with every answer makes no call look like
// an earlier one.
func TestIDsThatComeAgain(t *testing.T) {
	w := build(t, setting{}, calls(call("call_0", "look", `{"at":"A"}`)), calls(call("call_0", "look", `{"at":"A"}`)),
		calls(call("call_0", "look", `{"at":"B"}`), call("", "look", `{"at":"B"}`)), words("Seen."))
	assert.Equal(t, "Seen.", w.say("look").Text)
	assert.Len(t, w.did(), 4)
	assert.Len(t, results(&w.chat), 4)
}

// A program that keeps nothing and begins again at the user's words repeats no effect, with
// the same engine and with the next one on the record.
func TestAConversationReplayedFromItsStart(t *testing.T) {
	everyWay(t, func(t *testing.T, s setting) {
		s.dir = t.TempDir()
		script := func(n int, request map[string]any) llmtest.Answer {
			text, err := json.Marshal(request)
			assert.NoError(t, err)
			switch said := string(text); {
			case strings.Contains(said, `{\"amount\":30`):
				return words("All paid.")
			case strings.Contains(said, `{\"amount\":20`):
				return calls(call("c", "pay", `{"to":"cy","amount":30}`))
			}
			return calls(call("a", "pay", `{"to":"ann","amount":20}`), call("b", "pay", `{"to":"bob","amount":900}`))
		}
		var decided int
		for run := range 3 {
			w := build(t, s)
			w.server.Play(script)
			for again := range 2 {
				w.chat.Messages = nil
				assert.Equal(t, "All paid.", w.say("pay").Text)
				require.Len(t, results(&w.chat), 3)
				if run == 0 && again == 0 {
					assert.Len(t, w.did(), 2)
					decided = len(w.decisions())
				}
			}
			assert.Len(t, w.did(), map[bool]int{true: 2, false: 0}[run == 0])
			assert.Len(t, w.decisions(), decided)
			require.NoError(t, w.guard.Close())
			require.NoError(t, w.engine.Close())
		}
	})
}

// What cannot be saved is not decided on.
func TestNothingIsDecidedThatIsNotSaved(t *testing.T) {
	w := build(t, setting{}, calls(call("a", "pay", `{"to":"ann","amount":20}`)), words("Done."))
	var saved []byte
	full := true
	w.chat.Save = func(_ context.Context, c *guard.Chat) (err error) {
		if n := len(c.Messages); full && c.Messages[n-1].Role == model.RoleAssistant {
			return fmt.Errorf("the disk is full")
		}
		saved, err = json.Marshal(c)
		return err
	}
	_, err := w.guard.Say(t.Context(), &w.chat, "pay")
	require.ErrorContains(t, err, "the disk is full")
	assert.Empty(t, w.decisions())
	full = false
	keep := w.chat.Save
	w.chat = guard.Chat{}
	require.NoError(t, json.Unmarshal(saved, &w.chat))
	w.chat.Save = keep
	w.server.Play(func(n int, _ map[string]any) llmtest.Answer {
		return []llmtest.Answer{{}, calls(call("other", "pay", `{"to":"ann","amount":20}`)), words("Done.")}[n]
	})
	a, err := w.guard.Resume(t.Context(), &w.chat)
	require.NoError(t, err)
	assert.Equal(t, "Done.", a.Text)
	assert.Len(t, w.did(), 1)
}

// Rules see the user's words, the system prompt and the results of earlier calls, and know
// them apart. A replay brings no words twice.
func TestWhatRulesSee(t *testing.T) {
	pay := func(id, to string) llmtest.Call { return call(id, "pay", `{"to":"`+to+`","amount":20}`) }
	w := build(t, setting{
		engine: func(o *cortex.Options) {
			o.Rules = fstest.MapFS{"r.lisp": {Data: []byte(`
(deftool pay :params (:to string :amount integer) :required (:to :amount) :tier :allow)
(deftool look :params (:at string) :required (:at) :tier :allow :effect :none)
(defskill see :trigger (= action.tool "pay")
  :gate ((deny unasked :when (not (contains? signal.text "pay")) :reason "the user asked for no payment")
         (deny made-up :when (= (origin action.args.to) :model) :reason "nothing says to pay that one")
         (ask read :when (not (in (origin action.args.to) (:user :rule))) :reason "a result says to pay that one")))`)}}
		}},
		calls(pay("a", "Anselma"), call("b", "look", `{"at":"Berta"}`), pay("c", "Anselma"), pay("d", "Theodora"),
			pay("e", "Wilhelmina")), words("Paid."))
	w.tool = func(context.Context, act.Call) (act.Receipt, error) {
		return act.Receipt{State: act.Done, Text: "did see Anselma"}, nil
	}
	w.chat.System = "You pay bills, those of Theodora above all."
	for range 2 {
		w.chat.Messages = nil
		a := w.say("please pay Wilhelmina")
		require.Len(t, a.Held, 1)
		assert.Equal(t, "c", a.Held[0].Call, "a result says it")
		got := results(&w.chat)
		assert.Contains(t, got["a"], "nothing says to pay that one")
		assert.Contains(t, got["d"], "did ", "the system prompt says it")
		assert.Contains(t, got["e"], "did ", "the user says it")
		w.server.Play(func(int, map[string]any) llmtest.Answer {
			return calls(pay("a", "Anselma"), call("b", "look", `{"at":"Berta"}`), pay("c", "Anselma"), pay("d", "Theodora"),
				pay("e", "Wilhelmina"))
		})
	}
	heard := 0
	require.NoError(t, w.engine.Journal().Records(1, func(r cortex.Record) error {
		if r.Kind == record.KindSignal {
			heard++
			assert.Equal(t, "please pay Wilhelmina", r.Body.GetText("text"))
			assert.Equal(t, "bo", r.Body.GetText("principal"))
		}
		return nil
	}))
	assert.Equal(t, 1, heard)
}

// A tool that panics, hangs or fails is as in the engine: its receipt says so, and so does
// the result.
func TestToolsThatFail(t *testing.T) {
	for name, tool := range map[string]act.Func{
		"it is broken": func(context.Context, act.Call) (act.Receipt, error) {
			return act.Receipt{}, fmt.Errorf("it is broken")
		},
		"the tool broke off: x": func(context.Context, act.Call) (act.Receipt, error) { panic("x") },
		"did not report":        func(context.Context, act.Call) (act.Receipt, error) { return act.Receipt{}, nil },
	} {
		w := build(t, setting{}, calls(call("a", "pay", `{"to":"ann","amount":20}`)), words("Oh."))
		w.tool = tool
		assert.Equal(t, "Oh.", w.say("pay").Text)
		assert.Contains(t, results(&w.chat)["a"], name)
		w.chat.Messages = nil
		w.server.Play(func(n int, _ map[string]any) llmtest.Answer {
			return []llmtest.Answer{calls(call("a", "pay", `{"to":"ann","amount":20}`)), words("Oh.")}[n%2]
		})
		w.say("pay")
		assert.Len(t, w.did(), 1, "%s: a failure may have happened in part, and is not tried again", name)
	}
}

// An engine that only watches has everything run, and one that is dry nothing.
func TestModes(t *testing.T) {
	script := []llmtest.Answer{calls(call("a", "pay", `{"to":"ann","amount":900}`), call("b", "pay", `{"to":"default","amount":100}`)),
		words("Done.")}
	w := build(t, setting{engine: func(o *cortex.Options) { o.Live, o.Observe = false, true }}, script...)
	assert.Equal(t, "Done.", w.say("pay").Text)
	assert.Equal(t, []string{`pay {"amount":900,"to":"ann"}`, `pay {"amount":100,"to":"default"}`}, w.did())
	assert.Equal(t, []string{"deny", "ask"}, w.decisions())
	script[0] = calls(call("a", "pay", `{"to":"ann","amount":9}`))
	w = build(t, setting{engine: func(o *cortex.Options) { o.Live, o.Dry = false, true }}, script...)
	w.say("pay")
	assert.Empty(t, w.did())
	assert.Contains(t, results(&w.chat)["a"], "dry run")
	w = build(t, setting{engine: func(o *cortex.Options) { o.Live = false }}, script...)
	_, err := w.guard.Say(t.Context(), &w.chat, "pay")
	require.ErrorIs(t, err, cortex.ErrNoMode)
}

// Programs with a loop of their own hand over one call at a time.
func TestCallsOneByOne(t *testing.T) {
	w := build(t, setting{})
	do := func(id, tool, args string) guard.Result {
		r, err := w.guard.Call(t.Context(), &w.chat, model.NativeCall{ID: id, Name: tool, Arguments: args})
		require.NoError(t, err)
		assert.Equal(t, model.RoleTool, r.Message.Role)
		assert.Equal(t, id, r.Message.CallID)
		return r
	}
	for range 2 {
		assert.Contains(t, do("a", "PAY", `{"to":"ann","amount":20}`).Message.Text, "did ")
	}
	assert.Contains(t, do("a", "pay", `{"to":"ann","amount":30}`).Message.Text, `30`, "another call")
	assert.Len(t, w.did(), 2)
	r := do("b", "pay", `{"to":"ann","amount":100}`)
	require.NotNil(t, r.Held)
	assert.Contains(t, r.Message.Text, "waits for a person")
	require.NoError(t, w.engine.Approve(t.Context(), r.Held.Token, cortex.Approver{Name: "ana"}))
	assert.Contains(t, do("b", "pay", `{"to":"ann","amount":100}`).Message.Text, "did ")
	_, err := w.guard.Call(t.Context(), &w.chat, model.NativeCall{Name: "pay"})
	require.ErrorContains(t, err, "has an ID")
	w.chat.Session = ""
	_, err = w.guard.Call(t.Context(), &w.chat, model.NativeCall{ID: "x", Name: "pay"})
	require.ErrorContains(t, err, "Session")
}

// Two that work on one chat's session do what one does.
func TestOneSessionOneTurn(t *testing.T) {
	w := build(t, setting{})
	w.server.Play(func(_ int, request map[string]any) llmtest.Answer {
		text, err := json.Marshal(request)
		if err == nil && strings.Contains(string(text), "did ") {
			return words("Done.")
		}
		return calls(call("a", "pay", `{"to":"ann","amount":20}`))
	})
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			c := guard.Chat{Session: "chat-1", Principal: "bo"}
			a, err := w.guard.Say(context.Background(), &c, "pay")
			assert.NoError(t, err)
			assert.Equal(t, "Done.", a.Text)
		})
	}
	group.Wait()
	assert.Len(t, w.did(), 1)
}

func TestWhatNewRefuses(t *testing.T) {
	w := build(t, setting{})
	tool := act.Tool{Schema: &skills.Tool{Name: "fly"}, Actuator: act.Func(w.act)}
	_, err := guard.New(w.engine, nil, []act.Tool{tool}, guard.Options{})
	require.EqualError(t, err, `guard: no rule file declares the tool "fly"; expected a (deftool fly ...), or the tool among the engine's Options.Tools`)
	_, err = guard.New(w.engine, nil, []act.Tool{tool, tool, {}}, guard.Options{})
	require.ErrorContains(t, err, "have one name")
	for _, name := range []string{skills.ReplyTool, skills.AskPersonTool, "Ask_Person"} {
		own := act.Tool{Schema: &skills.Tool{Name: name}, Actuator: act.Func(w.act)}
		_, err = guard.New(w.engine, nil, []act.Tool{own}, guard.Options{})
		require.ErrorContains(t, err, "is a tool of Cortex itself; give the tool another name", name)
	}
	g, err := guard.New(w.engine, nil, nil, guard.Options{})
	require.NoError(t, err)
	_, err = g.Say(t.Context(), &w.chat, "hi")
	require.ErrorContains(t, err, "no model client")
}

func TestMain(m *testing.M) {
	if inChild() {
		return
	}
	goleak.VerifyTestMain(m)
}
