package api

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/internal/fair"
)

// crowded is a server with its own limits.
type crowded struct {
	*Server
	t      *testing.T
	socket string
	http   *http.Client
}

func crowd(t *testing.T, change func(*Options)) *crowded {
	t.Helper()
	e, err := cortex.Open(t.Context(), cortex.Options{Live: true, Rules: fstest.MapFS{"r.lisp": {Data: []byte(`
(deftool edit :params (:path string) :required (:path) :tier :allow)
(deftool push :params (:to string) :required (:to) :tier :ask)`)}},
		Approvals: cortex.ApprovalOptions{Classes: map[string][]string{"operator": {"ana"}}}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	c := &crowded{t: t, socket: filepath.Join(t.TempDir(), "s", "api.sock")}
	opt := Options{Engine: e, Socket: c.socket, limits: usual}
	change(&opt)
	c.Server, err = Listen(opt)
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- c.Serve(context.Background()) }()
	dial := &http.Transport{MaxIdleConnsPerHost: 100,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", c.socket)
		}}
	c.http = &http.Client{Transport: dial}
	t.Cleanup(func() {
		dial.CloseIdleConnections()
		require.NoError(t, c.Close())
		require.NoError(t, <-done)
	})
	return c
}

// raw is a connection that has sent a text.
func (c *crowded) raw(text string) net.Conn {
	c.t.Helper()
	nc, err := net.Dial("unix", c.socket)
	require.NoError(c.t, err)
	c.t.Cleanup(func() { _ = nc.Close() })
	_, _ = io.WriteString(nc, text) // it may have been closed already
	return nc
}

// post returns the status and the text of an answer.
func (c *crowded) post(what, body string) (int, string) {
	c.t.Helper()
	res, err := c.http.Post("http://cortex/v1/"+what, "application/json", strings.NewReader(body))
	require.NoError(c.t, err)
	text, err := io.ReadAll(res.Body)
	require.NoError(c.t, err)
	require.NoError(c.t, res.Body.Close())
	return res.StatusCode, string(text)
}

const edit = `{"session":{"id":"other"},"action":{"tool":"edit","args":{"path":"a"}}}`

func begun(what string, n int) string {
	return fmt.Sprintf("POST /v1/%s HTTP/1.1\r\nHost: cortex\r\nContent-Length: %d\r\n\r\n{", what, n)
}

// A request that is not there as a whole takes no place of one that is.
func TestHalfRequestsTakeNoPlaces(t *testing.T) {
	c := crowd(t, func(*Options) {})
	for range 600 {
		c.raw(begun("judge", 1000))
	}
	assert.Eventually(t, func() bool { // a process that connects so often waits
		res, err := c.http.Post("http://cortex/v1/decide", "application/json", strings.NewReader(edit))
		return err == nil && res.Body.Close() == nil && res.StatusCode == http.StatusOK
	}, 20*time.Second, 100*time.Millisecond)
}

func TestWhatDoesNotArriveIsGivenUp(t *testing.T) {
	c := crowd(t, func(o *Options) { o.limits.arrive = 50 * time.Millisecond })
	for name, text := range map[string]string{
		"body": begun("judge", 1000), "header": "POST /v1/judge HTTP/1.1\r\nHos", "nothing": "",
	} {
		answer, err := io.ReadAll(c.raw(text))
		require.NoError(t, err, name)
		if name == "body" {
			assert.Contains(t, string(answer), "408 Request Timeout")
			assert.Contains(t, string(answer), "did not arrive within 50ms")
		}
	}
	bytes, _ := c.opt.Pool.Held()
	assert.Zero(t, bytes, "and nothing is held for it")
	code, text := c.post("decide", edit)
	assert.Equal(t, http.StatusOK, code, text)
}

