package admission

import (
	"sync"

	"github.com/opencortex-go/cortex/perceive"
)

// Waiting counts the signals that are accepted and not answered.
type Waiting struct {
	mu         sync.Mutex
	all        int
	sessions   map[string]int
	principals map[string]int
	bytes      map[string]int // by principal
}

// Admit counts a signal of so many bytes. The caller calls leave once, when the signal is
// answered. The error is a [BusyError] if a cap is reached.
func (c *Waiting) Admit(caps Caps, sig perceive.Signal, bytes int) (leave func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.all >= caps.Signals:
		return nil, &BusyError{"signals", "", caps.Signals}
	case c.sessions[sig.Session] >= caps.SessionSignals:
		return nil, &BusyError{"signals", "session", caps.SessionSignals}
	case c.principals[sig.Principal] >= caps.PrincipalSignals:
		return nil, &BusyError{"signals", "principal", caps.PrincipalSignals}
	case c.bytes[sig.Principal]+bytes > caps.PrincipalMemory:
		return nil, &BusyError{"memory", "principal", caps.PrincipalMemory}
	}
	if c.sessions == nil {
		c.sessions, c.principals, c.bytes = map[string]int{}, map[string]int{}, map[string]int{}
	}
	c.count(sig, 1, bytes)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.count(sig, -1, -bytes)
	}, nil
}

func (c *Waiting) count(sig perceive.Signal, n, bytes int) {
	c.all += n
	for _, x := range []struct {
		of   map[string]int
		name string
		n    int
	}{{c.sessions, sig.Session, n}, {c.principals, sig.Principal, n}, {c.bytes, sig.Principal, bytes}} {
		if x.of[x.name] += x.n; x.of[x.name] == 0 {
			delete(x.of, x.name)
		}
	}
}
