package capabilities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/plans/canon"
)

// State is how a version of a capability stands in the registry.
//
//	registered -> tested -> on-trial -> in-force -> retired        revoked: from any state, at once
type State string

// The states of a version.
const (
	Registered State = "registered"
	Tested     State = "tested"
	OnTrial    State = "on-trial"
	InForce    State = "in-force"
	Retired    State = "retired"
	Revoked    State = "revoked"
)

// next lists the states that may follow. Revoked may follow any but itself.
var next = map[State][]State{
	Registered: {Tested},
	Tested:     {Tested, OnTrial},
	OnTrial:    {InForce, Retired, Tested},
	InForce:    {Retired},
	Retired:    {OnTrial},
}

// Entry is a version of a capability in the registry.
type Entry struct {
	ID, Version string
	Plan        string // "sha256:...", of its canonical form
	State       State
	By          string // who brought it to this state
	Why         string // what they said, or what the tests came to
	At          int64  // Unix nanoseconds
}

// The log of the registry. It is exempt from retention: what was ever in force can be replayed.
const (
	registryLog    = "capabilities"
	registryFamily = "capabilities"
)

// moved is the event that a version came to a state.
type moved struct {
	ID      string `json:"id"`
	Version string `json:"version"`
	Plan    string `json:"plan"`
	State   State  `json:"state"`
	By      string `json:"by"`
	Why     string `json:"why,omitempty"`
	// Failed says that its tests failed, and that it stays in its state, which is left out.
	Failed bool `json:"failed,omitempty"`
}

// Errors of the registry that callers tell apart.
var (
	ErrNoVersion = errors.New("no such capability is registered")
	ErrVersion   = errors.New("a version never changes: this one is registered with another plan")
	ErrSecret    = errors.New("the log of a run would keep a secret input in clear; name the secret in the step, " +
		"as (:vault \"name\")")
	ErrState = errors.New("the state of the capability does not allow this")
)

// registry is what the log says, in the order in which versions were registered.
type registry struct {
	entries []Entry
	next    uint64
	last    uint64 // the record that it was read up to
}

// registry returns what the log says now. It reads the log only if it has moved; the result is not to be
// changed.
func (c *Capabilities) registry(ctx context.Context) (*registry, error) {
	h, err := c.logs.Head(registryLog)
	if err != nil && !errors.Is(err, logs.ErrNoLog) {
		return nil, err
	}
	if r := c.known.Load(); r != nil && r.last == h.Last {
		return r, nil
	}
	r, err := readRegistry(ctx, c.logs)
	if err == nil {
		c.known.Store(r)
	}
	return r, err
}

// readRegistry folds the log of the registry.
func readRegistry(ctx context.Context, l *logs.Logs) (*registry, error) {
	log, err := l.Read(ctx, registryLog)
	if errors.Is(err, logs.ErrNoLog) {
		return &registry{}, nil
	}
	if err != nil {
		return nil, err
	}
	if log.Health.Condition != logs.Healthy {
		return nil, fmt.Errorf("the registry of capabilities is damaged, and none may be started: %w", log.Health.Err)
	}
	r := &registry{next: log.Head.Next, last: log.Head.Last}
	for _, a := range log.Appends {
		for _, e := range log.Events[a.First : a.Last+1] {
			var m moved
			if err := json.Unmarshal([]byte(e.Data), &m); err != nil {
				return nil, fmt.Errorf("the registry of capabilities, event %d: %w", e.Index, err)
			}
			if !m.Failed {
				r.move(m, a.At)
			}
		}
	}
	return r, nil
}

func (r *registry) move(m moved, at int64) {
	e := Entry{ID: m.ID, Version: m.Version, Plan: m.Plan, State: m.State, By: m.By, Why: m.Why, At: at}
	if i := r.find(m.ID, m.Version); i >= 0 {
		r.entries[i] = e
		return
	}
	r.entries = append(r.entries, e)
}

func (r *registry) find(id, version string) int {
	return slices.IndexFunc(r.entries, func(e Entry) bool { return e.ID == id && e.Version == version })
}

// state returns how a plan stands; "" if it is not registered.
func (r *registry) state(plan string) State {
	for _, e := range r.entries {
		if e.Plan == plan {
			return e.State
		}
	}
	return ""
}

// List returns the versions that are registered, in the order in which they were.
func (c *Capabilities) List(ctx context.Context) ([]Entry, error) {
	r, err := c.registry(ctx)
	if err != nil {
		return nil, err
	}
	return slices.Clone(r.entries), nil
}

