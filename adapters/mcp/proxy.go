package mcp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/opencortex-go/cortex/adapters/api/client"
	"github.com/opencortex-go/cortex/adapters/mcp/internal/merging"
	"github.com/opencortex-go/cortex/adapters/mcp/internal/pins"
	"github.com/opencortex-go/cortex/adapters/mcp/internal/wire"
)

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
		if server, own, ok := strings.Cut(tool, merging.Between); ok && (*m)[server] != nil {
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

	owing sync.Mutex
	owed  []func(context.Context) error // what the client read and the judge could not record
}

// later tells the judge of something while the client goes on. The next call is not judged
// before that is done: it may carry what was told of.
func (c *conversation) later(tell func()) {
	c.telling.Lock()
	defer c.telling.Unlock()
	c.told.Go(tell)
}

// caughtUp waits until the judge knows all that the client knows. An error means that it does not.
func (c *conversation) caughtUp() error {
	c.telling.Lock()
	defer c.telling.Unlock()
	c.told.Wait()
	for {
		c.owing.Lock()
		if len(c.owed) == 0 {
			c.owing.Unlock()
			return nil
		}
		tell := c.owed[0]
		c.owing.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		err := tell(ctx)
		cancel()
		if err != nil {
			return err
		}
		c.owing.Lock()
		c.owed = c.owed[1:]
		c.owing.Unlock()
	}
}

// record has the judge write something down. What fails is owed: it is tried again before the next call is judged.
func (c *conversation) record(tell func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := tell(ctx); err != nil {
		c.p.Logger.Error("what the model reads was not recorded; calls are denied until it is", "error", err)
		c.owing.Lock()
		c.owed = append(c.owed, tell)
		c.owing.Unlock()
	}
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
	if err := c.caughtUp(); err != nil {
		c.p.Logger.Error("a session ended before all of it was recorded", "error", err)
	}
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
	mu     sync.Mutex
	open   map[string]*asked          // by the key of the id
	theirs map[string]json.RawMessage // the server's own requests that the client has not answered: their ids, by key
}

// asked is one request without an answer.
type asked struct {
	id     json.RawMessage
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
	return &exchange{conversation: c, open: map[string]*asked{}, theirs: map[string]json.RawMessage{}}
}

// enter notes a request. It reports false if the client uses an id that is open.
func (x *exchange) enter(m *wire.Message, a *asked) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.open[m.Key()] != nil {
		return false
	}
	a.id = m.ID
	if m.Method == wire.MethodList {
		a.more = m.In().Text("cursor") != ""
	}
	x.open[m.Key()] = a
	return true
}

// answered removes the request that an answer of the server is taken for, and returns it; nil if there is none, or
// none that the server was sent: a call that is still being judged was not.
func (x *exchange) answered(id json.RawMessage) *asked {
	x.mu.Lock()
	defer x.mu.Unlock()
	key, ok := wire.Match(x.open, id)
	a := x.open[key]
	if !ok || a.stop != nil {
		return nil
	}
	delete(x.open, key)
	return a
}

// has reports whether a request has no answer yet.
func (x *exchange) has(m *wire.Message) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.open[m.Key()] != nil
}

// waits reports whether any request has no answer yet.
func (x *exchange) waits() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.open) > 0
}

// maxTheirs bounds the requests of a server that a client has not answered.
const maxTheirs = 1024

// asks notes a request of the server. It reports false if its id is in use, or too many have no answer.
func (x *exchange) asks(m *wire.Message) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.theirs[m.Key()] != nil || len(x.theirs) >= maxTheirs {
		return false
	}
	x.theirs[m.Key()] = m.ID
	return true
}

// reply returns an answer of the client with the id of the server's request that it is for; nil if there is none.
func (x *exchange) reply(m *wire.Message) *wire.Message {
	if m.ID == nil {
		return m // the error of a message that the client could not read
	}
	x.mu.Lock()
	key, ok := wire.Match(x.theirs, m.ID)
	id := x.theirs[key]
	delete(x.theirs, key)
	x.mu.Unlock()
	if !ok {
		return nil
	}
	if m, err := m.Replace(id, "id"); err == nil {
		return m
	}
	return wire.Unread(id)
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

// finish records the outcome of a call. One that is refused as it is goes on record without what was returned.
func (x *exchange) finish(a *asked, o client.Outcome) {
	o = bounded(o)
	x.record(func(ctx context.Context) error {
		err := x.p.Judge.Finish(ctx, x.p.host(), x.id, a.call, a.intent, o)
		if status := final(err); status != 0 && status != http.StatusNotFound {
			x.p.Logger.Error("the outcome of a call was refused; what it returned is not on record", "tool", a.tool,
				"error", err)
			short := client.Outcome{State: o.State, Error: "what it returned could not be recorded", Cut: true}
			err = x.p.Judge.Finish(ctx, x.p.host(), x.id, a.call, a.intent, short)
		}
		if final(err) != 0 { // no such call is open any more
			x.p.Logger.Error("the outcome of a call was refused", "tool", a.tool, "error", err)
			return nil
		}
		return err
	})
}

// final returns the status of an answer of the judge that another try will not change; 0 for any other error.
func final(err error) int {
	var refused *client.Refused
	if !errors.As(err, &refused) || refused.Status >= http.StatusInternalServerError ||
		refused.Status == http.StatusTooManyRequests || refused.Status == http.StatusRequestTimeout {
		return 0
	}
	return refused.Status
}
