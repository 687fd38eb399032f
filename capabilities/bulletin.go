package capabilities

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/skills"
)

// The sizes of what a model reads of capabilities. Four bytes, rounded up, count as one token (R14).
const (
	listings   = 5
	maxListing = 4 * 120 // bytes
)

// offering is a policy that tells a model of the capabilities that fit the turn, and not of all.
type offering struct {
	skills.Policy
	book *book
}

// Under implements [skills.Layered].
func (o *offering) Under() skills.Policy { return o.Policy }

// Offers implements [skills.Offerer]: of capabilities, those that stand in the bulletin.
func (o *offering) Offers(c *skills.Case) func(*skills.Tool) bool {
	told := o.book.top(c)
	return func(t *skills.Tool) bool {
		return len(o.book.of(t.Name)) == 0 || slices.ContainsFunc(told, func(v *version) bool { return v.ID == t.Name })
	}
}

// top are the capabilities that fit a turn best: by score, then by id, so that the same record gives the
// same ones (R15, R18). Those that do not fit where this runs are left out.
func (b *book) top(c *skills.Case) []*version {
	type rated struct {
		v     *version
		score float64
	}
	said, err := words(c)
	if err != nil {
		return nil
	}
	var all []rated
	for i, v := range b.versions {
		if i > 0 && b.versions[i-1].ID == v.ID {
			continue
		}
		if verdict, err := compat(c, v); err != nil || verdict != (skills.Pass{}) {
			continue
		}
		all = append(all, rated{v, v.fits(said)})
	}
	slices.SortStableFunc(all, func(x, y rated) int {
		return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(x.v.ID, y.v.ID))
	})
	out := make([]*version, min(len(all), listings))
	for i := range out {
		out[i] = all[i].v
	}
	return out
}

// Bulletin implements [skills.Bulletin].
func (o *offering) Bulletin(c *skills.Case) (text string, tools []*skills.Tool) {
	told := o.book.top(c)
	for _, v := range told {
		tools = append(tools, v.Tool())
	}
	return o.book.lists(told), tools
}

// bulletin is the skill that lists the capabilities of a turn, once in each prompt.
func (b *book) bulletin() *skills.Skill {
	return &skills.Skill{Name: "capability/bulletin", Priority: priority, Tools: []string{"capability/bulletin"},
		Trigger: func(*skills.Case) (bool, error) { return true, nil },
		Speak: func(_ context.Context, c *skills.Case) (prompt, augment string, err error) {
			return "", b.lists(b.top(c)), nil
		}}
}

// lists is the text that lists what fits a turn; "" for nothing.
func (b *book) lists(told []*version) string {
	switch {
	case b.text == textUnread:
		return whyUnread
	case len(told) == 0:
		return ""
	}
	var text strings.Builder
	text.WriteString("Capabilities, which are tested plans, called as tools. If one fits, call it and do not do its " +
		"steps by hand:")
	for _, v := range told {
		text.WriteString("\n- " + v.listing())
	}
	for _, v := range told {
		if v.Augment != "" {
			text.WriteString("\n" + v.Augment)
		}
	}
	return text.String()
}

// listing is a line about a capability, for a model.
func (v *version) listing() string {
	text := v.ID
	if v.Doc != "" {
		text += ": " + strings.Join(strings.Fields(v.Doc), " ")
	}
	var inputs []string
	for i := range v.Inputs {
		in := &v.Inputs[i]
		name := ":" + in.Name
		if !in.Required || v.Filled(in) {
			name += "?"
		}
		inputs = append(inputs, name)
	}
	if len(inputs) > 0 {
		names := clip(strings.Join(inputs, " "), maxListing/2)
		text = fmt.Sprintf("%s (%s)", clip(text, maxListing-len(names)-3), names)
	}
	return clip(text, maxListing)
}
