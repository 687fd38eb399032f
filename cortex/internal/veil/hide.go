package veil

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// hiding finds what is to be hidden in one body, and puts marks in place of it.
type hiding struct {
	names  *names
	texts  skills.Secrets  // of the session
	own    skills.Secrets  // of this body
	mark   string          // of this body: no text in it holds it
	found  skills.Secrets  // of texts: what looks like a credential, which names may hold too
	whole  map[string]bool // texts that are hidden as they are
	values []sexpr.Value   // what the marks stand for, from 1
	index  map[string]int  // of the texts among values

	entered bool // it is a body of a log
}

// mayBeIn reports whether a body may hold an action with secret arguments.
func (n *names) mayBeIn(body []byte) bool {
	if bytes.Contains(body, []byte(" :"+record.Withheld+" ")) {
		return true
	}
	if len(n.tools) == 0 {
		return false
	}
	low := bytes.ToLower(body)
	in := func(name []byte) bool { return bytes.Contains(low, name) }
	return slices.ContainsFunc(n.tools, in) || in([]byte(":proposal ")) && slices.ContainsFunc(n.keys, in)
}

func lower(s string) string { return strings.ToLower(s) }

// of returns the arguments of a tool. Of one that is not declared, as a model may have
// misspelt it, those of all tools count.
func (n *names) of(tool string) *arguments {
	if own, ok := n.byTool[lower(tool)]; ok {
		return own
	}
	return n.any
}

// of returns the arguments of the tool of a call. One that was hidden in an earlier record of
// the same approval stays hidden, whatever the tools in force declare.
func (h *hiding) of(call sexpr.Value) *arguments {
	of := h.names.of(call.GetText("tool"))
	before := record.TextsFrom(call, record.Withheld)
	if len(before) == 0 {
		return of
	}
	all := &arguments{maps.Clone(of.secret), of.declared}
	for _, name := range before {
		all.secret[lower(name)] = true
	}
	return all
}

// find gathers the texts of secret arguments in a body.
func (h *hiding) find(v sexpr.Value) {
	if args, ok := v.Get("args"); ok && args.IsPlist() {
		of := h.of(v)
		for kv := args.Items(); len(kv) > 1; kv = kv[2:] {
			if of.hides(kv[0].Text()) && !isReference(kv[1]) {
				h.note(kv[1])
			}
		}
	}
	if text := v.GetText("proposal"); text != "" {
		if form, err := record.Unlimited.Read("proposal", text); err == nil {
			h.findProposed(form, h.names.any)
		}
	}
	for _, x := range v.Items() {
		h.find(x)
	}
}

// findProposed gathers what a proposal has under the names of secret arguments: it may be
// refused, and so be of any shape. It reports whether the proposal is to be hidden whole:
// also a misspelt argument of a tool with secrets may hold one.
func (h *hiding) findProposed(form sexpr.Value, of *arguments) (whole bool) {
	items := form.Items()
	for i, x := range items {
		if i+1 < len(items) && isWord(x) && lower(x.Text()) == "tool" {
			of = h.names.of(items[i+1].Text())
			whole = of.declared != nil && len(of.secret) > 0
		}
	}
	for i, x := range items {
		if i+1 < len(items) && isWord(x) && of.secret[lower(x.Text())] {
			h.note(items[i+1])
			whole = true
		}
		whole = h.findProposed(x, of) || whole
	}
	return whole
}

func isWord(v sexpr.Value) bool { return v.Kind() == sexpr.Keyword || v.Kind() == sexpr.Symbol }

func (h *hiding) note(v sexpr.Value) { h.texts, h.own = h.texts.With(v), h.own.With(v) }

// quotes reports whether a printed body may quote one of the texts.
func quotes(body []byte, texts skills.Secrets) bool {
	return slices.ContainsFunc(texts, func(t string) bool {
		return bytes.Contains(body, []byte(t))
	})
}

// hide returns the body with marks in it.
func (h *hiding) hide(body sexpr.Value) (sexpr.Value, error) {
	text, err := sexpr.Print(body)
	if err != nil {
		return body, err
	}
	for h.mark == "" || strings.Contains(text, h.mark) {
		var b [4]byte
		_, _ = rand.Read(b[:]) // it never fails
		h.mark = hex.EncodeToString(b[:])
	}
	return h.in(body, false, true)
}

// sign returns the mark of a value.
func (h *hiding) sign(v sexpr.Value) string { return signOf(h.mark, h.number(v)) }

