package gatewaytest

import (
	"context"
	"fmt"
	"sync"

	"github.com/opencortex-go/cortex/gateways"
	"github.com/opencortex-go/cortex/gateways/card"
)

// Memory is the simplest messenger there is: a list of updates and a list of
// messages, in this process. It is a gateway and its service in one, shows how
// small a gateway can be, and tests the suite itself and the bridge.
type Memory struct {
	mu      sync.Mutex
	changed chan struct{} // closed when there are more updates
	updates []gateways.Update
	forget  int // how many of the last ones are handed over again
	shown   map[string][]Message
	fail    int
	next    int
}

// NewMemory returns an empty messenger.
func NewMemory() *Memory {
	return &Memory{changed: make(chan struct{}), shown: map[string][]Message{}}
}

// Name implements [gateways.Gateway].
func (m *Memory) Name() string { return "memory" }

// Receive implements [gateways.Gateway].
func (m *Memory) Receive(ctx context.Context, from int64, handle func(context.Context, gateways.Update) error) error {
	for {
		m.mu.Lock()
		from = max(0, from-int64(m.forget))
		m.forget = 0
		var u gateways.Update
		more, changed := from < int64(len(m.updates)), m.changed
		if more {
			u = m.updates[from]
		}
		m.mu.Unlock()
		if !more {
			select {
			case <-changed:
				continue
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if err := handle(ctx, u); err == nil {
			from++
		} else if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

func (m *Memory) add(u gateways.Update) {
	m.mu.Lock()
	defer m.mu.Unlock()
	u.At, u.ID = int64(len(m.updates))+1, fmt.Sprint(len(m.updates))
	m.updates = append(m.updates, u)
	m.wake()
}

func (m *Memory) wake() {
	close(m.changed)
	m.changed = make(chan struct{})
}

// send puts a message of ours into a chat.
func (m *Memory) send(chat string, x Message) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail > 0 {
		m.fail--
		return "", ErrPassing
	}
	m.next++
	x.ID = fmt.Sprint(m.next)
	m.shown[chat] = append(m.shown[chat], x)
	return x.ID, nil
}

// Show implements [gateways.Gateway].
func (m *Memory) Show(_ context.Context, chat string, c card.Card, nonce string) (string, error) {
	return m.send(chat, Message{Text: c.Answering("/answer " + c.Token).Text(), Nonce: nonce, Open: true})
}

// Close implements [gateways.Gateway].
func (m *Memory) Close(_ context.Context, chat, message string, c card.Card, outcome string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.shown[chat] {
		if x := &m.shown[chat][i]; x.ID == message {
			x.Text, x.Open = c.Text()+outcome, false
		}
	}
	return nil
}

// Say implements [gateways.Gateway].
func (m *Memory) Say(_ context.Context, chat, text string) error {
	_, err := m.send(chat, Message{Text: text})
	return err
}

// Acknowledge implements [gateways.Gateway].
func (m *Memory) Acknowledge(context.Context, gateways.Update, string) error { return nil }

// Write implements [Service].
func (m *Memory) Write(user, chat, text string) {
	m.add(gateways.Update{User: user, Chat: chat, Text: text})
}

// Press implements [Service].
func (m *Memory) Press(user, chat, message, nonce string, approve bool) {
	m.add(gateways.Update{User: user, Chat: chat,
		Press: &gateways.Press{Message: message, Nonce: nonce, Approve: approve}})
}

// Shown implements [Service].
func (m *Memory) Shown(chat string) []Message {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Message(nil), m.shown[chat]...)
}

// Redeliver implements [Service].
func (m *Memory) Redeliver() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forget = 1
	m.wake()
}

// Fail implements [Service].
func (m *Memory) Fail(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fail = n
}
