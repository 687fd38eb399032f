package model

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func user(text string) Prompt {
	return Prompt{System: "SYSTEM",
		Messages: []Message{{Role: RoleAssistant, Text: "own words"}, {Role: RoleUser, Text: text}}}
}

func TestScriptedPlaysInOrderAndByWhatItIsShown(t *testing.T) {
	s := script(t, "s", `
		(:reply "one")
		(:reply "weather" :when ("rain" "sun"))
		(:reply "two")
		(:form (:type :request :tool "x" :args (:a "b")))
		(:reply "again" :repeat t)`)
	ask := func(text string) string {
		c, err := s.Complete(context.Background(), user(text))
		require.NoError(t, err)
		return c.Text
	}
	assert.Equal(t, "one", ask("a"))
	assert.Equal(t, "two", ask("rain"))
	assert.Equal(t, []string{"s.lisp:3:3", "s.lisp:5:3"}, s.Left())
	assert.Equal(t, "weather", ask("rain and sun"))
	assert.Equal(t, `(:type :request :tool "x" :args (:a "b"))`, ask("a"))
	assert.Equal(t, "again", ask("a"))
	assert.Equal(t, "again", ask("a"))
	assert.Empty(t, s.Left())
	assert.Equal(t, "s", s.Name())

	s = script(t, "s", ``)
	_, err := s.Complete(context.Background(), user("what now"))
	assert.EqualError(t, err, `the script has no reply left for "what now"`)
	_, err = s.Complete(context.Background(), Prompt{})
	assert.Error(t, err)
}

func TestScriptedChecksWhatItIsShown(t *testing.T) {
	for src, want := range map[string]string{
		`(:reply "x" :expect ("needle"))`:             `s.lisp:1:1: the prompt lacks "needle"`,
		`(:reply "x" :expect ("own words"))`:          `s.lisp:1:1: the prompt lacks "own words"`,
		`(:reply "x" :refuse ("secret"))`:             `s.lisp:1:1: the prompt has "secret"`,
		`(:reply "x" :expect ("secret" "SYSTEM"))`:    "",
		`(:reply "x" :refuse ("needle" "own words"))`: "",
		`(:error "down")`:                             "down",
	} {
		_, err := script(t, "s", src).Complete(context.Background(), user("a secret"))
		if want == "" {
			assert.NoError(t, err, src)
		} else {
			assert.EqualError(t, err, want, src)
		}
	}
	assert.PanicsWithValue(t, "boom", func() {
		_, _ = script(t, "s", `(:panic "boom")`).Complete(context.Background(), user("x"))
	})
}

func TestScriptsThatCannotBeReadSayWhere(t *testing.T) {
	for src, want := range map[string]string{
		`(:reply "x"`:                        "s.lisp:1:12",
		`(:rpely "x")`:                       "s.lisp:1:1: the key :rpely is unknown, expected one of :reply",
		`(:reply 3)`:                         "s.lisp:1:1",
		`"x"`:                                "s.lisp:1:1",
		`(:reply "x" :when "x")`:             "expected a list",
		`(:calls ((:id "1" :args (:a :b))))`: "s.lisp:1:1",
	} {
		_, err := NewScripted("s", "s.lisp", src)
		assert.ErrorContains(t, err, want, src)
	}
}
