package plugins

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/plugins/internal/sandbox"
	"github.com/opencortex-go/cortex/plugins/internal/wire"
	skillpb "github.com/opencortex-go/cortex/plugins/proto"
	"github.com/opencortex-go/cortex/skills"
)

// Options says how plugins are run. Every zero field is the careful choice.
type Options struct {
	// Lock is the path of skills.lock; paths in it are relative to its folder. A
	// missing file means no plugins.
	Lock string
	// Work is the folder for working folders; "" is the system's for temporary
	// files. Keep it short: a socket's path has at most 107 bytes.
	Work string
	// Host says who we are, in messages of skills: "cortex 0.3.0".
	Host string
	// Budget bounds what all plugins together may cost one decision; 0 is 1 s.
	Budget time.Duration
	// Sample has one call in so many made twice, to find plugins that are not
	// deterministic; 0 is 64, negative is never.
	Sample int
	// Strict refuses plugins that cannot be fenced in completely.
	Strict bool
	// Logger hears what plugins write to stderr, and how they fare; nil discards.
	Logger *slog.Logger
}

// Host runs the plugins of one lock file and puts their gates into policies. It
// is the [cortex.Plugins] of an engine. It is safe for concurrent use; Close it.
type Host struct {
	opt    Options
	ctx    context.Context
	cancel context.CancelFunc

	load  sync.Mutex // one load at a time
	mu    sync.Mutex
	done  bool
	calls sync.WaitGroup
	now   map[string]*running // by name
	old   map[string]*running // of the load before, for decisions that still use it
}

// running is a plugin as one entry of a lock pins it.
type running struct {
	key   string // the whole entry, as text
	entry *Entry
	prog  *sandbox.Program
	sup   *supervisor
	live  *live
}

// New returns a host that runs nothing yet: [Host.Policy] does.
func New(opt Options) *Host {
	if opt.Budget == 0 {
		opt.Budget = time.Second
	}
	if opt.Sample == 0 {
		opt.Sample = 64
	}
	if opt.Host == "" {
		opt.Host = "cortex"
	}
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	h := &Host{opt: opt, now: map[string]*running{}, old: map[string]*running{}}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	return h
}

// Policy reads the lock file, starts what is new in it, and returns the policy of
// book with the plugins' gates between its own, and the lock's text. A plugin whose
// entry is as before goes on running. One that does not start, is not healthy or
// decides its own examples otherwise than it says is an error, and then everything
// stays as it is. Processes that the new lock does not have end with the next load,
// when no decision can need them any more.
func (h *Host) Policy(ctx context.Context, book skills.Policy) (skills.Policy, string, error) {
	h.load.Lock()
	defer h.load.Unlock()
	lock, err := ReadLock(h.opt.Lock)
	if err != nil {
		return nil, "", err
	}
	next := map[string]*running{}
	var fresh []*running
	undo := func(err error) (skills.Policy, string, error) {
		for _, r := range fresh {
			r.close()
		}
		return nil, "", err
	}
	var plugs []*plug
	for i := range lock.Skills {
		e := &lock.Skills[i]
		r := h.find(e)
		if r == nil {
			if r, err = h.start(ctx, e); err != nil {
				return undo(fmt.Errorf("plugin %s: %w", e.Name, err))
			}
			fresh = append(fresh, r)
		}
		next[e.Name] = r
		plugs = append(plugs, &plug{entry: r.entry, ask: r.live, speak: r.sup})
	}
	text := ""
	if len(plugs) > 0 {
		text = lock.Text()
	}
	p, err := join(book, text, plugs, h.opt.Budget)
	if err != nil {
		return undo(err)
	}
	if !h.swap(next) {
		return undo(errClosed)
	}
	return p, text, nil
}

// Recorded returns the policy that Policy once returned with this lock, for a
// replay: its gates give what is on record, and nothing is started.
func (h *Host) Recorded(book skills.Policy, lock string) (skills.Policy, error) {
	return Recorded{}.Recorded(book, lock)
}

// Recorded is the plugins of a record that is looked at where none may run.
type Recorded struct{}

// Tools are none: nothing is run.
func (Recorded) Tools() ([]skills.RemoteTool, error) { return nil, nil }

// Policy is the rulebook's own: there are no plugins to ask.
func (Recorded) Policy(_ context.Context, book skills.Policy) (skills.Policy, string, error) {
	return book, "", nil
}

// Recorded is documented with [Host.Recorded].
func (Recorded) Recorded(book skills.Policy, lock string) (skills.Policy, error) {
	l, err := ParseLock(lock)
	if err != nil {
		return nil, fmt.Errorf("recorded lock: %w", err)
	}
	plugs := make([]*plug, len(l.Skills))
	for i := range l.Skills {
		plugs[i] = &plug{entry: &l.Skills[i]}
	}
	return join(book, lock, plugs, 0)
}

// find returns the running plugin of exactly this entry.
func (h *Host) find(e *Entry) *running {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range []map[string]*running{h.now, h.old} {
		if r := m[e.Name]; r != nil && r.key == e.text() {
			return r
		}
	}
	return nil
}

