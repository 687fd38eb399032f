package cortex

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing/fstest" // the standard library's file system in memory

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules"
)

// policy is what is in force: a rulebook, and the places no action may touch.
type policy struct {
	book   *rules.Rulebook
	gates  skills.Policy // the rulebook with the gates of plugins and of Options.Gates between its own
	lock   string        // what pins those plugins; "" without any
	inGo   sexpr.Value   // what names those of Options.Gates; nil without any
	tools  *act.Registry // what can be done
	places reason.Places
	where  sexpr.Digest // names the places in records
}

// newPolicy is a policy of rules alone, with its places named.
func newPolicy(book *rules.Rulebook, tools *act.Registry, places reason.Places) *policy {
	return &policy{book: book, gates: book, tools: tools, places: places.Ready(), where: placesDigest(places)}
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

// plugged puts the gates in Go and the plugins' between those of the rulebook: in this
// order, so that no plugin is asked about what a gate before it may refuse.
func (e *Engine) plugged(ctx context.Context, p *policy) error {
	var err error
	p.inGo = gatesValue(e.opt.Gates)
	if p.gates, err = withGates(p.book, e.opt.Gates); err != nil || e.opt.Plugins == nil {
		return err
	}
	p.gates, p.lock, err = e.opt.Plugins.Policy(ctx, p.gates)
	return err
}

// loadPolicy compiles the rules, records them, and puts them in force.
func (e *Engine) loadPolicy(ctx context.Context) error {
	tools, err := e.tools()
	if err != nil {
		return err
	}
	book, err := e.compile(own(tools))
	if err != nil {
		return err
	}
	if err := e.thinker.Check(book); err != nil {
		return fmt.Errorf("cortex: %w", err)
	}
	p := newPolicy(book, tools, e.places())
	if err := e.plugged(ctx, p); err != nil {
		return err
	}
	if err := e.j.Finish(ctx, func(tx *journal.Tx) error {
		if err := keepMandatory(tx, book, e.opt.Mandatory); err != nil {
			return err
		}
		return recordPolicy(tx, p)
	}); err != nil {
		return err
	}
	e.policy.Store(p)
	return nil
}

// Reload compiles the rules again and swaps them in at once. On an error the
// policy in force stays. Every approval that is open is superseded, and its
// action decided again under the new rules.
func (e *Engine) Reload(ctx context.Context) error {
	if err := e.usable(); err != nil {
		return err
	}
	err := e.loadPolicy(ctx)
	if err != nil {
		err = fmt.Errorf("the rules in force stay: %w", err)
		e.reload.Store(&err)
		return err
	}
	e.reload.Store(nil)
	return e.supersede(ctx)
}

// compile loads the rule files, with these schemas where no file declares a tool.
func (e *Engine) compile(own []*skills.Tool) (*rules.Rulebook, error) {
	var roots []rules.Root
	if e.opt.Rules != nil {
		roots = append(roots, rules.Root{FS: e.opt.Rules})
	}
	roots = append(roots, e.opt.Roots...)
	return e.loader(own).Load(roots...)
}

func (e *Engine) loader(tools []*skills.Tool) rules.Loader {
	return reason.Loader(rules.Loader{Functions: e.opt.Functions, Tools: tools})
}

// own are the schemas of the tools that the embedder and plugins bring.
func own(tools *act.Registry) []*skills.Tool {
	return slices.DeleteFunc(tools.Tools(), func(t *skills.Tool) bool { return t.Builtin })
}

// say brings a reply to the user, where the embedder has a way.
func (e *Engine) say(ctx context.Context, session, text string) error {
	if e.opt.Say == nil {
		return nil // it stands in the outcome and in the record
	}
	return e.opt.Say(ctx, session, text)
}

// places are what self-protection keeps from every action: the record, and what
// the host names.
func (e *Engine) places() reason.Places {
	var p reason.Places
	for _, path := range append(slices.Clone(e.opt.Protected.Paths), e.opt.Dir) {
		if path == "" {
			continue
		}
		if abs, err := filepath.Abs(path); err == nil {
			path = abs
		}
		p.Paths = append(p.Paths, path)
		if real, err := realpath("realpath", path); err == nil && real != path {
			p.Paths = append(p.Paths, real)
		}
	}
	for _, h := range e.opt.Protected.Hosts {
		p.Hosts = append(p.Hosts, strings.ToLower(h))
	}
	return p
}

func placesValue(p reason.Places) sexpr.Value {
	return sexpr.Plist("paths", texts(p.Paths), "hosts", texts(p.Hosts))
}

func placesDigest(p reason.Places) sexpr.Digest {
	return sexpr.DigestText("cortex/places/1", placesValue(p).String())
}

// recordPolicy keeps the files of a rulebook and the protected places, once by
// their hashes, and notes which are in force.
func recordPolicy(tx *journal.Tx, p *policy) error {
	if err := recordOnce(tx, kindRulebook, p.gates.Hash(), bookValue(p)); err != nil {
		return err
	}
	if err := recordOnce(tx, kindPlaces, p.where, placesValue(p.places)); err != nil {
		return err
	}
	hash, where := p.gates.Hash(), p.where
	old, err := tx.Get(key(tableSetting, "policy"))
	if err != nil {
		return err
	}
	if n := len(hash); len(old) == 2*n && !bytes.Equal(old[:n], hash[:]) {
		outOfForce(tx, sexpr.Digest(old[:n]), tx.Last())
	}
	tx.Delete(key(tableCeased, hash))
	tx.Set(key(tableSetting, "policy"), append(hash[:], where[:]...))
	return nil
}

func recordOnce(tx *journal.Tx, kind string, hash sexpr.Digest, body sexpr.Value) error {
	old, err := tx.Get(key(tablePolicy, hash))
	if err != nil || old != nil {
		return err
	}
	rec, err := tx.Append(kind, "", body)
	if err == nil {
		tx.Set(key(tablePolicy, hash), number(rec.Seq))
	}
	return err
}

// recorded reads the body of what recordOnce wrote.
func (e *Engine) recorded(hash sexpr.Digest) (sexpr.Value, error) {
	raw, err := e.j.Get(key(tablePolicy, hash))
	if err != nil {
		return sexpr.Value{}, err
	}
	if raw == nil {
		rec, err := e.lostBook(hash)
		if err == nil && rec.Seq == 0 {
			err = fmt.Errorf("%s is not on record", hash)
		}
		return rec.Body, err
	}
	rec, err := e.j.Read(asNumber(raw))
	return rec.Body, err
}

// recordedPolicy compiles the policy of this hash from the record: its rules, and
// the gates of its plugins as they answered then. Its hash comes out as another if
// this program has other functions or limits.
func (e *Engine) recordedPolicy(hash sexpr.Digest) (*policy, error) {
	v, err := e.recorded(hash)
	if err != nil {
		return nil, fmt.Errorf("rulebook: %w", err)
	}
	roots, tools, err := bookFrom(v)
	if err != nil {
		return nil, fmt.Errorf("rulebook %s: %w", hash, err)
	}
	l := e.loader(tools)
	l.Recorded = true
	book, err := l.Load(roots...)
	if err != nil {
		return nil, fmt.Errorf("rulebook %s: %w", hash, err)
	}
	p := newPolicy(book, e.basic, reason.Places{})
	p.lock = v.GetText("lock")
	p.inGo, _ = v.Get("gates")
	if p.gates, err = e.replugged(book, v); err != nil {
		return nil, fmt.Errorf("rulebook %s: %w", hash, err)
	}
	return p, nil
}

// replugged puts the recorded gates in Go and of plugins between those of a rulebook.
func (e *Engine) replugged(book skills.Policy, recorded sexpr.Value) (skills.Policy, error) {
	inGo, _ := recorded.Get("gates")
	book, err := withGates(book, gatesFrom(inGo))
	lock := recorded.GetText("lock")
	if err != nil || lock == "" {
		return book, err
	}
	if e.opt.Plugins == nil {
		return nil, errors.New("it was made with plugins, and this engine knows none: Options.Plugins is not set")
	}
	return e.opt.Plugins.Recorded(book, lock)
}

// bookValue is a rulebook as the record keeps it: its files, byte for byte, and
// the tools that the embedder declared.
func bookValue(p *policy) sexpr.Value {
	var files []sexpr.Value
	for _, f := range p.book.Files() {
		files = append(files,
			sexpr.Plist("root", sexpr.Int64(int64(f.Root)), "path", sexpr.Str(f.Path), "data", sexpr.Str(string(f.Data))))
	}
	var tools strings.Builder
	for _, t := range own(p.tools) {
		tools.WriteString(t.Definition())
	}
	v := sexpr.Plist("files", sexpr.ListOf(files...), "tools", sexpr.Str(tools.String()))
	if p.lock != "" {
		v = v.With("lock", sexpr.Str(p.lock))
	}
	if !p.inGo.IsNil() {
		v = v.With("gates", p.inGo)
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
		r.FS.(fstest.MapFS)[f.GetText("path")] = &fstest.MapFile{Data: []byte(f.GetText("data"))}
		r.Files = append(r.Files, f.GetText("path"))
	}
	own, err := definedIn(v.GetText("tools"))
	return roots, own, err
}

// placesAt returns the protected places of this hash.
func (e *Engine) placesAt(hash string) (*reason.Places, error) {
	d, err := sexpr.ParseDigest(hash)
	if err != nil {
		return nil, err
	}
	v, err := e.recorded(d)
	if err != nil {
		return nil, fmt.Errorf("protected places: %w", err)
	}
	places := reason.Places{Paths: textsFrom(v, "paths"), Hosts: textsFrom(v, "hosts")}.Ready()
	return &places, nil
}

// recallPolicy puts the policy of the last run in force, for looking at.
func (e *Engine) recallPolicy(ctx context.Context) error {
	raw, err := e.j.Get(key(tableSetting, "policy"))
	if err != nil {
		return err
	}
	const n = len(sexpr.Digest{})
	if len(raw) != 2*n { // no engine has run here yet
		return e.emptyPolicy()
	}
	p, err := e.recordedPolicy(sexpr.Digest(raw[:n]))
	if err != nil { // approvals and the record can be looked at all the same
		e.opt.Logger.Warn("the rulebook in force cannot be compiled here", "error", err)
		return e.emptyPolicy()
	}
	places, err := e.placesAt(sexpr.Digest(raw[n:]).String())
	if err != nil {
		return err
	}
	p.places, p.where = *places, placesDigest(*places)
	e.policy.Store(p)
	return context.Cause(ctx)
}

func (e *Engine) emptyPolicy() error {
	book, err := e.loader(nil).Load()
	if err == nil {
		e.policy.Store(newPolicy(book, e.basic, e.places()))
	}
	return err
}
