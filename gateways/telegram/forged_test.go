package telegram_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
)

// raw brings an update as it is written to the webhook.
func (d *deskOf) raw(format string, args ...any) int {
	text := fmt.Sprintf(`{"update_id":%d,`, d.next) + fmt.Sprintf(format, args...) + "}"
	d.next++
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(text))
	r.Header.Set("X-Telegram-Bot-Api-Secret-Token", secret)
	w := httptest.NewRecorder()
	d.hook.ServeHTTP(w, r)
	return w.Code
}

// Ben may approve, in his group. Each of these says "/approve", or presses his button,
// and is not Ben who does it there: by an id that is not quite his, in words that were
// forwarded, edited, posted or sent through others, in an update of another kind. Nothing
// is approved and nothing runs; what Ben himself presses counts.
func TestThreat_ForgedIdentitiesApproveNothing(t *testing.T) {
	d := bridge(t)
	token, _, ben := d.ask("do it")
	var updates []string
	add := func(format string, args ...any) { updates = append(updates, fmt.Sprintf(format, args...)) }
	words := string(must(json.Marshal("/approve " + token)))
	const group, chatOf = `{"id":-100200,"type":"supergroup"}`, `"chat":` + `{"id":-100200,"type":"supergroup"}`

	// Ids that are not his: another number, another type, another form of the same one.
	ids := []string{`"1002"`, `-1002`, `1002.5`, `1.002e3x`, `"ben"`, `10020`, `100`, `1003`, `6666`, `0`, `-100200`,
		`null`, `true`, `[]`, `[1002]`, `{}`, `{"id":1002}`, `"1002 "`, `" 1002"`, `"+1002"`,
		`"01002"`, `01002`, `+1002`, `0x3ea`, `4294968298`, `9223372036854775807`, `-9223372036854775808`,
		`18446744073709552618`, `1e400`, `777000`, `1087968824`, `136817688`, `""`}
	for _, id := range ids {
		add(`"message":{"message_id":5,"from":{"id":%s},%s,"text":%s}`, id, chatOf, words)
		add(`"callback_query":{"id":"1","from":{"id":%s},"data":"a:%s","message":{"message_id":%s,%s}}`, id, ben.Nonce,
			ben.Message, chatOf)
	}
	// Chats in which he was asked nothing.
	for _, chat := range []string{`1001`, `1002`, `100200`, `-200`, `-100201`, `"-100200"`, `0`, `null`} {
		add(`"callback_query":{"id":"1","from":{"id":1002},"data":"a:%s","message":{"message_id":%s,"chat":{"id":%s}}}`,
			ben.Nonce, ben.Message, chat)
	}
	// Words that are not his own.
	for _, how := range []string{
		`"forward_origin":{"type":"user","sender_user":{"id":1002}}`,
		`"forward_origin":{"type":"hidden_user","sender_user_name":"Ben"}`,
		`"forward_origin":{"type":"chat","sender_chat":` + group + `}`,
		`"forward_origin":{"type":"channel","chat":` + group + `,"message_id":1}`, `"forward_origin":{}`,
		`"forward_from":{"id":1002}`, `"forward_from_chat":` + group,
		`"forward_from_message_id":1`, `"forward_signature":"Ben"`, `"forward_sender_name":"Ben"`, `"forward_date":1`,
		`"is_automatic_forward":true`, `"sender_chat":` + group,
		`"sender_chat":{"id":-100999,"type":"channel"}`, `"sender_chat":{"id":1002,"type":"private"}`, `"sender_chat":{}`,
		`"via_bot":{"id":7,"is_bot":true}`, `"via_bot":{}`, `"forward_date":0`, `"forward_anything":{"new":1}`,
	} {
		add(`"message":{"message_id":5,"from":{"id":1002},%s,"text":%s,%s}`, chatOf, words, how)
	}
	// Senders that are not people, and anonymous channel admins.
	for _, from := range []string{`{"id":1002,"is_bot":true}`,
		`{"id":1087968824,"is_bot":true,"username":"GroupAnonymousBot"}`,
		`{"id":777000}`, `{"id":136817688,"is_bot":true}`, `null`, `{}`, `{"username":"ben"}`,
		`{"first_name":"ben"}`, `"1002"`, `1002`, `[1002]`} {
		add(`"message":{"message_id":5,"from":%s,%s,"text":%s}`, from, chatOf, words)
	}
	// Updates of other kinds.
	for _, kind := range []string{"edited_message",
		"channel_post", "edited_channel_post", "business_message", "edited_business_message", "guest_message"} {
		add(`"%s":{"message_id":5,"from":{"id":1002},%s,"text":%s}`, kind, chatOf, words)
	}
	for _, u := range []string{
		`"message_reaction":{"chat":` + group + `,"message_id":` + ben.Message +
			`,"user":{"id":1002},"new_reaction":[{"type":"emoji","emoji":"👍"}]}`,
		`"message_reaction_count":{"chat":` + group + `,"message_id":` + ben.Message +
			`,"reactions":[{"type":{"type":"emoji","emoji":"👍"},"total_count":9}]}`,
		`"inline_query":{"id":"1","from":{"id":1002},"query":` + words + `}`,
		`"chosen_inline_result":{"result_id":"1","from":{"id":1002},"query":` + words + `}`,
		`"poll_answer":{"poll_id":"1","user":{"id":1002},"option_ids":[0]}`,
		`"my_chat_member":{"chat":` + group + `,"from":{"id":1002}}`, `"pre_checkout_query":{"id":"1","from":{"id":1002}}`,
		`"callback_query":{"id":"1","from":{"id":1002},"inline_message_id":"x","data":"a:` + ben.Nonce + `"}`,
		`"callback_query":{"id":"1","from":{"id":1002},"chat_instance":"1","data":"a:` + ben.Nonce + `"}`,
		`"callback_query":{"id":"1","from":{"id":1002},"game_short_name":"x","message":{"message_id":` + ben.Message +
			`,"chat":` + group + `}}`,
	} {
		add("%s", u)
	}
	// Replies to his card, captions and quotations of it.
	for _, reply := range []string{`"text":"yes"`, `"text":"👍"`, `"text":"approve"`, `"text":"a:` + ben.Nonce + `"`,
		`"caption":` + words, `"quote":{"text":` + words + `},"text":"yes"`,
		`"text":"see","external_reply":{"origin":{"type":"user","sender_user":{"id":1002}}}`,
		`"text":"` + "\u200b" + `","entities":[{"type":"bot_command","offset":0,"length":8}]`} {
		add(`"message":{"message_id":5,"from":{"id":1002},%s,%s,"reply_to_message":{"message_id":%s,%s,"text":%s}}`, chatOf,
			reply, ben.Message, chatOf, words)
	}
	slices.Sort(updates)
	updates = slices.Compact(updates)
	require.GreaterOrEqual(t, len(updates), 100)
	for _, u := range updates {
		d.raw("%s", u)
		require.Equal(t, cortex.Pending, d.state(token), u)
	}
	require.NoError(t, d.engine.Operations().Wait(t.Context()))
	require.Equal(t, cortex.Pending, d.state(token))
	assert.Zero(t, d.ran.Load())
	t.Logf("RESULT %d forged identities, 0 approvals", len(updates))

	require.Equal(t, http.StatusOK, d.raw(
		`"callback_query":{"id":"1","from":{"id":1002},"data":"a:%s","message":{"message_id":%s,%s}}`, ben.Nonce, ben.Message,
		chatOf))
	require.Eventually(t, func() bool { return d.ran.Load() == 1 }, 20*time.Second, time.Millisecond)
	assert.Equal(t, cortex.Consumed, d.state(token))

	// Nor does a command count for less when it is typed by whom it is from.
	token, _, _ = d.ask("do another", token)
	words = string(must(json.Marshal("/approve " + token)))
	require.Equal(t, http.StatusOK, d.raw(`"message":{"message_id":6,"from":{"id":1002},%s,"text":%s}`, chatOf, words))
	require.Eventually(t, func() bool {
		return d.ran.Load() == 2
	}, 20*time.Second, time.Millisecond, "the same words, of Ben's own")
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
