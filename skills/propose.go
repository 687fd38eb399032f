package skills

import (
	"errors"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
)

// ToolSet looks up a proposal's tool. Every [Policy] is one.
type ToolSet interface {
	Tool(name string) (*Tool, bool)
	Tools() []*Tool
}

// Note says which part [Propose] dropped, or where two spellings collided.
type Note struct {
	Pos  sexpr.Pos
	Text string
}

// maxToolName bounds the name of a tool, which a model may have invented.
const maxToolName = 256

// The keys of a proposal are a closed list. Which of them a payload may hold
// depends on its target.
var (
	envelopeKeys = []string{"type", "target", "tool", "action", "args", "payload", "explanation"}
	callKeys     = []string{"tool", "action", "args", "explanation"}
	messageKeys  = []string{"action", "text", "args", "explanation"}
	shellKeys    = []string{"action", "cmd", "timeout", "max-output", "args", "explanation"}
	systemKeys   = []string{"action", "code", "text", "filename", "content", "args", "explanation"}
	// proposalKeys are all of them.
	proposalKeys = slices.Concat(envelopeKeys, messageKeys, shellKeys, systemKeys)

	// A message goes to the signal's sender, whichever of these it names; any other
	// target is a mistake that the model can correct.
	messageTargets = []string{"", "tool", "reply", "user", "system", "cli", "tui", "repl", "emacs", "telegram", "signal"}
)

// Propose turns a proposal into an [Action].
//
// A proposal has :type :request, or no type and a :tool. Its tool and arguments
// stand in the :payload or beside it. The ancestors' other spellings mean the
// same: :target :shell with :cmd, :action :message with :text (the tool reply),
// :target :system, a tool written as a keyword, arguments wrapped once more.
// Unlisted keys, such as :approved, are dropped and noted, except inside :args. The
// arguments of a declared tool are checked against its schema.
//
// An error is written for the model: it says where, what and what would be right. If
// the arguments have a canonical form but violate the schema, Propose returns the
// action, for the record only, and a *[SchemaError].
func Propose(form sexpr.Value, tools ToolSet) (*Action, []Note, error) {
	p := proposal{}
	if err := p.read(form); err != nil {
		return nil, p.notes, err
	}
	tool, declared := resolve(p.tool, tools)
	if !declared {
		a, err := NewAction(p.tool, unwrap(p.args, nil), p.explanation)
		return a, p.notes, err
	}
	args, fault := tool.Check(unwrap(p.args, tool))
	a, err := NewAction(tool.Name, args, p.explanation)
	if fault != nil {
		return a, p.notes, fault // the schema error helps more than err
	}
	return a, p.notes, err
}

// errWithheld says that an action was read without its secrets.
var errWithheld = errors.New("the action's secret arguments are not to be had any more")

// Conform checks an existing action against the tools, and normalises its name and
// arguments like [Propose]. If nothing needs a change it returns the same action,
// without an allocation. With a *[SchemaError] it returns the action unchanged.
func Conform(a *Action, tools ToolSet) (*Action, error) {
	tool, declared := resolve(a.tool, tools)
	if !declared {
		return a, nil
	}
	if a.withheld {
		return a, errWithheld
	}
	c := checker{secret: tool.Secret}
	args, changed := c.object(tool.Params, tool.Required, a.args)
	if len(c.faults) > 0 {
		return a, tool.schemaError(c.faults)
	}
	if !changed && tool.Name == a.tool {
		return a, nil
	}
	return NewAction(tool.Name, args, a.explanation)
}

// resolve finds the declared tool of this name, or the only one that equals it
// when case is ignored.
func resolve(name string, tools ToolSet) (*Tool, bool) {
	if tools == nil {
		return nil, false
	}
	if t, ok := tools.Tool(name); ok {
		return t, true
	}
	var only *Tool
	for _, t := range tools.Tools() {
		if equalFold(t.Name, name) {
			if only != nil {
				return nil, false
			}
			only = t
		}
	}
	return only, only != nil
}

// unwrap removes the one extra layer around arguments that the ancestors
// accepted: ((:cmd "ls")), and (:args (:cmd "ls")) where the declared tool has no
// parameter of that name.
func unwrap(args sexpr.Value, tool *Tool) sexpr.Value {
	items := args.Items()
	if len(items) == 1 && (items[0].IsObject() || items[0].IsNil()) {
		return items[0]
	}
	if tool != nil && len(items) == 2 && equalFold(items[0].Text(), "args") &&
		findParam(tool.Params, items[0]) < 0 && (items[1].IsObject() || items[1].IsNil()) {
		return items[1]
	}
	return args
}

// proposal is a form taken apart.
type proposal struct {
	tool, explanation string
	args              sexpr.Value
	notes             []Note
}

func (p *proposal) read(form sexpr.Value) error {
	if form.Kind() != sexpr.List || form.IsNil() {
		return errAt(form.Pos(), "a proposal is a plist, not %s; expected (:type :request :target :tool :payload (:tool "+
			"\"name\" :args (...)))", found(form))
	}
	env, err := readFields(form, "the proposal")
	if err != nil {
		return err
	}
	body, err := env.body()
	if err != nil {
		return err
	}
	typ, target, action := env.word("type"), env.word("target"), body.word("action")
	if action == "" {
		action = env.word("action")
	}
	if typ == "" {
		if _, ok := env.get("type"); ok {
			return errAt(env.pos("type"), ":type is not a word, expected :request")
		}
	} else if typ != "request" {
		return errAt(env.pos("type"), "the proposal has another :type, expected :request")
	}
	named, err := one(env, body, "tool")
	if err != nil {
		return err
	}
	if typ == "" && named.IsNil() {
		return errAt(form.Pos(), "neither :type :request nor a :tool, expected (:type :request :target :tool :payload "+
			"(:tool \"name\" :args (...)))")
	}
	keys, direct, err := p.kind(form, named, target, action)
	if err != nil {
		return err
	}
	p.dropped(env, body, keys)
	if p.explanation, err = p.why(env, body); err != nil {
		return err
	}
	p.args, err = arguments(env, body, direct)
	if p.args.Pos().Line == 0 {
		p.args = p.args.At(form.Pos()) // no :args: report missing arguments here
	}
	return err
}

