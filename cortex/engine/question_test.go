package engine

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/facts/secrets"
)

const (
	which = `(:kind "choice" :question "Which one?" :choices ("red" "dark blue"))`
	what  = `(:kind "answer" :question "What is it called?")`
	sure  = `(:kind "confirm" :question "Is the key in its place?")`
	// vouching allows every tool, and covers whatever it can.
	vouching = testRules + `
(defskill all :priority 1 :gate ((allow every :when t :reason "all of it")))`
)

// inquirer asks a person once, and says what it was told.
type inquirer struct {
	args  string
	mu    sync.Mutex
	heard []string
}

func (*inquirer) Name() string { return "inquirer" }

func (m *inquirer) Complete(_ context.Context, p model.Prompt) (model.Completion, error) {
	last := p.Messages[len(p.Messages)-1]
	if last.Role == model.RoleUser && !strings.Contains(last.Text, "REJECTED") {
		return model.Completion{Text: `(:type :request :payload (:tool "ask_person" :args ` + m.args + `))`}, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.heard = append(m.heard, last.Text)
	return model.Completion{Text: "thank you"}, nil
}

func (m *inquirer) told() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string{}, m.heard...)
}

// inquiry is an engine whose model has asked a person.
func inquiry(t *testing.T, rules, args string, change ...func(*Options)) (*bench, *inquirer, string) {
	t.Helper()
	m := &inquirer{args: args}
	b := newBench(t, rules, "", append(change, withModel(m))...)
	out, err := b.Submit(t.Context(), Signal{Text: "do it", Session: "s1", Principal: "ann"})
	require.NoError(t, err)
	return b, m, out.Approval
}

func (b *bench) answer(token string, who approval.Approver, text string) (*Decision, error) {
	return b.Engine.Approvals().Answer(b.t.Context(), token, who, text)
}

// quiet waits for what goes on in the background.
func (b *bench) quiet() {
	b.t.Helper()
	require.NoError(b.t, b.Operations().Wait(b.t.Context()))
}

func (b *bench) replaysTheSame() {
	b.t.Helper()
	r, err := b.Replay(b.t.Context(), ReplayOptions{})
	require.NoError(b.t, err)
	assert.Positive(b.t, r.Decisions)
	assert.Empty(b.t, r.Differences)
	assert.Zero(b.t, r.Flips)
}

func TestAPersonAnswersAndTheModelIsTold(t *testing.T) {
	for name, c := range map[string]struct{ args, answer, told string }{
		"one of the choices": {which, "dark blue", "dark blue"},
		"words":              {what, "  Rex, or \"Rexy\"\nfor short ", "Rex, or \"Rexy\"\nfor short"},
		"a yes":              {sure, "", "confirmed"},
	} {
		t.Run(name, func(t *testing.T) {
			b, m, token := inquiry(t, vouching, c.args)
			require.NotEmpty(t, token, "a rule that allows every tool has removed the ask")
			if c.answer == "" {
				require.NoError(t, b.Approve(t.Context(), token, ana))
			} else {
				d, err := b.answer(token, ana, c.answer)
				require.NoError(t, err)
				assert.Equal(t, reason.Ask, d.Kind, "only people satisfy the ask")
				card, err := b.Engine.Approvals().Get(t.Context(), token)
				require.NoError(t, err)
				assert.Equal(t, []string{"superseded", "ana", "answered"}, []string{string(card.State), card.By, card.Why})
			}
			b.quiet()
			assert.Equal(t, []string{c.told}, m.told())
			assert.Empty(t, b.pending())
			b.replaysTheSame()
			b.intact()
		})
	}
}

