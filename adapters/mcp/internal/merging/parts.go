package merging

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/adapters/mcp/internal/wire"
)

// parts are the answers of single servers that become one answer. A server that takes too long holds up nothing:
// the answer is made of what it said before, or without it. Once it does answer, the client is told to ask again.
type parts struct {
	late map[partKey]*part         // that are still waited for
	last map[partKey][]wire.Object // what a server said last
}

// partKey is a server and what it is asked.
type partKey struct{ server, method string }

// part is what one server is asked.
type part struct {
	done  chan struct{} // closed once it has answered
	stop  context.CancelFunc
	pages []wire.Object
	err   error
}

var errLate = errors.New("it did not answer in time")

// partTime is how long one server may take to answer.
func (l *Merged) partTime(method string) time.Duration {
	if method == wire.MethodInitialize || method == wire.MethodDiscover {
		return 6 * l.opt.Part
	}
	return l.opt.Part
}

// part asks one server until ctx ends. A server that owes an answer is not asked once more.
func (l *Merged) part(ctx context.Context, name string, m *wire.Message) ([]wire.Object, error) {
	key := partKey{name, m.Method}
	l.mu.Lock()
	owes := l.parts.late[key] != nil
	l.mu.Unlock()
	if owes {
		return l.without(key)
	}
	asking, stop := context.WithCancel(l.ctx)
	one := &part{done: make(chan struct{}), stop: stop}
	l.work.Go(func() {
		defer stop()
		one.pages, one.err = l.pages(asking, name, m)
		l.arrived(key, one)
	})
	select {
	case <-one.done:
		return one.pages, one.err
	case <-ctx.Done():
	}
	l.mu.Lock()
	select {
	case <-one.done:
		l.mu.Unlock()
		return one.pages, one.err
	default:
	}
	if l.parts.late[key] == nil && listChanges(m.Method) != nil {
		l.parts.late[key] = one
	} else {
		stop() // its answer is of no use any more
	}
	l.mu.Unlock()
	return l.without(key)
}

// without returns what a server said before.
func (l *Merged) without(key partKey) ([]wire.Object, error) {
	if l.ctx.Err() != nil {
		return nil, l.ctx.Err()
	}
	l.opt.Logger.Warn("a server does not answer in time; what it said before is given, if anything", "server", key.server,
		"method", key.method)
	l.mu.Lock()
	defer l.mu.Unlock()
	if pages := l.parts.last[key]; pages != nil {
		return pages, nil
	}
	return nil, errLate
}

// arrived notes an answer, and tells the client if it came too late and says something new.
func (l *Merged) arrived(key partKey, one *part) {
	l.mu.Lock()
	close(one.done)
	late := l.parts.late[key] == one
	if late {
		delete(l.parts.late, key)
	}
	news := late && one.err == nil && !samePages(l.parts.last[key], one.pages)
	if one.err == nil {
		l.parts.last[key] = one.pages
	}
	l.mu.Unlock()
	if !news {
		return
	}
	for _, method := range listChanges(key.method) {
		l.hand(wire.Own(map[string]any{"jsonrpc": "2.0", "method": method}))
	}
}

// samePages reports whether two answers are one.
func samePages(a, b []wire.Object) bool {
	return slices.EqualFunc(a, b, func(a, b wire.Object) bool {
		return slices.EqualFunc(a, b, func(a, b wire.Member) bool { return a.Key == b.Key && bytes.Equal(a.Value, b.Value) })
	})
}

// listChanges are the notifications after which a client asks again for what a late answer belongs to; none where
// there is nothing to ask again.
func listChanges(method string) []string {
	const prompts, resources = "notifications/prompts/list_changed", "notifications/resources/list_changed"
	switch {
	case method == wire.MethodInitialize || method == wire.MethodDiscover:
		return []string{wire.NoteTools, prompts, resources}
	case method == wire.MethodList:
		return []string{wire.NoteTools}
	case method == "prompts/list":
		return []string{prompts}
	case strings.HasPrefix(method, "resources/"):
		return []string{resources}
	}
	return nil
}