// kind decides which tool is meant, which keys may accompany it, and which of
// those are arguments themselves.
func (p *proposal) kind(form, named sexpr.Value, target, action string) (keys, direct []string, err error) {
	switch {
	case !named.IsNil():
		if p.tool, err = toolName(named); err != nil {
			return nil, nil, err
		}
		if target != "" && target != "tool" && !equalFold(target, p.tool) {
			return nil, nil, errAt(form.Pos(), ":target and :tool disagree, expected :target :tool")
		}
		return callKeys, nil, nil
	case action == "message":
		if !slices.Contains(messageTargets, target) {
			return nil, nil,
				errAt(form.Pos(), "unknown :target, expected :target :tool and a :tool; a message to the user needs no target")
		}
		p.tool = ReplyTool
		return messageKeys, []string{"text"}, nil
	case target == "shell":
		p.tool = "shell"
		return shellKeys, []string{"cmd", "timeout", "max-output"}, nil
	case target == "system":
		p.tool = "system"
		return systemKeys, []string{"action", "code", "text", "filename", "content"}, nil
	case target == "" || target == "tool":
		return nil, nil, errAt(form.Pos(), "no tool is named, expected :tool \"name\"")
	}
	return nil, nil, errAt(form.Pos(), "unknown :target, expected :target :tool and :tool \"name\"")
}

// toolName takes a string, a keyword or an unquoted word.
func toolName(v sexpr.Value) (string, error) {
	name := v.Text()
	switch {
	case v.Kind() != sexpr.String && v.Kind() != sexpr.Keyword && !isWord(v):
		return "", errAt(v.Pos(), ":tool is %s, expected the name of a tool as a string", found(v))
	case name == "":
		return "", errAt(v.Pos(), ":tool is empty, expected the name of a tool")
	case len(name) > maxToolName:
		return "", errAt(v.Pos(), ":tool is %d bytes long, expected at most %d", len(name), maxToolName)
	case strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "", errAt(v.Pos(), ":tool holds a control character, expected the name of a tool")
	}
	return name, nil
}

// isWord reports whether v is a symbol other than t, false, null and {}.
func isWord(v sexpr.Value) bool {
	if v.Kind() != sexpr.Symbol {
		return false
	}
	switch v.Text() {
	case "t", "false", "null", "{}":
		return false
	}
	return true
}

// dropped notes every unlisted key.
func (p *proposal) dropped(env, body *fields, keys []string) {
	for _, f := range env.list {
		if !slices.Contains(envelopeKeys, f.name) && (env != body || !slices.Contains(keys, f.name)) {
			p.note(f.key)
		}
	}
	for _, k := range env.other {
		p.note(k)
	}
	if env == body {
		return
	}
	for _, f := range body.list {
		if !slices.Contains(keys, f.name) {
			p.note(f.key)
		}
	}
	for _, k := range body.other {
		p.note(k)
	}
}

func (p *proposal) note(key sexpr.Value) {
	if len(p.notes) < maxFaults {
		p.notes = append(p.notes, Note{key.Pos(), "dropped " + printKey(key.Text()) + "; arguments stand in :args"})
	}
}

// why finds the explanation. If both places have one, the envelope's counts.
func (p *proposal) why(env, body *fields) (string, error) {
	v, ok := env.get("explanation")
	inner, also := body.get("explanation")
	if !ok {
		v = inner
	} else if also && !sexpr.Equal(v, inner) {
		p.notes = append(p.notes, Note{inner.Pos(), "two explanations; the one beside the payload counts"})
	}
	if v.IsNil() || v.IsSym("null") {
		return "", nil
	}
	if v.Kind() != sexpr.String {
		return "", errAt(v.Pos(), ":explanation is %s, expected a string", found(v))
	}
	return v.Text(), nil
}

// arguments finds :args, or gathers the keys that are arguments themselves.
func arguments(env, body *fields, direct []string) (sexpr.Value, error) {
	args, err := one(env, body, "args")
	if err != nil {
		return args, err
	}
	var loose []sexpr.Value
	for _, f := range body.list {
		if slices.Contains(direct, f.name) {
			v := f.value
			if f.name == "action" { // a verb, which the ancestors wrote as a keyword
				v = sexpr.Str(v.Text()).At(v.Pos())
			}
			loose = append(loose, sexpr.Key(f.name).At(f.key.Pos()), v)
		}
	}
	switch {
	case len(loose) == 0:
		return args, nil
	case args.IsNil() || args.IsSym("{}"):
		return sexpr.ListOf(loose...).At(body.form.Pos()), nil
	case len(loose) == 2 && loose[0].IsKey("action"):
		return args.With("action", loose[1]), nil
	}
	return args, errAt(loose[0].Pos(), "arguments stand in :args and beside it, expected all of them in :args")
}