// What a model, a rule, an edit or an embedder brings as the answer is refused: none of it
// is a person's.
func TestOnlyAPersonAnswers(t *testing.T) {
	const claimed = `(:kind "choice" :question "Which one?" :choices ("red" "blue") :answer "red")`
	t.Run("a model", func(t *testing.T) {
		b, m, token := inquiry(t, vouching, claimed)
		assert.Empty(t, token)
		assert.Contains(t, m.told()[0], "only a person answers")
		b.replaysTheSame()
	})
	t.Run("an embedder", func(t *testing.T) {
		b := newBench(t, vouching, "")
		d := b.decideOn("ask_person", claimed)
		assert.Equal(t, []any{reason.Deny, reason.KeyQuestion}, []any{d.Kind, d.Key})
	})
	t.Run("a rule", func(t *testing.T) {
		b := newBench(t, vouching+`
(defskill helpful :priority 2 :gate ((rewrite guess :when (= action.tool "ask_person") :set (:answer "red"))))`, "")
		d := b.decideOn("ask_person", which)
		assert.Equal(t, []any{reason.Deny, reason.KeyQuestion}, []any{d.Kind, d.Key})
	})
	t.Run("a rule, after the person", func(t *testing.T) {
		b, m, token := inquiry(t, vouching+`
(defskill helpful :priority 2 :gate ((rewrite mend :when (and (= action.tool "ask_person") (has? action.args "answer")
  (= action.args.answer "dark blue")) :set (:answer "red"))))`, which)
		d, err := b.answer(token, ana, "dark blue")
		require.NoError(t, err)
		assert.Equal(t, reason.Deny, d.Kind)
		b.quiet()
		assert.Contains(t, m.told()[0], "the answer is refused")
		b.replaysTheSame()
	})
	t.Run("an edit", func(t *testing.T) {
		b, m, token := inquiry(t, vouching, which)
		before := b.Journal().Last()
		_, err := b.Edit(t.Context(), token, ana, sexpr.Plist("kind", sexpr.Str("choice"), "question", sexpr.Str("Red?"),
			"choices", sexpr.ListOf(sexpr.Str("red")), "answer", sexpr.Str("red")))
		assert.ErrorAs(t, err, new(*approval.AnswerError))
		assert.ErrorContains(t, err, "a question is not edited; write /answer "+token)
		assert.Equal(t, before, b.Journal().Last())
		b.quiet()
		assert.Empty(t, m.told())
	})
}

// A text that cannot be the answer leaves the card as it was, and nothing on record.
func TestAnAnswerThatIsNone(t *testing.T) {
	withSecrets := func(o *Options) { o.Functions = secrets.Functions() }
	key := "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	for name, c := range map[string]struct {
		args, answer, says string
		who                approval.Approver
	}{
		"none of the choices": {which, "green", `"green" is none of the choices: "red", "dark blue"`, ana},
		"another spelling":    {which, "Red", "none of the choices", ana},
		"no words":            {what, " \n", "an answer has words", ana},
		"too many words":      {what, strings.Repeat("x", 2001), "expected at most 2000", ana},
		"words for a yes":     {sure, "yes", "takes a yes or a no", ana},
		"a credential":        {what, "it is " + key, "it holds a credential", ana},
		"the wrong person":    {what, "Rex", "in none of its classes", cho},
		"the agent itself": {what, "Rex", "cannot answer for itself",
			approval.Approver{Name: "agent", Classes: []string{"operator"}}},
	} {
		t.Run(name, func(t *testing.T) {
			b, m, token := inquiry(t, testRules, c.args, withSecrets)
			before := b.Journal().Last()
			_, err := b.answer(token, c.who, c.answer)
			assert.ErrorContains(t, err, c.says)
			assert.Equal(t, before, b.Journal().Last())
			b.quiet()
			assert.Empty(t, m.told())
			assert.Len(t, b.pending(), 1)
		})
	}
	t.Run("of a card that asks no question", func(t *testing.T) {
		b := newBench(t, testRules, "")
		d := b.decideOn("risky", `(:what "x")`)
		_, err := b.answer(d.Approval, ana, "yes")
		assert.ErrorContains(t, err, "it asks no question")
	})
	t.Run("a credential that a messenger brings", func(t *testing.T) {
		b, _, token := inquiry(t, testRules, what, withSecrets)
		out, err := b.Submit(
			t.Context(),
			Signal{Text: "/answer " + token + " it is " + key, Session: "s2", Principal: "ana",
				Sensor: "chat-message", Source: "memory"},
		)
		require.NoError(t, err)
		assert.Contains(t, out.Notice, "an answer has words")
		require.NoError(t, b.Journal().Records(1, func(r Record) error {
			assert.NotContains(t, r.Body.String(), key)
			return nil
		}))
	})
}

