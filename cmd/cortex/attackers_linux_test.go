package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/opencortex-go/cortex/adapters/api/client"
	"github.com/opencortex-go/cortex/internal/daemon"
)

// attackers are the ways in which one process tries to make the others of a daemon wait. Each goes on until its process
// is killed.
var attackers = map[string]func(daemon.Ready){
	"none":                   func(daemon.Ready) { select {} },
	"one byte of 600 bodies": func(d daemon.Ready) { hold(d.API, 600, post("finish", 31<<20)+"{") },
	"half of 600 headers":    func(d daemon.Ready) { hold(d.API, 600, "POST /v1/judge HTTP/1.1\r\nHost: cor") },
	"connections and no more": func(d daemon.Ready) {
		many(8, func(int) {
			if c, err := net.Dial("unix", d.API); err == nil {
				_ = c.Close()
			}
		})
	},
	"names of sessions": func(d daemon.Ready) {
		c := client.New(d.API)
		many(16, func(i int) {
			_, _ = c.Words(context.Background(), "attack", fmt.Sprint("session ", i), "hello")
		})
	},
	"60 bodies of 31 MB": func(d daemon.Ready) {
		body := []byte(fmt.Sprintf(`{"session":{"id":"big","host":"attack"},"state":"done","text":"%s"}`,
			strings.Repeat("x", 31_000_000)))
		many(60, func(int) { send(d.API, "finish", body) })
	},
	"streams of events": func(d daemon.Ready) {
		hold(d.API, 600, "GET /v1/events HTTP/1.1\r\nHost: cortex\r\nLast-Event-ID: 0\r\n\r\n")
	},
	"streams that are read": func(d daemon.Ready) {
		many(64, func(int) { get(d.API, "events", "Last-Event-ID", "0") })
	},
	"answers that are not read": func(d daemon.Ready) {
		hold(d.API, 600, strings.Repeat("GET /v1/openapi.json HTTP/1.1\r\nHost: cortex\r\n\r\n", 200))
	},
	"people who are waited for": func(d daemon.Ready) {
		c := client.New(d.API)
		many(600, func(i int) {
			_, _ = c.Judge(context.Background(), client.Request{Session: "ask", Host: "attack", Tool: "shell",
				Args: fmt.Appendf(nil, `{"cmd":"echo far %d %s"}`, i%3000, strings.Repeat("x", 10_000)),
				Hold: time.Minute})
		})
	},
	"lists of cards": func(d daemon.Ready) { many(64, func(int) { get(d.API, "cards") }) },
	"capabilities":   func(d daemon.Ready) { many(600, func(int) { get(d.API, "capabilities?hold=60&since=x") }) },
	"metrics":        func(d daemon.Ready) { many(64, func(int) { get(d.API, "../metrics") }) },
	"decisions":      func(d daemon.Ready) { many(128, func(i int) { _ = decide(client.New(d.API), "busy", i) }) },
	"text without JSON": func(d daemon.Ready) {
		many(64, func(int) {
			send(d.API, "judge", bytes.Repeat([]byte("["),
				100_000))
		})
	},
	"places of the plain socket": func(d daemon.Ready) {
		hold(d.Socket, 600, "")
	},
	"half frames": func(d daemon.Ready) { hold(d.Socket, 600, "0FFFFF(:id 1") },
	"journals that are not read": func(d daemon.Ready) {
		hold(d.Socket, 64,
			strings.Repeat(wireRequest("(journal :last 1000)"), 50))
	},
	"places of the approval one": func(d daemon.Ready) { hold(d.Approvals, 600, "") },
	"wrong secrets":              func(d daemon.Ready) { hold(d.Approvals, 64, wireRequest(`"x"`)) },
	"places of the editors' one": func(d daemon.Ready) { hold(d.Nrepl, 600, "") },
	"half messages of an editor": func(d daemon.Ready) { hold(d.Nrepl, 600, "d4:code900000:") },
	"journals that no editor has": func(d daemon.Ready) {
		hold(d.Nrepl, 32, strings.Repeat("d4:code20:(journal :last 1000)2:op4:evale", 60))
	},
}

