package gateways

import (
	"log/slog"
	"sync"
	"time"
)

// How many strangers are named in the log per period.
const (
	strangersNamed = 20
	strangersWhile = time.Minute
)

// strangers logs senders that are not on the allow-list, so that an operator can add
// them. It names only some and counts the rest, because strangers can write to a bot
// as fast as the service allows.
type strangers struct {
	mu     sync.Mutex
	since  time.Time
	named  int
	missed int
}

func (s *strangers) heard(log *slog.Logger, gateway string, u Update) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); now.Sub(s.since) >= strangersWhile {
		if s.missed > 0 {
			log.Warn("ignored: further messages of those on no allow-list", "messages", s.missed)
		}
		s.since, s.named, s.missed = now, 0, 0
	}
	if s.named == strangersNamed {
		s.missed++
		return
	}
	s.named++
	log.Warn("ignored: not on the allow-list", "gateway", gateway, "user", u.User, "chat", u.Chat)
}
