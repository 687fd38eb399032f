package veil

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// The bounds of what a veil remembers. What is forgotten stays hidden where it is, and is
// not found any more where a later record quotes it.
const (
	sessions   = 1024 // whose secrets are known
	perSession = 512  // texts of one session, each secret in its spellings
	opened     = 256  // records whose secrets are decrypted
)

// Veil hides what tools declare as secret. Its methods are safe for concurrent use.
type Veil struct {
	keys  record.Keys // nil hides nothing
	found *finder
	names atomic.Pointer[names]

	mu     sync.Mutex                         // held while spoken changes
	spoken *lru.Cache[string, skills.Secrets] // by session
	opened *lru.Cache[uint64, *contents]      // of records
}

var _ journal.Veil = (*Veil)(nil)

// contents are what is encrypted in a record.
type contents struct {
	values []sexpr.Value  // what its marks stand for, from 1
	texts  skills.Secrets // that were secret in it
	found  skills.Secrets // that looked like credentials
}

// New returns a veil that encrypts under keys. nil is for records without secrets: what is
// hidden in others stays so. find lists the credentials in a text, which are hidden wherever
// they stand; nil finds none.
func New(keys record.Keys, find func(text string) []string) *Veil {
	v := &Veil{keys: keys, found: newFinder(find)}
	v.names.Store(&names{byTool: map[string]*arguments{}, any: &arguments{secret: map[string]bool{}}})
	v.spoken, _ = lru.New[string, skills.Secrets](sessions) // errs for sizes below 1 alone
	v.opened, _ = lru.New[uint64, *contents](opened)
	return v
}

// names are the arguments that the tools in force declare as secret, all in lower case.
type names struct {
	byTool map[string]*arguments // of each declared tool
	any    *arguments            // of tools that are not declared: what is secret of any tool
	// A body with such an action holds the name of one of these tools, or is a proposal with
	// one of these keys.
	tools, keys [][]byte
}

// arguments are those of a tool.
type arguments struct{ secret, declared map[string]bool }

// hides reports whether an argument is secret. Of a tool with secrets, an argument that is
// not declared is one too: its name may be misspelt.
func (a *arguments) hides(name string) bool {
	name = lower(name)
	return a.secret[name] || len(a.secret) > 0 && a.declared != nil && !a.declared[name]
}

// Declare tells the veil which tools are in force. What was declared as secret before stays
// so: decisions under the earlier rules may still be on their way. The error says that a tool
// has secret arguments, and there are no keys to hide them with.
func (v *Veil) Declare(tools []*skills.Tool) error {
	old := v.names.Load()
	n := &names{byTool: map[string]*arguments{}, any: &arguments{secret: maps.Clone(old.any.secret)},
		tools: slices.Clone(old.tools), keys: slices.Clone(old.keys)}
	for tool, own := range old.byTool {
		n.byTool[tool] = &arguments{maps.Clone(own.secret), maps.Clone(own.declared)}
	}
	for _, t := range tools {
		own := n.byTool[lower(t.Name)]
		if own == nil {
			own = &arguments{map[string]bool{}, map[string]bool{}}
			n.byTool[lower(t.Name)] = own
		}
		for _, p := range t.Params {
			own.declared[lower(p.Name)] = true
		}
		if len(t.Secret) == 0 {
			continue
		}
		if v.keys == nil {
			return fmt.Errorf("cortex: the tool %s has :secret arguments, and Options.Keys is not set: "+
				"keyfile.Open makes a file of keys", t.Name)
		}
		n.tools = append(n.tools, []byte(lower(t.Name)))
		for _, name := range t.Secret {
			own.secret[lower(name)], n.any.secret[lower(name)] = true, true
			n.keys = append(n.keys, []byte(lower(name)))
		}
		slices.SortFunc(n.tools, bytes.Compare)
		slices.SortFunc(n.keys, bytes.Compare)
		n.tools = slices.CompactFunc(n.tools, bytes.Equal)
		n.keys = slices.CompactFunc(n.keys, bytes.Equal)
	}
	v.names.Store(n)
	return nil
}

