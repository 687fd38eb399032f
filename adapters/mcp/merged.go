package mcp

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

// merged is one link over several. A request goes to the server that it names, or to all of
// them, and then their answers become one.
type merged struct {
	p     *Proxy
	names []string // in order
	to    map[string]link
	ctx   context.Context
	stop  context.CancelFunc
	said  chan []byte
	work  sync.WaitGroup

	mu    sync.Mutex
	own   map[string]question // requests of our own, by id
	open  map[string]string   // the server with a request of the client that waits, by id
	uris  map[string]string   // the server that has a resource, by address
	heads map[string]string   // the server that has a template of resources, by what its addresses begin with
	parts parts
}

// question is a request of our own to one server.
type question struct {
	server string
	answer chan *wire.Message
}

func newMerged(p *Proxy, names []string) *merged {
	ctx, stop := context.WithCancel(context.Background())
	return &merged{p: p, names: names, to: map[string]link{}, ctx: ctx, stop: stop, said: make(chan []byte),
		own: map[string]question{}, open: map[string]string{}, uris: map[string]string{},
		heads: map[string]string{}, parts: parts{late: map[partKey]*part{}, last: map[partKey][]wire.Object{}}}
}

// join adds a server, and listens to it.
func (l *merged) join(name string, to link) {
	l.to[name] = to
	l.work.Go(func() {
		for {
			raw, err := to.receive()
			if err != nil {
				if l.ctx.Err() == nil {
					l.p.Logger.Error("a server behind the proxy has ended", "server", name, "error", err)
				}
				l.stop() // a client is told of an end, and not of a server that has left
				return
			}
			if m, err := wire.Parse(raw); err == nil {
				l.fromServer(name, m)
			} else {
				l.p.Logger.Warn("a server said something that is not one JSON-RPC message; it was dropped", "server", name,
					"error", err)
			}
		}
	})
}

func (l *merged) receive() ([]byte, error) {
	select {
	case raw := <-l.said:
		return raw, nil
	case <-l.ctx.Done():
		return nil, io.EOF
	}
}

func (l *merged) hand(raw []byte) {
	select {
	case l.said <- raw:
	case <-l.ctx.Done():
	}
}

func (l *merged) close() error {
	l.stop()
	var err error
	for _, to := range l.to {
		err = errors.Join(err, to.close())
	}
	l.work.Wait()
	return err
}

// fromServer passes a message on. Requests of servers get ids that say whose they are. A server answers what it
// was asked, and nothing that another one was.
func (l *merged) fromServer(name string, m *wire.Message) {
	if !m.Response() {
		raw := m.Raw
		if m.ID != nil {
			id, _ := json.Marshal(name + between + string(m.ID))
			raw = replaced(raw, id, "id")
		}
		l.hand(raw)
		return
	}
	l.mu.Lock()
	mine, theirs := l.own[m.Key()].server == name, l.open[m.Key()] == name
	answer := l.own[m.Key()].answer
	if mine {
		delete(l.own, m.Key())
	} else if theirs {
		delete(l.open, m.Key())
	}
	l.mu.Unlock()
	switch {
	case mine:
		answer <- m
	case theirs:
		l.hand(m.Raw)
	default:
		l.p.Logger.Warn("a server answered what it was not asked; it was dropped", "server", name)
	}
}

// send takes a message of the client.
func (l *merged) send(ctx context.Context, raw []byte) error {
	m, err := wire.Parse(raw)
	if err != nil {
		return err
	}
	params, _ := wire.Members(m.Params)
	switch {
	case m.Response():
		var id string
		_ = json.Unmarshal(m.ID, &id)
		if name, theirs, ok := strings.Cut(id, between); ok && l.to[name] != nil {
			return l.to[name].send(ctx, replaced(m.Raw, json.RawMessage(theirs), "id"))
		}
		return nil
	case m.Method == wire.NoteCancelled:
		l.mu.Lock()
		name := l.open[wire.IDKey(params.Get("requestId"))]
		l.mu.Unlock()
		if name == "" {
			return nil
		}
		return l.to[name].send(ctx, m.Raw)
	case !m.Call():
		for _, name := range l.names {
			err = errors.Join(err, l.to[name].send(ctx, m.Raw))
		}
		return err
	}
	if join, ok := joins[m.Method]; ok {
		l.work.Go(func() { l.hand(l.all(m, join)) })
		return nil
	}
	name, raw := l.owner(m, params)
	if name == "" {
		l.work.Go(func() {
			l.hand(wire.Failure(m.ID, wire.CodeInvalidParams,
				"no server behind this proxy has what this asks for; list what there is"))
		})
		return nil
	}
	l.mu.Lock()
	l.open[m.Key()] = name
	l.mu.Unlock()
	return l.to[name].send(ctx, raw)
}

