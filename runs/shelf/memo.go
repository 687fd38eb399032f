package shelf

import (
	"sync"

	"github.com/opencortex-go/cortex/runs/event"
)

// maxMemo is how much text the values of a memo were read from, in bytes.
const maxMemo = 4 << 20

// memo remembers what was read from content, by its digest. What is remembered must not change, as
// content never does. It is empty at first, and again when it is full: what is in use is back at once.
type memo[V any] struct {
	mu    sync.Mutex
	known map[event.Digest]V
	size  int // of the texts
}

// of returns what content says, by the digest of its text.
func (m *memo[V]) of(s *Shelf, digest event.Digest, read func(text []byte) (V, error)) (V, error) {
	m.mu.Lock()
	v, ok := m.known[digest]
	m.mu.Unlock()
	if ok {
		return v, nil
	}
	text, err := s.Content(digest)
	if err == nil {
		v, err = read([]byte(text))
	}
	if err == nil {
		m.put(digest, v, len(text))
	}
	return v, err
}

func (m *memo[V]) put(digest event.Digest, v V, size int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.known[digest]; ok { // another read it too
		return
	}
	if m.known == nil || m.size+size > maxMemo {
		m.known, m.size = map[event.Digest]V{}, 0
	}
	m.known[digest] = v
	m.size += size
}
