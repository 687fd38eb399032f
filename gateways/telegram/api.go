package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/gateways"
)

// maxAnswer bounds an answer of the service, in bytes. A hundred updates of the
// longest texts are far below it.
const maxAnswer = 8 << 20

// Errors of the service that the gateway tells apart.
var (
	// ErrToken says that the bot's token is wrong or has been revoked.
	ErrToken = errors.New("telegram does not accept the bot's token")
	// errConflict says that another program reads this bot's updates.
	errConflict = errors.New("somebody else reads this bot's updates")
	// errRequest says that the service rejected our request.
	errRequest = errors.New("telegram refuses the request")
)

// api calls methods of the Bot API (core.telegram.org/bots/api).
type api struct {
	url   string
	token string
	http  *http.Client
}

// answer is the envelope of every answer.
type answer struct {
	OK          bool            `json:"ok"`
	Result      json.RawMessage `json:"result"`
	ErrorCode   int             `json:"error_code"`
	Description string          `json:"description"`
	Parameters  struct {
		RetryAfter int `json:"retry_after"`
	} `json:"parameters"`
}

// call calls a method. Errors never hold the token.
func (a *api) call(ctx context.Context, method string, params, result any) error {
	body, err := json.Marshal(params)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url+"/bot"+a.token+"/"+method, bytes.NewReader(body))
	if err != nil {
		return a.clean(method, err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := a.http.Do(req)
	if err != nil {
		return a.clean(method, err)
	}
	defer func() { _ = resp.Body.Close() }() // the needed part has been read
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return a.clean(method, err)
	}
	if len(raw) > maxAnswer {
		return fmt.Errorf("%s: the answer is longer than %d bytes", method, maxAnswer)
	}
	var x answer
	if err := json.Unmarshal(raw, &x); err != nil {
		return fmt.Errorf("%s: HTTP %d and no answer of the Bot API", method, resp.StatusCode)
	}
	if !x.OK {
		return refusal(method, x)
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(x.Result, result); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

// clean removes the token, which is part of every address, from an error.
func (a *api) clean(method string, err error) error {
	for _, known := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, known) {
			return fmt.Errorf("%s: %w", method, known)
		}
	}
	return fmt.Errorf("%s: %s", method, strings.ReplaceAll(err.Error(), a.token, "TOKEN"))
}

// refusal classifies an error of the service: some requests can be retried.
func refusal(method string, x answer) error {
	err := fmt.Errorf("%s: %w: %d %s", method, errRequest, x.ErrorCode, x.Description)
	switch {
	case x.ErrorCode == http.StatusTooManyRequests:
		return &gateways.RetryAfter{Wait: time.Duration(x.Parameters.RetryAfter) * time.Second, Err: err}
	case x.ErrorCode == http.StatusUnauthorized, x.ErrorCode == http.StatusNotFound && method != "editMessageText":
		return fmt.Errorf("%s: %w", method, ErrToken)
	case x.ErrorCode == http.StatusConflict:
		return fmt.Errorf("%s: %w: %s", method, errConflict, x.Description)
	case x.ErrorCode >= 400 && x.ErrorCode < 500:
		return &gateways.Permanent{Err: err}
	}
	return err
}

// The parts of the Bot API's objects that matter here.
type (
	update struct {
		ID       int64     `json:"update_id"`
		Message  *message  `json:"message"`
		Callback *callback `json:"callback_query"`
	}
	message struct {
		ID         int64            `json:"message_id"`
		From       *user            `json:"from"`
		SenderChat *json.RawMessage `json:"sender_chat"` // set if the sender speaks as a chat
		Forwarded  bool             `json:"-"`           // another person's words
		ViaBot     *json.RawMessage `json:"via_bot"`
		Chat       chat             `json:"chat"`
		Text       string           `json:"text"`
	}
	callback struct {
		ID      string   `json:"id"`
		From    *user    `json:"from"`
		Message *message `json:"message"`
		Data    string   `json:"data"`
	}
	user struct {
		ID    int64 `json:"id"`
		IsBot bool  `json:"is_bot"`
	}
	chat struct {
		ID int64 `json:"id"`
	}
	button struct {
		Text string `json:"text"`
		Data string `json:"callback_data"`
	}
	keyboard struct {
		Rows [][]button `json:"inline_keyboard"`
	}
)

// UnmarshalJSON reads a message, and detects forwarding by the fields of every
// version of the Bot API, because a private server may speak an old one.
func (m *message) UnmarshalJSON(data []byte) error {
	type plain message
	if err := json.Unmarshal(data, (*plain)(m)); err != nil {
		return err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	for name, value := range all {
		says := strings.HasPrefix(name, "forward_") || name == "is_automatic_forward"
		m.Forwarded = m.Forwarded || says && string(value) != "null" && string(value) != "false"
	}
	return nil
}
