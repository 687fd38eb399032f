package authoring

import (
	"cmp"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/reason/author"
)

// Explain prints for people why an action is decided as it is.
func Explain(c *console.Console, x *author.Explanation) {
	d := x.Decision
	f := d.Found()
	c.Printf("%s %s\n", d.Kind, d.Key)
	if f.Reason != "" {
		c.Printf("reason: %s\n", f.Reason)
	}
	if d.Action != nil && d.Proposed != nil && d.Action.Digest() != d.Proposed.Digest() {
		c.Printf("rewritten: %s\n", d.Action.Args())
	}
	switch {
	case x.Rule != nil:
		c.Printf("%s:%s:\n  %s\n", x.Rule.File, x.Rule.Pos, x.Rule.Form)
	case d.Action != nil:
		c.Printf("no clause decided\n")
	}
	for _, v := range x.Values {
		c.Printf("  %s = %s\n", v.Form, v.Value)
	}
	if d.Hint != nil {
		c.Printf("%s\n", d.Hint)
	}
	switch {
	case x.Flip != nil:
		c.Printf("nearest change: %s, then %s %s\n", x.Flip, x.Flipped.Kind, x.Flipped.Key)
	case d.Action != nil:
		c.Printf("no single change of the arguments was found that flips it (%d tried)\n", x.Tried)
	}
}

// ExplainJSON is an explanation.
func ExplainJSON(x *author.Explanation) Object {
	f := x.Decision.Found()
	o := Object{"decision": f.Kind, "key": f.Key, "reason": f.Reason, "args": text(f.Args), "values": valuesJSON(x.Values),
		"tried": x.Tried}
	if x.Rule != nil {
		o["clause"], o["form"] = placeJSON(*x.Rule), x.Rule.Form.String()
	}
	if h := x.Decision.Hint; h != nil && !h.Edit.IsNil() {
		o["hint"] = h.Edit.String()
	}
	if x.Flip != nil {
		o["flip"] = Object{"change": x.Flip.String(), "args": text(x.Flip.Args), "decision": x.Flipped.Kind.String(),
			"key": cmp.Or(x.Flipped.Key, "none")}
	}
	return o
}