// Bodies are counted before they are read: those of one process leave room for others', and are read one after the
// other where they are long.
func TestBodiesAreCountedBeforeTheyAreRead(t *testing.T) {
	pool := fair.New(fair.Options{Bytes: 1 << 20})
	c := crowd(t, func(o *Options) { o.Pool, o.limits.room = pool, time.Minute })
	long := `{"session":{"id":"big"},"state":"done","text":"` + strings.Repeat("x", 2<<20) + `"}`
	most, over := 0, make(chan int)
	for range 8 {
		go func() {
			code, _ := c.post("finish", long)
			over <- code
		}()
	}
	for n := 0; n < 8; {
		select {
		case code := <-over:
			assert.Equal(t, http.StatusNotFound, code, "no call is open")
			n++
		default:
			bytes, _ := pool.Held()
			most = max(most, bytes)
		}
	}
	assert.LessOrEqual(t, most, copies*len(long)+1<<20, "two were never read at a time")
	bytes, _ := pool.Held()
	assert.Zero(t, bytes)
	code, text := c.post("finish", strings.Repeat(" ", maxBody)+long)
	assert.Equal(t, http.StatusRequestEntityTooLarge, code)
	assert.Contains(t, text, "expected at most 33554432")
}

// A body whose length is not said is bounded all the same.
func TestBodiesOfUnknownLength(t *testing.T) {
	c := crowd(t, func(*Options) {})
	chunked := func(n int) int {
		body := io.MultiReader(strings.NewReader(`{"session":{"id":"s"},"text":"`), strings.NewReader(strings.Repeat("x", n)),
			strings.NewReader(`"}`))
		res, err := c.http.Post("http://cortex/v1/read", "application/json", body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		return res.StatusCode
	}
	assert.Equal(t, http.StatusOK, chunked(300_000))
	assert.Equal(t, http.StatusOK, chunked(0))
}

func TestPlacesOfRequestsAndStreams(t *testing.T) {
	c := crowd(t, func(o *Options) {
		o.limits.requests, o.limits.streams = quota{all: 10, each: 2}, quota{all: 10, each: 2}
	})
	ask := func(i int) string {
		return fmt.Sprintf(`{"session":{"id":"s"},"action":{"tool":"push","args":{"to":"%d"}},"hold":60}`, i)
	}
	for i := range 2 {
		text := ask(i)
		c.raw(strings.TrimSuffix(begun("judge", len(text)), "{") + text)
	}
	require.Eventually(t, func() bool { // a request that asks would take the place of one that is to wait
		cards := 0
		for _, err := range c.opt.Engine.Pending(t.Context()) {
			require.NoError(t, err)
			cards++
		}
		return cards == 2
	}, time.Minute, 5*time.Millisecond, "two requests wait for people")
	code, _ := c.post("decide", edit)
	assert.Equal(t, http.StatusTooManyRequests, code)

	events := func() *http.Response {
		res, err := c.http.Get("http://cortex/v1/events")
		require.NoError(t, err)
		t.Cleanup(func() { _ = res.Body.Close() })
		return res
	}
	first := events()
	assert.Equal(t, http.StatusOK, first.StatusCode)
	assert.Equal(t, http.StatusOK, events().StatusCode)
	assert.Equal(t, http.StatusTooManyRequests, events().StatusCode)
	require.NoError(t, first.Body.Close())
	assert.Eventually(t, func() bool { return events().StatusCode == http.StatusOK }, 10*time.Second, 10*time.Millisecond)
}

// The first few places of each process are its own, and where connections are too many, the one goes that has been
// silent longest, of the process that has most.
func TestNoProcessTakesWhatIsAnothers(t *testing.T) {
	b := &bounds{limits: usual, pool: fair.New(fair.Options{}), accounts: map[int]*account{}}
	b.limits.connections, b.limits.requests = quota{all: 6, each: 5}, quota{all: 4, each: 3, own: 1}
	closed := func(c *conn) bool { return c.gone }
	var greedy []*conn
	for range 6 {
		here, there := net.Pipe()
		t.Cleanup(func() { _ = there.Close() })
		greedy = append(greedy, b.enter(1, here))
	}
	assert.True(t, closed(greedy[0]), "five each")
	for i := range 3 {
		_, ok := b.begin(greedy[1+i])
		require.True(t, ok, i)
	}
	_, ok := b.begin(greedy[4])
	assert.False(t, ok, "three each")
	for pid := range 3 {
		here, _ := net.Pipe()
		other := b.enter(2+pid, here)
		assert.False(t, closed(other), "a process that has few connections gets in")
		_, ok := b.begin(other)
		assert.True(t, ok, "its first place is its own, also beyond four in all")
	}
	assert.True(t, closed(greedy[4]) && closed(greedy[5]), "those that were silent went")
	assert.False(t, closed(greedy[1]) || closed(greedy[2]) || closed(greedy[3]), "what is worked on stays")
}

// A new name of a session has the system asked about few processes, however many names there are.
func TestNamesOfSessionsKeepNoOtherWaiting(t *testing.T) {
	c := crowd(t, func(*Options) {})
	asked := 0
	c.talks.live = func(process) bool { asked++; return true }
	for i := range 12_000 {
		_, err := c.talks.of(Session{ID: fmt.Sprint(i)}, caller{user: "u", peer: process{pid: 1 + i%20, started: 1}})
		require.NoError(t, err)
	}
	asked = 0
	_, err := c.talks.of(Session{ID: "one more"}, caller{user: "u", peer: process{pid: 99, started: 1}})
	require.NoError(t, err)
	assert.LessOrEqual(t, asked, 100, "processes that were looked at")
}

func TestSessionsAreBoundedForEachProcess(t *testing.T) {
	c := newConversations()
	c.each, c.total = 3, 8
	alive := map[int]bool{1: true, 2: true, 3: true}
	c.live = func(p process) bool { return alive[p.pid] }
	of := func(pid int, id string) (*conversation, error) {
		return c.of(Session{ID: id}, caller{user: "u", peer: process{pid: pid, started: 1}})
	}
	for pid := 1; pid <= 2; pid++ {
		for i := range 3 {
			x, err := of(pid, fmt.Sprint(pid, i))
			require.NoError(t, err)
			x.changed = time.Duration(i + 1)
			c.over(x)
		}
	}
	_, err := of(2, "1 0")
	require.ErrorIs(t, err, errOwner, "a session is its process's while that runs")
	x, err := of(1, "fourth")
	require.NoError(t, err)
	assert.Equal(t, time.Duration(1), x.changed, "no tool of the session that went speaks for the user here")
	assert.Nil(t, c.by["host/u/api/1 0"], "the one that was silent longest went")
	assert.NotNil(t, c.by["host/u/api/2 0"], "of the same process")

	busy, err := of(1, "1 1")
	require.NoError(t, err)
	busy.open = append(busy.open, &opened{call: "call"})
	_, err = of(1, "1 2")
	require.NoError(t, err) // it is used until it is over
	_, err = of(1, "fifth")
	require.ErrorContains(t, err, "no room", "all are used, or have an open call")

	for i := range 2 {
		_, err = of(3, fmt.Sprint("3 ", i))
		require.NoError(t, err)
	}
	_, err = of(3, "ninth")
	require.ErrorContains(t, err, "no room")
	alive[2] = false
	_, err = of(3, "ninth")
	require.NoError(t, err, "those of a process that has ended make room")
	assert.Len(t, c.owners, 2)
}

func TestCardsHavePages(t *testing.T) {
	c := crowd(t, func(o *Options) { o.Pool = fair.New(fair.Options{Bytes: 1}) }) // pages as short as may be
	for i := range 40 {
		code, text := c.post("decide", fmt.Sprintf(`{"session":{"id":"s"},"action":{"tool":"push","args":{"to":"%d%s"}}}`, i,
			strings.Repeat("x", 8000)))
		require.Equal(t, http.StatusOK, code, text)
	}
	seen, pages := map[string]bool{}, 0
	for path := "/v1/cards"; path != ""; pages++ {
		res, err := c.http.Get("http://cortex" + path)
		require.NoError(t, err)
		var list []Card
		require.NoError(t, json.NewDecoder(res.Body).Decode(&list))
		require.NoError(t, res.Body.Close())
		for _, card := range list {
			seen[card.Token] = true
		}
		path, _, _ = strings.Cut(strings.TrimPrefix(res.Header.Get("Link"), "<"), `>; rel="next"`)
	}
	assert.Len(t, seen, 40)
	assert.Greater(t, pages, 3)
	res, err := c.http.Get("http://cortex/v1/cards?from=x")
	require.NoError(t, err)
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	assert.Equal(t, http.StatusBadRequest, res.StatusCode)
	assert.Contains(t, string(body), "expected the number of a record")
}
