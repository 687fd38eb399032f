package skills

import (
	"strings"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/sexpr"
)

// digestDomain separates the digest of an action from every other hash.
const digestDomain = "cortex/action/1"

// Action is a tool call in canonical form: the only thing that gates judge and
// actuators run. It is immutable and safe for concurrent use.
//
// Its canonical text is (:args (...) :target :tool :tool "name" :type :request)
// and its digest is the SHA-256 of "cortex/action/1", a newline and that text.
// The explanation is outside both, so that the same act always has the same
// digest.
type Action struct {
	tool        string
	args        sexpr.Value // a canonical plist, or {}
	explanation string
	canonical   string
	digest      sexpr.Digest
	native      map[string]any
	withheld    bool
}

// NewAction returns the action that calls tool with args: a plist, {} or nil.
// An error says which argument has no canonical form, and where.
func NewAction(tool string, args sexpr.Value, explanation string) (*Action, error) {
	if tool == "" {
		return nil, errAt(args.Pos(), "an action without a tool, expected :tool \"name\"")
	}
	if args.IsNil() {
		args = sexpr.EmptyObject()
	}
	if !args.IsObject() {
		return nil, errAt(args.Pos(), ":args is %s, expected a plist like (:cmd \"ls\")", found(args))
	}
	if err := sexpr.CheckJSON(args); err != nil {
		return nil, err
	}
	sorted, err := sexpr.Sorted(args)
	if err != nil {
		return nil, err
	}
	text, err := sexpr.Canonical(sexpr.Plist(
		"args", sorted, "target", sexpr.Key("tool"), "tool", sexpr.Str(tool), "type", sexpr.Key("request")))
	if err != nil {
		return nil, err
	}
	native, _ := Native(sorted).(map[string]any)
	return &Action{
		tool: tool, args: sorted, explanation: spelled(explanation), canonical: text,
		digest: sexpr.DigestText(digestDomain, text), native: native,
	}, nil
}

// Recorded returns the action that a record holds: what [NewAction] makes, if that has the
// digest on record. Where the record holds marks in place of secret arguments (withheld) and
// the digest is of the real ones, it returns the action to be shown, and to be used for
// nothing else: see [Action.Withheld].
func Recorded(tool string, args sexpr.Value, explanation string, digest sexpr.Digest, withheld bool) (*Action, error) {
	a, err := NewAction(tool, args, explanation)
	if err != nil || a.digest == digest {
		return a, err
	}
	if !withheld {
		return nil, errAt(args.Pos(), "the action has the digest %s, recorded is %s", a.digest, digest)
	}
	a.digest, a.withheld = digest, true
	return a, nil
}

// Withheld reports whether marks stand in place of the action's secret arguments. Such an
// action has the digest of the real one. It can be shown; it is never allowed, and no
// actuator takes it.
func (a *Action) Withheld() bool { return a.withheld }

// spelled replaces characters that records cannot hold: an explanation is a model's
// free text, and its spelling must not make the action fail.
func spelled(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// Tool returns the name of the tool to call.
func (a *Action) Tool() string { return a.tool }

// Args returns the arguments: a plist with sorted keys, or {}.
func (a *Action) Args() sexpr.Value { return a.args }

// Explanation returns the model's own reason for the action. It is not part of the
// action's digest.
func (a *Action) Explanation() string { return a.explanation }

// Canonical returns the canonical text: the bytes that are judged, approved and
// run.
func (a *Action) Canonical() string { return a.canonical }

// Digest returns the action's name: equal digests mean equal bytes.
func (a *Action) Digest() sexpr.Digest { return a.digest }

// Native returns the arguments as plain Go values (see [Native]), made once.
// The map is shared and must not be changed.
func (a *Action) Native() map[string]any { return a.native }

// Null is JSON's null among native values. It equals only itself.
type Null struct{}

// Native turns a value of :args into plain Go: string, int64, float64, bool,
// [Null], []any, and map[string]any. nil is the empty []any.
func Native(v sexpr.Value) any {
	switch v.Kind() {
	case sexpr.String, sexpr.Keyword:
		return v.Text()
	case sexpr.Int:
		return v.Int()
	case sexpr.Float:
		return v.Float()
	case sexpr.Symbol:
		switch v.Text() {
		case "t":
			return true
		case "false":
			return false
		case "null":
			return Null{}
		case "{}":
			return map[string]any{}
		}
		return v.Text()
	case sexpr.List:
	}
	items := v.Items()
	if v.IsPlist() {
		m := make(map[string]any, len(items)/2)
		for i := 0; i+1 < len(items); i += 2 {
			m[items[i].Text()] = Native(items[i+1])
		}
		return m
	}
	out := make([]any, len(items))
	for i, x := range items {
		out[i] = Native(x)
	}
	return out
}