// Hide implements [journal.Veil].
func (v *Veil) Hide(tx *journal.Tx, kind, session string, body journal.Body) (journal.Body, error) {
	n := v.names.Load()
	if v.keys == nil || !hideable(kind) {
		return body, nil
	}
	known := v.hiddenIn(session)
	found, whole := v.found.body(body.Text())
	if len(found)+len(whole) == 0 && !n.mayBeIn(body.Text()) && !quotes(body.Text(), known) {
		return body, nil
	}
	value, err := body.Value()
	if err != nil {
		return body, err
	}
	h := &hiding{names: n, texts: known.Join(found), found: found, whole: whole, entered: entered(kind)}
	h.find(value)
	v.remember(session, h.own)
	v.rememberFound(session, found)
	if value, err = h.hide(value); err != nil || len(h.values) == 0 {
		return body, err
	}
	text, err := sexpr.Print(sexpr.ListOf(sexpr.ListOf(h.values...), record.Texts(h.own), record.Texts(found)))
	if err != nil {
		return body, err
	}
	sealed, key, err := v.keys.Seal([]byte(text))
	if err != nil {
		return body, fmt.Errorf("its secrets cannot be encrypted: %w", err)
	}
	seq := tx.Last() + 1
	tx.Set(record.TableKey.Key(seq), key)
	value = value.With(record.Veiled, sexpr.Plist("data", sexpr.Str(base64.StdEncoding.EncodeToString(sealed)),
		"mark", sexpr.Str(h.mark), "of", sexpr.Int64(int64(seq))))
	if value, err = sexpr.Sorted(value); err != nil {
		return body, err
	}
	return journal.NewBody(value)
}

// hideable reports whether records of a kind may hold secrets: the others have no text from outside.
func hideable(kind string) bool {
	switch kind {
	case record.KindRetention, record.KindCheckpoint, record.KindClock, record.KindOpen, record.KindPairing:
		return false
	}
	return true
}

// entered reports whether records of a kind are those of logs.
func entered(kind string) bool {
	return kind == record.KindEvents || kind == record.KindKept || kind == record.KindStanding
}

// Show implements [journal.Veil]. Where the key is destroyed, or is not among the keys, the
// body stays as it is stored: see [record.IsVeiled].
func (v *Veil) Show(from journal.Getter, r journal.Record) (journal.Record, error) {
	hidden, is := r.Body.Get(record.Veiled)
	if !is || v.keys == nil {
		return r, nil
	}
	in, err := v.contents(from, uint64(hidden.GetInt("of")), hidden)
	if err != nil || in == nil {
		return r, err
	}
	v.remember(r.Session, in.texts)
	v.rememberFound(r.Session, in.found)
	r.Body, err = show(r.Body, hidden.GetText("mark"), in.values)
	return r, err
}

// contents decrypts what is hidden in record seq; nil if its key is gone.
func (v *Veil) contents(from journal.Getter, seq uint64, hidden sexpr.Value) (*contents, error) {
	key, err := from.Get(record.TableKey.Key(seq))
	if err != nil || key == nil {
		v.opened.Remove(seq)
		return nil, err
	}
	if in, ok := v.opened.Get(seq); ok {
		return in, nil
	}
	in, err := v.open(hidden, key)
	if err == nil {
		v.opened.Add(seq, in)
	}
	return in, nil // else as if it were destroyed: nothing is allowed on what cannot be read
}

func (v *Veil) open(hidden sexpr.Value, key []byte) (*contents, error) {
	sealed, err := base64.StdEncoding.DecodeString(hidden.GetText("data"))
	if err != nil {
		return nil, err
	}
	text, err := v.keys.Open(sealed, key)
	if err != nil {
		return nil, err
	}
	list, err := record.Unlimited.Read("secrets", string(text))
	if err != nil || list.Len() < 2 {
		return nil, errors.Join(err, errors.New("what is hidden in a record is damaged"))
	}
	in := &contents{values: list.Items()[0].Items()}
	for _, x := range list.Items()[1].Items() {
		in.texts = append(in.texts, x.Text())
	}
	if list.Len() > 2 { // earlier records have only the two
		for _, x := range list.Items()[2].Items() {
			in.found = append(in.found, x.Text())
		}
	}
	return in, nil
}

