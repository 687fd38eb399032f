//go:build linux

package wire

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/gateways/client"
	"github.com/opencortex-go/cortex/gateways/internal/protocol"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/internal/fair"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
)

// The crowd: 200 clients, of which 20 mean harm.
const (
	peaceful = 180
	hostile  = 20
	silent   = 6 // of those that only leave answers unread
	// memoryCap is what the process may hold at its worst, the clients included.
	memoryCap = 192 << 20
	// unreadCap is what unread answers may take.
	unreadCap = 80 << 20
	// loadEnv asks for the long form, which judges times: make load.
	loadEnv = "CORTEX_LOAD"
)

// crowd is a house with a record on disk, and what its clients were promised.
type crowd struct {
	*house
	dir    string
	mu     sync.Mutex
	said   map[uint64]string // by the record that was accepted
	trips  []time.Duration
	rounds int
	every  time.Duration // between two requests of one client
}

// newCrowd opens a record in dir.
func newCrowd(t *testing.T, dir string, change ...func(setup)) *crowd {
	change = append(change, func(s setup) { s.Engine.Dir = dir })
	c := &crowd{house: open(t, `(:repeat t :reply "noted")`, change...), dir: dir, said: map[uint64]string{}, rounds: 10,
		every: 100 * time.Millisecond}
	if os.Getenv(loadEnv) != "" {
		c.rounds = 200
	}
	return c
}

// talk is one client that means well: now and then it asks how the engine stands,
// and says something in a session of its own.
func (c *crowd) talk(t *testing.T, name string, words bool) {
	k, err := client.Dial(t.Context(), c.opt.Socket)
	if !assert.NoError(t, err) {
		return
	}
	defer func() { _ = k.Close() }()
	k.Session = name
	tick := time.NewTicker(c.every)
	defer tick.Stop()
	for i := range c.rounds {
		<-tick.C
		began := time.Now()
		_, err := k.Eval(t.Context(), sexpr.ListOf(sexpr.Sym("status")))
		took := time.Since(began)
		if !assert.NoError(t, err) {
			return
		}
		c.mu.Lock()
		c.trips = append(c.trips, took)
		c.mu.Unlock()
		if words && i%5 == 0 {
			c.tell(t, k, fmt.Sprintf("%s says %d", name, i))
		}
	}
}

// tell says something and notes what was promised.
func (c *crowd) tell(t *testing.T, k *client.Conn, text string) {
	_, err := k.Signal(t.Context(), client.Message{Text: text, Accepted: func(seq uint64) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.said[seq] = text
	}})
	assert.NoError(t, err)
}

// meet lets everybody who means well talk, and returns the 50th and the 99th
// percentile of a round trip.
func (c *crowd) meet(t *testing.T) (p50, p99 time.Duration) {
	c.trips = nil
	var wg sync.WaitGroup
	for i := range peaceful {
		wg.Go(func() { c.talk(t, fmt.Sprintf("client-%d", i), i%10 == 0) })
	}
	wg.Wait()
	slices.Sort(c.trips)
	require.NotEmpty(t, c.trips)
	return c.trips[len(c.trips)/2], c.trips[len(c.trips)*99/100]
}

// attack is one client that means harm, again and again until ctx ends.
func attack(ctx context.Context, socket string, kind int) {
	status := frame(`(:id 1 :type :request :target :repl :payload (:form (status)))`)
	big := frame(`(:id 1 :type :request :target :repl :payload (:form "` + strings.Repeat("x", 200_000) + `"))`)
	event := frame(`(:id 1 :type :event :payload (:sensor :user-input :text "spam"))`)
	texts := []string{"ZZZZZZ not a frame", "0FFFFF(:id 1", status, big, event}
	for text := texts[kind%len(texts)]; ; {
		nc, err := net.Dial("unix", socket)
		if err != nil {
			return // the server is closed
		}
		halt := context.AfterFunc(ctx, func() { _ = nc.Close() })
		reads := kind%len(texts) == 2 || kind%len(texts) == 4 // these floods read, the others never do
		if reads {
			go func() { _, _ = io.Copy(io.Discard, nc) }()
		}
		for err == nil {
			_, err = io.WriteString(nc, text)
			if kind%len(texts) == 1 && err == nil {
				<-ctx.Done() // half a frame, and silence
				break
			}
		}
		halt()
		_ = nc.Close()
		if ctx.Err() != nil {
			return
		}
	}
}

