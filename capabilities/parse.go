package capabilities

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// lookupParse is the look-up of what a pinned parser found.
const lookupParse = "capability/parse"

// The bounds of a parser.
const (
	maxParsed  = 256             // bytes of a value
	maxShown   = 8 << 10         // bytes of the user's words, the newest
	parsesLong = 5 * time.Second // of one question
)

// parse is what a parser is asked.
type parse struct {
	Plan  string `json:"plan"`
	Input string `json:"input"`
	Words string `json:"words"` // the user's, without secrets
}

// parsed is what the pinned parser of an input finds in the user's words (R8). Its answer is on record with the
// decision. It is never a guess: what the user has not said is not taken, and without an answer
// there is no value.
func (b *book) parsed(c *skills.Case, v *version, in *form.Field) (value sexpr.Value, ok bool) {
	if !in.Required || in.Secret || v.Parser(in.Name) == nil {
		return value, false
	}
	said, err := words(c)
	if err != nil {
		return value, false
	}
	question, err := canon.Of(parse{v.hash, in.Name, b.shown(c)})
	if err != nil {
		return value, false
	}
	found, err := c.Witness(lookupParse, string(question), func() (string, error) {
		return b.ask(c, lookupParse, string(question))
	})
	found = strings.TrimSpace(found)
	if err != nil || len(found) > maxParsed || strings.TrimSpace(plain(found)) == "" || !within(said, found) {
		return value, false
	}
	switch in.Type.Kind {
	case skills.KindInteger:
		n, err := strconv.ParseInt(found, 10, 64)
		return sexpr.Int64(n), err == nil
	case skills.KindNumber:
		n, err := strconv.ParseFloat(found, 64)
		return sexpr.Float64(n), err == nil
	case skills.KindBoolean, skills.KindList, skills.KindObject:
		return value, false
	default:
		return sexpr.Str(found), true
	}
}

// shown are the user's newest words. A replay has the digest of the question alone, so they must be the same
// there: secrets are hidden when it is asked.
func (b *book) shown(c *skills.Case) string {
	turns, err := c.Turns()
	if err != nil {
		return ""
	}
	var said []string
	for i := range turns {
		if turns[i].IsUser() {
			said = append(said, turns[i].User)
		}
	}
	text := strings.Join(said, "\n")
	return strings.ToValidUTF8(text[max(0, len(text)-maxShown):], "")
}

// extract answers the look-up. Without [Capabilities.Mask] no parser is shown anything.
func (c *Capabilities) extract(question string) (string, error) {
	if c.Mask == nil {
		return "", errors.New("parsers are not asked here")
	}
	var q parse
	if err := json.Unmarshal([]byte(question), &q); err != nil {
		return "", err
	}
	v, err := c.load(q.Plan)
	if err != nil {
		return "", err
	}
	p := v.Parser(q.Input)
	if p == nil {
		return "", errors.New("there is no such parser")
	}
	ctx, cancel := context.WithTimeout(context.Background(), parsesLong)
	defer cancel()
	shown := c.Mask(q.Words)
	found, err := c.host.Extract(ctx, p.Model, p.Prompt+"\nAnswer with the value alone, as it was said, and with "+
		"nothing if it was not said.", shown)
	if found = clip(strings.TrimSpace(found), maxParsed+1); err != nil || !within(plain(shown), found) {
		return "", err
	}
	return found, nil
}
