package policy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing/fstest" // the standard library's file system in memory

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/rules"
)

// Policy is a policy in force: a rulebook, the tools, and the places that no action may
// touch.
type Policy struct {
	Book   *rules.Rulebook
	Gates  skills.Policy // the rulebook with the gates of plugins and of Options.Gates between its own
	lock   string        // the lock file's text, which pins the plugins; "" without plugins
	plans  string        // the text that names the capabilities; "" without any
	unread bool          // it is not known which there are
	InGo   sexpr.Value   // names and versions of Options.Gates; nil without gates
	Tools  *act.Registry // the tools that can run
	Places reason.Places
	Where  sexpr.Digest // names the places in records
}

// Options say what a policy is made of.
type Options struct {
	Dir       string // of the record, which is protected
	Rules     fs.FS
	Roots     []rules.Root
	Functions []facts.Function
	Plugins   Plugins
	Plans     Capabilities
	Gates     []Gate
	Mandatory []string
	Protected reason.Places
	Tools     []act.Tool
	Say       func(ctx context.Context, session, text string) error
	Logger    *slog.Logger
}

// Keeper compiles the rules, keeps them on record, and holds the policy in force.
type Keeper struct {
	Opt     Options
	j       *journal.Journal
	basic   *act.Registry               // the tools that need no plugin
	Check   func(*rules.Rulebook) error // the host's own check of a rulebook
	inForce atomic.Pointer[Policy]
	loading sync.Mutex
}

// New returns the keeper of a record's policies. None is in force yet.
func New(opt Options, j *journal.Journal) (k *Keeper, err error) {
	k = &Keeper{Opt: opt, j: j}
	k.basic, err = act.NewRegistry(append(k.builtin(), opt.Tools...)...)
	return k, err
}

// Current is the policy in force.
func (k *Keeper) Current() *Policy { return k.inForce.Load() }

// newPolicy returns a policy without plugins and gates in Go.
func newPolicy(book *rules.Rulebook, tools *act.Registry, places reason.Places) *Policy {
	return &Policy{Book: book, Gates: book, Tools: tools, Places: places.Ready(), Where: placesDigest(places)}
}

// Plugins brings the gates that run as processes of their own. Package plugins
// has one.
type Plugins interface {
	// Tools returns the tools that plugins may bring. It is called before Policy.
	Tools() ([]skills.RemoteTool, error)
	// Policy returns the rulebook's policy with the plugins' gates between its
	// own, ready to judge, and the text that pins them: binaries, priorities and
	// rights. Its hash covers both. It is called at every load of the rules; on an
	// error the policy in force stays, and goes on working.
	Policy(ctx context.Context, book skills.Policy) (p skills.Policy, lock string, err error)
	// Recorded returns the same policy from a recorded lock. It starts nothing: its
	// gates give what was witnessed ([skills.Case.Lookup]) and err otherwise.
	Recorded(book skills.Policy, lock string) (skills.Policy, error)
}

// plugged adds the gates in Go, those of plugins, and those of capabilities to the rulebook's. In
// this order a plugin is not asked about an action that an earlier gate may deny.
func (k *Keeper) plugged(ctx context.Context, p *Policy) error {
	var err error
	p.InGo = gatesValue(k.Opt.Gates)
	p.Gates, err = withGates(p.Book, k.Opt.Gates)
	if err == nil && k.Opt.Plugins != nil {
		p.Gates, p.lock, err = k.Opt.Plugins.Policy(ctx, p.Gates)
	}
	if err == nil && k.Opt.Plans != nil {
		p.Gates, p.plans, err = k.Opt.Plans.Policy(p.Gates)
	}
	return err
}

// LoadPolicy compiles the rules, records them, and puts them in force.
func (k *Keeper) LoadPolicy(ctx context.Context) error {
	k.loading.Lock() // the tools and the gates of capabilities are those of one moment
	defer k.loading.Unlock()
	plans, unread := k.planned()
	tools, err := k.tools(plans)
	if err != nil {
		return err
	}
	book, err := k.compile(own(tools))
	if err == nil {
		err = undeclared(book, plans)
	}
	if err != nil {
		return err
	}
	if err := k.Check(book); err != nil {
		return fmt.Errorf("cortex: %w", err)
	}
	p := newPolicy(book, tools, k.places())
	p.unread = unread
	if err := k.plugged(ctx, p); err != nil {
		return err
	}
	if err := k.j.Finish(ctx, func(tx *journal.Tx) error {
		if err := keepMandatory(tx, book, k.Opt.Mandatory); err != nil {
			return err
		}
		return recordPolicy(tx, p)
	}); err != nil {
		return err
	}
	k.inForce.Store(p)
	return nil
}

