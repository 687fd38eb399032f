package reason

import (
	"context"
	"fmt"

	"github.com/opencortex-go/cortex/internal/plist"
	"github.com/opencortex-go/cortex/reason/nearby"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Hint is what the search for an edit that mends a denial came to.
type Hint struct {
	// Edit is the smallest edit of the arguments, as proposed, that every gate lets
	// pass; nil if none was found. It is (:at ("opts" "depth") ...), where the steps lead
	// from :args on, with one of :drop t, :set VALUE, :without WORD (the text without
	// that word) and :folder FOLDER (the path with its last name in that folder).
	//
	// It holds the names of arguments that the schema declares, and values of the rule
	// and of the schema. Nothing else of the action is in it, and no result.
	Edit  sexpr.Value
	Tried int // edits that were judged
}

// String says what the search came to, for people.
func (h *Hint) String() string {
	if h.Edit.IsNil() {
		return fmt.Sprintf("hint: none was found, %d edits were judged", h.Tried)
	}
	return fmt.Sprintf("hint: %s (%d edits were judged)", h.Edit, h.Tried)
}

// The bounds of the search for a hint.
const (
	maxHintJudged = 64       // decisions
	maxHintEdits  = 512      // edits, with those that break the schema
	maxHintArgs   = 16 << 10 // bytes of the action in canonical form
)

// hint looks for a small edit of the proposal that is allowed, if every rule that denies
// it asks for that. Each edit is judged like a proposal of its own, on the same facts, but
// without a grant: what only people could allow makes no hint. Gates that must ask another
// process are not asked, so that an edit they would judge is none either.
//
// What goes wrong in the search leaves the denial without a hint.
func (r *run) hint(ctx context.Context) {
	d := &r.d
	if r.req.within != nil || len(r.mends) == 0 || len(r.mends) != len(d.Reasons) || r.unsure || r.origin ||
		r.tool == nil || r.tool.Name != d.Proposed.Tool() || len(d.Proposed.Canonical()) > maxHintArgs {
		return
	}
	defer func() {
		if recover() != nil {
			d.Hint = nil
		}
	}()
	if h := r.search(ctx); h.Tried > 0 {
		d.Hint = &h
	}
}

// search judges edits until one is allowed, or a bound is reached: first those that the
// rules name, then lower numbers.
func (r *run) search(ctx context.Context) (h Hint) {
	edits := nearby.Search{Of: ownWords{r.tool, r.mends}.of, Most: maxHintEdits}
	take := func(e nearby.Edit) bool {
		a, ok := r.edited(e)
		if !ok || h.Tried == maxHintJudged {
			return false
		}
		h.Tried++
		return r.supposed(ctx, a)
	}
	args := r.d.Proposed.Args()
	e, _, ok := edits.First(args, take)
	if ok {
		e = edits.Nearer(args, e, take)
	} else {
		e, ok = edits.Lower(args, take)
	}
	if ok {
		h.Edit = e.Told()
	}
	return h
}

// edited is the action of an edit that keeps to the schema.
func (r *run) edited(e nearby.Edit) (*skills.Action, bool) {
	if _, err := r.tool.Check(e.Args); err != nil {
		return nil, false
	}
	a, err := skills.NewAction(r.d.Proposed.Tool(), e.Args, r.d.Proposed.Explanation())
	return a, err == nil && a.Digest() != r.d.Proposed.Digest()
}

// supposed reports whether an action would be allowed without an approval. What the
// answer rests on, the decision rests on.
func (r *run) supposed(ctx context.Context, a *skills.Action) bool {
	req := r.req
	req.Proposal, req.Action, req.Grants, req.NoTrace, req.Passes, req.within = sexpr.Value{}, a, nil, true, false, r
	if req.Lookup != nil {
		req.Lookup = r.lookup
	}
	d := Decide(ctx, req)
	for _, k := range d.Reads {
		r.c.Read(k)
	}
	return d.Kind == Allow
}

func putHint(b plist.Sink, h *Hint) {
	if h == nil {
		return
	}
	b.Open("hint")
	b.Value("edit", h.Edit)
	b.Int("tried", int64(h.Tried))
	b.Close()
}

func decodeHint(r plist.Reader) *Hint {
	if r.Value("hint").IsNil() {
		return nil
	}
	s := r.Sub("hint")
	return &Hint{Edit: s.Value("edit"), Tried: s.Small("tried")}
}
