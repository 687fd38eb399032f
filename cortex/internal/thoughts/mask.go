package thoughts

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// masking puts hashes into the texts of one exchange.
type masking struct {
	k       *Keeper
	session string
	on      bool            // there may be something to mask
	own     skills.Secrets  // of this exchange
	texts   skills.Secrets  // all that are masked in it
	made    map[string]bool // the hashes
}

// gather finds the texts of masked fields in an exchange: also what a model has only just
// written, and no gate has judged.
func (m *masking) gather(x *model.Exchange) {
	m.gatherFrom(model.RoleAssistant, x.Answer.Text, x.Answer.Calls)
	for i := range x.Prompt.Messages {
		p := &x.Prompt.Messages[i]
		m.gatherFrom(p.Role, p.Text, p.Calls)
	}
}

func (m *masking) gatherFrom(role model.Role, text string, calls []model.NativeCall) {
	for _, c := range calls {
		if args, err := sexpr.FromJSON([]byte(c.Arguments)); err == nil {
			m.gatherCall(c.Name, args)
		}
	}
	if role != model.RoleAssistant {
		return
	}
	if r := (sexpr.Reader{}).ReadReply(text, nil); r.Kind == sexpr.Proposal {
		found, _ := m.k.veil.Proposes(r.Form)
		m.own = m.own.Join(found)
		if tool, args, ok := called(r.Form); ok {
			m.gatherCall(tool, args)
		}
	}
}

func (m *masking) gatherCall(tool string, args sexpr.Value) {
	for kv := args.Items(); args.IsPlist() && len(kv) > 1; kv = kv[2:] {
		if m.secret(tool, kv[0].Text(), kv[1]) {
			m.own = m.own.With(kv[1])
		}
	}
	for _, f := range m.k.fields {
		if !f.result && f.of(tool) {
			f.each(args, func(v sexpr.Value) { m.own = m.own.With(v) })
		}
	}
}

// secret reports whether an argument is one that its tool declares as secret.
func (m *masking) secret(tool, name string, v sexpr.Value) bool {
	_, reference := skills.VaultName(v)
	return !reference && m.k.veil.IsSecret(tool, name)
}

// called returns the call in a proposal, if it has the shape of one.
func called(form sexpr.Value) (tool string, args sexpr.Value, ok bool) {
	if in, nested := form.Get("payload"); nested {
		form = in
	}
	args, _ = form.Get("args")
	tool = form.GetText("tool")
	return tool, args, tool != "" && args.IsObject()
}

// plain masks a text that holds no call.
func (m *masking) plain(text string) string {
	if !m.on {
		return text
	}
	return m.texts.Replace(text, func(t string) string { return m.hash(t) })
}

// spoken masks what a model wrote. A proposal is kept as it was read, with hashes in it; what
// cannot be read and may hold a secret is hashed whole.
func (m *masking) spoken(text string) string {
	if !m.on {
		return text
	}
	r := (sexpr.Reader{}).ReadReply(text, nil)
	switch {
	case r.Kind == sexpr.Malformed && m.mentions(text):
		return m.hash(text)
	case r.Kind != sexpr.Proposal:
		return m.plain(text)
	}
	tool, args, ok := called(r.Form)
	if !ok {
		if _, secret := m.k.veil.Proposes(r.Form); secret {
			return m.hash(text)
		}
		return m.plain(text)
	}
	masked := m.call(tool, args)
	if sexpr.Equal(masked, args) {
		return m.plain(text)
	}
	form := sexpr.Plist("type", sexpr.Key("request"), "target", sexpr.Key("tool"), "tool", sexpr.Str(tool),
		"args", masked)
	if says := r.Form.GetText("explanation"); says != "" {
		form = form.With("explanation", sexpr.Str(says))
	}
	return m.plain(form.String())
}

// arguments masks those of a native call. Arguments that cannot be read as JSON and may hold a
// secret are hashed whole.
func (m *masking) arguments(c model.NativeCall) json.RawMessage {
	if args, err := sexpr.FromJSON([]byte(c.Arguments)); err == nil {
		if m.on {
			args = m.call(c.Name, args)
		}
		if out, err := sexpr.ToJSON(args); err == nil {
			return out
		}
	}
	text := c.Arguments
	if m.on && (m.k.veil.Mentions(c.Name) || m.mentions(text)) {
		text = m.hash(text)
	}
	return json.RawMessage(inJSON(m.plain(text)))
}