// A yes alone does not answer a question, and covers nothing.
func TestAQuestionIsNotApproved(t *testing.T) {
	b, m, token := inquiry(t, vouching, what)
	err := b.Approve(t.Context(), token, ana)
	assert.ErrorAs(t, err, new(*approval.AnswerError))
	assert.ErrorContains(t, err, "write /answer "+token+" and your words")
	b.quiet()
	assert.Empty(t, m.told())
	b, _, token = inquiry(t, vouching, sure)
	err = b.Engine.Approvals().ApproveAndCover(t.Context(), token, ana, ledger.CoverTerms{Calls: 5, For: time.Hour})
	assert.ErrorContains(t, err, "no more of them can be covered")
	assert.Len(t, b.pending(), 1)
}

// I2: of many people who answer at once, one is heard, once.
func TestI2_AQuestionIsAnsweredOnce(t *testing.T) {
	b, m, token := inquiry(t, testRules, what)
	var wg sync.WaitGroup
	var mu sync.Mutex
	heard := 0
	for i := range 8 {
		wg.Go(func() {
			if _, err := b.answer(token, ana, fmt.Sprint("answer ", i)); err == nil {
				mu.Lock()
				defer mu.Unlock()
				heard++
			} else {
				assert.ErrorAs(t, err, new(*approval.StateError))
			}
		})
	}
	wg.Wait()
	b.quiet()
	assert.Equal(t, 1, heard)
	assert.Len(t, m.told(), 1)
	_, err := b.answer(token, ben, "once more")
	assert.ErrorAs(t, err, new(*approval.StateError))
	b.replaysTheSame()
}

// A rule may ask for more people. The next one sees the answer, and agrees to it or not.
func TestSeveralPeopleAgreeToAnAnswer(t *testing.T) {
	const rules = testRules + `
(defskill two :priority 1 :gate ((ask both :when (= action.tool "ask_person") :quorum 2 :reason "two people")))`
	b, m, token := inquiry(t, rules, what)
	d, err := b.answer(token, ana, "Rex")
	require.NoError(t, err)
	b.quiet()
	assert.Empty(t, m.told())
	open := b.pending()
	require.Len(t, open, 1)
	assert.Equal(t, d.Approval, open[0].Token)
	assert.NotEqual(t, token, open[0].Token)
	q, ok := open[0].Question()
	assert.True(t, ok)
	assert.Equal(t, "Rex", q.Answer)
	_, err = b.answer(open[0].Token, ben, "Bello")
	assert.ErrorContains(t, err, "approve that or deny it")
	require.ErrorIs(t, b.Approve(t.Context(), open[0].Token, ana), approval.ErrNotApprover)
	require.NoError(t, b.Approve(t.Context(), open[0].Token, ben))
	b.quiet()
	assert.Len(t, m.told(), 1)
	b.replaysTheSame()
}

func TestAQuestionExpires(t *testing.T) {
	b, m, token := inquiry(t, testRules, what)
	b.clock.Add(int64(25 * 3600))
	_, err := b.answer(token, ana, "Rex")
	var over *approval.StateError
	require.ErrorAs(t, err, &over)
	assert.Equal(t, approval.Expired, over.State)
	b.quiet()
	assert.Empty(t, m.told())
}

