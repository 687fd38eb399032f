package capabilities

import (
	"strings"

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
	w, sum := v.Offer.Weights, 0.0
	for _, goal := range v.Offer.Goals {
		if within(said, goal) {
			sum += w.Goal
		}
	}
	for _, word := range v.Offer.Keywords {
		if within(said, word) {
			sum += w.Keyword
		}
	}
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
)
