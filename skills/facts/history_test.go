package facts

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// noon is 2026-11-21 12:30:00 UTC.
const noon = 1795264200

func historyCase(t testing.TB) *skills.Case {
	c := commandCase(t, "x")
	c.Facts().Now = noon
	c.Facts().Session = skills.Session{ID: "s1", Principal: "bob", Turns: []skills.Turn{
		{User: "pay the bill"},
		{Call: &skills.Call{Tool: "read", Args: sexpr.Plist("path", sexpr.Str("x")), Decision: "allow",
			Result: sexpr.Str("text"), Happened: true, At: noon - 600}},
		{Call: &skills.Call{Tool: "pay", Decision: "deny", At: noon - 500}},
		{Call: &skills.Call{Tool: "pay", Decision: "allow", Happened: true, At: noon - 60}},
		{Call: &skills.Call{Tool: "pay", Decision: "allow", Happened: true}},
	}}
	return c
}

func TestCalls(t *testing.T) {
	c := historyCase(t)
	got, err := call(t, c, "calls", "read")
	require.NoError(t, err)
	assert.Equal(t, []any{map[string]any{"tool": "read", "args": map[string]any{"path": "x"}, "decision": "allow",
		"result": "text", "error": "", "happened": true, "at": int64(noon - 600)}}, got)
	assert.Equal(t, []string{"session/s1"}, c.Reads())
	for _, f := range CallType().Fields {
		assert.Contains(t, got.([]any)[0], f.Name)
	}
	count := func(name string, args ...any) int {
		got, err := call(t, c, name, args...)
		require.NoError(t, err)
		return len(got.([]any))
	}
	assert.Equal(t, 3, count("calls", "pay"))
	assert.Equal(t, 0, count("calls", "none"))
	assert.Equal(t, 3, count("calls-since", "pay", int64(500)), "the border counts, and so does a call without a time")
	assert.Equal(t, 2, count("calls-since", "pay", int64(499)))
	assert.Equal(t, 1, count("calls-since", "pay", int64(0)))
	assert.Equal(t, 3, count("calls-since", "pay", int64(math.MaxInt64)))
	assert.Equal(t, "error", asked(t, c, "calls-since", "pay", int64(-1)))
}

func TestCalls_BoundIsAnError(t *testing.T) {
	c := historyCase(t)
	for range maxList {
		c.Facts().Session.Turns = append(c.Facts().Session.Turns, skills.Turn{Call: &skills.Call{Tool: "x", At: noon}})
	}
	_, err := call(t, c, "calls", "x")
	require.NoError(t, err)
	c.Facts().Session.Turns = append(c.Facts().Session.Turns, skills.Turn{Call: &skills.Call{Tool: "x", At: noon}})
	assert.Equal(t, "error", asked(t, c, "calls", "x"))
}

func TestSpent(t *testing.T) {
	spend := func(budget string, amount float64, session string, at int64) skills.Spend {
		return skills.Spend{Budget: budget, Amount: amount, Session: session, Tool: "pay", At: at}
	}
	c := historyCase(t)
	c.Facts().Spends = []skills.Spend{
		spend("money", 1, "s1", noon-13*3600), // yesterday
		spend("money", 2, "s2", noon-12*3600), // today
		spend("money", 4, "s2", noon-1801),    // the hour before
		spend("money", 8, "s1", noon-1800),    // as this hour began
		spend("money", 16, "s2", noon),
		spend("mails", 99, "s1", noon),
		spend("money", 32, "s1", 0),                                              // at an unknown time
		{Budget: "money", Amount: 64, Session: "s1", Principal: "eve", At: noon}, // another in this session
	}
	for period, want := range map[string]any{"hour": 56.0, "day": 62.0, "session": 105.0} {
		got, err := call(t, c, "spent", "money", period)
		require.NoError(t, err)
		assert.Equal(t, want, got, period)
	}
	assert.Equal(t, []string{"principal/bob", "session/s1"}, c.Reads(),
		"which change with every spend of the principal, and in the session")
	got, err := call(t, c, "spent", "nothing", "day")
	require.NoError(t, err)
	assert.Equal(t, 0.0, got)
	assert.Equal(t, "error", asked(t, c, "spent", "money", "year"))
}

func TestSpent_AnAmountThatCannotBeCountedIsAnError(t *testing.T) {
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1), math.Inf(-1)} {
		c := historyCase(t)
		c.Facts().Spends = []skills.Spend{{Budget: "money", Amount: bad, At: noon}}
		assert.Equal(t, "error", asked(t, c, "spent", "money", "day"), bad)
	}
	c := historyCase(t)
	c.Facts().Spends = []skills.Spend{{Budget: "money", Amount: math.MaxFloat64, At: noon},
		{Budget: "money", Amount: math.MaxFloat64, At: noon}}
	assert.Equal(t, "error", asked(t, c, "spent", "money", "day"))
}

func TestPeriodStart(t *testing.T) {
	for _, tt := range []struct {
		now    int64
		period string
		want   int64
	}{{noon, "hour", noon - 1800}, {noon, "day", noon - 45000}, {0, "day", 0}, {-1, "day", -86400}, {-1, "hour", -3600}} {
		assert.Equal(t, tt.want, skills.PeriodStart(tt.now, periods[tt.period]), "%d %s", tt.now, tt.period)
	}
}

func TestCore_IsDocumentedAndPriced(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range Core() {
		assert.False(t, seen[f.Name], f.Name)
		seen[f.Name] = true
		assert.NotEmpty(t, f.Doc, f.Name)
		assert.Positive(t, f.Cost+f.PerItem, f.Name)
		assert.NotNil(t, f.Call, f.Name)
		assert.LessOrEqual(t, f.Optional, len(f.Params), f.Name)
	}
	f := Core()[4]
	assert.Equal(t, "(glob-any? path patterns [fold])", f.Signature())
	assert.Equal(t, "list of command", Core()[0].Result.String())
	field, ok := Core()[0].Result.Elem.Field("redirects")
	assert.True(t, ok)
	assert.Equal(t, "list of redirect", field.Type.String())
	_, ok = Core()[0].Result.Elem.Field("nope")
	assert.False(t, ok)
}

func TestRead(t *testing.T) {
	for _, v := range []any{"x", int64(1), nil, []any{}} {
		got, err := Read(v)
		assert.NoError(t, err)
		assert.Equal(t, v, got)
	}
	got, err := Read(Word{Text: "x"})
	assert.NoError(t, err)
	assert.Equal(t, "x", got)
	_, err = Read(Unknown{"the value of $X"})
	assert.EqualError(t, err, "the value of $X cannot be told from here")
	_, err = Read(Pattern{Text: "*.go"})
	assert.EqualError(t, err, `what "*.go" matches cannot be told from here`)
}