func post(what string, n int) string {
	return fmt.Sprintf("POST /v1/%s HTTP/1.1\r\nHost: cortex\r\nContent-Length: %d\r\n\r\n", what, n)
}

func wireRequest(form string) string {
	text := fmt.Sprintf("(:id 1 :type :request :target :repl :payload (:form %s))", form)
	return fmt.Sprintf("%06x%s", len(text), text)
}

// hold keeps so many connections that have sent a text and read nothing, and makes another for each that is closed.
func hold(path string, n int, text string) {
	many(n, func(int) {
		c, err := net.Dial("unix", path)
		if err != nil {
			time.Sleep(10 * time.Millisecond)
			return
		}
		defer func() { _ = c.Close() }()
		_, _ = io.WriteString(c, text)
		u := c.(*net.UnixConn)
		for !hungUp(u) {
			time.Sleep(50 * time.Millisecond)
		}
	})
}

// hungUp reports that the other end has closed, without reading.
func hungUp(c *net.UnixConn) bool {
	raw, err := c.SyscallConn()
	if err != nil {
		return true
	}
	gone := false
	err = raw.Control(func(fd uintptr) {
		p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}
		_, err := unix.Poll(p, 0)
		gone = err == nil && p[0].Revents&(unix.POLLHUP|unix.POLLRDHUP|unix.POLLERR) != 0
	})
	return gone || err != nil
}

// many calls f for ever, so often at a time.
func many(n int, f func(i int)) {
	var wg sync.WaitGroup
	for at := range n {
		wg.Go(func() {
			for i := at; ; i += n {
				f(i)
			}
		})
	}
	wg.Wait()
}

// overSocket is an HTTP client of a socket. Its connections last.
var overSocket = sync.OnceValue(func() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1000,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", os.Getenv("CORTEX_ATTACK_API"))
		}}}
})

func send(_, what string, body []byte) {
	res, err := overSocket().Post("http://cortex/v1/"+what, "application/json", bytes.NewReader(body))
	if err == nil {
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
	}
}

func get(_, what string, header ...string) {
	r, err := http.NewRequest(http.MethodGet, "http://cortex/v1/"+what, nil)
	if err != nil {
		panic(err)
	}
	for h := range slices.Chunk(header, 2) {
		r.Header.Set(h[0], h[1])
	}
	if res, err := overSocket().Do(r); err == nil {
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
	}
}

// decide has a call judged, and closes the client.
func decide(c *client.Client, session string, i int) error {
	defer c.Close()
	r, err := c.Decide(context.Background(), client.Request{Session: session, Host: "api", Tool: "shell",
		Args: fmt.Appendf(nil, `{"cmd":"echo %d"}`, i)})
	if err == nil && r.Kind != "allow" {
		err = errors.New(r.Text())
	}
	return err
}

// TestAttacker is the process of one attacker, for the test that starts it. It runs on one processor alone.
func TestAttacker(t *testing.T) {
	name := os.Getenv("CORTEX_ATTACK")
	if name == "" {
		t.Skip("this is a part of TestNoClientMakesTheOthersWait")
	}
	if os.Getenv("CORTEX_ATTACK_PINNED") == "" {
		var first unix.CPUSet
		require.NoError(t, unix.SchedGetaffinity(0, &first))
		for i := range 1024 { // the last one
			if first.Count() > 1 {
				first.Clear(i)
			}
		}
		require.NoError(t, unix.SchedSetaffinity(0, &first)) // of this thread, and so of what it starts
		require.NoError(t, syscall.Exec("/proc/self/exe", os.Args, append(os.Environ(), "CORTEX_ATTACK_PINNED=1")))
	}
	var d daemon.Ready
	require.NoError(t, json.Unmarshal([]byte(os.Getenv("CORTEX_ATTACK_DAEMON")), &d))
	attackers[name](d)
}
