package merging

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/opencortex-go/cortex/adapters/mcp/internal/wire"
)

// Merged is one link over several. A request goes to the server that it names, or to all of
// them, and then their answers become one.
type Merged struct {
	opt   Options
	names []string // in order
	to    map[string]Link
	ctx   context.Context
	stop  context.CancelFunc
	said  chan *wire.Message
	work  sync.WaitGroup

	mu    sync.Mutex
	own   map[string]question // requests of our own, by id
	open  map[string]pending  // requests of the client that wait for a server, by id
	asks  map[string]pending  // requests of servers that wait for the client, by the id that it knows
	uris  map[string]string   // the server that has a resource, by address
	heads map[string]string   // the server that has a template of resources, by what its addresses begin with
	parts parts
}

// pending is a request without an answer: of the client to a server, or of a server to the client. The id is that
// of who asks.
type pending struct {
	server string
	id     json.RawMessage
}

// question is a request of our own to one server.
type question struct {
	server string
	answer chan *wire.Message
}

// New returns a link without servers. [Merged.Join] adds those with these names.
func New(opt Options, names []string) *Merged {
	ctx, stop := context.WithCancel(context.Background())
	return &Merged{opt: opt, names: slices.Sorted(slices.Values(names)), to: map[string]Link{}, ctx: ctx,
		stop: stop, said: make(chan *wire.Message),
		own: map[string]question{}, open: map[string]pending{}, asks: map[string]pending{}, uris: map[string]string{},
		heads: map[string]string{}, parts: parts{late: map[partKey]*part{}, last: map[partKey][]wire.Object{}}}
}

// Join adds a server, and listens to it.
func (l *Merged) Join(name string, to Link) {
	l.to[name] = to
	l.work.Go(func() {
		for {
			m, err := to.Receive()
			if err != nil {
				if l.ctx.Err() == nil {
					l.opt.Logger.Error("a server behind the proxy has ended", "server", name, "error", err)
				}
				l.stop() // a client is told of an end, and not of a server that has left
				return
			}
			l.fromServer(name, m)
		}
	})
}

// Receive implements [Link].
func (l *Merged) Receive() (*wire.Message, error) {
	select {
	case m := <-l.said:
		return m, nil
	case <-l.ctx.Done():
		return nil, io.EOF
	}
}

func (l *Merged) hand(m *wire.Message) {
	select {
	case l.said <- m:
	case <-l.ctx.Done():
	}
}

// Close implements [Link].
func (l *Merged) Close() error {
	l.stop()
	var err error
	for _, to := range l.to {
		err = errors.Join(err, to.Close())
	}
	l.work.Wait()
	return err
}

// fromServer passes a message on. A server answers what it was asked, and nothing that another one was.
func (l *Merged) fromServer(name string, m *wire.Message) {
	if !m.Response() {
		l.asked(name, m)
		return
	}
	l.mu.Lock()
	mine, own := l.own[m.Key()]
	theirs, key := l.waits(name, m)
	if own = own && mine.server == name; own {
		delete(l.own, m.Key())
	} else {
		delete(l.open, key)
	}
	l.mu.Unlock()
	switch {
	case own:
		mine.answer <- m
	case theirs != nil:
		l.handAs(m, theirs, "id")
	default:
		l.opt.Logger.Warn("a server answered what it was not asked; it was dropped", "server", name)
	}
}

// waits returns the id of the client's request to a server that an answer is taken for, and its key.
func (l *Merged) waits(name string, m *wire.Message) (id json.RawMessage, key string) {
	mine := map[string]pending{}
	for key, w := range l.open {
		if w.server == name {
			mine[key] = w
		}
	}
	key, _ = wire.Match(mine, m.ID)
	return mine[key].id, key
}

// handAs hands a message on with another value at a path.
func (l *Merged) handAs(m *wire.Message, value json.RawMessage, path ...string) {
	changed, err := m.Replace(value, path...)
	if err != nil {
		l.opt.Logger.Error("a message of a server was not passed on", "error", err)
		return
	}
	l.hand(changed)
}

// asked passes on what a server asks or notes. Its requests get ids of ours: those of two servers may be equal.
func (l *Merged) asked(name string, m *wire.Message) {
	l.mu.Lock()
	id := json.RawMessage(wire.Encode(name + Between + rand.Text()))
	path := []string{"id"}
	switch {
	case m.Method == wire.NoteCancelled:
		path = []string{"params", "requestId"}
		id = l.known(name, m.In().Get("requestId"))
	case m.ID == nil:
		id = nil
	case len(l.asks) >= maxAsks:
		l.mu.Unlock()
		l.opt.Logger.Warn("a server asks more than the client answers; it was refused", "server", name)
		l.work.Go(func() {
			_ = l.to[name].Send(l.ctx, wire.Failure(m.ID, wire.CodeInvalidRequest, "too many requests have no answer"))
		})
		return
	default:
		l.asks[wire.IDKey(id)] = pending{name, m.ID}
	}
	l.mu.Unlock()
	if id == nil {
		l.hand(m)
		return
	}
	l.handAs(m, id, path...)
}

// known returns the id under which the client knows a request of a server; nil if it has been answered.
func (l *Merged) known(name string, id json.RawMessage) json.RawMessage {
	for key, a := range l.asks {
		if a.server == name && wire.IDKey(a.id) == wire.IDKey(id) {
			return json.RawMessage(key)
		}
	}
	return nil
}