// compile loads the rule files. The schemas in own count for tools that no file declares.
func (k *Keeper) compile(own []*skills.Tool) (*rules.Rulebook, error) {
	var roots []rules.Root
	if k.Opt.Rules != nil {
		roots = append(roots, rules.Root{FS: k.Opt.Rules})
	}
	roots = append(roots, k.Opt.Roots...)
	return k.loader(own).Load(roots...)
}

func (k *Keeper) loader(tools []*skills.Tool) rules.Loader {
	return reason.Loader(rules.Loader{Functions: k.Opt.Functions, Tools: tools})
}

// own returns the schemas of the tools that the embedder and plugins bring.
func own(tools *act.Registry) []*skills.Tool {
	return slices.DeleteFunc(tools.Tools(), func(t *skills.Tool) bool { return t.Builtin })
}

// say delivers a reply through Options.Say, if it is set.
func (k *Keeper) say(ctx context.Context, session, text string) error {
	if k.Opt.Say == nil {
		return nil // the reply is in the outcome and on record
	}
	return k.Opt.Say(ctx, session, text)
}

// places returns what self-protection keeps actions away from: the record, and the places
// that the host names.
func (k *Keeper) places() reason.Places {
	var p reason.Places
	for _, path := range append(slices.Clone(k.Opt.Protected.Paths), k.Opt.Dir) {
		if path == "" {
			continue
		}
		if abs, err := filepath.Abs(path); err == nil {
			path = abs
		}
		p.Paths = append(p.Paths, path)
		if real, err := Realpath("realpath", path); err == nil && real != path {
			p.Paths = append(p.Paths, real)
		}
	}
	for _, h := range k.Opt.Protected.Hosts {
		p.Hosts = append(p.Hosts, strings.ToLower(h))
	}
	return p
}

func placesOf(p reason.Places) record.Places { return record.Places{Paths: p.Paths, Hosts: p.Hosts} }

func placesFrom(body sexpr.Value) reason.Places {
	p := record.PlacesFrom(body)
	return reason.Places{Paths: p.Paths, Hosts: p.Hosts}
}

func placesDigest(p reason.Places) sexpr.Digest {
	return sexpr.DigestText("cortex/places/1", placesOf(p).Value().String())
}

// recordPolicy records the files of a rulebook and the protected places, unless their
// hashes are on record, and sets which are in force.
func recordPolicy(tx *journal.Tx, p *Policy) error {
	if err := recordOnce(tx, record.KindRulebook, p.Gates.Hash(), bookValue(p)); err != nil {
		return err
	}
	if err := recordOnce(tx, record.KindPlaces, p.Where, placesOf(p.Places).Value()); err != nil {
		return err
	}
	hash, where := p.Gates.Hash(), p.Where
	old, err := tx.Get(record.TableSetting.Key(record.SettingPolicy))
	if err != nil {
		return err
	}
	if n := len(hash); len(old) == 2*n && !bytes.Equal(old[:n], hash[:]) {
		record.OutOfForce(tx, sexpr.Digest(old[:n]), tx.Last())
	}
	tx.Delete(record.TableCeased.Key(hash))
	tx.Set(record.TableSetting.Key(record.SettingPolicy), append(hash[:], where[:]...))
	return nil
}

func recordOnce(tx *journal.Tx, kind string, hash sexpr.Digest, body sexpr.Value) error {
	old, err := tx.Get(record.TablePolicy.Key(hash))
	if err != nil || old != nil {
		return err
	}
	rec, err := tx.Append(kind, "", body)
	if err == nil {
		tx.Set(record.TablePolicy.Key(hash), record.Number(rec.Seq))
	}
	return err
}

// Recorded reads the body of what recordOnce wrote.
func (k *Keeper) Recorded(hash sexpr.Digest) (sexpr.Value, error) {
	raw, err := k.j.Get(record.TablePolicy.Key(hash))
	if err != nil {
		return sexpr.Value{}, err
	}
	if raw == nil {
		rec, err := k.lostBook(hash)
		if err == nil && rec.Seq == 0 {
			err = fmt.Errorf("%s is not on record", hash)
		}
		return rec.Body, err
	}
	rec, err := k.j.Read(record.AsNumber(raw))
	return rec.Body, err
}

// RecordedPolicy returns an error if the policy of this hash is not on record or cannot be
// compiled. Gates of plugins and in Go give their recorded answers. The result has another
// hash if this program has other functions or limits.
func (k *Keeper) RecordedPolicy(hash sexpr.Digest) (*Policy, error) {
	v, err := k.Recorded(hash)
	if err != nil {
		return nil, fmt.Errorf("rulebook: %w", err)
	}
	roots, tools, err := bookFrom(v)
	if err != nil {
		return nil, fmt.Errorf("rulebook %s: %w", hash, err)
	}
	l := k.loader(tools)
	l.Recorded = true
	book, err := l.Load(roots...)
	if err != nil {
		return nil, fmt.Errorf("rulebook %s: %w", hash, err)
	}
	p := newPolicy(book, k.basic, reason.Places{})
	p.lock, p.plans = v.GetText("lock"), v.GetText("capabilities")
	p.InGo, _ = v.Get("gates")
	if p.Gates, err = k.Replugged(book, v); err != nil {
		return nil, fmt.Errorf("rulebook %s: %w", hash, err)
	}
	return p, nil
}

