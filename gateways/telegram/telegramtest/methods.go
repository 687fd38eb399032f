package telegramtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
)

// refused is an answer with ok false.
type refused struct {
	code  int
	text  string
	retry int
}

func (r *refused) Error() string { return r.text }

func bad(format string, args ...any) error {
	return &refused{code: http.StatusBadRequest, text: "Bad Request: " + fmt.Sprintf(format, args...)}
}

// serve is the HTTP side: /botTOKEN/METHOD with JSON or a form.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	token, method, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/bot"), "/")
	var result any
	params, err := parameters(r)
	switch {
	case token != Token:
		err = &refused{code: http.StatusUnauthorized, text: "Unauthorized"}
	case err != nil:
		err = bad("can't parse the request: %v", err)
	default:
		result, err = s.method(r, method, params)
	}
	answer := map[string]any{"ok": err == nil, "result": result}
	code := http.StatusOK
	if x := (*refused)(nil); errors.As(err, &x) {
		code = x.code
		answer = map[string]any{"ok": false, "error_code": code, "description": x.text}
		if code == http.StatusTooManyRequests {
			answer["parameters"] = map[string]any{"retry_after": x.retry}
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(answer) // the client may be gone
}

// parameters reads what clients send in different ways, as JSON values.
func parameters(r *http.Request) (map[string]any, error) {
	out := map[string]any{}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind == "application/json" {
		raw, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		if err != nil || len(bytes.TrimSpace(raw)) == 0 {
			return out, err
		}
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		return out, d.Decode(&out)
	}
	if err := r.ParseMultipartForm(1 << 20); err != nil && !errors.Is(err, http.ErrNotMultipart) {
		return nil, err
	}
	for k := range r.Form {
		out[k] = r.Form.Get(k)
	}
	return out, nil
}

// method carries out one method, by its name in any case, as the service does.
func (s *Server) method(r *http.Request, method string, p map[string]any) (any, error) {
	s.mu.Lock()
	s.calls[method]++
	s.mu.Unlock()
	switch strings.ToLower(method) {
	case "getme":
		return bot(), nil
	case "getupdates":
		return s.getUpdates(r, p)
	case "sendmessage":
		return s.sendMessage(p)
	case "editmessagetext":
		return s.editMessageText(p)
	case "answercallbackquery":
		return s.answerCallbackQuery(p)
	case "setwebhook":
		return s.setWebhook(p)
	case "deletewebhook":
		s.mu.Lock()
		defer s.mu.Unlock()
		s.hook, s.secret = "", ""
		return true, nil
	case "getwebhookinfo":
		s.mu.Lock()
		defer s.mu.Unlock()
		return map[string]any{"url": s.hook, "has_custom_certificate": false, "pending_update_count": len(s.updates)}, nil
	}
	return nil, &refused{code: http.StatusNotFound, text: "Not Found: method not found"}
}

// getUpdates confirms everything below offset and waits for what there is.
func (s *Server) getUpdates(r *http.Request, p map[string]any) (any, error) {
	offset, limit := integer(p["offset"]), integer(p["limit"])
	if limit <= 0 || limit > 100 {
		limit = 100
	}
	end := time.NewTimer(time.Duration(integer(p["timeout"])) * time.Second)
	defer end.Stop()
	s.mu.Lock()
	s.polling++
	mine := s.polling
	s.wake() // an older poll ends with 409
	s.mu.Unlock()
	for {
		s.mu.Lock()
		if s.hook != "" {
			s.mu.Unlock()
			return nil, &refused{code: http.StatusConflict,
				text: "Conflict: can't use getUpdates method while webhook is active; " +
					"use deleteWebhook to delete the webhook first"}
		}
		if s.polling != mine {
			s.mu.Unlock()
			return nil, &refused{code: http.StatusConflict,
				text: "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"}
		}
		s.confirm(offset)
		var out []any
		for _, u := range s.updates[:min(len(s.updates), int(limit))] {
			out = append(out, u.Body)
		}
		changed, closed := s.changed, s.closed
		s.mu.Unlock()
		if len(out) > 0 || closed {
			return out, nil
		}
		if !s.wait(changed, end.C, r.Context().Done()) {
			return []any{}, nil
		}
	}
}

// wait lets a poll wait and reports whether there may be something.
func (s *Server) wait(changed <-chan struct{}, end <-chan time.Time, gone <-chan struct{}) bool {
	s.mu.Lock()
	s.waiting++
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.waiting--
		s.mu.Unlock()
	}()
	select {
	case <-changed:
		return true
	case <-end:
	case <-gone:
	}
	return false
}

// confirm forgets updates below offset; the caller holds the lock. A negative
// offset keeps only the last ones.
func (s *Server) confirm(offset int64) {
	if offset < 0 {
		s.updates = s.updates[max(0, len(s.updates)+int(offset)):]
		return
	}
	for len(s.updates) > 0 && s.updates[0].ID < offset {
		s.kept = &s.updates[0]
		s.updates = s.updates[1:]
	}
}

// trouble answers a send with what was asked for.
func (s *Server) trouble() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.limit > 0:
		s.limit--
		return &refused{code: http.StatusTooManyRequests, text: fmt.Sprintf("Too Many Requests: retry after %d", s.seconds),
			retry: s.seconds}
	case s.fail > 0:
		s.fail--
		return &refused{code: http.StatusInternalServerError, text: "Internal Server Error"}
	}
	return nil
}