// Find returns a version and its capability. version "" is the one that is furthest: in force, on
// trial, or else the one that was registered last.
func (c *Capabilities) Find(ctx context.Context, id, version string) (Entry, *form.Capability, error) {
	r, err := c.registry(ctx)
	if err != nil {
		return Entry{}, nil, err
	}
	best := -1
	rank := []State{Revoked, Retired, Registered, Tested, OnTrial, InForce}
	for i, e := range r.entries {
		if e.ID == id && (version == e.Version || version == "" &&
			(best < 0 || slices.Index(rank, e.State) >= slices.Index(rank, r.entries[best].State))) {
			best = i
		}
	}
	if best < 0 {
		return Entry{}, nil, fmt.Errorf("%s %s: %w", id, version, ErrNoVersion)
	}
	v, err := c.load(r.entries[best].Plan)
	return r.entries[best], v, err
}

// Register enters a version with its plan. To register the same again changes nothing.
func (c *Capabilities) Register(ctx context.Context, v *form.Capability, by string) error {
	for i := range v.Inputs {
		if v.Inputs[i].Secret {
			return fmt.Errorf("%s %s: the input :%s: %w", v.ID, v.Version, v.Inputs[i].Name, ErrSecret)
		}
	}
	return c.change(ctx, by, func(r *registry) (*moved, error) {
		m := &moved{ID: v.ID, Version: v.Version, Plan: v.Hash().String(), State: Registered, By: by}
		i := r.find(v.ID, v.Version)
		switch {
		case i < 0:
			return m, nil
		case r.entries[i].Plan == m.Plan:
			return nil, nil //nolint:nilnil // it is there
		}
		return nil, fmt.Errorf("%s %s: %w", v.ID, v.Version, ErrVersion)
	}, string(v.Canonical()))
}

// Move brings a version to a state. Only a person, an operator, puts one on trial, in force, or out
// of it: the caller vouches for that. A version that comes into force retires the one that was. The
// policy of now is in force when it returns.
func (c *Capabilities) Move(ctx context.Context, id, version string, to State, by, why string) error {
	err := c.change(ctx, by, func(r *registry) (*moved, error) {
		i := r.find(id, version)
		if i < 0 {
			return nil, fmt.Errorf("%s %s: %w", id, version, ErrNoVersion)
		}
		e := r.entries[i]
		if !slices.Contains(next[e.State], to) && (to != Revoked || e.State == Revoked) {
			return nil, fmt.Errorf("%s %s is %s and cannot become %s: %w", id, version, e.State, to, ErrState)
		}
		return &moved{ID: id, Version: version, Plan: e.Plan, State: to, By: by, Why: why}, nil
	}, "")
	if err != nil || to == Tested || to == Registered {
		return err
	}
	return c.host.Reload(ctx)
}

// change appends what f says, in the turn of the registry. f returns nil for nothing.
func (c *Capabilities) change(ctx context.Context, by string, f func(*registry) (*moved, error), plan string) error {
	leave, err := c.logs.Turn(ctx, registryLog)
	if err != nil {
		return err
	}
	defer leave()
	r, err := c.registry(ctx)
	if err != nil {
		return err
	}
	m, err := f(r)
	if m == nil || err != nil {
		return err
	}
	all := []moved{*m}
	for _, e := range r.entries { // the one that it takes the place of
		if e.ID == m.ID && e.Version != m.Version && e.State == m.State && (m.State == InForce || m.State == OnTrial) {
			all = append(all, moved{ID: e.ID, Version: e.Version, Plan: e.Plan, State: Retired, By: m.By,
				Why: "version " + m.Version + " took its place"})
		}
	}
	_, err = c.logs.Append(ctx, logs.Write{Log: registryLog, Family: registryFamily, By: by}, func(tx *logs.Tx) error {
		for i, m := range all {
			id := fmt.Sprintf("e%d", r.next+uint64(i))
			data, err := canon.Of(m)
			if err != nil {
				return err
			}
			if _, err := tx.Event(logs.Event{ID: id, Kind: "moved", Dedupe: id, Data: string(data)}); err != nil {
				return err
			}
			if plan == "" {
				continue
			}
			of, err := tx.Keep("application/json", plan)
			if err == nil {
				err = tx.Pin(of, id)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return err
}