// mentions reports whether a text that cannot be read may hold what is to be masked: it names
// an argument that is, or a tool with secrets.
func (m *masking) mentions(text string) bool {
	low := strings.ToLower(text)
	return m.k.veil.Mentions(text) || slices.ContainsFunc(m.k.fields, func(f field) bool {
		name := f.path[len(f.path)-1]
		return !f.result && (name == "*" || strings.Contains(low, strings.ToLower(name)))
	})
}

// call masks the arguments of a call.
func (m *masking) call(tool string, args sexpr.Value) sexpr.Value {
	hashed := func(v sexpr.Value) sexpr.Value {
		if v.Kind() == sexpr.String {
			return sexpr.Str(m.hash(v.Text()))
		}
		return sexpr.Str(m.hash(v.String()))
	}
	out := args
	for _, f := range m.k.fields {
		if !f.result && f.of(tool) {
			out = put(out, f.path, hashed)
		}
	}
	for kv := args.Items(); args.IsPlist() && len(kv) > 1; kv = kv[2:] {
		if m.secret(tool, kv[0].Text(), kv[1]) {
			out = out.With(kv[0].Text(), hashed(kv[1]))
		}
	}
	return m.in(out)
}

// in masks every text and number in a value.
func (m *masking) in(v sexpr.Value) sexpr.Value {
	switch v.Kind() {
	case sexpr.String:
		return sexpr.Str(m.plain(v.Text()))
	case sexpr.Int, sexpr.Float:
		if text := m.plain(v.String()); text != v.String() {
			return sexpr.Str(text)
		}
	case sexpr.List:
		if v.IsNil() {
			return v
		}
		out := make([]sexpr.Value, v.Len())
		for i, x := range v.Items() {
			out[i] = m.in(x)
		}
		return sexpr.ListOf(out...)
	case sexpr.Keyword, sexpr.Symbol:
	}
	return v
}

// hash returns what stands for a text: equal texts have equal hashes.
func (m *masking) hash(text string) string {
	if m.made[text] { // by an earlier field
		return text
	}
	key, err := m.k.key()
	if err != nil {
		return "[masked]"
	}
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	out := "[masked " + hex.EncodeToString(h.Sum(nil)[:16]) + "]"
	if m.made == nil {
		m.made = map[string]bool{}
	}
	m.made[out] = true
	return out
}

// key returns the key of the hashes. The first call makes it, durably, before a hash is made.
func (k *Keeper) key() ([]byte, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.keyed != nil {
		return k.keyed, nil
	}
	at := record.TableSetting.Key(record.SettingMasks)
	stored, err := k.j.Get(at)
	if err != nil {
		return nil, err
	}
	if key := k.unsealed(stored); key != nil {
		k.keyed = key
		return key, nil
	}
	// There is none, or it went with the keys that it was sealed under. Then the old hashes
	// cannot be compared with any more, and new ones begin.
	key := make([]byte, sha256.Size)
	_, _ = rand.Read(key) // it never fails
	if stored, err = k.sealed(key); err != nil {
		return nil, err
	}
	err = k.j.Finish(context.Background(), func(tx *journal.Tx) error {
		tx.Set(at, stored)
		return nil
	})
	if err == nil {
		k.keyed = key
	}
	return key, err
}

// sealed is a key as it is stored: itself or, where there are keys, the length of the
// encrypted key, the encrypted key, and what that opens.
func (k *Keeper) sealed(key []byte) ([]byte, error) {
	if k.keys == nil {
		return key, nil
	}
	data, own, err := k.keys.Seal(key)
	if err != nil {
		return nil, err
	}
	out := binary.BigEndian.AppendUint32(nil, uint32(len(own)))
	return append(append(out, own...), data...), nil
}

// unsealed reads what sealed made; nil if it cannot.
func (k *Keeper) unsealed(stored []byte) []byte {
	if len(stored) == sha256.Size {
		return stored
	}
	if len(stored) < 4 || k.keys == nil {
		return nil
	}
	n := int(binary.BigEndian.Uint32(stored))
	if n > len(stored)-4 {
		return nil
	}
	key, err := k.keys.Open(stored[4+n:], stored[4:4+n])
	if err != nil || len(key) != sha256.Size {
		return nil
	}
	return key
}
