// Package thoughts makes records of what models are asked and what they answer, by digest or
// in full. Before a text is kept or its digest is made, each secret that the veil knows, and
// each field that the options mask, becomes a keyed hash in it: HMAC-SHA-256, cut to 128
// bits, under a key that the record has for this alone. Equal values have equal hashes
// within one record, and without the key a short secret cannot be guessed from its hash.
package thoughts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/opencortex-go/cortex/cortex/internal/veil"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Mode says how much of what models are asked and answer is recorded.
type Mode string

// The modes.
const (
	Off    Mode = ""       // nothing is recorded
	Digest Mode = "digest" // digests and lengths of the texts, usage and time
	Full   Mode = "full"   // the texts too, masked
)

// Options of a [Keeper].
type Options struct {
	Mode Mode
	// Mask are fields of calls that are hashed, besides :secret arguments, such as
	// "login.args.password" and "*.result.token": a tool, or * for all, then args or
	// result, then the names on the way to the field; * stands for any one name.
	Mask []string
}

// Valid returns what is wrong with the options, or nil.
func (o Options) Valid() error {
	if o.Mode != Off && o.Mode != Digest && o.Mode != Full {
		return fmt.Errorf("cortex: Options.Traces.Mode is %q, expected \"\", %q or %q", o.Mode, Digest, Full)
	}
	_, err := fieldsOf(o.Mask)
	return err
}

// sessions is of how many sessions the masked texts are remembered.
const sessions = 1024

// perSession bounds the masked texts of a session, each in all its spellings. The field itself
// is masked also beyond that, and a quotation of it is not.
const perSession = 512

// Keeper makes records of exchanges. Its methods are safe for concurrent use. A nil Keeper
// makes none.
type Keeper struct {
	mode   Mode
	fields []field
	veil   *veil.Veil
	keys   record.Keys
	j      *journal.Journal

	mu    sync.Mutex // held while seen or key changes
	seen  *lru.Cache[string, skills.Secrets]
	keyed []byte // of the hashes; nil before the first
}

// New returns a keeper for the record j; nil if it is to keep nothing. keys seal the key of
// the hashes; nil keeps it as it is.
func New(o Options, v *veil.Veil, keys record.Keys, j *journal.Journal) (*Keeper, error) {
	if err := o.Valid(); err != nil || o.Mode == Off {
		return nil, err
	}
	k := &Keeper{mode: o.Mode, veil: v, keys: keys, j: j}
	k.fields, _ = fieldsOf(o.Mask)
	k.seen, _ = lru.New[string, skills.Secrets](sessions) // errs for sizes below 1 alone
	return k, nil
}

// Think returns the record of an exchange in a session, about a root signal. What could not
// be hashed, because the key cannot be read or written, is left out.
func (k *Keeper) Think(session string, root uint64, x *model.Exchange) record.Think {
	m := masking{k: k, session: session}
	if k.active(session) {
		m.on = true
		m.gather(x)
		k.remember(session, m.own)
		m.texts = k.known(session).Join(k.veil.Spoken(session))
	}
	return record.Think{Root: root, Provider: x.Provider, Model: x.Model,
		Prompt: record.SaidOf(m.prompt(x.Prompt), k.mode == Full), Answer: record.SaidOf(m.answer(x), k.mode == Full),
		TokensIn: x.Usage.TokensIn, TokensOut: x.Usage.TokensOut, Cost: x.Usage.Cost, Took: x.Took, Error: x.Failed()}
}

// Learn remembers what is to be masked of a call and its result, wherever a later text of the
// session quotes it.
func (k *Keeper) Learn(session, tool string, args, result sexpr.Value, text string) {
	if k == nil || len(k.fields) == 0 {
		return
	}
	if result.IsNil() && strings.HasPrefix(strings.TrimSpace(text), "{") {
		result, _ = sexpr.FromJSON([]byte(text)) // a result that cannot be read as JSON has no fields
	}
	var found skills.Secrets
	for _, f := range k.fields {
		from := args
		if f.result {
			from = result
		}
		if f.of(tool) {
			f.each(from, func(v sexpr.Value) { found = found.With(v) })
		}
	}
	k.remember(session, found)
}

// active reports whether there is anything to mask.
func (k *Keeper) active(session string) bool {
	return len(k.fields) > 0 || k.veil.Watches() || k.veil.Knows(session)
}

func (k *Keeper) known(session string) skills.Secrets {
	texts, _ := k.seen.Get(session)
	return texts
}

func (k *Keeper) remember(session string, texts skills.Secrets) {
	if len(texts) == 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	known := k.known(session)
	k.seen.Add(session, known.Join(texts[:min(len(texts), max(0, perSession-len(known)))]))
}

// message is one turn as it is kept, in JSON.
type message struct {
	Role  string `json:"role,omitempty"`
	Text  string `json:"text,omitempty"`
	Calls []call `json:"calls,omitempty"`
	For   string `json:"for,omitempty"` // which call a tool's message answers
}

type call struct {
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
	Cut  bool            `json:"cut,omitempty"`
}

// prompt is a prompt as it is kept: a list of messages, the system's first.
func (m *masking) prompt(p model.Prompt) string {
	out := make([]message, 0, len(p.Messages)+1)
	out = append(out, message{Role: "system", Text: m.plain(p.System)})
	for i := range p.Messages {
		x := &p.Messages[i]
		out = append(out, m.message(x.Role, x.Text, x.Calls, x.CallID))
	}
	return inJSON(out)
}

// answer is an answer as it is kept: one message.
func (m *masking) answer(x *model.Exchange) string {
	if x.Answer.Text == "" && len(x.Answer.Calls) == 0 {
		return ""
	}
	return inJSON(m.message(model.RoleAssistant, x.Answer.Text, x.Answer.Calls, ""))
}

func (m *masking) message(role model.Role, text string, calls []model.NativeCall, id string) message {
	out := message{Role: string(role), For: id}
	if role == model.RoleAssistant {
		out.Text = m.spoken(text)
	} else {
		out.Text = m.plain(text)
	}
	for _, c := range calls {
		out.Calls = append(out.Calls, call{ID: c.ID, Name: c.Name, Args: m.arguments(c), Cut: c.Cut})
	}
	return out
}

// inJSON prints a value. Text that is not UTF-8 is kept as JSON has to have it.
func inJSON(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Sprintf(`{"error":%q}`, err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
