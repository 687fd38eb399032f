package api

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// A program sees what is asked and what may be chosen. Only people answer, elsewhere.
func TestACardShowsItsQuestion(t *testing.T) {
	a, err := skills.NewAction(
		skills.AskPersonTool,
		sexpr.Plist("kind", sexpr.Str("choice"), "question", sexpr.Str("Which?"),
			"choices", sexpr.ListOf(sexpr.Str("red"), sexpr.Str("blue"))),
		"",
	)
	require.NoError(t, err)
	c, err := cardOf(&cortex.Approval{Action: a})
	require.NoError(t, err)
	assert.Equal(t, "choice", c.Kind)
	assert.Equal(t, []string{"red", "blue"}, c.Choices)
	other, err := skills.NewAction("shell", sexpr.Plist("kind", sexpr.Str("choice")), "")
	require.NoError(t, err)
	c, err = cardOf(&cortex.Approval{Action: other})
	require.NoError(t, err)
	assert.Empty(t, c.Kind)
}
