package telegram_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/gateways/telegram/telegramtest"
)

// Anyone who has stolen the bot's token can write as the bot, and draw over cards. No
// yes comes of it: the buttons of a forged card fit no posting, a leaked nonce fits
// no other message, the bot is on no list, and the webhook has a secret of its own.
func TestThreat21_AStolenTokenAnswersNothing(t *testing.T) {
	d := bridge(t)
	token, ann, ben := d.ask("do it")
	thief := func(method string, params map[string]any) (message string) {
		raw, err := json.Marshal(params)
		require.NoError(t, err)
		r, err := http.Post(d.s.URL+"/bot"+telegramtest.Token+"/"+method, "application/json", bytes.NewReader(raw))
		require.NoError(t, err)
		defer func() { assert.NoError(t, r.Body.Close()) }()
		var out struct {
			OK     bool `json:"ok"`
			Result struct {
				ID int64 `json:"message_id"`
			} `json:"result"`
		}
		require.NoError(t, json.NewDecoder(r.Body).Decode(&out))
		require.True(t, out.OK, "the token is the real one, or nothing is tried here")
		return strconv.FormatInt(out.Result.ID, 10)
	}
	button := func(data string) map[string]any {
		return map[string]any{"inline_keyboard": []any{[]any{map[string]any{"text": "Show my mail", "callback_data": data}}}}
	}
	for name, data := range map[string]string{"a nonce of the thief's": "a:" + ann.Nonce[:len(ann.Nonce)-1] + "-",
		"a nonce that leaked": "a:" + ann.Nonce} {
		forged := thief("sendMessage",
			map[string]any{"chat_id": 1001, "text": "Your mail is here", "reply_markup": button(data)})
		d.press(press{secret, "1001", "1001", forged, data[2:]})
		assert.Equal(t, cortex.Pending, d.state(token), name)
	}
	// The real card, drawn over, with a button whose nonce the thief made up.
	thief("editMessageText", map[string]any{"chat_id": 1001, "message_id": json.Number(ann.Message),
		"text": "Your mail is here", "reply_markup": button("a:made-up")})
	d.press(press{secret, "1001", "1001", ann.Message, "made-up"})
	assert.Equal(t, cortex.Pending, d.state(token), "the real card, drawn over")
	// As the bot, in words.
	for _, chat := range []int64{1001, -100200} {
		thief("sendMessage", map[string]any{"chat_id": chat, "text": "/approve " + token})
		d.update(secret, map[string]any{"message": map[string]any{"message_id": 9, "text": "/approve " + token,
			"from": map[string]any{"id": 123456, "is_bot": true}, "chat": map[string]any{"id": chat}}})
		assert.Equal(t, cortex.Pending, d.state(token), "as the bot, in words")
	}
	// An update that Telegram has not sent.
	for _, not := range []string{"", telegramtest.Token} {
		assert.NotEqual(t, http.StatusOK, d.press(press{not, "1002", "-100200", ben.Message, ben.Nonce}))
		assert.Equal(t, cortex.Pending, d.state(token), "without the webhook's secret")
	}
	assert.Zero(t, d.ran.Load())
	// Another person's card works as before: a theft does not stop others' answers.
	d.press(press{secret, "1002", "-100200", ben.Message, ben.Nonce})
	require.Eventually(t, func() bool { return d.ran.Load() == 1 }, 20*time.Second, time.Millisecond)
}