// owner returns the server that a request is for, and the request as that server knows it.
func (l *merged) owner(m *wire.Message, params wire.Object) (string, []byte) {
	path := []string{"params"}
	if m.Method == "completion/complete" {
		params, _ = wire.Members(params.Get("ref"))
		path = append(path, "ref")
	}
	var name, uri string
	if json.Unmarshal(params.Get("name"), &name) == nil && name != "" {
		server, own, ok := strings.Cut(name, between)
		if !ok || l.to[server] == nil {
			return "", nil
		}
		text, _ := json.Marshal(own)
		return server, replaced(m.Raw, text, append(path, "name")...)
	}
	if json.Unmarshal(params.Get("uri"), &uri) != nil {
		return "", nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if server := l.uris[uri]; server != "" {
		return server, m.Raw
	}
	longest, server := -1, ""
	for head, name := range l.heads {
		if strings.HasPrefix(uri, head) && len(head) > longest {
			longest, server = len(head), name
		}
	}
	return server, m.Raw
}

// ask sends a request of our own to one server.
func (l *merged) ask(ctx context.Context, name, method string, params json.RawMessage) (*wire.Message, error) {
	answer := make(chan *wire.Message, 1)
	id, _ := json.Marshal("cortex-" + rand.Text()) // as no client has it
	l.mu.Lock()
	l.own[wire.IDKey(id)] = question{name, answer}
	l.mu.Unlock()
	raw := wire.Encode(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params,omitempty"`
	}{"2.0", id, method, params})
	if err := l.to[name].send(ctx, raw); err != nil {
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
func (l *merged) all(m *wire.Message, join joiner) []byte {
	answers := make(map[string][]wire.Object, len(l.names))
	var mu sync.Mutex
	var asking sync.WaitGroup
	ctx, stop := context.WithTimeout(l.ctx, l.p.partTime(m.Method))
	defer stop()
	for _, name := range l.names {
		asking.Go(func() {
			pages, err := l.part(ctx, name, m)
			if err != nil {
				l.p.Logger.Info("a server has nothing to add", "server", name, "error", err)
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
	return wire.Encode(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  json.RawMessage `json:"result"`
	}{"2.0", m.ID, join(l, answers)})
}

// mostPages bounds a list that a server sends in parts.
const mostPages = 100

// pages asks one server until it has said all: its last page names no other one, or one that was read. A page
// that says what another one said is left out. A page that the client names is of no list that it has.
func (l *merged) pages(ctx context.Context, name string, m *wire.Message) (pages []wire.Object, err error) {
	asked, said := map[string]bool{}, map[string]bool{}
	params := m.Params
	if of, err := wire.Members(params); err == nil && of.Get("cursor") != nil {
		params = slices.DeleteFunc(of, func(m wire.Member) bool { return m.Key == "cursor" }).With("", nil)
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
		text := string(slices.DeleteFunc(slices.Clone(page), isNext).With("", nil))
		if !said[text] || pages == nil {
			pages = append(pages, page)
		}
		said[text] = true
		cursor := cursorIn(page, "nextCursor")
		if cursor == "" || asked[cursor] || m.Method == wire.MethodInitialize || m.Method == wire.MethodDiscover {
			return pages, nil
		}
		asked[cursor] = true
		next, _ := wire.Members(params)
		params = next.Set("cursor", page.Get("nextCursor"))
	}
	return pages, nil
}