// The actuator answers an intent that consumed an approval, and no other.
func TestAnswerWithoutApproval(t *testing.T) {
	a := action(t, "ask_person", `(:kind "answer" :question "Q" :answer "A")`)
	tool := act.AskPerson()
	for approved, want := range map[string]act.State{"": act.Nothing, "token": act.Done} {
		rc, err := tool.Actuator.Act(t.Context(), act.Call{Action: a, Approval: approved})
		require.NoError(t, err)
		assert.Equal(t, want, rc.State)
	}
	assert.Equal(t, act.Nothing, act.Answered(action(t, "ask_person", what), "token").State, "without an answer")
}

// Wherever the engine stops around an answer: either the question still waits, or the model
// is told the answer, and no person is asked for it again.
func TestI2_KilledAtEveryPointOfAnAnswer(t *testing.T) {
	cutter := newCutter()
	b, _, token := inquiry(t, testRules, what,
		func(o *Options) { o.Dir, o.mount = "state", on(cutter.disk) })
	cutter.world = b.tool
	cutter.watch(true)
	_, err := b.answer(token, ana, "Rex")
	require.NoError(t, err)
	b.quiet()
	cutter.watch(false)
	require.NotEmpty(t, cutter.cuts)
	kept, answered := 0, 0
	for i, cut := range cutter.cuts {
		if testing.Short() && i%3 > 0 {
			continue
		}
		m := &inquirer{args: what}
		opt := b.opt
		opt.mount, opt.Models.Providers = on(cut.disk), []model.Provider{m}
		e, err := open(t.Context(), opt)
		require.NoError(t, err)
		require.NoError(t, e.Operations().Wait(t.Context()))
		old, err := e.Approvals().Get(t.Context(), token)
		require.NoError(t, err)
		waiting := 0
		for _, err := range e.Pending(t.Context()) {
			require.NoError(t, err)
			waiting++
		}
		receipts := 0
		require.NoError(t, e.Journal().Records(1, func(r Record) error {
			if r.Kind == record.KindReceipt && strings.Contains(r.Body.String(), "Rex") {
				receipts++
			}
			return nil
		}))
		if old.State == approval.Pending {
			kept++
			assert.Equal(t, 1, waiting, "cut %d", i)
			assert.Zero(t, receipts, "cut %d", i)
		} else {
			answered++
			assert.Zero(t, waiting, "cut %d: a person is asked again", i)
			assert.Equal(t, 1, receipts, "cut %d", i)
		}
		r, err := e.Replay(t.Context(), ReplayOptions{})
		require.NoError(t, err)
		assert.Empty(t, r.Differences, "cut %d", i)
		require.NoError(t, e.Journal().Verify(t.Context()))
		require.NoError(t, e.Close())
	}
	assert.Positive(t, kept, "no cut fell before the answer")
	assert.Positive(t, answered, "no cut fell behind the answer")
}

// Words that a person typed are the person's. What the text of a choice is worth does not
// change because a person chose it.
func TestWhatAnAnswerIsWorth(t *testing.T) {
	const rules = testRules + `
(defskill whose :priority 1 :gate ((deny invented :when (and (= action.tool "risky") (= (origin action.args.what) "model")) :reason "no one said that")))`
	for name, c := range map[string]struct {
		args, answer string
		want         reason.Kind
	}{
		"words that a person typed":          {what, "Zephyrine Quill", reason.Ask},
		"a choice that the model thought up": {`(:kind "choice" :question "Which?" :choices ("Zephyrine Quill" "Rex"))`, "Zephyrine Quill", reason.Deny},
	} {
		t.Run(name, func(t *testing.T) {
			b, m, token := inquiry(t, rules, c.args)
			_, err := b.answer(token, ana, c.answer)
			require.NoError(t, err)
			b.quiet()
			require.Len(t, m.told(), 1)
			d := b.decideOn("risky", `(:what "Zephyrine Quill")`)
			assert.Equal(t, c.want, d.Kind, d.Key)
			b.replaysTheSame()
		})
	}
}
