package runs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/plans/work"
	"github.com/opencortex-go/cortex/runs/shelf"
	"github.com/opencortex-go/cortex/runs/tools"
	"github.com/opencortex-go/cortex/sexpr"
)

// work is the work of a run, in canonical JSON and without its goal.
func (b *bench) work(rep *tools.Reply) string {
	b.t.Helper()
	log := b.log(rep)
	p, err := b.place(log, log.Tip())
	require.NoError(b.t, err)
	without, _, err := work.Merge(p.work, nil, sexpr.Plist(shelf.GoalKey, sexpr.Sym("null")), work.FromAgent)
	require.NoError(b.t, err)
	text, err := sexpr.ToJSON(without)
	require.NoError(b.t, err)
	text, err = canon.JSON(text)
	require.NoError(b.t, err)
	return string(text)
}

// give hands in notes and a context.
func (b *bench) give(token, context string) *tools.Reply {
	b.t.Helper()
	return b.reply(tools.Continue, `{"continueToken":"`+token+`","notes":"did it","context":`+context+`}`)
}

func TestT45_ContextsAreMergedOnTheWay(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	for _, c := range []struct{ start, delta, want string }{
		{`{"a":1,"b":2}`, `{"b":null,"c":3}`, `{"a":1,"c":3}`},
		{`{"a":[1,2]}`, `{"a":[3]}`, `{"a":[3]}`},
		{`{"a":1}`, `{"a":{"x":null}}`, `{"a":{"x":null}}`},
		{`{"a":1}`, `{"a":null}`, `{}`},
		{`{"a":1}`, `{}`, `{"a":1}`},
	} {
		first := b.start("acme.notes", `,"context":`+c.start)
		assert.Equal(t, c.start, b.work(first))
		rep := b.give(first.ContinueToken, c.delta)
		assert.Equal(t, c.want, b.work(rep), c.delta)
		// What is left holds without being sent again, also at the end.
		assert.Equal(t, c.want, b.work(b.notes(rep.ContinueToken, "did two")))
	}
}

func TestT46_AContextThatIsRefused(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	start := func(context string) *tools.Error {
		_, fault := b.call(agent, tools.Start, `{"workflowId":"acme.notes","goal":"g","context":`+context+`}`)
		require.NotNil(t, fault, context)
		assert.Equal(t, tools.ValidationError, fault.Code)
		return fault
	}
	token := b.start("acme.notes", `,"context":{"a":1}`).ContinueToken
	for _, key := range []string{"__proto__", "constructor", "prototype"} {
		assert.Equal(t, "context: the key "+key+" is reserved; use another name", start(`{"`+key+`":1}`).Message)
		rep := b.give(token, `{"b":2,"`+key+`":1}`)
		require.Len(t, rep.Blockers, 1)
		assert.Equal(t, "INVALID_CONTEXT_KEY", rep.Blockers[0].Code)
		assert.Equal(t, key, rep.Blockers[0].Pointer.Key)
		assert.Equal(t, `{"a":1}`, b.work(rep), "nothing of it was taken")
		token = rep.RetryToken
	}
	for _, shape := range []string{`[1]`, `"x"`, `1`} {
		assert.Contains(t, start(shape).Message, "context: expected an object")
		_, fault := b.call(agent, tools.Continue, `{"continueToken":"`+token+`","notes":"n","context":`+shape+`}`)
		assert.Equal(t, tools.ValidationError, fault.Code)
		assert.Contains(t, fault.Message, "context: expected an object")
	}
	assert.Equal(t, "two", b.give(token, `{"b":2}`).Pending.StepID)
}

// sized is a context with which the work of a run has n bytes.
func sized(n int) string {
	empty := len(`{"goal":"get it done","text":""}`)
	return fmt.Sprintf(`{"text":"%s"}`, strings.Repeat("x", n-empty))
}

// nested is a context of this depth, work itself included.
func nested(depth int) string {
	return strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth)
}

func TestT47_TheBudgetOfAContext(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	const size = "measured 262145, max 262144, method: UTF-8 bytes of the RFC 8785 form"
	deep := "too deep at $" + strings.Repeat(".a", 64)
	for _, c := range []struct{ good, bad, says string }{
		{sized(262144), sized(262145), size}, {nested(64), nested(65), deep},
	} {
		rep := b.start("acme.notes", `,"context":`+c.good)
		assert.NotContains(t, rep.Text, "xxxx", "a context is not echoed")
		_, fault := b.call(agent, tools.Start, `{"workflowId":"acme.notes","goal":"get it done","context":`+c.bad+`}`)
		require.NotNil(t, fault)
		assert.Equal(t, tools.ValidationError, fault.Code)
		assert.Contains(t, fault.Message, "context: "+c.says)
		assert.NotContains(t, fault.Message, "context: context")

		blocked := b.give(b.start("acme.notes", "").ContinueToken, c.bad)
		require.Len(t, blocked.Blockers, 1)
		assert.Equal(t, "CONTEXT_BUDGET_EXCEEDED", blocked.Blockers[0].Code)
		assert.Contains(t, blocked.Blockers[0].Message, c.says)
		assert.True(t, blocked.Retryable)
		assert.Equal(t, "two", b.give(blocked.RetryToken, c.good).Pending.StepID)
	}
}

// Two contexts that fit each by itself leave work that can be read again.
func TestWorkOfManyValuesIsReadAgain(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	many := strings.TrimSuffix(strings.Repeat("1,", 60_000), ",")
	rep := b.give(b.start("acme.notes", `,"context":{"a":[`+many+`]}`).ContinueToken, `{"b":[`+many+`]}`)
	assert.True(t, b.notes(rep.ContinueToken, "did two").IsComplete)
	assert.Equal(t, `{"a":[`+many+`],"b":[`+many+`]}`, b.work(rep))
}