// besiege lets everybody attack until the function that it returns is called,
// which says how much memory the process held at its worst.
func (c *crowd) besiege() (end func() (most uint64)) {
	runtime.GC() // what a test before this one held makes no garbage of this one's
	ctx, stop := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for i := range hostile {
		wg.Go(func() { attack(ctx, c.opt.Socket, i) })
	}
	var most uint64
	wg.Go(func() {
		look := time.NewTicker(20 * time.Millisecond)
		defer look.Stop()
		for {
			most = max(most, heap())
			select {
			case <-look.C:
			case <-ctx.Done():
				return
			}
		}
	})
	return func() uint64 { stop(); wg.Wait(); return most }
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// lost returns what was promised and is not on the record in dir.
func (c *crowd) lost(t *testing.T, dir string) []string {
	e, err := cortex.Open(t.Context(), cortex.Options{Dir: dir, Rules: fstest.MapFS{"rules.lisp": {Data: []byte(rules)}}})
	require.NoError(t, err)
	defer func() { assert.NoError(t, e.Close()) }()
	there := map[uint64]string{}
	require.NoError(t, e.Journal().Records(1, func(r cortex.Record) error {
		if r.Kind == "signal" {
			s, err := perceive.DecodeSignal(r.Body)
			there[r.Seq] = s.Text
			return err
		}
		return nil
	}))
	var out []string
	for seq, text := range c.said {
		if there[seq] != text {
			out = append(out, text)
		}
	}
	return out
}

// 200 clients, 20 of them hostile: the others are answered, memory stays under
// its cap, and nothing that was accepted is lost. All are in one process here, and
// take its time from each other: [TestLoad_ASiegeByAnotherProcess] looks at times.
func TestLoad_ACrowdWithEnemiesInIt(t *testing.T) {
	crashtest.Long(t)
	dir := filepath.Join(t.TempDir(), "record")
	c := newCrowd(t, dir)
	c.tell(t, c.dial(c.opt.Socket), "before")
	c.shut()
	before := filepath.Join(t.TempDir(), "before")
	require.NoError(t, os.CopyFS(before, os.DirFS(dir)))

	again := newCrowd(t, dir)
	again.said = c.said
	c = again
	quiet50, quiet99 := c.meet(t)
	end := c.besiege()
	p50, p99 := c.meet(t)
	most := end()
	t.Logf("round trip of (status), %d clients: quiet p50 %s p99 %s; beside %d hostile ones p50 %s p99 %s (%.1f "+
		"times); at most %d MiB in use; %d signals accepted",
		peaceful, quiet50, quiet99, hostile, p50, p99, float64(p99)/float64(quiet99), most>>20, len(c.said))
	assert.Less(t, most, uint64(memoryCap), "memory")
	c.shut()
	assert.Empty(t, c.lost(t, dir), "accepted and lost")
	// The check itself: a record that ends before most was promised lacks it.
	assert.Len(t, c.lost(t, before), len(c.said)-1, "what was promised too early is found out")
}

// Clients that never read hold little, and the check of that finds a server
// without bounds.
func TestLoad_UnreadAnswersAreBounded(t *testing.T) {
	crashtest.Long(t)
	bounded := unread(t, 2*time.Second)
	unbounded := unread(t, 5*time.Second, func(s setup) {
		s.Wire.Queue, s.Wire.MaxAnswer, s.Wire.Requests = 1<<20, protocol.MaxFrame-frameRoom, 1<<10
		s.Wire.WriteTimeout = time.Hour
		s.Wire.Pool = fair.New(fair.Options{Bytes: 1 << 40, Turns: [...]int{1 << 20, 1 << 20, 1 << 20, 1 << 20}})
	})
	t.Logf("answers that %d clients do not read: %d MiB, and without bounds %d MiB", silent, bounded>>20, unbounded>>20)
	assert.Less(t, bounded, uint64(unreadCap))
	assert.Greater(t, unbounded, uint64(unreadCap))
}

// unread returns what is held for clients that read nothing of 26 MB each, and
// give up when nothing more is taken from them for some time.
func unread(t *testing.T, patience time.Duration, change ...func(setup)) uint64 {
	h := open(t, "", change...)
	big := frame(`(:id 1 :type :request :target :repl :payload (:form "` + strings.Repeat("x", 200_000) + `"))`)
	var wg sync.WaitGroup
	var all []*raw
	for range silent {
		r := h.raw(h.opt.Socket)
		all = append(all, r)
		require.NoError(t, r.nc.SetWriteDeadline(time.Now().Add(patience)))
		wg.Go(func() {
			for range 130 {
				if _, err := io.WriteString(r.nc, big); err != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	runtime.GC()
	held := heap()
	for _, r := range all {
		_ = r.nc.Close() // it may have been cut off
	}
	h.shut()
	return held
}