// Send implements [Link] for a message of the client.
func (l *Merged) Send(ctx context.Context, m *wire.Message) error {
	switch {
	case m.Response():
		return l.replied(ctx, m)
	case m.Method == wire.NoteCancelled:
		l.mu.Lock()
		name := l.open[wire.IDKey(m.In().Get("requestId"))].server
		l.mu.Unlock()
		if name == "" {
			return nil
		}
		return l.to[name].Send(ctx, m)
	case !m.Call():
		var err error
		for _, name := range l.names {
			err = errors.Join(err, l.to[name].Send(ctx, m))
		}
		return err
	}
	if join, ok := joins[m.Method]; ok {
		l.work.Go(func() { l.hand(l.all(m, join)) })
		return nil
	}
	name, onward, err := l.owner(m)
	if name == "" || err != nil {
		l.work.Go(func() {
			l.hand(wire.Failure(m.ID, wire.CodeInvalidParams,
				"no server behind this proxy has what this asks for; list what there is"))
		})
		return nil //nolint:nilerr // the client has its answer
	}
	l.mu.Lock()
	l.open[m.Key()] = pending{name, m.ID}
	l.mu.Unlock()
	return l.to[name].Send(ctx, onward)
}

// replied takes the client's answer to the server that asked.
func (l *Merged) replied(ctx context.Context, m *wire.Message) error {
	if m.ID == nil {
		return nil // whose message it could not read is not known
	}
	l.mu.Lock()
	a, ok := l.asks[m.Key()]
	delete(l.asks, m.Key())
	l.mu.Unlock()
	if !ok {
		return nil
	}
	own, err := m.Replace(a.id, "id")
	if err != nil {
		return err
	}
	return l.to[a.server].Send(ctx, own)
}

// owner returns the server that a request is for, and the request as that server knows it; "" if there is none.
func (l *Merged) owner(m *wire.Message) (string, *wire.Message, error) {
	path, params := []string{"params"}, m.In()
	if m.Method == "completion/complete" {
		params = params.Object("ref")
		path = append(path, "ref")
	}
	if name := params.Text("name"); name != "" {
		server, own, ok := strings.Cut(name, Between)
		if !ok || l.to[server] == nil {
			return "", nil, nil
		}
		onward, err := m.Replace(wire.Encode(own), append(path, "name")...)
		return server, onward, err
	}
	uri := params.Text("uri")
	l.mu.Lock()
	defer l.mu.Unlock()
	if server := l.uris[uri]; server != "" {
		return server, m, nil
	}
	longest, server := -1, ""
	for head, name := range l.heads {
		if strings.HasPrefix(uri, head) && len(head) > longest {
			longest, server = len(head), name
		}
	}
	return server, m, nil
}

// ask sends a request of our own to one server.
func (l *Merged) ask(ctx context.Context, name, method string, params json.RawMessage) (*wire.Message, error) {
	answer := make(chan *wire.Message, 1)
	id, _ := json.Marshal("cortex-" + rand.Text()) // as no client has it
	l.mu.Lock()
	l.own[wire.IDKey(id)] = question{name, answer}
	l.mu.Unlock()
	asks := wire.Own(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params,omitempty"`
	}{"2.0", id, method, params})
	if err := l.to[name].Send(ctx, asks); err != nil {
		return nil, err
	}
	select {
	case m := <-answer:
		if m.Fail != nil {
			return nil, fmt.Errorf("%s answers %s with %s", name, method, m.Fail)
		}
		return m, nil
	case <-ctx.Done():
		l.mu.Lock()
		delete(l.own, wire.IDKey(id))
		l.mu.Unlock()
		return nil, ctx.Err()
	}
}

// all asks every server, and makes one answer of theirs. One that does not know the method
// has nothing to add, and one that does not answer in time is not waited for: see parts.go.
func (l *Merged) all(m *wire.Message, join joiner) *wire.Message {
	answers := make(map[string][]wire.Object, len(l.names))
	var mu sync.Mutex
	var asking sync.WaitGroup
	ctx, stop := context.WithTimeout(l.ctx, l.partTime(m.Method))
	defer stop()
	for _, name := range l.names {
		asking.Go(func() {
			pages, err := l.part(ctx, name, m)
			if err != nil {
				l.opt.Logger.Info("a server has nothing to add", "server", name, "error", err)
				return
			}
			mu.Lock()
			answers[name] = pages
			mu.Unlock()
		})
	}
	asking.Wait()
	if len(answers) == 0 {
		return wire.Failure(m.ID, wire.CodeInternal, "no server behind this proxy answers "+m.Method)
	}
	return wire.Answered(m.ID, join(l, answers))
}

// mostPages bounds a list that a server sends in parts.
const mostPages = 100

// pages asks one server until it has said all: its last page names no other one, or one that was read. A page
// that says what another one said is left out. A page that the client names is of no list that it has.
func (l *Merged) pages(ctx context.Context, name string, m *wire.Message) (pages []wire.Object, err error) {
	asked, said := map[string]bool{}, map[string]bool{}
	params := m.Params
	if of := m.In(); of.Get("cursor") != nil {
		if params, err = of.Set("cursor", nil).JSON(); err != nil {
			return nil, err
		}
	}
	for len(asked) < mostPages {
		got, err := l.ask(ctx, name, m.Method, params)
		if err != nil {
			return nil, err
		}
		page, err := wire.Members(got.Result)
		if err != nil {
			return nil, err
		}
		text, err := page.Set("nextCursor", nil).JSON()
		if err != nil {
			return nil, err
		}
		if !said[string(text)] || pages == nil {
			pages = append(pages, page)
		}
		said[string(text)] = true
		cursor := page.Text("nextCursor")
		if cursor == "" || asked[cursor] || m.Method == wire.MethodInitialize || m.Method == wire.MethodDiscover {
			return pages, nil
		}
		asked[cursor] = true
		next, _ := wire.Members(params)
		if params, err = next.Set("cursor", page.Get("nextCursor")).JSON(); err != nil {
			return nil, err
		}
	}
	return pages, nil
}
