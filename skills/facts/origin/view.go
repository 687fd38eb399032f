package origin

import (
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/provenance"
)

// viewKey is where a case shares the view on its action.
const viewKey = "origin/view"

var errNoAction = errors.New("an action is needed to ask this, and nothing is proposed")

// view is what the session says about the case's action. It is made once for an action.
func (w *Words) view(c *skills.Case) (*provenance.View, error) {
	if v, ok := c.Shared(viewKey).(*provenance.View); ok {
		return v, nil
	}
	a := c.Action()
	if a == nil {
		return nil, errNoAction
	}
	w.ready()
	r, err := c.Reading(w.reader(c.Facts().Session.System))
	if err != nil {
		return nil, fmt.Errorf("what the session read cannot be looked up: %w", err)
	}
	whole, err := c.Whole()
	if err != nil {
		return nil, fmt.Errorf("what the session read cannot be looked up: %w", err)
	}
	x, ok := r.(*session)
	if !ok {
		return nil, fmt.Errorf("the session's index is a %T", r)
	}
	args, _ := plain(a.Native()).(map[string]any)
	v := x.index.For(provenance.Action{Tool: w.tool(a.Tool()), Args: args, Set: c.Ruled(), Cwd: cwd(c.Facts()),
		Partial: !whole})
	c.Share(viewKey, v)
	return v, nil
}

// cwd is the working folder, as far as the facts tell.
func cwd(f *skills.Facts) string { return f.Env.GetText("cwd") }

// told turns what provenance does not know into what conditions do not know. Its reason
// is a sentence; what conditions do not know is named.
func told(v any, err error) (any, error) {
	var u provenance.Unknown
	if errors.As(err, &u) {
		return facts.Unknown{Why: "the answer (" + u.Why + ")"}, nil
	}
	return v, err
}
