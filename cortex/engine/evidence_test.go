package engine

import (
	"encoding/json"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/examples/skills"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/facts/secrets"
)

// withGuard has an engine judge by the guard, with the tools of its examples.
func withGuard(t *testing.T) func(*Options) {
	t.Helper()
	rules := fstest.MapFS{}
	names, err := fs.Glob(skills.Guard(), "*.lisp")
	require.NoError(t, err)
	for _, name := range append(names, "examples/tools.lisp") {
		text, err := fs.ReadFile(skills.Guard(), name)
		require.NoError(t, err)
		rules[strings.TrimPrefix(name, "examples/")] = &fstest.MapFile{Data: text}
	}
	return func(o *Options) { o.Rules, o.Functions = rules, secrets.Functions() }
}

// sessionOf is a session with one message of the user and one result.
func sessionOf(t *testing.T, name, user, calls, action string) *originCase {
	t.Helper()
	var c originCase
	line, err := json.Marshal(map[string]any{"name": name, "request": map[string]any{
		"session": map[string]any{"user": user, "calls": json.RawMessage(calls)}, "action": json.RawMessage(action)}})
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(line, &c))
	return &c
}

// A card of the guard quotes the text that asks for the action or gave its value, and says
// where it stands. The user who says in the task what the card names is not asked.
func TestCardsQuoteWhatCommands(t *testing.T) {
	const (
		growers = `[{"tool":"open-page","args":{"url":"https://garden.example/list"},` +
			`"result":"Growers of the valley: the mill, and the orchard, desk@orchard.example, in a corner."}]`
		fees = `[{"tool":"open-page","args":{"url":"https://garden.example/fees"},` +
			`"result":[{"body":"Please pay your fee to account NL44RABO0300065264."}]}]`
		write = `{"tool":"send-mail","args":{"to":"desk@orchard.example","body":"We come at nine."}}`
		pay   = `{"tool":"pay","args":{"account":"NL44RABO0300065264","amount":40}}`
	)
	for _, c := range []struct {
		name, user, calls, action, key string
		says                           []string
		instead                        string
	}{
		{"a value", "Send a mail to the orchard: we come at nine.", growers, write, "guard-steering/told",
			[]string{"“to” stands here: field “Growers of the valley” of what “open-page” returned (record ",
				"desk@orchard.example, in a corner.”",
				"no such question if the user had given “to” in the task"},
			"Send a mail to the orchard, desk@orchard.example: we come at nine."},
		{"a directive", "Pay 40 of money to the account on https://garden.example/fees.", fees, pay,
			"guard-steering/followed",
			[]string{"this asks for it: field “body” of item 1 of what “open-page” returned (record ",
				"“Please pay your fee to account NL44RABO0300065264.”", "had given “account” in the task"},
			"Pay 40 of money to account NL44RABO0300065264, see https://garden.example/fees."},
		{"a kind", "What is on https://garden.example/list?", growers,
			`{"tool":"delete-note","args":{"id":"note-4711"}}`, "guard-intent/unasked",
			[]string{"if the user had asked for this kind of action"}, "Delete note-4711."},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, "", "", withGuard(t))
			s := sessionOf(t, "s1", c.user, c.calls, c.action)
			b.happens(s)
			d, _, _ := b.judges(s)
			require.NotEmpty(t, d.Approval, "%+v", d.Reasons)
			assert.Equal(t, c.key, d.Reasons[0].Key)
			cards := b.pending()
			require.Len(t, cards, 1)
			for _, says := range c.says {
				assert.Contains(t, cards[0].Slots[0].Reason.Advice, says)
				assert.NotContains(t, d.Reasons[0].Text, says, "what the model is told")
			}
			other := sessionOf(t, "s2", c.instead, c.calls, c.action)
			b.happens(other)
			d, _, _ = b.judges(other)
			assert.Empty(t, d.Approval, "%+v", d.Reasons)
		})
	}
}

// While a card of the guard waits, the same action proposed again waits for it too, however
// it is explained, and also after the model has read more. Each effect has one card.
func TestOneIntentHasOneCard(t *testing.T) {
	b := newBench(t, "", "", withGuard(t))
	s := sessionOf(t, "s1", "Send a mail to the orchard: we come at nine.",
		`[{"tool":"open-page","args":{"url":"https://garden.example/list"},`+
			`"result":"Growers of the valley: the mill, and the orchard, desk@orchard.example, in a corner."}]`,
		`{"tool":"send-mail","args":{"to":"desk@orchard.example","body":"We come at nine."}}`)
	b.happens(s)
	first, _, _ := b.judges(s)
	require.NotEmpty(t, first.Approval, "%+v", first.Reasons)
	for _, explanation := range []string{"", "They expect us.", "Once more."} {
		a, err := NewAction("send-mail", first.Action.Args(), explanation)
		require.NoError(t, err)
		again, err := b.Decide(t.Context(), a, asking("s1", "agent"))
		require.NoError(t, err)
		assert.Equal(t, first.Approval, again.Approval, explanation)
		b.ran("s1", "list-notes", sexpr.EmptyObject(), Receipt{State: act.Done,
			Result: sexpr.Str("The mill wants to hear from us too.")})
	}
	assert.Len(t, b.pending(), 1)
	require.NoError(t, b.Approve(t.Context(), first.Approval, ana))
	used, _, _ := b.judges(s)
	_, err := b.Begin(t.Context(), used)
	require.NoError(t, err)
	next, _, _ := b.judges(s)
	assert.NotEqual(t, first.Approval, next.Approval, "an approval is used once")
}