// start starts a plugin that is not running yet.
func (h *Host) start(ctx context.Context, e *Entry) (*running, error) {
	if err := e.ready(); err != nil {
		return nil, err
	}
	s, err := h.supply(e)
	if err != nil {
		return nil, err
	}
	first, err := start(ctx, e, s)
	if err == nil && h.opt.Strict {
		if holes := first.guest.child.Fence.Holes(); len(holes) > 0 {
			first.stop()
			err = fmt.Errorf("it cannot be fenced in here: %v", holes)
		}
	}
	if err != nil {
		s.prog.Close()
		return nil, err
	}
	r := &running{key: e.text(), entry: e, prog: s.prog}
	r.sup = supervise(e, s, first)
	r.live = &live{host: h, sup: r.sup}
	return r, nil
}

// supply takes in an entry's program and files, if they are the pinned ones.
func (h *Host) supply(e *Entry) (supply, error) {
	return take(e, filepath.Dir(h.opt.Lock),
		supply{base: h.opt.Work, host: h.opt.Host, log: h.opt.Logger.With("plugin", e.Name)})
}

func take(e *Entry, base string, s supply) (supply, error) {
	for _, f := range e.Files {
		want, err := parseSum(f.SHA256)
		if err != nil {
			return s, err
		}
		d, err := sandbox.PinnedFile(resolve(base, f.Path), want)
		if err != nil {
			return s, err
		}
		s.files = append(s.files, d)
	}
	want, err := e.sum()
	if err != nil {
		return s, err
	}
	s.prog, err = sandbox.Pinned(resolve(base, e.Path), want)
	return s, err
}

// swap makes next what runs now. What ran before is kept for the decisions that
// began with it; what ran before that ends.
func (h *Host) swap(next map[string]*running) bool {
	h.mu.Lock()
	if h.done {
		h.mu.Unlock()
		return false
	}
	var end []*running
	for name, r := range h.old {
		if next[name] != r && h.now[name] != r {
			end = append(end, r)
		}
	}
	h.old = map[string]*running{}
	for name, r := range h.now {
		if next[name] != r {
			h.old[name] = r
		}
	}
	h.now = next
	h.mu.Unlock()
	for _, r := range end {
		r.close()
	}
	return true
}

// States says how the plugins stand, sorted by name.
func (h *Host) States() []State {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make([]State, 0, len(h.now))
	for _, r := range h.now {
		out = append(out, r.sup.state())
	}
	slices.SortFunc(out, func(a, b State) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// Close ends every plugin and waits until no process, goroutine, socket or file of
// them is left. Anyone who asks afterwards is denied.
func (h *Host) Close() error {
	h.mu.Lock()
	if h.done {
		h.mu.Unlock()
		return nil
	}
	h.done = true
	end := make([]*running, 0, len(h.now)+len(h.old))
	for _, m := range []map[string]*running{h.now, h.old} {
		for _, r := range m {
			end = append(end, r)
		}
	}
	h.mu.Unlock()
	h.cancel()
	for _, r := range end {
		r.close()
	}
	h.calls.Wait()
	return nil
}

// begin counts a call, unless the host is closed.
func (h *Host) begin() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.done {
		return false
	}
	h.calls.Add(1)
	return true
}

func (r *running) close() {
	r.sup.close()
	r.prog.Close()
}

// Try starts an entry of a lock once, as [Host.Policy] would, and returns what
// held its process in. base is the folder that paths are relative to.
func Try(ctx context.Context, e Entry, base string, opt Options) (Fence, error) {
	opt.Lock = filepath.Join(base, "skills.lock")
	h := New(opt)
	defer func() { _ = h.Close() }()
	r, err := h.start(ctx, &e)
	if err != nil {
		return Fence{}, err
	}
	defer r.close()
	return r.sup.state().Fence, nil
}

// Describe starts a program once, fenced in and with no rights, and returns an
// entry that pins it and what it says of itself: what [Lock.Add] takes. base is
// the folder that paths are relative to.
func Describe(ctx context.Context, e Entry, base string, opt Options) (Entry, *skillpb.Description, error) {
	h := New(opt)
	defer func() { _ = h.Close() }()
	prog, err := sandbox.Open(resolve(base, e.Path))
	if err != nil {
		return e, nil, err
	}
	defer prog.Close()
	e.SHA256 = hexSum(prog.Sum)
	s := supply{prog: prog, base: opt.Work, host: h.opt.Host, log: h.opt.Logger}
	for i, f := range e.Files {
		d, sum, err := sandbox.ReadFile(resolve(base, f.Path))
		if err != nil {
			return e, nil, err
		}
		e.Files[i].SHA256 = hexSum(sum)
		s.files = append(s.files, d)
	}
	if e.Name == "" {
		e.Name = prog.Name
	}
	p, err := spawn(ctx, &e, s)
	if err != nil {
		return e, nil, fmt.Errorf("%s: %w", e.Path, err)
	}
	defer p.stop()
	return e, p.desc, errors.Join(wire.CheckDescription(p.desc), p.healthy(ctx))
}
