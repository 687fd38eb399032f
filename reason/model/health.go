package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Limits bound the calls of one provider. Zero fields mean the defaults.
type Limits struct {
	// Timeout is how long one call may take, with all its tries; 0 means
	// [Thinker.Timeout].
	Timeout time.Duration
	// Failures in a row pause the provider; 0 means 5, less than 0 never.
	Failures int
	// Pause is how long; 0 means 30 s. Then one call tries it again, and the
	// others wait for what comes of it.
	Pause time.Duration
}

// Limited is a provider with limits of its own.
type Limited interface{ Limits() Limits }

const (
	defaultFailures = 5
	defaultPause    = 30 * time.Second
	// maxAbandoned calls of one provider may be left behind, still running though
	// their context has ended; then it is skipped until some return.
	maxAbandoned = 8
	// maxRunning calls of one provider run at a time, those left behind included.
	maxRunning = 128
)

var (
	errPaused    = errors.New("paused after failures")
	errAbandoned = errors.New("still busy with earlier calls, which ignored that their time was over")
	errBusy      = fmt.Errorf("busy: %d calls run already", maxRunning)
)

// Health remembers of each provider, by name, how its last calls went: a circuit
// breaker, and a bound on the calls that never return. The zero Health is ready
// to use and safe for concurrent use; the one who owns the providers owns it. Calls
// with a nil Health run all the same, and nothing is remembered of them.
type Health struct {
	mu sync.Mutex
	of map[string]*condition
}

// condition is what is known of one provider.
type condition struct {
	failures  int       // in a row
	until     time.Time // paused up to here, once failures are enough
	paused    bool
	probing   bool // a call is under way that finds out whether the pause can end
	running   int  // calls that have not returned
	abandoned int  // of these, the ones without a waiting caller
}

// ProviderHealth is how one provider is doing.
type ProviderHealth struct {
	Provider  string
	Failures  int       // in a row
	Paused    bool      // it is not asked until Until
	Until     time.Time // then one call tries again
	Running   int       // calls under way
	Abandoned int       // of these, calls that ignored the end of their time
}

// Report says how every provider is doing that was asked so far, by name.
func (h *Health) Report() []ProviderHealth {
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []ProviderHealth
	for name, c := range h.of {
		out = append(out, ProviderHealth{name, c.failures, c.paused, c.until, c.running, c.abandoned})
	}
	slices.SortFunc(out, func(a, b ProviderHealth) int { return strings.Compare(a.Provider, b.Provider) })
	return out
}

// outcome is what a call says about the provider's health.
type outcome int

const (
	neutral outcome = iota // nothing: the caller gave up, or the prompt was at fault
	healthy
	failing
)

// admission lets one call go ahead. Both methods are called once.
type admission struct {
	h      *Health
	c      *condition
	limits Limits
	probe  bool
	left   bool // its caller no longer waits
	back   bool // it has returned
}

// admit asks whether a provider may be called. An error says why it is skipped.
func (h *Health) admit(name string, l Limits) (*admission, error) {
	if h == nil {
		return &admission{}, nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.of[name]
	if c == nil {
		if h.of == nil {
			h.of = map[string]*condition{}
		}
		c = &condition{}
		h.of[name] = c
	}
	switch {
	case c.abandoned >= maxAbandoned:
		return nil, errAbandoned
	case c.running >= maxRunning:
		return nil, errBusy
	case c.paused && (c.probing || time.Now().Before(c.until)):
		return nil, errPaused
	}
	c.probing = c.paused
	c.running++
	return &admission{h: h, c: c, limits: l, probe: c.paused}, nil
}

// ended notes how the call went, for the one who waited; left says that it is still
// running. It reports whether the provider is paused from now on.
func (a *admission) ended(o outcome, left bool) (paused bool) {
	if a.h == nil {
		return false
	}
	a.h.mu.Lock()
	defer a.h.mu.Unlock()
	c := a.c
	if a.probe {
		c.probing = false
	}
	if left && !a.back {
		a.left = true
		c.abandoned++
	}
	switch o {
	case healthy:
		c.failures, c.paused = 0, false
	case failing:
		c.failures++
		if a.limits.Failures > 0 && c.failures >= a.limits.Failures {
			paused = !c.paused || a.probe
			c.paused, c.until = true, time.Now().Add(a.limits.Pause)
		}
	case neutral:
	}
	return paused
}

// returned notes that the provider's code has come back.
func (a *admission) returned() {
	if a.h == nil {
		return
	}
	a.h.mu.Lock()
	defer a.h.mu.Unlock()
	a.back = true
	a.c.running--
	if a.left {
		a.c.abandoned--
	}
}
