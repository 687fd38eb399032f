package telegram_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/gateways"
	"github.com/opencortex-go/cortex/gateways/gatewaytest"
	"github.com/opencortex-go/cortex/gateways/telegram"
	"github.com/opencortex-go/cortex/gateways/telegram/telegramtest"
	"github.com/opencortex-go/cortex/internal/oracle"
)

// TestAgainstTelegramTestAPI runs the suite of all gateways on a Telegram that is not
// of our making. It is much kinder than the real one, and than our fake: updates are
// gone once they were fetched, a poll never waits, nothing is refused, a button stays
// under an edited message, and webhooks bring no secret. So nothing of that is judged
// here; our fake does, and make gateways has other clients judge our fake.
func TestAgainstTelegramTestAPI(t *testing.T) {
	folder := oracle.Node(t, "telegram-test-api")
	gatewaytest.Run(t, func(t *testing.T) gatewaytest.Setup {
		s := startTestAPI(t, folder)
		return gatewaytest.Setup{
			Gateway: func() gateways.Gateway { return gateway(t, nil, func(o *telegram.Options) { o.URL = s.URL }) },
			Service: s, People: people,
		}
	})
}

// testAPI is the server, behind a proxy that adds what the suite asks for and the
// server cannot do: to fail, and to serve one request after the other, so that what
// was fetched by a poll that has been given up is known to be.
type testAPI struct {
	*httptest.Server
	t    *testing.T
	real string

	mu   sync.Mutex // one request at a time; guards fail
	fail int
}

func startTestAPI(t *testing.T, folder string) *testAPI {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	port := strconv.Itoa(free.Addr().(*net.TCPAddr).Port)
	require.NoError(t, free.Close())
	ctx, cancel := context.WithCancel(context.Background())
	node := exec.CommandContext(ctx, oracle.Find(t, "node"), "testdata/testapi.cjs")
	node.Env = append(os.Environ(), "NODE_JUDGES="+folder, "PORT="+port)
	node.Stderr = os.Stderr
	out, err := node.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, node.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "listens\n", line)
	s := &testAPI{t: t, real: "http://127.0.0.1:" + port}
	to, err := url.Parse(s.real)
	require.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(to)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.serve(proxy, w, r) }))
	t.Cleanup(func() {
		s.Server.Close()
		cancel()
		_ = node.Wait() // it was killed
	})
	return s
}

func (s *testAPI) serve(proxy http.Handler, w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Context().Err() != nil {
		return
	}
	if s.fail > 0 && strings.HasSuffix(r.URL.Path, "/sendMessage") {
		s.fail--
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = io.WriteString(w, `{"ok":false,"error_code":500,"description":"Internal Server Error"}`)
		return
	}
	proxy.ServeHTTP(w, r.WithContext(context.WithoutCancel(r.Context())))
}

// do calls the side of the server that plays people.
func (s *testAPI) do(path string, body map[string]any, result any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	raw, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	resp, err := http.Post(s.real+path, "application/json", bytes.NewReader(raw))
	if err == nil {
		defer resp.Body.Close()
		err = json.NewDecoder(resp.Body).Decode(result)
	}
	if err != nil {
		s.t.Errorf("telegram-test-api, %s: %v", path, err)
	}
}

func (s *testAPI) Write(user, chat, text string) {
	s.do("/sendMessage", map[string]any{
		"botToken": telegramtest.Token, "text": text, "date": time.Now().Unix(), "from": person(user), "chat": person(chat),
	}, new(any))
}

func (s *testAPI) Press(user, chat, messageID, nonce string, approve bool) {
	data := "d:" + nonce
	if approve {
		data = "a:" + nonce
	}
	id, _ := strconv.ParseInt(messageID, 10, 64)
	s.do("/sendCallback", map[string]any{
		"botToken": telegramtest.Token, "data": data, "from": person(user),
		"message": map[string]any{"message_id": id, "chat": person(chat)},
	}, new(any))
}

func person(id string) map[string]any {
	n, _ := strconv.ParseInt(id, 10, 64)
	return map[string]any{"id": n, "is_bot": false, "first_name": "Person " + id}
}

// Shown reads a card as closed once it was edited, whatever buttons the server has
// left under it.
func (s *testAPI) Shown(chat string) (out []gatewaytest.Message) {
	var history struct {
		Result []struct {
			MessageID int64 `json:"messageId"`
			Message   struct {
				ChatID json.Number `json:"chat_id"`
				Edited int64       `json:"message_id"` // an edit names the message that it is of
				Text   string      `json:"text"`
				Markup struct {
					Rows [][]struct {
						Data string `json:"callback_data"`
					} `json:"inline_keyboard"`
				} `json:"reply_markup"`
			} `json:"message"`
		} `json:"result"`
	}
	s.do("/getUpdatesHistory", map[string]any{"token": telegramtest.Token}, &history)
	for _, u := range history.Result {
		m := u.Message
		if m.ChatID.String() != chat {
			continue
		}
		x := gatewaytest.Message{ID: strconv.FormatInt(u.MessageID, 10), Text: m.Text, Open: len(m.Markup.Rows) > 0 &&
			m.Edited == 0}
		if x.Open {
			x.Nonce = m.Markup.Rows[0][0].Data[2:]
		}
		out = append(out, x)
	}
	return out
}

// Redeliver does nothing: this service forgets what it has handed over.
func (s *testAPI) Redeliver() {}

// Fail is done by the proxy.
func (s *testAPI) Fail(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = n
}
