package daemon

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/opencortex-go/cortex/adapters/api"
	"github.com/opencortex-go/cortex/adapters/llm"
	"github.com/opencortex-go/cortex/capabilities"
	"github.com/opencortex-go/cortex/capabilities/control"
	capabilitydesk "github.com/opencortex-go/cortex/capabilities/desk"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/gateways/card"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/gateways/repl/nrepl"
	"github.com/opencortex-go/cortex/gateways/repl/wire"
	"github.com/opencortex-go/cortex/internal/fair"
	"github.com/opencortex-go/cortex/internal/socket"
	"github.com/opencortex-go/cortex/notes/book"
	notedesk "github.com/opencortex-go/cortex/notes/desk"
	"github.com/opencortex-go/cortex/plugins"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/runs"
	"github.com/opencortex-go/cortex/runs/bundle"
	"github.com/opencortex-go/cortex/runs/desk"
	"github.com/opencortex-go/cortex/runs/library"
	"github.com/opencortex-go/cortex/skills/facts/secrets"
	"github.com/opencortex-go/cortex/skills/rules"
)

// Options configures a daemon.
type Options struct {
	Config  Config
	Version string // of this program, for clients
	// Again reads the configuration again at a reload, to report errors and settings
	// that wait for the next start; nil without a file.
	Again func() (Config, error)
	// Hangup requests a reload with each value; nil for never.
	Hangup <-chan os.Signal
	// Logger logs events for the operator; nil discards them.
	Logger *slog.Logger
}

// daemon is an engine with its servers.
type daemon struct {
	opt    Options
	cfg    Config // in force
	log    *slog.Logger
	roots  []rules.Root
	seen   [sha256.Size]byte // fingerprint of what was loaded last
	models []model.Provider
	skills *plugins.Host // nil without a lock file
	engine *cortex.Engine
	server *wire.Server
	nrepl  *nrepl.Server // nil unless editors are served
	api    *api.Server
	bridge *bridge // nil without messengers
	told   *told
	found  atomic.Pointer[findings]
	flows  *library.Live
	driver *runs.Driver
	notes  *book.Book
	caps   *capabilities.Capabilities
	plane  *control.Plane // nil without one

	mu   sync.Mutex // one reload at a time, and ordered messages to the supervisor
	boss supervisor
}

// Run returns an error if the daemon cannot start: [Faults], a rules.ErrorList,
// [store.ErrInUse] or another one; it then leaves nothing behind. Otherwise it calls
// ready, and serves until ctx ends. Requests in progress then have Config.Grace to
// finish; the next start resumes the others.
func Run(ctx context.Context, opt Options, ready func(Ready) error) (err error) {
	began := time.Now()
	d := &daemon{opt: opt, cfg: opt.Config.inForce(), log: opt.Logger}
	if d.log == nil {
		d.log = slog.New(slog.DiscardHandler)
	}
	d.boss.log = d.log
	defer func() { err = errors.Join(err, d.close()) }()
	if err := d.open(ctx); err != nil {
		return err
	}
	r, err := d.ready(ctx)
	if err != nil {
		return err
	}
	r.Took = time.Since(began)
	if err := ready(r); err != nil {
		return err
	}
	d.serve(ctx)
	return nil
}

// open opens the record and the sockets.
func (d *daemon) open(ctx context.Context) error {
	opt, err := d.cfg.engine()
	d.models, d.roots = opt.Models.Providers, opt.Roots
	if err != nil {
		return err
	}
	operator, err := d.cfg.Operator.ofItsOwn()
	if err != nil {
		return err
	}
	if err := noDumps(); err != nil {
		return err
	}
	if err := adopt(); err != nil { // before anything is started
		return fmt.Errorf("orphans of tools cannot be adopted: %w", err)
	}
	opt.Logger = d.log
	if d.cfg.Plugins != "" {
		d.skills = plugins.New(plugins.Options{Lock: d.cfg.Plugins, Host: "cortex " + d.opt.Version, Logger: d.log})
		opt.Plugins = d.skills
	}
	if err := checkRecord(d.cfg.Dir); err != nil {
		return err
	}
	d.checkFiles(filesAllowed())
	d.driver = &runs.Driver{}
	opt.Driver = d.driver
	d.notes = d.cfg.Notes.book(&opt)
	if opt.Capabilities, err = d.withCapabilities(); err != nil {
		return err
	}
	d.seen = d.fingerprint() // before loading: a change meanwhile causes another load
	if d.engine, err = cortex.Open(ctx, opt); err != nil {
		if errors.Is(err, store.ErrInUse) {
			return fmt.Errorf("%s: another process is using this record%s", d.cfg.Dir, holder(d.cfg.Dir))
		}
		return besideGuard(err)
	}
	d.notes.Open(d.engine.Hosts().Logs())
	d.unanswered()
	d.lint(ctx)
	if err := d.openTelemetry(ctx); err != nil {
		return err
	}
	if d.bridge, err = openBridge(&d.cfg, d.engine, d.log); err != nil {
		return err
	}
	pool := fair.New(fair.Options{Bytes: d.cfg.Memory.Clients})
	all, err := d.openRuns()
	if err != nil {
		return err
	}
	r := repl.New(repl.Options{
		Engine: d.engine, Version: d.opt.Version, Reload: d.reloadForClient, Trouble: d.bridge.trouble,
		Lint: d.findings, Guard: d.cfg.GuardState(), Runs: all,
		Notes:        &notedesk.Desk{Book: d.notes},
		Desk:         &desk.Desk{Runs: all, Producer: bundle.Producer{App: d.opt.Version}},
		Capabilities: &capabilitydesk.Desk{Capabilities: d.caps, Engine: d.engine, Plane: d.plane}, Logger: d.log,
		Card: card.Options{Mask: secrets.NewMask()}, Pool: pool,
	})
	d.server, err = wire.Listen(wire.Options{
		Engine: d.engine, Repl: r, Socket: d.cfg.Socket, Approvals: socket.Approvals(d.cfg.Socket), Record: d.cfg.Dir,
		Version: d.opt.Version, Operator: operator,
		MaxClients: d.cfg.Clients, Pool: pool, Grace: time.Duration(d.cfg.Grace), Logger: d.log, Degraded: d.degraded(),
	})
	if err != nil {
		return err
	}
	if d.cfg.Nrepl.On {
		d.nrepl, err = nrepl.Listen(nrepl.Options{
			Repl: r, Socket: d.cfg.Nrepl.Socket, Version: d.opt.Version, Pool: pool, Grace: time.Duration(d.cfg.Grace),
			Logger: d.log,
		})
		if err != nil {
			return err
		}
	}
	if d.api, err = d.listenAPI(pool); err != nil {
		return err
	}
	return d.signpost()
}

