package author

import (
	"context"
	"errors"
	"strings"

	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/reason/nearby"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules"
)

// Seen is a part of a condition and what it came to.
type Seen struct {
	Rule  string // whose condition it is
	At    string // file:line:column of that rule
	Form  string
	Value string // or why there is none
	Kind  string // of the value, such as "an integer"; "" if there is none
}

// maxSeen bounds the parts of one condition that are shown.
const maxSeen = 24

// Values returns what the parts of a rule's condition come to on a case, the whole first.
// Parts that mean something only inside a loop are left out.
func Values(ctx context.Context, book *rules.Rulebook, r rules.Rule, c *skills.Case) (out []Seen) {
	when, ok := condition(r)
	if !ok || when.Kind() == sexpr.String {
		return nil
	}
	for _, s := range Parts(ctx, book, when, c) {
		s.Rule, s.At = r.ID, r.File+":"+r.Pos.String()
		out = append(out, s)
	}
	return out
}

// Parts returns what a form and its parts come to on a case, the whole first; the body of
// a condition under a name is a part of where it is asked. Parts that mean something only
// inside a loop are left out.
func Parts(ctx context.Context, book *rules.Rulebook, form sexpr.Value, c *skills.Case) (out []Seen) {
	done := map[string]bool{}
	var look func(v sexpr.Value)
	look = func(v sexpr.Value) {
		text := v.String()
		if done[text] || len(out) == maxSeen || v.IsNil() || v.IsSym("action") || isList(v) ||
			v.Kind() != sexpr.List && (v.Kind() != sexpr.Symbol || !strings.Contains(v.Text(), ".")) {
			return
		}
		done[text] = true
		if s, kind, ok := computed(ctx, book, v, c); ok {
			out = append(out, Seen{Form: text, Value: s, Kind: kind})
		}
		if body, ok := book.Calculator().Written(v); ok {
			look(body)
		}
		for i, x := range v.Items() {
			if i > 0 {
				look(x)
			}
		}
	}
	look(form)
	return out
}

// isList reports whether a form is a list of literals, which needs no value.
func isList(v sexpr.Value) bool { return v.Len() > 0 && v.Items()[0].Kind() != sexpr.Symbol }

// computed is what a form comes to, as text, and its kind. It reports false for a form
// that cannot stand by itself.
func computed(ctx context.Context, book *rules.Rulebook, v sexpr.Value, c *skills.Case) (text, kind string, ok bool) {
	got, err := book.Calculator().Compute(ctx, v, c)
	if err != nil {
		if errors.As(err, new(*rules.Unjudged)) {
			return "error: " + err.Error(), "", true
		}
		return "", "", false
	}
	text, ok = shown(book.Calculator(), got)
	return text, book.Calculator().Kind(got), ok
}

// Explanation is why one action is decided as it is.
type Explanation struct {
	Decision *reason.Decision
	Rule     *rules.Rule // that decided; nil if no clause and no invariant did
	Values   []Seen
	Flip     *nearby.Edit     // the nearest edit with another kind of decision; nil: none was found
	Flipped  *reason.Decision // of that edit
	Tried    int              // edits that were judged
}

// Explain decides an action and says why it came out so, and what would have to be
// otherwise. An edit that only breaks the schema of the tool explains nothing, and is
// passed over.
func Explain(ctx context.Context, book *rules.Rulebook, req reason.Request) *Explanation {
	req.Policy, req.Passes = book, true
	x := &Explanation{Decision: reason.Decide(ctx, req)}
	a := x.Decision.Action
	if a == nil {
		return x
	}
	var values []sexpr.Value
	if r, ok := book.Rule(strings.TrimSuffix(x.Decision.Key, "/error")); ok {
		x.Rule, x.Values = &r, Values(ctx, book, r, caseOf(book, a, req.Facts))
		values = append(nearby.Literals(r.Form), listed(book, r.Form)...)
	}
	edit, tried, ok := nearby.Search{Values: values}.First(x.Decision.Proposed.Args(), func(e nearby.Edit) bool {
		next, err := skills.NewAction(a.Tool(), e.Args, a.Explanation())
		if err != nil {
			return false
		}
		again := req
		again.Action = next
		d := reason.Decide(ctx, again)
		first, _, _ := strings.Cut(d.Key, "/")
		if d.Kind == x.Decision.Kind || first == "schema" || first == reason.KeyProposal ||
			strings.HasSuffix(d.Key, "/error") {
			return false
		}
		x.Flipped = d
		return true
	})
	if x.Tried = tried; ok {
		x.Flip = &edit
	}
	return x
}

// listed are the members of the lists that a form names.
func listed(book *rules.Rulebook, form sexpr.Value) (out []sexpr.Value) {
	if form.Kind() == sexpr.Symbol {
		if _, ok := book.Calculator().List(form.Text()); !ok {
			return nil
		}
		x, err := book.Calculator().Compute(context.Background(), form, skills.NewCase(nil, nil, new(skills.Facts)))
		if err != nil {
			return nil
		}
		if v, err := book.Calculator().Form(x); err == nil {
			return v.Items()
		}
	}
	for _, v := range form.Items() {
		out = append(out, listed(book, v)...)
	}
	return out
}

// shown is a value that a form came to, as one line of at most some hundred letters. It
// reports false for one that has no form, such as a command line that was read.
func shown(c *rules.Calculator, v any) (string, bool) {
	form, err := c.Form(v)
	if err != nil {
		return "", false
	}
	text := form.String()
	if r := []rune(text); len(r) > 160 {
		text = string(r[:160]) + "..."
	}
	return text, true
}

// Compute is what a form comes to on a case, as text, and its kind.
func Compute(ctx context.Context, book *rules.Rulebook, form sexpr.Value, on *skills.Case) (text, kind string,
	err error) {
	v, err := book.Calculator().Compute(ctx, form, on)
	if err != nil {
		return "", "", err
	}
	f, err := book.Calculator().Form(v)
	if err != nil {
		return "", "", err
	}
	return f.String(), book.Calculator().Kind(v), nil
}
