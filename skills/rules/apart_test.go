package rules_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules"
)

func form(t *testing.T, text string) sexpr.Value {
	t.Helper()
	v, err := sexpr.Reader{Code: true}.Read("f", text)
	require.NoError(t, err)
	return v
}

// Parts of the language that stand in other files mean what they mean in rule files.
func TestPartsOfOtherFiles(t *testing.T) {
	params, err := rules.Params("f", "", form(t, `(:n (integer 1 9) :names (list string))`))
	require.NoError(t, err)
	tool := &skills.Tool{Name: "pay", Params: params}
	assert.Equal(t, "(:n (integer 1 9) :names (list string))", tool.Signature())
	assert.Equal(t, "(integer 1 9)", params[0].Type.Written())
	_, err = rules.Params("f", "", form(t, "(:n\n intger)"))
	assert.EqualError(t, err, "f:2:2: unknown kind intger; did you mean integer?")

	said, err := rules.Form("f", `"a.b == 'x' && n > 3"`, form(t, `"a.b == 'x' && n > 3"`))
	require.NoError(t, err)
	assert.Equal(t, `(and (= a.b "x") (> n 3))`, said.String())
	_, err = rules.Form("f", `"a =="`, form(t, `"a =="`))
	assert.ErrorContains(t, err, "f:1:")

	l := rules.Loader{Tools: []*skills.Tool{tool}}
	conditions, err := l.Conditions("f", "", form(t, `(> action.args.n 3)`))
	require.NoError(t, err)
	assert.Equal(t, "(> action.args.n 3)", conditions[0].Form().String())
	_, err = l.Conditions("f", "", form(t, `(> action.args.m 3)`))
	assert.ErrorContains(t, err, "pay has no m")

	skill, err := l.Skill("f", "", form(t, `(defskill s :trigger (= action.tool "pay")
		:gate ((deny much :when (> action.args.n 3) :reason "too much")))`))
	require.NoError(t, err)
	a, err := skills.NewAction("pay", sexpr.Plist("n", 4), "")
	require.NoError(t, err)
	v, err := skill.Gates[0].Judge(t.Context(), skills.NewCase(a, tool, &skills.Facts{}))
	require.NoError(t, err)
	assert.Equal(t, "too much", v.(skills.Deny).Reason.Text)
	_, err = l.Skill("f", "", form(t, `(defskill s :gate ((denie x)))`))
	assert.EqualError(t, err, "f:1:20: unknown kind of clause denie; did you mean deny?")
}