// number adds a value to those that marks stand for, and returns its place.
func (h *hiding) number(v sexpr.Value) int {
	text := v.Kind() == sexpr.String
	if i, ok := h.index[v.Text()]; text && ok {
		return i
	}
	i := -1
	if !text {
		i = slices.IndexFunc(h.values, func(x sexpr.Value) bool { return sexpr.Equal(x, v) && x.Kind() == v.Kind() })
	}
	if i < 0 {
		h.values = append(h.values, v)
		i = len(h.values) - 1
	}
	if text {
		if h.index == nil {
			h.index = map[string]int{}
		}
		h.index[v.Text()] = i
	}
	return i
}

// text puts marks into a text.
func (h *hiding) text(text string) string {
	if h.whole[text] {
		return h.sign(sexpr.Str(text))
	}
	return h.texts.Replace(text, func(t string) string { return h.sign(sexpr.Str(t)) })
}

// name puts marks into the name of a tool, an argument or the like, such that it can be one still.
func (h *hiding) name(name string) string {
	mark := func(t string) string { return nameOf(h.mark, h.number(sexpr.Str(t))) }
	if h.whole[name] {
		return mark(name)
	}
	return h.found.Replace(name, mark)
}

func signOf(mark string, i int) string { return fmt.Sprintf("[secret %s.%d]", mark, i+1) }

// nameOf is the mark of a text in a name. No mark begins with another one.
func nameOf(mark string, i int) string { return fmt.Sprintf("secret-%s-%d-s", mark, i+1) }

// structure are the members whose texts the engine itself wrote, to find its way.
var structure = map[string]bool{"ask": true, "bound": true, "by": true, "class": true, "digest": true,
	"gate": true, "grant": true, "key": true, "kind": true, "nonce": true, "outcome": true, "places": true,
	"policy": true, "principal": true, "reads": true, "requester": true, "session": true, "source": true, "state": true,
	"token": true, "tool": true, "versions": true, "via": true}

// ofLogs are the members of records of logs whose texts the engine itself wrote or checked.
var ofLogs = map[string]bool{"acts": true, "approval": true, "content": true, "dedupe": true, "event-id": true,
	"family": true, "log": true, "media": true, "origin": true, "sha256": true}

// foreign are the members with texts from outside, whatever these are called there.
var foreign = map[string]bool{"args": true, "diff": true, "result": true, "payload": true, "facts": true,
	"proposal": true, "set": true}

// in puts marks into a value. outside says that the value was made outside the engine, and
// top that it is the body.
func (h *hiding) in(v sexpr.Value, outside, top bool) (sexpr.Value, error) {
	switch v.Kind() {
	case sexpr.String:
		return sexpr.Str(h.text(v.Text())), nil
	case sexpr.Int, sexpr.Float:
		if outside && slices.Contains(h.texts, v.String()) {
			return sexpr.Str(h.sign(v)), nil
		}
		return v, nil
	case sexpr.List:
		if v.IsPlist() {
			return h.inPlist(v, outside, top)
		}
		out := make([]sexpr.Value, v.Len())
		for i, x := range v.Items() {
			var err error
			if out[i], err = h.in(x, outside, false); err != nil {
				return v, err
			}
		}
		return sexpr.ListOf(out...), nil
	case sexpr.Keyword:
		return sexpr.Key(h.name(v.Text())), nil
	case sexpr.Symbol:
		return sexpr.Sym(h.name(v.Text())), nil
	}
	return v, nil
}

func (h *hiding) inPlist(v sexpr.Value, outside, top bool) (sexpr.Value, error) {
	out, withheld := []sexpr.Value(nil), []string(nil)
	_, called := v.Get("args")
	for kv := v.Items(); len(kv) > 1; kv = kv[2:] {
		name, x, err := kv[0].Text(), kv[1], error(nil)
		switch {
		case name == "args" && x.IsPlist():
			var of []string
			x, of, err = h.arguments(v, x)
			withheld = append(withheld, of...)
		case name == "proposal" && top && h.proposes(x.Text()):
			x = sexpr.Str(h.sign(x))
		case name == "tool" && !outside && x.Kind() == sexpr.String:
			if hidden := h.name(x.Text()); hidden != x.Text() {
				x = sexpr.Str(hidden)
				if called { // also without arguments
					withheld = append(withheld, name)
				}
			}
		case (structure[name] || h.entered && ofLogs[name]) && !outside && !x.IsPlist():
		default:
			x, err = h.in(x, outside || foreign[name], false)
		}
		if err != nil {
			return v, err
		}
		out = append(out, sexpr.Key(h.name(name)), x)
	}
	return h.mention(v, sexpr.ListOf(out...), withheld, outside, top)
}

