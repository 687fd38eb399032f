// Package telegramtest is Telegram as far as a bot can tell: the Bot API's updates,
// messages and buttons, with the strictness of the real service. What the real
// one refuses, this one refuses, because a gateway that only works with a kind
// fake works with nothing. Independent clients confirm it; see docs/gateways.md.
//
// It keeps updates until the offset of a later poll confirms them, lets a poll
// wait, refuses two polls at once and polls beside a webhook (409), bounds texts
// and button data, knows which messages and presses exist, says when a message is
// not modified, sends webhooks with their secret until they are answered with
// 200, and fails on request with 429 and 500.
package telegramtest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/gateways/gatewaytest"
)

// Token is what the fake's only bot is known by.
const Token = "123456:TEST-token_of-the-fake"

const botID = 123456

// Server is the service. Its URL is for [telegram.Options.URL].
type Server struct {
	*httptest.Server

	mu       sync.Mutex
	changed  chan struct{} // closed when something happens that a poll waits for
	updates  []update      // not confirmed
	kept     *update       // the last that was confirmed, for Redeliver
	nextID   int64
	polling  int // counts polls, so that a new one ends the old
	waiting  int // polls that wait for something to happen
	hook     string
	secret   string
	messages map[int64]map[int64]*message // by chat and id
	order    map[int64][]int64            // ids by chat
	nextMsg  int64
	presses  map[string]bool // presses that were not acknowledged
	notices  []string        // what presses were acknowledged with
	fail     int
	limit    int // so many sends are answered with 429
	seconds  int // as those say
	calls    map[string]int
	hooks    sync.WaitGroup
	closed   bool

	delivering bool // one goroutine posts to the webhook
}

type update struct {
	ID   int64
	Body map[string]any
}

type message struct {
	ID   int64
	Text string
	Rows [][]map[string]any
}

// New starts a service. Close ends it.
func New() *Server {
	s := &Server{
		changed: make(chan struct{}), nextID: 700_000_001, messages: map[int64]map[int64]*message{},
		order: map[int64][]int64{}, nextMsg: 1,
		presses: map[string]bool{}, calls: map[string]int{},
	}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	return s
}

// Close ends the service and what waits for it.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	s.wake()
	s.mu.Unlock()
	s.Server.Close()
	s.hooks.Wait()
}

// wake lets polls look again. The caller holds the lock.
func (s *Server) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// push adds an update, and sends it where a webhook is set.
func (s *Server) push(kind string, object map[string]any) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := update{ID: s.nextID, Body: map[string]any{"update_id": s.nextID, kind: object}}
	s.nextID++
	s.updates = append(s.updates, u)
	s.wake()
	s.deliver()
	return u.ID
}

func person(id int64) map[string]any {
	return map[string]any{"id": id, "is_bot": false, "first_name": "Person " + strconv.FormatInt(id, 10)}
}

func chatObject(id int64) map[string]any {
	if id < 0 {
		return map[string]any{"id": id, "type": "supergroup", "title": "A group"}
	}
	return map[string]any{"id": id, "type": "private", "first_name": "Person " + strconv.FormatInt(id, 10)}
}

// Write implements [gatewaytest.Service].
func (s *Server) Write(user, chat, text string) { s.WriteWith(user, chat, text, nil) }

// WriteWith is Write with further members of the message object, such as
// forward_origin.
func (s *Server) WriteWith(user, chat, text string, more map[string]any) {
	u, c := id(user), id(chat)
	m := map[string]any{"message_id": s.message(c, nil), "date": time.Now().Unix(), "from": person(u),
		"chat": chatObject(c), "text": text}
	for k, v := range more {
		m[k] = v
	}
	s.push("message", m)
}

// Press implements [gatewaytest.Service]. The data is what a button of ours
// carries; the real service lets a modified client send any.
func (s *Server) Press(user, chat, messageID, nonce string, approve bool) {
	data := "d:" + nonce
	if approve {
		data = "a:" + nonce
	}
	s.PressData(user, chat, messageID, data)
}

// PressData presses a button that carries data.
func (s *Server) PressData(user, chat, messageID, data string) {
	c := id(chat)
	s.mu.Lock()
	press := fmt.Sprintf("press-%d", s.nextID)
	s.presses[press] = true
	s.mu.Unlock()
	s.push("callback_query", map[string]any{
		"id": press, "from": person(id(user)), "chat_instance": "1", "data": data,
		"message": map[string]any{"message_id": id(messageID), "date": time.Now().Unix(), "chat": chatObject(c),
			"from": bot(), "text": "a card"},
	})
}

// Shown implements [gatewaytest.Service].
func (s *Server) Shown(chat string) (out []gatewaytest.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.order[id(chat)] {
		m := s.messages[id(chat)][n]
		if m == nil {
			continue
		}
		x := gatewaytest.Message{ID: strconv.FormatInt(m.ID, 10), Text: m.Text, Open: len(m.Rows) > 0}
		if x.Open {
			data, _ := m.Rows[0][0]["callback_data"].(string)
			x.Nonce = data[min(2, len(data)):]
		}
		out = append(out, x)
	}
	return out
}

// Notices are the texts that presses were acknowledged with, oldest first.
func (s *Server) Notices() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.notices...)
}

// Redeliver implements [gatewaytest.Service]: the update that was confirmed last
// comes once more.
func (s *Server) Redeliver() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept != nil {
		s.updates = append([]update{*s.kept}, s.updates...)
		s.kept = nil
		s.wake()
		s.deliver()
	}
}

// Fail implements [gatewaytest.Service] with 500s.
func (s *Server) Fail(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = n
}

// Limit answers the next n messages of ours with 429 and a retry_after of wait
// seconds. The real service never says 0, which python-telegram-bot takes for no
// retry_after at all; it is for tests of what does not mind.
func (s *Server) Limit(n, wait int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit, s.seconds = n, wait
}

// Calls is how often a method was called.
func (s *Server) Calls(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[method]
}

// Waiting says whether a poll waits at the moment: another one would end it.
func (s *Server) Waiting() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting > 0
}

// Pending is how many updates have not been confirmed.
func (s *Server) Pending() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.updates)
}

// message makes a message in a chat, of ours if m is not nil, and returns its id.
func (s *Server) message(chat int64, m *message) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.nextMsg
	s.nextMsg++
	if m == nil {
		return n
	}
	m.ID = n
	if s.messages[chat] == nil {
		s.messages[chat] = map[int64]*message{}
	}
	s.messages[chat][n] = m
	s.order[chat] = append(s.order[chat], n)
	return n
}

func bot() map[string]any {
	return map[string]any{"id": botID, "is_bot": true, "first_name": "Cortex", "username": "cortex_test_bot"}
}

func id(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0
	}
	return n
}