// serve serves clients, and runs the background work, until ctx ends.
func (d *daemon) serve(ctx context.Context) {
	var wg sync.WaitGroup
	d.mu.Lock()
	d.boss.ready(d.status(ctx))
	d.mu.Unlock()
	wg.Go(func() { d.watch(ctx) })
	wg.Go(func() { d.hangups(ctx) })
	wg.Go(func() { d.attend(ctx) })
	wg.Go(func() { d.bridge.run(ctx) })
	wg.Go(func() { bury(ctx) })
	if d.plane != nil {
		wg.Go(func() { d.plane.Run(ctx, d.caps) })
	}
	stop := context.AfterFunc(ctx, func() {
		d.log.Info("stopping", "grace", time.Duration(d.cfg.Grace))
		d.boss.stopping(time.Duration(d.cfg.Grace))
	})
	defer stop()
	if d.nrepl != nil {
		wg.Go(func() { _ = d.nrepl.Serve(ctx) }) // close reports its errors
	}
	wg.Go(func() { _ = d.api.Serve(ctx) }) // likewise
	_ = d.server.Serve(ctx)
	wg.Wait()
	d.rest()
}

// rest waits for work without a client: recovered signals and approved actions. The
// next start resumes what does not finish.
func (d *daemon) rest() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(d.cfg.Grace))
	defer cancel()
	if err := d.engine.Operations().Wait(ctx); err != nil {
		d.log.Info("what has not finished goes on at the next start")
	}
}

// close closes everything that was opened.
func (d *daemon) close() (err error) {
	if d.nrepl != nil {
		err = d.nrepl.Close()
	}
	if d.api != nil {
		err = errors.Join(err, d.api.Close())
	}
	if d.server != nil {
		err = errors.Join(err, d.server.Close())
	}
	d.bridge.close()
	err = errors.Join(err, d.told.close())
	if d.engine != nil {
		last := d.engine.Journal().Last()
		err = errors.Join(err, d.engine.Close())
		_ = os.Remove(filepath.Join(d.cfg.Dir, signpostName)) // it may never have been written
		d.log.Info("stopped", "record", last)
	}
	if d.skills != nil {
		err = errors.Join(err, d.skills.Close())
	}
	return errors.Join(err, llm.CloseAll(d.models))
}

// status is one line for the supervisor.
func (d *daemon) status(ctx context.Context) string {
	s, err := d.engine.Status(ctx)
	if err != nil {
		return err.Error()
	}
	text := fmt.Sprintf("%s; %d pending, %d in doubt, %d running; %d skills; record %d", Mode(s.Live, s.Observe),
		s.Pending, s.Doubts, s.Running, s.Skills, s.Last)
	for _, x := range []struct {
		is   bool
		text string
	}{
		{s.Killed, "KILL SWITCH ON"}, {s.ReadOnly != nil, "READ-ONLY"}, {s.Full != nil, "NO SPACE"},
		{s.Reload != nil, "RELOAD FAILED, earlier rules stay"},
	} {
		if x.is {
			text = x.text + "; " + text
		}
	}
	if d.plane != nil && d.plane.Trouble() != nil {
		text = "CONTROL PLANE LOST; " + text
	}
	for _, name := range slices.Sorted(maps.Keys(d.bridge.trouble())) {
		text = strings.ToUpper(name) + " IN TROUBLE; " + text
	}
	return text
}
