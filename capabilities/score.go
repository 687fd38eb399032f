package capabilities

import (
	"strings"

	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// scoreOf says how well a start fits what the user said, and the goal that the host has set: the sum
// of the weights of what is found (R17). What the model wrote counts for nothing.
func (b *book) scoreOf(c *skills.Case, v *version) (float64, error) {
	said, err := words(c)
	if err != nil {
		return 0, err
	}
	w, sum := v.Offer.Weights, v.fits(said)
	for i := range v.Inputs {
		value, _ := c.Action().Args().Get(v.Inputs[i].Name)
		if v.Inputs[i].Required && value.Kind() == sexpr.String && value.Text() != "" && within(said, value.Text()) {
			sum += w.Entity
		}
	}
	if w.Recent != 0 {
		recent, err := c.Witness(lookupRecent, v.ID, func() (string, error) { return b.ask(c, lookupRecent, v.ID) })
		if err != nil {
			return 0, err
		}
		if recent == "ok" {
			sum += w.Recent
		}
	}
	return sum, nil
}

// cue is a goal or keyword that speaks for a capability, as [plain] has it.
type cue struct {
	phrase string
	weight float64
}

// cuesOf makes the cues of a capability ready.
func cuesOf(o *form.Offer) (out []cue) {
	for _, goal := range o.Goals {
		out = append(out, cue{plain(goal), o.Weights.Goal})
	}
	for _, word := range o.Keywords {
		out = append(out, cue{plain(word), o.Weights.Keyword})
	}
	return out
}

// fits is the part of a score that needs no action: goals and keywords.
func (v *version) fits(said string) (sum float64) {
	for _, c := range v.cues {
		if strings.Contains(said, c.phrase) {
			sum += c.weight
		}
	}
	return sum
}

// words are what the user said and the goal of the session, in small letters, with spaces around.
func words(c *skills.Case) (string, error) {
	turns, err := c.Turns()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for i := range turns {
		if turns[i].IsUser() {
			b.WriteString(turns[i].User + " ")
		}
	}
	b.WriteString(c.Facts().Work.GetText("goal"))
	return plain(b.String()), nil
}

// plain is a text in small letters, with single spaces for all that is neither a letter nor a digit.
func plain(text string) string {
	return " " + strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || r > 127)
	}), " ") + " "
}

// within reports whether a text of plain words holds a word or phrase.
func within(said, phrase string) bool { return strings.Contains(said, plain(phrase)) }

// The look-ups of capabilities. Their answers are on record with the decision.
const (
	lookupRecent = "capability/recent" // whether the last run of a capability ended ok: "ok" or ""
	lookupOnce   = "capability/once"   // how the last run of a once-key stands
	lookupRepeat = "capability/repeat" // there only where that run's outputs answer the start, so that no step was judged
)