// Replugged adds the recorded gates, in Go and of plugins, to those of a rulebook.
func (k *Keeper) Replugged(book skills.Policy, recorded sexpr.Value) (skills.Policy, error) {
	inGo, _ := recorded.Get("gates")
	book, err := withGates(book, GatesFrom(inGo))
	if err != nil {
		return nil, err
	}
	if lock := recorded.GetText("lock"); lock != "" {
		if k.Opt.Plugins == nil {
			return nil, errors.New("it was made with plugins, and this engine knows none: Options.Plugins is not set")
		}
		if book, err = k.Opt.Plugins.Recorded(book, lock); err != nil {
			return nil, err
		}
	}
	plans := recorded.GetText("capabilities")
	switch {
	case plans == "":
		return book, nil
	case k.Opt.Plans == nil:
		return nil, errors.New("it was made with capabilities, and this engine knows none: " +
			"Options.Capabilities is not set")
	}
	return k.Opt.Plans.Recorded(book, plans)
}

// bookValue is the recorded form of a rulebook: its files, byte for byte, and the tools
// that the embedder declared.
func bookValue(p *Policy) sexpr.Value {
	var files []sexpr.Value
	for _, f := range p.Book.Files() {
		v := sexpr.Plist("root", sexpr.Int64(int64(f.Root)), "path", sexpr.Str(f.Path), "data", sexpr.Str(string(f.Data)))
		if f.Words {
			v = v.With("words", sexpr.T())
		}
		if f.OnTop {
			v = v.With("on-top", sexpr.T())
		}
		files = append(files, v)
	}
	var tools strings.Builder
	for _, t := range own(p.Tools) {
		tools.WriteString(t.Definition())
	}
	v := sexpr.Plist("files", sexpr.ListOf(files...), "tools", sexpr.Str(tools.String()))
	if p.lock != "" {
		v = v.With("lock", sexpr.Str(p.lock))
	}
	if !p.InGo.IsNil() {
		v = v.With("gates", p.InGo)
	}
	if p.plans != "" {
		v = v.With("capabilities", sexpr.Str(p.plans))
	}
	return v
}

// bookFrom reads what bookValue wrote.
func bookFrom(v sexpr.Value) ([]rules.Root, []*skills.Tool, error) {
	files, _ := v.Get("files")
	var roots []rules.Root
	for _, f := range files.Items() {
		for int(f.GetInt("root")) >= len(roots) {
			roots = append(roots, rules.Root{FS: fstest.MapFS{}, Files: []string{}})
		}
		r := &roots[f.GetInt("root")]
		r.OnTop = f.GetTrue("on-top")
		r.FS.(fstest.MapFS)[f.GetText("path")] = &fstest.MapFile{Data: []byte(f.GetText("data"))}
		if !f.GetTrue("words") {
			r.Files = append(r.Files, f.GetText("path"))
		}
	}
	own, err := definedIn(v.GetText("tools"))
	return roots, own, err
}

// PlacesAt returns the protected places of this hash.
func (k *Keeper) PlacesAt(hash string) (*reason.Places, error) {
	d, err := sexpr.ParseDigest(hash)
	if err != nil {
		return nil, err
	}
	v, err := k.Recorded(d)
	if err != nil {
		return nil, fmt.Errorf("protected places: %w", err)
	}
	places := placesFrom(v).Ready()
	return &places, nil
}

// RecallPolicy puts the policy of the last run in force, for an engine that only inspects.
func (k *Keeper) RecallPolicy(ctx context.Context) error {
	raw, err := k.j.Get(record.TableSetting.Key(record.SettingPolicy))
	if err != nil {
		return err
	}
	const n = len(sexpr.Digest{})
	if len(raw) != 2*n { // no engine has run here yet
		return k.emptyPolicy()
	}
	p, err := k.RecordedPolicy(sexpr.Digest(raw[:n]))
	if err != nil { // approvals and the record can still be read
		k.Opt.Logger.Warn("the rulebook in force cannot be compiled here", "error", err)
		return k.emptyPolicy()
	}
	places, err := k.PlacesAt(sexpr.Digest(raw[n:]).String())
	if err != nil {
		return err
	}
	p.Places, p.Where = *places, placesDigest(*places)
	k.inForce.Store(p)
	return context.Cause(ctx)
}

func (k *Keeper) emptyPolicy() error {
	book, err := k.loader(nil).Load()
	if err == nil {
		k.inForce.Store(newPolicy(book, k.basic, k.places()))
	}
	return err
}