// Check returns an error if the keys do not open the newest secret on record: then they are
// those of another one, and what is hidden would count as destroyed.
func (v *Veil) Check(r interface {
	record.Reader
	Read(seq uint64) (journal.Record, error)
}) error {
	newest := uint64(0)
	if err := record.TableKey.After(r, 0, func(seq uint64, _ []byte) error { newest = seq; return nil }); err != nil {
		return err
	}
	if newest == 0 {
		return nil
	}
	if v.keys == nil {
		return fmt.Errorf("cortex: record %d holds secrets, and Options.Keys is not set: pass the keys that it was "+
			"written with", newest)
	}
	rec, err := r.Read(newest)
	if errors.Is(err, journal.ErrRemoved) || errors.Is(err, journal.ErrNotFound) {
		return nil
	}
	if err == nil && record.IsVeiled(rec.Body) {
		err = fmt.Errorf("cortex: the secrets of record %d cannot be read: the file of keys is not the one that it was "+
			"written with; put that one back", newest)
	}
	return err
}

// known returns the secrets of a session.
func (v *Veil) known(session string) skills.Secrets {
	texts, _ := v.spoken.Get(session)
	return texts
}

// remember adds secrets to those of a session.
func (v *Veil) remember(session string, texts skills.Secrets) {
	if len(texts) == 0 {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	known := v.known(session)
	v.spoken.Add(session, known.Join(texts[:min(len(texts), max(0, perSession-len(known)))]))
}

// Redact replaces what is known to be secret in a text that leaves the engine without being
// on record, such as a line of the log.
func (v *Veil) Redact(text string) string {
	for _, texts := range v.spoken.Values() {
		text = texts.Redact(text)
	}
	return text
}

// Knows reports whether secrets of a session are known.
func (v *Veil) Knows(session string) bool { return len(v.known(session)) > 0 }

// Spoken returns the secrets of a session that are known.
func (v *Veil) Spoken(session string) skills.Secrets { return v.known(session) }

// Proposes returns the secret texts in a proposal, of whatever shape, and whether a tool in
// force makes it one to be hidden.
func (v *Veil) Proposes(form sexpr.Value) (texts skills.Secrets, secret bool) {
	n := v.names.Load()
	h := hiding{names: n}
	secret = h.findProposed(form, n.any)
	return h.own, secret
}

// Mentions reports whether a text that cannot be read may hold a secret argument: it names
// one, or a tool that has some.
func (v *Veil) Mentions(text string) bool {
	n, low := v.names.Load(), []byte(lower(text))
	in := func(name []byte) bool { return bytes.Contains(low, name) }
	return slices.ContainsFunc(n.tools, in) || slices.ContainsFunc(n.keys, in)
}

// Watches reports whether any tool in force, or that was in force, has secret arguments.
func (v *Veil) Watches() bool { return len(v.names.Load().tools) > 0 }

// Cover replaces what is secret in the arguments of a call, or in any other value of one, by
// [skills.SecretMark], for those who look at what is not on record so.
func (v *Veil) Cover(tool string, args sexpr.Value) sexpr.Value {
	out := v.CoverTexts(args)
	if !args.IsPlist() {
		return out
	}
	for kv := args.Items(); len(kv) > 1; kv = kv[2:] {
		if v.IsSecret(tool, kv[0].Text()) && !isReference(kv[1]) {
			out = out.With(kv[0].Text(), sexpr.Str(skills.SecretMark))
		}
	}
	return out
}

// IsSecret reports whether a tool in force declares an argument as secret.
func (v *Veil) IsSecret(tool, name string) bool {
	n := v.names.Load()
	return n.of(tool).hides(name)
}

// CoverTexts replaces every text and number in a value that quotes a secret.
func (v *Veil) CoverTexts(x sexpr.Value) sexpr.Value {
	for _, texts := range v.spoken.Values() {
		x = texts.Cover(x)
	}
	return x
}
