package mcp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/opencortex-go/cortex/adapters/api/client"
	"github.com/opencortex-go/cortex/adapters/mcp/internal/pins"
	"github.com/opencortex-go/cortex/adapters/mcp/internal/wire"
)

// stateless is the first protocol version without sessions.
const stateless = "2026-07-28"

// Options configure a [Proxy].
type Options struct {
	// Name is how the user calls what stands behind the proxy. Sessions are of the host
	// "mcp:NAME".
	Name string
	// Judge decides. nil denies every call.
	Judge Judge
	// Capabilities are offered beside the tools of the server. nil offers none.
	Capabilities Capabilities
	// Pins is the file that keeps the definitions of tools. "" keeps them in memory.
	Pins string
	// Wait is how long a call waits for a person where the client does not hear progress.
	// 0 means 25 seconds, since clients give up after 30 to 60.
	Wait time.Duration
	// Patience is how long a call waits for a person where the client hears progress. 0
	// means ten minutes.
	Patience time.Duration
	// Beat is the time between two notifications of progress. 0 means five seconds.
	Beat time.Duration
	// Part is how long a server of a [Merge] may take for its part of a list. 0 means five seconds. A greeting may
	// take six times as long, since servers are started for it.
	Part time.Duration
	// Logger gets what an operator should know. nil discards it.
	Logger *slog.Logger
}

func (o Options) orDefaults() Options {
	for _, d := range []struct {
		set *time.Duration
		to  time.Duration
	}{{&o.Wait, 25 * time.Second}, {&o.Patience, 10 * time.Minute}, {&o.Beat, 5 * time.Second},
		{&o.Part, 5 * time.Second}} {
		if *d.set == 0 {
			*d.set = d.to
		}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// Proxy judges what passes between clients and a server. It is safe for concurrent use.
type Proxy struct {
	Options
	pins   *pins.Pins
	merged atomic.Pointer[Merge] // what stands behind, where that is several
	offers offered
}

// own is a tool's name as its server has it, which is the one that rules know.
func (p *Proxy) own(tool string) string {
	if m := p.merged.Load(); m != nil {
		if server, own, ok := strings.Cut(tool, between); ok && (*m)[server] != nil {
			return own
		}
	}
	return tool
}

// New returns a proxy. An error says that the file of pins cannot be read.
func New(o Options) (*Proxy, error) {
	kept, err := pins.Open(o.Pins)
	if err != nil {
		return nil, err
	}
	return &Proxy{Options: o.orDefaults(), pins: kept}, nil
}

func (p *Proxy) host() string { return "mcp:" + p.Name }

// conversation is one session of the judge: what one client and the server say.
type conversation struct {
	p  *Proxy
	id string

	mu    sync.Mutex
	read  map[string]bool // digests of texts that were read
	calls int
	tools known

	telling sync.Mutex     // held while nothing new may be told
	told    sync.WaitGroup // what is being told to the judge
}

// later tells the judge of something while the client goes on. The next call is not judged
// before that is done: it may carry what was told of.
func (c *conversation) later(tell func()) {
	c.telling.Lock()
	defer c.telling.Unlock()
	c.told.Go(tell)
}

// caughtUp waits until the judge knows all that the client knows.
func (c *conversation) caughtUp() {
	c.telling.Lock()
	defer c.telling.Unlock()
	c.told.Wait()
}

// name returns a name for a call that no other call of the conversation has.
func (c *conversation) name() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	return strconv.Itoa(c.calls)
}

func (p *Proxy) converse() *conversation {
	return &conversation{p: p, id: "mcp-" + rand.Text()[:16], read: map[string]bool{}}
}

// end tells the judge that the conversation is over.
func (c *conversation) end() {
	c.caughtUp()
	if c.p.Judge == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := c.p.Judge.End(ctx, c.p.host(), c.id); err != nil {
		c.p.Logger.Warn("the end of a session was not recorded", "error", err)
	}
}

// patience is how long the judge may take to write something down.
const patience = 10 * time.Second

// exchange is the requests of a client that have no answer yet. The ids of one connection
// are its own, so each connection has one, and each request of an era without sessions.
type exchange struct {
	*conversation
	mu   sync.Mutex
	open map[string]*asked // by id
}

// asked is one request without an answer.
type asked struct {
	method string
	tool   string
	more   bool   // of a list, a page that is not the first
	name   string // what a prompt or resource is called
	intent uint64 // of a call that was allowed
	call   string

	stop      context.CancelFunc // of a call that is being judged
	cancelled bool
}

func (c *conversation) exchange() *exchange {
	return &exchange{conversation: c, open: map[string]*asked{}}
}

// enter notes a request. It reports false if the client uses an id that is open.
func (x *exchange) enter(m *wire.Message, a *asked) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.open[m.Key()] != nil {
		return false
	}
	if m.Method == wire.MethodList {
		params, _ := wire.Members(m.Params)
		a.more = cursorIn(params, "cursor") != ""
	}
	x.open[m.Key()] = a
	return true
}

// early reports whether a message answers a call that is still being judged, so that the server has not got it.
func (x *exchange) early(m *wire.Message) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	a := x.open[m.Key()]
	return a != nil && a.stop != nil
}

// leave removes a request, and returns it; nil if none has the id.
func (x *exchange) leave(id json.RawMessage) *asked {
	x.mu.Lock()
	defer x.mu.Unlock()
	a := x.open[wire.IDKey(id)]
	delete(x.open, wire.IDKey(id))
	return a
}

// abandon says of each call that has no answer by now that its outcome is not known.
func (x *exchange) abandon() {
	x.mu.Lock()
	open := x.open
	x.open = map[string]*asked{}
	x.mu.Unlock()
	for _, a := range open {
		if a.intent != 0 {
			x.finish(a, client.Outcome{State: "unknown", Error: "the connection ended before the server answered"})
		}
	}
}

// finish records the outcome of a call.
func (x *exchange) finish(a *asked, o client.Outcome) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := x.p.Judge.Finish(ctx, x.p.host(), x.id, a.call, a.intent, o); err != nil {
		x.p.Logger.Error("the outcome of a call was not recorded", "tool", a.tool, "error", err)
	}
}