func (s *Server) sendMessage(p map[string]any) (any, error) {
	if err := s.trouble(); err != nil {
		return nil, err
	}
	chat, m, err := content(p)
	if err != nil {
		return nil, err
	}
	n := s.message(chat, m)
	return map[string]any{"message_id": n, "date": time.Now().Unix(), "from": bot(), "chat": chatObject(chat),
		"text": m.Text}, nil
}

// content reads and checks chat, text and keyboard.
func content(p map[string]any) (chat int64, m *message, err error) {
	if chat = integer(p["chat_id"]); chat == 0 {
		return 0, nil, bad("chat not found")
	}
	text, _ := p["text"].(string)
	if strings.TrimSpace(text) == "" {
		return 0, nil, bad("message text is empty")
	}
	if len(utf16.Encode([]rune(text))) > 4096 {
		return 0, nil, bad("message is too long")
	}
	rows, err := buttons(p["reply_markup"])
	return chat, &message{Text: text, Rows: rows}, err
}

// buttons reads an inline keyboard: JSON, or a string of JSON in a form.
func buttons(v any) ([][]map[string]any, error) {
	if v == nil || v == "" {
		return nil, nil
	}
	raw, ok := v.(string)
	if !ok {
		b, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		raw = string(b)
	}
	var k struct {
		Rows [][]map[string]any `json:"inline_keyboard"`
	}
	if err := json.Unmarshal([]byte(raw), &k); err != nil {
		return nil, bad("can't parse inline keyboard button")
	}
	for _, row := range k.Rows {
		for _, b := range row {
			text, _ := b["text"].(string)
			data, isData := b["callback_data"].(string)
			_, isURL := b["url"]
			switch {
			case text == "":
				return nil, bad("can't parse inline keyboard button: field \"text\" must not be empty")
			case isData && (data == "" || len(data) > 64):
				return nil, bad("BUTTON_DATA_INVALID")
			case !isData && !isURL:
				return nil, bad("can't parse inline keyboard button: text buttons are unallowed in the inline keyboard")
			}
		}
	}
	return k.Rows, nil
}

func (s *Server) editMessageText(p map[string]any) (any, error) {
	if err := s.trouble(); err != nil {
		return nil, err
	}
	chat, m, err := content(p)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.messages[chat][integer(p["message_id"])]
	if old == nil {
		return nil, bad("message to edit not found")
	}
	if old.Text == m.Text && len(old.Rows) == len(m.Rows) {
		return nil, bad("message is not modified: specified new message content and reply markup are exactly the same as " +
			"a current content and reply markup of the message")
	}
	old.Text, old.Rows = m.Text, m.Rows
	return map[string]any{"message_id": old.ID, "date": time.Now().Unix(), "from": bot(), "chat": chatObject(chat),
		"text": old.Text}, nil
}

func (s *Server) answerCallbackQuery(p map[string]any) (any, error) {
	press, _ := p["callback_query_id"].(string)
	text, _ := p["text"].(string)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.presses[press] {
		return nil, bad("query is too old and response timeout expired or query ID is invalid")
	}
	if len([]rune(text)) > 200 {
		return nil, bad("MESSAGE_TOO_LONG")
	}
	delete(s.presses, press)
	s.notices = append(s.notices, text)
	return true, nil
}

func (s *Server) setWebhook(p map[string]any) (any, error) {
	url, _ := p["url"].(string)
	secret, _ := p["secret_token"].(string)
	for _, c := range secret {
		if c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return nil, bad("secret token contains unallowed characters")
		}
	}
	if len(secret) > 256 {
		return nil, bad("secret token is too long")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hook, s.secret = url, secret
	s.wake()
	s.deliver()
	return true, nil
}

// deliver posts what has not been confirmed, in order, and each update again
// until the other side says 200. The caller holds the lock.
func (s *Server) deliver() {
	if s.delivering || s.hook == "" {
		return
	}
	s.delivering = true
	s.hooks.Go(s.deliverAll)
}

func (s *Server) deliverAll() {
	for {
		s.mu.Lock()
		if s.hook == "" || len(s.updates) == 0 || s.closed {
			s.delivering = false
			s.mu.Unlock()
			return
		}
		u, hook, secret := s.updates[0], s.hook, s.secret
		s.mu.Unlock()
		if !post(hook, secret, u.Body) {
			time.Sleep(time.Millisecond)
			continue
		}
		s.mu.Lock()
		s.confirm(u.ID + 1)
		s.mu.Unlock()
	}
}

// post sends one update and reports whether it was taken.
func post(url, secret string, body map[string]any) bool {
	raw, err := json.Marshal(body)
	if err != nil {
		return false
	}
	req, err := http.NewRequest(http.MethodPost, url,
		bytes.NewReader(raw)) //nolint:noctx // the service has its own patience
	if err != nil {
		return false
	}
	req.Header.Set("Content-Type", "application/json")
	if secret != "" {
		req.Header.Set("X-Telegram-Bot-Api-Secret-Token", secret)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// integer reads a number as JSON and forms carry it; 0 for anything else.
func integer(v any) int64 {
	switch x := v.(type) {
	case json.Number:
		n, _ := x.Int64()
		return n
	case string:
		n, _ := strconv.ParseInt(x, 10, 64)
		return n
	}
	return 0
}