// mention notes in a call which of its arguments are withheld, and the digest of the real one.
func (h *hiding) mention(v, out sexpr.Value, withheld []string, outside, top bool) (sexpr.Value, error) {
	_, digest := v.Get("digest")
	if len(withheld) == 0 || outside || !digest && !top {
		return out, nil
	}
	if !digest {
		args, _ := v.Get("args")
		a, err := skills.NewAction(v.GetText("tool"), args, "")
		if err != nil {
			return v, err
		}
		out = out.With("digest", sexpr.Str(a.Digest().String()))
	}
	return out.With(record.Withheld, record.Texts(withheld)), nil
}

// arguments puts marks in place of the secret arguments of a call, and into the others.
func (h *hiding) arguments(call, args sexpr.Value) (out sexpr.Value, withheld []string, err error) {
	of := h.of(call)
	var in []sexpr.Value
	for kv := args.Items(); len(kv) > 1; kv = kv[2:] {
		name, x := kv[0].Text(), kv[1]
		as := h.name(name)
		var y sexpr.Value
		if of.hides(name) && !isReference(x) {
			y = sexpr.Str(h.sign(x))
		} else if y, err = h.in(x, true, false); err != nil {
			return args, nil, err
		}
		if as != name || !sexpr.Equal(x, y) { // it is a secret, or quotes one
			withheld = append(withheld, as)
		}
		in = append(in, sexpr.Key(as), y)
	}
	return sexpr.ListOf(in...), withheld, nil
}

// proposes reports whether a recorded proposal holds a secret argument.
func (h *hiding) proposes(text string) bool {
	form, err := record.Unlimited.Read("proposal", text)
	return err == nil && (&hiding{names: h.names}).findProposed(form, h.names.any)
}

// isReference reports whether an argument is (:vault "name"), which is no secret.
func isReference(v sexpr.Value) bool {
	_, is := skills.VaultName(v)
	return is
}

// show undoes hide: it puts the values in place of their marks.
func show(body sexpr.Value, mark string, values []sexpr.Value) (sexpr.Value, error) {
	var pairs []string
	whole := map[string]sexpr.Value{}
	for i, v := range values {
		whole[signOf(mark, i)] = v
		if v.Kind() == sexpr.String {
			pairs = append(pairs, signOf(mark, i), v.Text(), nameOf(mark, i), v.Text())
		}
	}
	s := showing{strings.NewReplacer(pairs...), whole, mark, false}
	items := body.Items()
	kept := make([]sexpr.Value, 0, len(items))
	for ; len(items) > 1; items = items[2:] {
		if !items[0].IsKey(record.Veiled) {
			kept = append(kept, s.in(items[0]), s.in(items[1]))
		}
	}
	if s.named { // the order was that of the marks
		return sexpr.Sorted(sexpr.ListOf(kept...))
	}
	return sexpr.ListOf(kept...), nil
}

// showing puts values in place of their marks.
type showing struct {
	texts *strings.Replacer
	whole map[string]sexpr.Value
	mark  string
	named bool // a name had a mark
}

func (s *showing) in(v sexpr.Value) sexpr.Value {
	switch v.Kind() {
	case sexpr.String:
		if x, ok := s.whole[v.Text()]; ok {
			return x
		}
		if strings.Contains(v.Text(), s.mark) {
			return sexpr.Str(s.texts.Replace(v.Text()))
		}
	case sexpr.Keyword, sexpr.Symbol:
		if !strings.Contains(v.Text(), s.mark) {
			return v
		}
		s.named = true
		if v.Kind() == sexpr.Symbol {
			return sexpr.Sym(s.texts.Replace(v.Text()))
		}
		return sexpr.Key(s.texts.Replace(v.Text()))
	case sexpr.List:
		if v.IsNil() || v.Len() == 0 {
			return v
		}
		out := make([]sexpr.Value, v.Len())
		for i, x := range v.Items() {
			out[i] = s.in(x)
		}
		return sexpr.ListOf(out...)
	case sexpr.Int, sexpr.Float:
	}
	return v
}
